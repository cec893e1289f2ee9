#!/usr/bin/env bash
# hosts.sh - the same queries in three programs with three builds of SQLite:
# the sqlite3 shell, Python's sqlite3 module, Node's better-sqlite3.
#
# hosts.json holds the queries; each gives one text, and the answers were
# worked out with DuckDB.
set -u
cd "$(dirname "$0")/../.."

export SO=${SO:-$PWD/parquet.so}
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

run python $python test/interop/hosts.py module
run shell $python test/interop/hosts.py shell
if [ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ]; then
    run node node test/interop/hosts.mjs
else
    echo "skipped: node: 18 or newer is needed"
    skipped=$((skipped + 1))
fi

echo "hosts: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
