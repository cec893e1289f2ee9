#!/usr/bin/env bash
# hosts.sh - the extension in the programs that load it, as the two libraries
# that are built: parquet.so, and the one file of make dist.
#
#   hosts.sh          hosts that are here and start at once
#   hosts.sh all      every host (make hosts-all installs them), and the
#                     packages for npm
#   hosts.sh build    only builds the one file
#
# The same queries run in three programs with three builds of SQLite: the
# sqlite3 shell, Python's sqlite3 module, Node's better-sqlite3.  They are in
# hosts.json.  Each gives one text, and the expected answers come from DuckDB.
# Then the smallest program of each host runs: test/hosts/each_host.sh.
set -u
cd "$(dirname "$0")/../.."

which=${1:-quick}
SO=$(realpath "${SO:-parquet.so}")
export SO
passed=0 failed=0 skipped=0

run() {                               # NAME COMMAND...
    local name=$1 out status
    shift
    out=$("$@" 2>&1)
    status=$?
    echo "$out" | sed "s/^/$name: /"
    passed=$((passed + $(grep -c '^ok' <<<"$out")))
    failed=$((failed + $(grep -c '^WRONG' <<<"$out")))
    if [ $status -ne 0 ] || ! grep -q '^done$' <<<"$out"; then
        echo "$name: ended with status $status"
        failed=$((failed + 1))
    fi
}

python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3

one_file() {                          # its path
    MAKEFLAGS='' make --no-print-directory -s one-file | sed 's/: .*//'
    return "${PIPESTATUS[0]}"
}

queries() {                           # NAME OF THE LIBRARY
    run "$1, python" $python test/interop/hosts.py module
    run "$1, shell" $python test/interop/hosts.py shell
    if [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ]; then
        run "$1, node" node test/interop/hosts.mjs
    else
        echo "skipped: $1, node: 18 or newer is needed"
        skipped=$((skipped + 1))
    fi
    run "$1" bash test/hosts/each_host.sh "$which"
}

one=$(one_file) && one=$PWD/$one || { one='' && failed=1; }
[ "$which" != build ] || exit $failed

queries parquet.so
[ -z "$one" ] || SO=$one queries "one file"

echo "hosts: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
