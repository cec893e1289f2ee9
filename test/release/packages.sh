#!/usr/bin/env bash
# packages.sh FOLDER TOOLS - the packages of make release, installed as their users do.
#
# Each of them reads a sample, by the extension and by the program; those for other
# machines by the shells of SQLite in TOOLS, which release.sh made.  What has no program
# that installs it here (sqlpkg) is looked at.  ONLY="deb npm": only these.
set -u
cd "$(dirname "$0")/../.." || exit

packages=$(realpath "$1") tools=$(realpath "$2")
ONLY=${ONLY-sums tar zip deb pip npm sqlpkg spdx}
export WINEPREFIX=$tools/wine WINEDEBUG=-all
scratch=$PWD/${BUILD:-build}/packages-test
sample=$PWD/test/samples/trips.parquet
version=$(sed -n 's/^#define PARQUET_VERSION "\(.*\)"$/\1/p' core/face/parquet.h)
passed=0 failed=0
rm -rf "$scratch"
mkdir -p "$scratch"

check() {                             # NAME COMMAND...: what it prints is wrong
    local name=$1 said
    shift
    [[ " $ONLY " == *" ${name%%,*} "* ]] || return 0
    said=$("$@" 2>&1) && [ -z "$said" ] && passed=$((passed + 1)) && return
    printf 'FAIL %s\n%s\n' "$name" "$said"
    failed=$((failed + 1))
}
loads() {                             # FILE [SHELL...]: by SQLite's shell
    local library=$1 said
    shift
    [ $# -gt 0 ] || set -- sqlite3
    said=$("$@" -init /dev/null :memory: ".load $library" \
        "SELECT count(*) FROM parquet_rows('$sample')" | tr -d '\r')
    [ "$said" = 4096 ] || echo "$library: $said"
}
in_wine() { loads "$1" wine "$tools/sqlite3.exe"; }
on_arm() { "$(command -v qemu-aarch64-static || command -v qemu-aarch64)" \
    -L /usr/aarch64-linux-gnu "$@"; }
in_arm() { loads "$1" on_arm "$tools/shell-arm64"; }
in_musl() { loads "$1" "$tools/shell-musl"; }
runs() {                              # PROGRAM...
    local said
    said=$("$@" -o list "SELECT count(*) FROM '$sample'" | tail -n 1)
    [ "$said" = 4096 ] || echo "$*: $said"
}

sums() { cd "$packages" && sha256sum --check --quiet SHA256SUMS; }
all_have_sums() {
    diff <(awk '{ print $2 }' "$packages/SHA256SUMS") \
        <(cd "$packages" && printf '%s\n' * | grep -vx SHA256SUMS | LC_ALL=C sort)
}
untar() {
    mkdir "$scratch/tar" &&
        tar -xzf "$packages/sqlite-parquet-$version-linux-x64.tar.gz" -C "$scratch/tar" &&
        loads "$scratch/tar/parquet" && runs "$scratch/tar/bin/parquet" &&
        [ -s "$scratch/tar/sql/README.md" ] && grep -q '^==== openssl' "$scratch/tar/LICENSES.linked"
}
untar_for() {                         # TARGET LOADER [MACHINE]
    local at=$scratch/tar-$1
    mkdir "$at" && tar -xzf "$packages/sqlite-parquet-$version-$1.tar.gz" -C "$at" &&
        "$2" "$at/parquet" && runs "${@:3}" "$at/bin/parquet"
}
unzip_windows() {
    unzip -q "$packages/sqlite-parquet-$version-windows-x64.zip" -d "$scratch/zip" &&
        in_wine "$scratch/zip/parquet" && [ -s "$scratch/zip/sql/README.md" ]
}
# dpkg with a database of its own.  Nothing of this machine changes.
deb_for() {                           # ARCHITECTURE TRIPLET LOADER [MACHINE]
    local root=$scratch/deb-$1
    mkdir -p "$root/var/lib/dpkg"/{info,updates} &&
        touch "$root/var/lib/dpkg/status" &&
        dpkg --root="$root" --force-depends --force-architecture --force-not-root \
            --force-bad-path -i "$packages/sqlite-parquet_${version}_$1.deb" \
            >"$scratch/dpkg" 2>&1 || { cat "$scratch/dpkg"; return 1; }
    "$3" "$root/usr/lib/$2/parquet" && runs "${@:4}" "$root/usr/bin/parquet"
}
pip() {
    local site=$scratch/pip
    /usr/bin/python3 -m pip install -q --root-user-action=ignore --no-index --no-deps \
        --target "$site" --find-links "$packages" sqlite-parquet || return
    loads "$(PYTHONPATH=$site /usr/bin/python3 -m sqlite_parquet)" && runs "$site/bin/parquet"
}
pip_for() {                           # PLATFORM FILE LOADER
    local site=$scratch/pip-$1
    /usr/bin/python3 -m pip install -q --root-user-action=ignore --no-index --no-deps \
        --platform "$1" --only-binary=:all: \
        --target "$site" --find-links "$packages" sqlite-parquet || return
    "$3" "$site/sqlite_parquet/$2"
}
npm_install() {
    mkdir "$scratch/npm" && cd "$scratch/npm" && echo '{ "private": true }' >package.json &&
        npm install --offline --no-audit --no-fund --silent \
            "$packages/sqlite-parquet-$version.tgz" \
            "$packages/sqlite-parquet-linux-x64-$version.tgz" &&
        loads "$(node -p 'require("sqlite-parquet").getLoadablePath()')" &&
        runs node_modules/.bin/parquet && [ -s node_modules/sqlite-parquet/manual/README.md ]
}
# npm takes a package for another machine, and a Node is told that it is that one.
npm_for() {                           # PLATFORM LOADER
    local at=$scratch/npm-$1 os=${1%%-*} cpu=${1##*-} libc='' found
    case $1 in *-musl-*) ;; linux-*) libc=glibc ;; esac
    mkdir "$at" && cd "$at" && echo '{ "private": true }' >package.json &&
        npm install --offline --no-audit --no-fund --silent --force \
            "$packages/sqlite-parquet-$version.tgz" \
            "$packages/sqlite-parquet-$1-$version.tgz" || return
    found=$(node -p "Object.defineProperties(process,
            { platform: { value: '$os' }, arch: { value: '$cpu' } })
        process.report.getReport = () => ({ header: { glibcVersionRuntime: '$libc' } })
        require('sqlite-parquet').getLoadablePath()") && "$2" "$found"
}
npm_wasm() {
    mkdir "$scratch/npm-wasm" && cd "$scratch/npm-wasm" && echo '{ "private": true }' >package.json &&
        npm install --offline --no-audit --no-fund --silent \
            "$packages/sqlite-parquet-wasm-$version.tgz" || return
    cat >count.mjs <<'END'
import { readFileSync } from 'node:fs';
import sqlite3InitModule from 'sqlite-parquet-wasm';
import 'sqlite-parquet-wasm/files.mjs';
const sqlite3 = await sqlite3InitModule();
const path = await sqlite3.parquet.mount(readFileSync(process.argv[2]), 't.parquet');
const n = new sqlite3.oo1.DB().selectValue('SELECT count(*) FROM parquet_rows(?)', [path]);
if (n !== 4096) console.log(n);
END
    node count.mjs "$sample"
}
# sqlpkg makes no folders: what the pattern chooses of an archive has none in its name.
sqlpkg() {
    /usr/bin/python3 - "$packages" <<'END'
import fnmatch, hashlib, json, sys, tarfile, zipfile
folder = sys.argv[1]
assets = json.load(open(f"{folder}/sqlpkg.json"))["assets"]
assert {"linux-amd64", "linux-arm64", "windows-amd64", "darwin-arm64"} == set(assets["files"])
for name in assets["files"].values():
    data = open(f"{folder}/{name}", "rb").read()
    assert assets["checksums"][name] == "sha256-" + hashlib.sha256(data).hexdigest(), name
    if name.endswith(".zip"):
        names = zipfile.ZipFile(f"{folder}/{name}").namelist()
    else:
        names = tarfile.open(f"{folder}/{name}").getnames()
    chosen = [n for n in names if fnmatch.fnmatch(n, assets["pattern"])]
    assert chosen in (["parquet.so"], ["parquet.dll"], ["parquet.dylib"]), chosen
END
}
spdx() {
    /usr/bin/python3 - "$packages/sqlite-parquet-$version.spdx.json" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
sums = {c["checksumValue"] for p in found["packages"] for c in p.get("checksums", ())}
ids = {p["SPDXID"] for p in found["packages"]} | {"SPDXRef-DOCUMENT"}
for line in open("release/sources.list"):
    if line.strip() and line[0] != "#":
        assert line.split()[2] in sums, line
assert {"SPDXRef-winpthreads", "SPDXRef-emscripten"} <= ids
for r in found["relationships"]:
    assert {r["spdxElementId"], r["relatedSpdxElement"]} <= ids, r
END
}

check "sums" sums
check "sums, of all" all_have_sums
check "tar" untar
check "tar, musl" untar_for linux-musl-x64 in_musl
check "tar, arm64" untar_for linux-arm64 in_arm on_arm
check "zip" unzip_windows
check "deb" deb_for amd64 x86_64-linux-gnu loads
check "deb, arm64" deb_for arm64 aarch64-linux-gnu in_arm on_arm
check "deb, lintian" lintian --allow-root "$packages"/*.deb
check "pip" pip
check "pip, musl" pip_for musllinux_1_2_x86_64 parquet.so in_musl
check "pip, arm64" pip_for manylinux_2_17_aarch64 parquet.so in_arm
check "pip, Windows" pip_for win_amd64 parquet.dll in_wine
check "npm" npm_install
check "npm, musl" npm_for linux-musl-x64 in_musl
check "npm, arm64" npm_for linux-arm64 in_arm
check "npm, Windows" npm_for win32-x64 in_wine
check "npm, WebAssembly" npm_wasm
check "sqlpkg" sqlpkg
check "spdx" spdx
echo "packages: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
