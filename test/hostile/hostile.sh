#!/usr/bin/env bash
# hostile.sh - truncations and changed bytes of small files, under sanitizers.
#
#   hostile.sh          some 5,000 of them, evenly chosen: make check-all; make
#                       check makes fewer, without sanitizers
#   hostile.sh whole    all 560,000: part of make fuzz, two processor hours
#   hostile.sh build    only compiles what it runs
#
# The files are those of test/hostile and test/samples and, where they are at
# hand, the official ones, up to 4 KB each.  Some are encrypted; tamper.py asks
# whether a change to such a file is noticed.
set -u
cd "$(dirname "$0")/../.."

. test/sanitizer.sh
# This costs a third less and finds as much.  Freed blocks are kept for a
# shorter time, and reports name only the place itself.  The sampled run reports
# in full.
[ "${1:-}" != whole ] ||
    sanitizer_options+=:malloc_context_size=1:max_malloc_fill_size=0:quarantine_size_mb=8
sanitizer "${CC:-gcc}"
build=${BUILD:-build}${sanitizer_build:+/$sanitizer_build}
official=${PARQUET_TESTING:-../shared/parquet-testing}
export MAKEFLAGS=

make --no-print-directory -s -j "$(nproc 2>/dev/null || echo 2)" \
    CC="${CC:-gcc}" OPT="-O1 -g1" EXTRA="$sanitizer_flags" BUILD="$build" \
    "$build/hostile" || exit 1
[ "${1:-}" != build ] || exit 0

# Files whose few bytes decompress to megabytes are left out: each change to one
# takes seconds.  The codec door changes such pages.
mapfile -t files < <(find test/hostile test/samples -name '*.parquet' \
    ! -name 'duckdb_large_*' -size -4097c | sort)
skipped=0
[ -z "$sanitizer_missing" ] || skipped=1
if [ -d "$official/data" ]; then
    mapfile -t more < <(find "$official/data" "$official/bad_data" \
        -name '*.parquet' -size -4097c | sort)
    files+=("${more[@]}")
    # Shredded Variants are 137 files of one kind.
    mapfile -t more < <(find "$official/shredded_variant" -name '*.parquet' \
        -size -4097c | sort | awk 'NR % 10 == 1')
    files+=("${more[@]}")
else
    echo "without samples: small files"
    skipped=$((skipped + 1))
fi

every=1
if [ "${1:-}" != whole ]; then
    bytes=$(cat "${files[@]}" | wc -c)
    . test/forms.sh
    every=$((bytes * 5 / hostile_changes + 1))
fi
"${sanitizer_run[@]}" "$build/hostile" list "${files[@]}"

# As many at once as there are processors, a file each.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
harm() {                              # NUMBER, FILE
    "${sanitizer_run[@]}" "$build/hostile" "$every" "$2" \
        >"$scratch/$1.log" 2>&1 || touch "$scratch/$1.failed"
}
running=0 jobs=$(nproc 2>/dev/null || echo 2)
for i in "${!files[@]}"; do
    { harm "$i" "${files[i]}"; } &
    running=$((running + 1))
    [ $running -lt "$jobs" ] || { wait -n; running=$((running - 1)); }
done
wait

passed=0 failed=0
for log in "$scratch"/*.log; do
    if [ -e "${log%.log}.failed" ]; then
        failed=$((failed + 1))
        tail -n 60 "$log"
        i=$(basename "$log" .log)
        echo "FAIL ${files[i]}"
        echo "    alone: ${sanitizer_run[*]} $build/hostile $every ${files[i]}"
    else
        n=$(sed -n 's/^\([0-9]*\) harms$/\1/p' "$log")
        passed=$((passed + ${n:-0}))
    fi
done
echo "hostile: $passed passed, $failed failed, $skipped skipped"
