#!/usr/bin/env bash
# replay.sh - every input of the corpus through its door, with gcc and the
# sanitizers as far as they work here; no fuzzer is needed.  make check does it
# without the sanitizers.
#
#   replay.sh          all doors
#   replay.sh DOOR     one
#   replay.sh build    only compiles them
#
# The objects are those of make asan.
set -u
cd "$(dirname "$0")/../.."

. test/sanitizer.sh
# Finds an error that is reported to a PqErr that no longer exists.  No other
# check sees that.
sanitizer_options+=:detect_stack_use_after_return=1
sanitizer "${CC:-gcc}"
build=${BUILD:-build}${sanitizer_build:+/$sanitizer_build}
export MAKEFLAGS=

make --no-print-directory -s -j "$(nproc 2>/dev/null || echo 2)" \
    CC="${CC:-gcc}" OPT="-O1 -g1" EXTRA="$sanitizer_flags" BUILD="$build" \
    replay-doors || exit 1
[ "${1:-}" != build ] || exit 0

passed=0 failed=0
for corpus in test/fuzz/corpus/*.tar; do
    door=$(basename "$corpus" .tar)
    [ -z "${1:-}" ] || [ "$1" = "$door" ] || continue
    if said=$("${sanitizer_run[@]}" "$build/replay/$door" "$corpus" 2>&1); then
        n=$(tail -n 1 <<<"$said")
        echo "$door: $n"
        passed=$((passed + ${n% inputs}))
    else
        printf '%s\n' "$said" | tail -n 60
        echo "$door: FAILED"
        echo "    alone: bash test/fuzz/replay.sh $door"
        failed=$((failed + 1))
    fi
done
skipped=0
[ -z "$sanitizer_missing" ] || skipped=1
echo "fuzz-replay: $passed passed, $failed failed, $skipped skipped"
