#!/usr/bin/env bash
# replay.sh - every input of the corpus through its door, with gcc and the
# sanitizers; no fuzzer is needed.  Part of make check.
#
# The objects are those of make asan.
set -u
cd "$(dirname "$0")/../.."

build=${BUILD:-build}/asan
flags="-fsanitize=address,undefined -fno-sanitize-recover=all"
flags="$flags -fno-omit-frame-pointer"
export MAKEFLAGS=

make --no-print-directory -s -j "$(nproc 2>/dev/null || echo 2)" \
    CC="${CC:-gcc}" OPT="-O1 -g" EXTRA="$flags" BUILD="$build" replay-doors ||
    exit 1

export ASAN_OPTIONS=abort_on_error=1:detect_leaks=1:max_allocation_size_mb=300
export UBSAN_OPTIONS=print_stacktrace=1:abort_on_error=1
passed=0 failed=0
for folder in test/fuzz/corpus/*/; do
    door=$(basename "$folder")
    inputs=("$folder"*)
    if said=$("$build/replay/$door" "${inputs[@]}" 2>&1); then
        echo "$door: ${#inputs[@]} inputs"
        passed=$((passed + ${#inputs[@]}))
    else
        printf '%s\n' "$said" | tail -n 60
        echo "$door: FAILED"
        failed=$((failed + 1))
    fi
done
echo "fuzz-replay: $passed passed, $failed failed, 0 skipped"
