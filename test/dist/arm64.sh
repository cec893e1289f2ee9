#!/usr/bin/env bash
# arm64.sh - runs under qemu what make dist-arm64 built.  The demonstration and
# the files it writes are compared with those of this machine, byte by byte.
# The queries of the hosts, Tcl tests and unit tests run too.
#
#   arm64.sh FOLDER COMPILER    FOLDER holds parquet.so and root
#   TCL="values copy"           other Tcl tests
set -u
cd "$(dirname "$0")/../.."

so=$(realpath "$1/parquet.so")
root=$(realpath "$1/root")
compiler=$2
build=${BUILD:-build}
scratch=$PWD/$build/arm64-test
TCL=${TCL-values order joins life}
. test/dist/library.bash
rm -rf "$scratch"
mkdir -p "$scratch"

qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
on_arm() { local program=$1; shift; "$qemu" -L "$root" "$root/usr/bin/$program" "$@"; }

# The last line of the demonstration is the version, with the kernels' name.
demonstration() {                     # MACHINE LIBRARY COMMAND...
    local to=$scratch/$1 so=$2
    shift 2
    rm -rf build/demo
    mkdir -p build/demo
    sed "s|^\.load .*|.load ${so%.so}|" test/demo.sql |
        "$@" -init /dev/null -bail -batch :memory: >"$to.said" 2>&1 || {
        tail -n 5 "$to.said"
        return 1
    }
    sed -i '/^\.load/d; $d' "$to.said"
    mv build/demo "$to"
}
same_demonstration() {
    demonstration here "$PWD/parquet.so" sqlite3 &&
        demonstration arm64 "$so" on_arm sqlite3 &&
        [ "$(wc -l <"$scratch/here.said")" -gt 100 ] &&
        diff "$scratch/here.said" "$scratch/arm64.said" &&
        diff -r "$scratch/here" "$scratch/arm64"
}

queries() {
    SO=$so on_arm python3 test/interop/hosts.py module >"$scratch/queries"
    ! grep -v -e ^ok -e ^SQLite -e '^done$' "$scratch/queries" &&
        grep -q '^done$' "$scratch/queries"
}

add() {                               # NAME COMMAND...: a suite's sum
    local name=$1 line p f
    shift
    "$@" >"$scratch/$name" 2>&1
    line=$(grep -aE "^$name: [0-9]+ passed" "$scratch/$name" | tail -n 1)
    echo "${line:-FAIL $name died}"
    grep -aE '^(FAIL|!)' "$scratch/$name"
    [ -n "$line" ] || { failed=$((failed + 1)); return; }
    read -r p f _ < <(echo "${line#"$name": }" | tr -cd '0-9 ')
    passed=$((passed + p)) failed=$((failed + f))
}

check "the same demonstration, the same files" same_demonstration
check "the queries of the hosts" queries
[ -z "$TCL" ] || SO=$so add tcl on_arm tclsh tcl/all.tcl $TCL
MAKEFLAGS='' make --no-print-directory -s -j "$(nproc)" CC="$compiler" \
    BUILD="$build/arm64" "$build/arm64/unit_tests" &&
    add unit "$qemu" -L "$root" "$build/arm64/unit_tests"

echo "arm64: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
