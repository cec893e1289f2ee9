#!/usr/bin/env bash
# fuzz.sh - make fuzz: every door with libFuzzer for FUZZ_SECONDS, then what
# its corpus covers, then all harms of test/hostile.
#
#   FUZZ_SECONDS=60 make fuzz        ten minutes per door unless told otherwise
#   FUZZ_DOORS="page codec"          these only
#   FUZZ_KEEP=1                      merges what was found into the corpus
#
# An input that broke something is left in BUILD/fuzz/found/DOOR.  After the
# fix, corpus.sh adds the input to the corpus, which make check replays.
set -u
cd "$(dirname "$0")/../.."

clang=${FUZZ_CC:-clang}
build=${BUILD:-build}/fuzz
seconds=${FUZZ_SECONDS:-600}
every="page codec footer nested variant parse wkb wkt geoparquet key"
every="$every remote server file fill copy move deletes avro log"
doors=${FUZZ_DOORS:-$every}
flags="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all"
flags="$flags -fno-omit-frame-pointer"
export MAKEFLAGS=
# As in replay.sh.
export ASAN_OPTIONS=detect_stack_use_after_return=1

make --no-print-directory -s -j "$(nproc 2>/dev/null || echo 2)" CC="$clang" \
    OPT="-O1 -gline-tables-only" EXTRA="$flags" BUILD="$build" fuzz-doors ||
    exit 1

# The engine has a budget of 64 MB.  Metadata functions and copies have their
# own of 256 MB, and what servers send has 128 MB.
limit_of() { case $1 in file | copy | server | move) echo 300 ;; *) echo 80 ;; esac; }

# A bitmap of 65,536 rows has 8 KB.
length_of() { case $1 in deletes) echo 20000 ;; *) echo 6000 ;; esac; }

status=0
for door in $doors; do
    found=$build/found/$door
    corpus=$build/corpus/$door
    mkdir -p "$found/inputs"
    rm -rf "$corpus"
    bash test/fuzz/corpus.sh unpack "$door" "$corpus"
    if "$build/fuzz/$door" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=1500 -malloc_limit_mb="$(limit_of "$door")" \
        -max_len="$(length_of "$door")" -artifact_prefix="$found/" "$found/inputs" "$corpus" \
        >"$found.log" 2>&1; then
        echo "fuzz: $door clean, $(grep -a DONE "$found.log" | tail -n 1)"
    else
        grep -aE -A30 'ERROR|runtime error|does not|not printable' \
            "$found.log" | head -n 60
        echo "fuzz: $door FAILED, see $found.log"
        status=1
    fi
    if [ -n "${FUZZ_KEEP:-}" ]; then
        rm -rf "$found/merged"
        mkdir -p "$found/merged"
        "$build/fuzz/$door" -set_cover_merge=1 -use_counters=0 \
            -max_len="$(length_of "$door")" "$found/merged" "$corpus" \
            "$found/inputs" >"$found.merge.log" 2>&1 &&
            bash test/fuzz/corpus.sh pack "$door" "$found/merged"
    fi
done

bash test/fuzz/coverage.sh || status=1
bash test/hostile/hostile.sh whole | tee "$build/hostile.log"
grep -q ' 0 failed' "$build/hostile.log" || status=1
[ $status -eq 0 ] && echo "fuzz: clean" || echo "fuzz: findings above"
exit $status
