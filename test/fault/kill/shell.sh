#!/usr/bin/env bash
# shell.sh - kill.sh and full_disk.sh with parquet_copy_to in the sqlite3 shell:
# what they do to a copy of bytes is done to one of rows.
#
#   MOMENTS=200 shell.sh
#
# A file and a folder of partitions, both of many small row groups: the first
# bytes are written early, and most moments are between them and the renames.
# The types are given, so nothing has to be found out before.
set -u
cd "$(dirname "$0")/../../.."

BUILD=${BUILD:-build}
SO=${SO:-parquet.so}
export MOMENTS=${MOMENTS:-40} STEPS=${STEPS:-6}
if ! command -v sqlite3 >/dev/null; then
    echo "skipped: no sqlite3"
    echo "kill-shell: 0 passed, 0 failed, 1 skipped"
    exit 0
fi
mkdir -p "$BUILD"
work=$(mktemp -d "$(cd "$BUILD" && pwd)/shell.XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# FILE ROWS FACTOR KEY TARGET OPTIONS: a script, and the command that runs it.
script() {
    cat >"$work/$1.sql" <<EOF
.load $(realpath "$SO")
SELECT parquet_copy_to('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL
    SELECT i + 1 FROM n LIMIT $2) SELECT i, i * 2654435761 % 4294967296 AS h,
    printf(''%x'', i * $3) AS t, $4 AS k FROM n', '$5', '{"row_group_rows": 5000,
    "types": {"i": "BIGINT", "h": "BIGINT", "t": "TEXT"$6');
EOF
    echo "sqlite3 -bail :memory: '.read $work/$1.sql' >/dev/null"
}

# SCRIPT NAME TARGET OLD NEW
run() {
    local said sum='.*: ([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$'
    said=$(bash "test/fault/kill/$1" "${@:2}" 2>&1)
    sed '$d' <<<"$said"
    if [[ $said =~ $sum ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + BASH_REMATCH[3]))
    else
        failed=$((failed + 1))
        echo "FAIL $1, $2: $(tail -1 <<<"$said")"
    fi
}

file='"k": "INT"}, "overwrite": "replace"}'
folder='}, "overwrite": "replace", "partition_by": ["k"], "file_rows": 10000}'
old=$(script old 20000 104729 3 out.parquet ", $file")
new=$(script new 100000 7919 4 out.parquet ", $file")
old_folder=$(script old_folder 20000 104729 'i % 3 + 2' out "$folder")
new_folder=$(script new_folder 100000 7919 'i % 5' out "$folder")
for how in kill.sh full_disk.sh; do
    run $how "parquet_copy_to a file" out.parquet "$old" "$new"
    run $how "parquet_copy_to a folder" out "$old_folder" "$new_folder"
done
echo "kill-shell: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
