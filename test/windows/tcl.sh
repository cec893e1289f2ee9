#!/usr/bin/env bash
# tcl.sh - the Tcl tests under wine: parquet.dll in a tclsh.exe, which is built from the
# sources of sources.list and stays in RELEASE_CACHE.
#
#   tcl.sh [NAME...]       files of tcl/, or all but remote*.test, whose servers are Linux's,
#                          and law.test, whose 20,000 statements take wine a quarter of an hour
#
# What Windows or wine cannot do is in differs.list.  Files run side by side, JOBS=2.
set -eu
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
RELEASE_CACHE=$(realpath -m "${RELEASE_CACHE:-$BUILD/release/cache}")
tools=$RELEASE_CACHE/tools
tcl=$tools/tcl-8.6.13
export TCL_LIBRARY=Z:$tcl/library TCLLIBPATH=Z:$tcl/packages WINEDEBUG=-all
export WINEPREFIX=$tools/wine WINEPATH=Z:$tcl
export SO=Z:$PWD/$BUILD/release/windows-x64/parquet.dll
export PARQUET_TESTING=${PARQUET_TESTING:-../shared/parquet-testing}
export PARQUET_DIFFERS=$PWD/test/windows/differs.list

fetch() { bash -c '. release/fetch.sh' test/windows/fetch "$@"; }    # by the list beside $0

built() {
    local compile sqlite=$BUILD/cli/sqlite compiler=x86_64-w64-mingw32-gcc-posix
    [ ! -x "$tcl/tclsh.exe" ] || return 0
    export DOWNLOADS=$RELEASE_CACHE/downloads
    env -u SO make --no-print-directory -s "$sqlite/shell.c"      # a colon is make's own
    fetch tcl "$tcl" && fetch sqlite "$tcl/sqlite"
    (cd "$tcl/win" && ./configure --host=x86_64-w64-mingw32 --enable-64bit --disable-shared \
        CC="$compiler" && make -j"${JOBS:-2}" libtcl86.a CFLAGS_OPTIMIZE=-O1) >"$tcl/log" 2>&1
    compile=("$compiler" -w -O1 -static -DSTATIC_BUILD=1 -DPACKAGE_VERSION='"3"'
        -DSQLITE_USE_URI=1 -DSQLITE_ENABLE_{COLUMN_METADATA,DBSTAT_VTAB,MATH_FUNCTIONS,RTREE}
        -I"$sqlite" -I"$tcl/generic")
    "${compile[@]}" -c -o "$tcl/sqlite3.o" "$sqlite/sqlite3.c"
    "${compile[@]}" -municode -o "$tcl/sqlite3.exe" "$sqlite/shell.c" "$tcl/sqlite3.o"
    "${compile[@]}" -o "$tcl/tclsh.new" test/windows/tclsh.c "$tcl/sqlite/src/tclsqlite.c" \
        "$tcl/sqlite3.o" "$tcl/win/libtcl86.a" -lnetapi32 -luserenv -lws2_32
    mkdir -p "$tcl/packages"
    echo 'package ifneeded sqlite3 3 {load {} Sqlite3}' >"$tcl/packages/pkgIndex.tcl"
    mv "$tcl/tclsh.new" "$tcl/tclsh.exe"
}

mkdir -p "$tools"
built
[ $# -gt 0 ] || set -- $(cd tcl && printf '%s\n' *.test | grep -Ev '^(remote|law)' |
    xargs ls -S | sed 's/\.test$//')
# Makes WINEPREFIX once.  There a name with a dot is as visible as on Windows.
wine reg add 'HKCU\Software\Wine' /v ShowDotFiles /d Y /f >/dev/null 2>&1
printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -n 1 timeout 600 wine "$tcl/tclsh.exe" tcl/all.tcl |
    stdbuf -oL tr -d '\r' | awk '/^tcl: / { p += $2; f += $4; s += $6; n++; next } { print; fflush() }
        END { if (n != files) { print files - n, "files did not end"; f += files - n }
              printf "windows tcl: %d passed, %d failed, %d skipped\n", p, f, s
              exit f > 0 }' files=$#
