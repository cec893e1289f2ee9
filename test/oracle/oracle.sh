#!/usr/bin/env bash
# oracle.sh - the same question asked in two ways.
#
#   rowids.py    rows in order against rows by their rowid
#   prune.py     conditions decided with bounds against conditions decided
#                without: CASES of them per file
#
# SEED=n repeats a run; without it each run has a new one, which is printed.
set -u
cd "$(dirname "$0")/../.."

SO=${SO:-$PWD/parquet.so}
SEED=${SEED:-$(date +%s)}
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
samples=${PARQUET_TESTING:-../shared/parquet-testing}

files=(test/samples/*.parquet test/samples/weather)
if [ -d "$samples" ]; then
    # Two gigabytes out of four kilobytes: the budget's test, not this one.
    mapfile -t official < <(find "$samples/data" "$samples/shredded_variant" \
        -name '*.parquet' ! -name 'large_string_map*' | sort)
    files+=("${official[@]}")
fi
CASES=${CASES:-40}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
$python test/oracle/rowids.py "$SO" "$SEED" "${files[@]}" | tee -a "$log"
$python test/oracle/prune.py "$SO" "$SEED" "$CASES" "${files[@]}" | tee -a "$log"

# The sum of the two closing lines; one that is missing is a failure.
awk '/^(rowids|prune) \(seed/ { n++; for (i = 1; i <= NF; i++) {
         if ($i ~ /^passed/) p += $(i - 1)
         if ($i ~ /^failed/) f += $(i - 1) } }
     END { f += 2 - n
           printf "oracle: %d passed, %d failed, 0 skipped\n", p, f
           exit f > 0 }' "$log"
