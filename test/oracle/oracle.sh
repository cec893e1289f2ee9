#!/usr/bin/env bash
# oracle.sh - the same question asked in two ways.
#
#   rowids.py    rows in order against rows by their rowid
#   prune.py     conditions decided with bounds against conditions decided
#                without
#   where.py     CASES random queries of a table against the same of a native
#                copy; make check asks 2,000, make oracle-long 200,000
#   groups.py    GROUP BY where memory is tight against a count in Python
#   joins.py     ten joins per file, and per made one, against joins of native
#                copies
#   grouped.py   GROUP BY and DISTINCT of any columns, with little memory and
#                with much; CASES / 10 of them
#   rollups.py   statements over rollup tables against native tables that GROUP BY
#                made; CASES / 4 of them
#   rollup_ids.py  rollups of dictionary keys over tables of many batches, against
#                native tables; CASES / 50 of them
#   unnests.py   statements over unnested lists, with paths into Variants beside
#                them, and rollups of these, against native tables of the values;
#                CASES / 16 of them
#   summaries.py parquet_summary of tables against what SQLite says of a copy;
#                CASES / 50 of them
#   statements.py  correlated subqueries and ORs, left in the middle, run again
#                and in turns, interrupted, while the file becomes another or is
#                cut off
#   subqueries.py  statements of several tables, native ones among them: joins,
#                correlated subqueries, groups; CASES / 4 of them
#   variants.py  functions over Variants against the specification in Python
#   geometries.py  predicates about boxes of geometries, in files of every way
#                to tell them, against brute force in Python
#   geo_own.py   files of geometries that parquet_copy_to writes, likewise
#   crypto_own.py  encrypted files that parquet_copy_to writes, opened module by
#                module as the specification says
#   versions.py  statements of files that are being replaced and written over
#
# SEED=n repeats a run; without it each run has a new one, which is printed.
# SEED=n CASE=m repeats one case of where.py and shows what it asks; files that
# were made for it are in build/oracle.  subqueries.py prints a command for each
# failure.
set -u
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
SO=$(realpath "${SO:-parquet.so}")
SEED=${SEED:-$(date +%s)}
CASES=${CASES:-2000}
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
samples=${PARQUET_TESTING:-../shared/parquet-testing}

files=(test/samples/*.parquet test/samples/weather)
if [ -d "$samples" ]; then
    # Four kilobytes that become two gigabytes: another test, of the budget,
    # reads this file.
    mapfile -t official < <(find "$samples/data" "$samples/shredded_variant" \
        -name '*.parquet' ! -name 'large_string_map*' | sort)
    files+=("${official[@]}")
else
    echo "without samples: questions of their files"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
made=$BUILD/oracle
rm -rf "$made"

ask_where() {
    local status
    $python test/oracle/where.py "$SO" "$SEED" "$CASES" "$made" "${files[@]}"
    status=$?
    [ $status -lt 124 ] || { echo "FAIL: it died of"; cat "$made/asked"; }
    return $status
}
ask_subqueries() {
    local status
    $python test/oracle/subqueries.py "$SO" "$SEED" $((CASES / 4)) \
        "$made/subqueries"
    status=$?
    [ $status -lt 124 ] ||
        { echo "FAIL: it died of"; cat "$made/subqueries/asked"; }
    return $status
}
if [ -n "${CASE:-}" ]; then
    ask_where
    exit
fi
$python test/oracle/rowids.py "$SO" "$SEED" "${files[@]}" | tee -a "$log"
$python test/oracle/prune.py "$SO" "$SEED" 40 "${files[@]}" | tee -a "$log"
$python test/oracle/joins.py "$SO" "$SEED" 10 "$made/joins" "${files[@]}" |
    tee -a "$log"
$python test/oracle/groups.py "$SO" "$made/groups" | tee -a "$log"
$python test/oracle/grouped.py "$SO" "$SEED" $((CASES / 10)) "$made/grouped" |
    tee -a "$log"
$python test/oracle/rollups.py "$SO" "$SEED" $((CASES / 4)) "$made/rollups" \
    test/samples/*.parquet | tee -a "$log"
$python test/oracle/rollup_ids.py "$SO" "$SEED" $((CASES / 50)) \
    "$made/rollup_ids" | tee -a "$log"
# Rollups by threads.
MAKEFLAGS='' make --no-print-directory -s "$BUILD/lanes/parquet.so" || exit 1
LANES=1 $python test/oracle/rollups.py "$BUILD/lanes/parquet.so" "$SEED" \
    $((CASES / 16)) "$made/lanes" test/samples/*.parquet |
    sed 's/^rollups/lanes/' | tee -a "$log"
$python test/oracle/unnests.py "$SO" "$SEED" $((CASES / 16)) "$made/unnests" |
    tee -a "$log"
$python test/oracle/summaries.py "$SO" "$SEED" $((CASES / 50)) \
    "$made/summaries" test/samples/*.parquet | tee -a "$log"
$python test/oracle/statements.py "$SO" "$SEED" 10 "$made/statements" \
    "${files[@]}" | tee -a "$log"
ask_subqueries | tee -a "$log"
$python test/oracle/variants.py "$SO" "$SEED" "$CASES" | tee -a "$log"
$python test/oracle/geometries.py "$SO" "$SEED" "$CASES" "$made/geometries" |
    tee -a "$log"
$python test/oracle/geo_own.py "$SO" "$SEED" $((CASES / 10)) "$made/geo_own" |
    tee -a "$log"
$python test/oracle/crypto_own.py "$SO" "$SEED" $((CASES / 40)) \
    "$made/crypto_own" | tee -a "$log"
$python test/oracle/versions.py "$SO" "$SEED" $((CASES / 4)) "$made/versions" |
    tee -a "$log"
ask_where | tee -a "$log"

# The sum of the last lines of the runs.  A missing one is a failure.
awk '/^(rowids|prune|where|joins|groups|grouped|rollups|rollup_ids|lanes|unnests|summaries|statements|subqueries|variants|geometries|geo_own|crypto_own|versions)( \(seed|:)/ { n++; for (i = 1; i <= NF; i++) {
         if ($i ~ /^passed/) p += $(i - 1)
         if ($i ~ /^failed/) f += $(i - 1) } }
     END { f += 18 - n
           printf "oracle: %d passed, %d failed, 0 skipped\n", p, f
           exit f != 0 }' "$log"
