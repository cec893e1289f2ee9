#!/usr/bin/env bash
# newest.sh - Tcl tests and the oracle on the newest SQLite.
#
# The distribution's Tcl and Python load the SQLite of the system, of 2022 on
# Debian 12.  The package better-sqlite3 brings the source of the newest one: it
# is built once, as the library that both load, and they find it first.
#
#   build/newest/3.53.2/libsqlite3.so.0
#
#   newest.sh          runs what depends on SQLite's version: make check-all
#   newest.sh whole    runs every Tcl test and all of the oracle: make newest
#   newest.sh build    only builds
#
# What depends on the version is how statements are planned, what is asked of the
# extension and passed to it, and how long statements live.  A Tcl file about
# something else has a line "# Not on the newest SQLite: WHY"; a new file runs here.
set -u
cd "$(dirname "$0")/../.."

source=test/interop/node_modules/better-sqlite3/deps/sqlite3
build=${BUILD:-build}/newest
CC=${CC:-cc}
. test/forms.sh
SEED=${SEED:-$check_seed}
export SO=${SO:-$PWD/parquet.so}
passed=0 failed=0

skip() {
    echo "skipped: $1"
    echo "newest: 0 passed, 0 failed, 1 skipped"
    exit 0
}

[ -e "$source/sqlite3.c" ] ||
    skip "the source of better-sqlite3's SQLite is not there (npm ci)"
version=$(sed -n 's/^#define SQLITE_VERSION  *"\(.*\)"$/\1/p' \
    "$source/sqlite3.h")

# Options of Debian's own SQLite, without which its Tcl package does not load.
# The shell needs Debian's own library and has to find that one.
make_library() {
    local flags=(-DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_PREUPDATE_HOOK
        -DSQLITE_ENABLE_UNLOCK_NOTIFY -DSQLITE_ENABLE_LOAD_EXTENSION
        -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_UPDATE_DELETE_LIMIT
        -DSQLITE_ENABLE_DBSTAT_VTAB -DSQLITE_ENABLE_RTREE -DSQLITE_USE_URI=1)

    mkdir -p "$build/$version"
    printf '#!/bin/sh\nexec env -u LD_LIBRARY_PATH %s "$@"\n' \
        "$(type -P sqlite3)" >"$build/$version/sqlite3"
    chmod +x "$build/$version/sqlite3"
    [ ! "$build/$version/libsqlite3.so.0" -nt "${BASH_SOURCE[0]}" ] || return 0
    "$CC" -O1 -fPIC -shared -Wl,-soname,libsqlite3.so.0 "${flags[@]}" \
        -o "$build/$version/new.$$" "$source/sqlite3.c" -lm -lpthread -ldl &&
        mv "$build/$version/new.$$" "$build/$version/libsqlite3.so.0"
}

make_library || { echo "newest: 0 passed, 1 failed, 0 skipped"; exit 1; }
[ "${1:-}" != build ] || exit 0
library=$(cd "$build/$version" && pwd)
on_newest() { PATH=$library:$PATH LD_LIBRARY_PATH=$library "$@"; }

python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
said=$(on_newest "$python" -c 'import sqlite3; print(sqlite3.sqlite_version)')
[ "$said" = "$version" ] || skip "Python's sqlite3 has its own SQLite, $said"
said=$(on_newest tclsh <<<'package require sqlite3; puts [sqlite3 -version]')
[ "$said" = "$version" ] || skip "Tcl's sqlite3 has its own SQLite, $said"
echo "SQLite $version"

add() {                               # NAME COMMAND...
    local name=$1 log=$build/$1.log line p f
    shift
    on_newest "$@" 2>&1 | tee "$log"
    line=$(grep -aE "^$name: [0-9]+ passed" "$log" | tail -n 1)
    [ -n "$line" ] || { failed=$((failed + 1)); echo "$name died"; return; }
    read -r p f _ < <(echo "${line#"$name": }" | tr -cd '0-9 ')
    passed=$((passed + p)) failed=$((failed + f))
}

if [ "${1:-}" = whole ]; then
    tests=() scripts=
else
    mapfile -t tests < <(grep -L '^# Not on the newest SQLite: ' tcl/*.test |
        sed 's|.*/||; s|\.test$||')
    # The others ask what a function gives for a value, what is in a file, or how
    # much memory and how many threads a scan takes.
    scripts='joins grouped rollups unnests statements reconnects subqueries geometries'
    scripts+=' tokens where'
    SHARE=${SHARE:-7}
fi
add tcl tclsh tcl/all.tcl "${tests[@]}"
SEED=$SEED SHARE=${SHARE:-1} SCRIPTS=$scripts BUILD=$build add oracle \
    bash test/oracle/oracle.sh

echo "newest: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
