#!/usr/bin/env bash
# npm_packages.sh - the packages of make npm, packed, installed from their
# tarballs, and loaded by better-sqlite3, node:sqlite and npm's sqlite3.
#
# The last two need test/setup.sh hosts.
set -u
cd "$(dirname "$0")/../.."

export MAKEFLAGS=''
export BUILD=${BUILD:-build}
top=$PWD out=$PWD/$BUILD/dist
scratch=$PWD/$BUILD/npm-packages
modules=$top/test/hosts/node_modules
newer=$(echo "$modules"/node-linux-*/bin/node)
passed=0 failed=0 skipped=0

result() {
    echo "npm: $passed passed, $failed failed, $skipped skipped"
    [ $failed -eq 0 ]
    exit
}
skip() { echo "skipped: $1"; skipped=$((skipped + 1)); }
check() {                             # NAME WANTED SAW
    [ "$2" = "$3" ] && passed=$((passed + 1)) && return
    printf 'FAIL %s: saw %s, wanted %s\n' "$1" "$3" "$2"
    failed=$((failed + 1))
}

[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || {
    skip "Node 18 or newer is needed"
    result
}
make --no-print-directory -s one-file >/dev/null && bash dist/pack.sh ||
    { failed=1; result; }

# A project with the packages and the three libraries that load extensions.
# npm is offline, so only what the tarballs bring is there.
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
version=$(sed -n 's/^#define PARQUET_VERSION "\(.*\)"$/\1/p' "$top/core/face/parquet.h")
node - "$out" "$version" >package.json <<'END'
const { readdirSync } = require('fs')
const [out, version] = process.argv.slice(2)
const all = readdirSync(out).filter(x => x.endsWith(`-${version}.tgz`))
  .map(x => [x.replace(`-${version}.tgz`, ''), `file:${out}/${x}`])
const main = all.filter(([name]) => name === 'sqlite-parquet')
console.log(JSON.stringify({
  private: true,
  dependencies: Object.fromEntries(main),
  optionalDependencies: Object.fromEntries(all.filter(x => !main.includes(x))),
}))
END
npm install --offline --no-audit --no-fund --silent ||
    { echo "FAIL npm install"; failed=1; result; }
machine=$(node -p 'process.platform + "-" + process.arch')
check "only this machine's library is installed" \
    "sqlite-parquet sqlite-parquet-$machine" \
    "$(find node_modules -maxdepth 1 -name 'sqlite*' -printf '%f\n' | sort | paste -sd ' ')"

cat >better.mjs <<'END'
import Database from 'better-sqlite3'
import { load } from 'sqlite-parquet'
const db = new Database(':memory:')
load(db)
console.log(db.prepare('SELECT parquet_version()').pluck().get())
END
cat >better.cjs <<'END'
const db = new (require('better-sqlite3'))(':memory:')
require('sqlite-parquet').load(db)
console.log(db.prepare('SELECT parquet_version()').pluck().get())
END
cat >node.mjs <<'END'
import { DatabaseSync } from 'node:sqlite'
import * as parquet from 'sqlite-parquet'
const db = new DatabaseSync(':memory:', { allowExtension: true })
parquet.load(db)
console.log(db.prepare('SELECT parquet_version() AS x').get().x)
END
cat >npm.mjs <<'END'
import sqlite3 from 'sqlite3'
import { getLoadablePath } from 'sqlite-parquet'
const db = new sqlite3.Database(':memory:')
db.loadExtension(getLoadablePath())
db.get('SELECT parquet_version() AS x', (e, row) => console.log(e ?? row.x))
END
runs() {                              # NAME NODE PROGRAM
    local said
    said=$("$2" "$3" 2>&1)
    check "$1" "parquet $version" "$(head -n 1 <<<"${said%%,*}")"
}

ln -s "$top/test/interop/node_modules/better-sqlite3" node_modules/better-sqlite3
runs "better-sqlite3, import" node better.mjs
runs "better-sqlite3, require" node better.cjs
if [ -x "$newer" ]; then
    runs "node:sqlite" "$newer" node.mjs
else
    skip "node:sqlite: a newer Node is needed (test/setup.sh hosts)"
fi
if [ -d "$modules/sqlite3/build/Release" ]; then
    ln -s "$modules/sqlite3" node_modules/sqlite3
    runs "sqlite3 of npm" node npm.mjs
else
    skip "sqlite3 of npm (test/setup.sh hosts)"
fi

# A missing library gives an error that says what to do.
path='const { getLoadablePath } = require("sqlite-parquet")
try { console.log(getLoadablePath()) } catch (e) { console.log(e.message) }'
check "another machine" \
    "sqlite-parquet has no library for sunos-x64, only for $(basename -a \
        "$out"/linux-*/ | paste -sd ' ' | sed 's/ / and /g')" \
    "$(node -e "Object.defineProperty(process, 'platform', { value: 'sunos' })
Object.defineProperty(process, 'arch', { value: 'x64' })
$path")"
rm -r "node_modules/sqlite-parquet-$machine"
check "without optional dependencies" \
    "sqlite-parquet-$machine is not installed: install without --omit=optional, on the machine that it runs on" \
    "$(node -e "$path")"
result
