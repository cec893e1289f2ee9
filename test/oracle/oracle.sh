#!/usr/bin/env bash
# oracle.sh - the same question asked in two ways.
#
#   rowids.py    rows in order against rows by their rowid
#   prune.py     conditions decided with bounds against conditions decided
#                without
#   where.py     CASES random queries of a table against the same of a native
#                copy; make check-all asks 2,000, make oracle-long 200,000
#   groups.py    GROUP BY where memory is tight against a count in Python
#   joins.py     ten joins per file, and per made one, against joins of native
#                copies; fewer when there are fewer than 2,000 cases
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
#                cut off; ten per file, or fewer
#   reconnects.py  statements that are stopped while SQLite connects their tables
#                again; CASES / 2 of them
#   subqueries.py  statements of several tables, native ones among them: joins,
#                correlated subqueries, groups; CASES / 4 of them
#   variants.py  functions over Variants against the specification in Python
#   geometries.py  predicates about boxes of geometries, in files of every way
#                to tell them, against brute force in Python; CASES / 2 of them
#   geo_own.py   files of geometries that parquet_copy_to writes, likewise
#   crypto_own.py  encrypted files that parquet_copy_to writes, opened module by
#                module as the specification says
#   tokens.c     texts of SQL that are cut into tokens as SQLite cuts them; CASES * 10
#                of them
#   ducklakes.py  DuckLakes that change step by step against a model in Python;
#                CASES / 100 of them
#   lake_writes.py  DuckLakes that our functions write, likewise; CASES / 100 of them
#   grown.py     Delta, Iceberg and DuckLake tables whose structs and columns grow, against
#                native copies of a model in Python; CASES / 50 of them
#   versions.py  statements of files that are being replaced and written over
#
# SHARE=3 asks a third of the questions, as make check does: every third of
# where.py, and the first of the other scripts.
# make check leaves out groups and lanes.
# SCRIPTS='joins where' runs these alone.  oracle.sh list prints their names.
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
export SHARE=${SHARE:-1}
some=$((CASES / SHARE))
each='rowids prune joins grouped rollups rollup_ids unnests summaries statements'
each+=' reconnects subqueries variants geometries geo_own crypto_own tokens versions ducklakes'
each+=' lake_writes grown'
each+=' where'
[ "${FORM:-all}" = check ] || each="groups lanes $each"
SCRIPTS=${SCRIPTS:-$each}
[ "${1:-}" != list ] || { echo $SCRIPTS; exit; }
per_file=$((some < 2000 ? some / 150 + 1 : 10))
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
# What asks each file takes every third of the 137 shredded Variants, all of one kind.
# where.py draws from all files, so that a case stays the same.
mapfile -t each < <(printf '%s\n' "${files[@]}" | awk -v all=$((some > 2000)) '
    all || !/shredded_variant/ || n++ % 3 == 0')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
made=$BUILD/oracle
rm -rf "$made"
passed=0 failed=0
fail() {
    failed=$((failed + 1))
    echo "FAIL: $1"
}

ask_where() {
    local status
    $python test/oracle/where.py "$SO" "$SEED" "$CASES" "$made" "${files[@]}"
    status=$?
    [ $status -lt 124 ] || { echo "FAIL: it died of"; cat "$made/asked"; }
    return $status
}
ask_subqueries() {
    local status
    $python test/oracle/subqueries.py "$SO" "$SEED" $((some / 4)) \
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
ask_rowids() { $python test/oracle/rowids.py "$SO" "$SEED" "${each[@]}"; }
ask_prune() { $python test/oracle/prune.py "$SO" "$SEED" 40 "${each[@]}"; }
ask_joins() {
    $python test/oracle/joins.py "$SO" "$SEED" "$per_file" "$made/joins" \
        "${each[@]}"
}
ask_groups() { $python test/oracle/groups.py "$SO" "$made/groups"; }
ask_grouped() {
    $python test/oracle/grouped.py "$SO" "$SEED" $((some / 10)) "$made/grouped"
}
ask_rollups() {
    $python test/oracle/rollups.py "$SO" "$SEED" $((some / 4)) "$made/rollups" \
        test/samples/*.parquet
}
ask_rollup_ids() {
    $python test/oracle/rollup_ids.py "$SO" "$SEED" $((some / 50)) \
        "$made/rollup_ids"
}
ask_lanes() {                         # rollups by threads
    MAKEFLAGS='' make --no-print-directory -s "$BUILD/lanes/parquet.so" || return
    LANES=1 $python test/oracle/rollups.py "$BUILD/lanes/parquet.so" "$SEED" \
        $((some / 16)) "$made/lanes" test/samples/*.parquet
}
ask_unnests() {
    $python test/oracle/unnests.py "$SO" "$SEED" $((some / 16)) "$made/unnests"
}
ask_summaries() {
    $python test/oracle/summaries.py "$SO" "$SEED" $((some / 50)) \
        "$made/summaries" test/samples/*.parquet
}
ask_statements() {
    $python test/oracle/statements.py "$SO" "$SEED" "$per_file" "$made/statements" \
        "${each[@]}"
}
ask_reconnects() {
    $python test/oracle/reconnects.py "$SO" "$SEED" $((some / 2)) \
        "$made/reconnects"
}
ask_variants() { $python test/oracle/variants.py "$SO" "$SEED" "$some"; }
ask_geometries() {
    $python test/oracle/geometries.py "$SO" "$SEED" $((some / 2)) \
        "$made/geometries"
}
ask_geo_own() {
    $python test/oracle/geo_own.py "$SO" "$SEED" $((some / 10)) "$made/geo_own"
}
ask_crypto_own() {
    $python test/oracle/crypto_own.py "$SO" "$SEED" $((some / 40)) \
        "$made/crypto_own"
}
ask_tokens() {
    MAKEFLAGS='' make --no-print-directory -s "$BUILD/tokens" || return
    "$BUILD/tokens" "$SEED" $((some * 10))
}
ask_ducklakes() {
    $python test/oracle/ducklakes.py "$SO" "$SEED" $((some / 100 + 1)) "$made/ducklakes"
}
ask_lake_writes() {
    $python test/oracle/lake_writes.py "$SO" "$SEED" $((some / 100 + 1)) "$made/lake_writes"
}
ask_grown() {
    $python test/oracle/grown.py "$SO" "$SEED" $((some / 50 + 3)) "$made/grown"
}
ask_versions() {
    $python test/oracle/versions.py "$SO" "$SEED" $((some / 4)) "$made/versions"
}

# The last line of each has the counts.  One that is missing is a failure, and so is
# a script that ends with an error although it counted none: nothing was pruned, say.
for script in $SCRIPTS; do
    ask_"$script" | tee "$log"
    status=${PIPESTATUS[0]}
    said=$(grep -aE "^$script( \(seed [0-9]+\))?: " "$log" | tail -n 1)
    if [[ $said =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        [ "$status" -eq 0 ] || [ "${BASH_REMATCH[2]}" -gt 0 ] || fail "$script failed"
        [ $((BASH_REMATCH[1] + BASH_REMATCH[2])) -gt 0 ] || fail "$script asked nothing"
    else
        fail "$script died"
    fi
done
echo "oracle: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
