#!/usr/bin/env bash
# asan.sh - make asan: everything built again with AddressSanitizer and UBSan
# (nothing recovers), then the unit tests, the C programs of examples/, the Tcl
# tests, the queries of the hosts test, changed encrypted files, and the official
# sample files, damaged ones included.
#
# The hosts were not built with the sanitizer, so its library is preloaded.
# Leaks are looked for in the unit tests only: the hosts leak themselves.
set -u
cd "$(dirname "$0")/.."

export BUILD=${BUILD:-build}/asan
mkdir -p "$BUILD"
SO=$(cd "$BUILD" && pwd)/parquet.so
export SO
CC=${CC:-gcc}
flags="-fsanitize=address,undefined -fno-sanitize-recover=all"
flags="$flags -fno-omit-frame-pointer"
jobs=$(nproc 2>/dev/null || echo 2)

export MAKEFLAGS=
make --no-print-directory -s -j "$jobs" CC="$CC" OPT="-O1 -g1" EXTRA="$flags" \
    BUILD="$BUILD" SO="$SO" "$SO" "$BUILD/unit_tests" || exit 1

status=0
echo "--- unit tests"
ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 "$BUILD/unit_tests" || status=1

echo "--- C programs"
OPT="-O1 -g1" EXTRA=$flags bash test/examples/examples.sh || status=1

preload=$($CC -print-file-name=libasan.so):$($CC -print-file-name=libubsan.so)
hosted() {
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
        UBSAN_OPTIONS=print_stacktrace=1 LD_PRELOAD=$preload "$@"
}

if [ -e tcl/all.tcl ]; then
    echo "--- tcl"
    hosted tclsh tcl/all.tcl || status=1
fi

python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3

echo "--- a host"
hosted $python -u test/interop/hosts.py module | tee "$BUILD/hosts.log"
[ "${PIPESTATUS[0]}" -eq 0 ] && ! grep -q '^WRONG' "$BUILD/hosts.log" ||
    status=1

echo "--- encrypted files that somebody changed"
hosted $python test/hostile/tamper.py "$SO" "$BUILD/tamper" 12 || status=1

echo "--- official sample files"
hosted $python -u test/conformance.py --mem 0 --rss 4000 || status=1

[ $status -eq 0 ] && echo "asan: clean" || echo "asan: findings above"
exit $status
