#!/usr/bin/env bash
# fault.sh - everything that can fail fails once.
#
#   fault.sh          some points of each scenario and kind: part of make check
#   fault.sh whole    every point, and again under AddressSanitizer, which
#                     knows of leaks and of memory used after it was freed
#   fault.sh NAME     one scenario, or "disk", or "stop"
set -u
cd "$(dirname "$0")/../.."

BUILD=${BUILD:-build}
SO=${SO:-parquet.so}
official=${PARQUET_TESTING:-$(cd ../shared/parquet-testing 2>/dev/null && pwd)}
[ -d "$official/data" ] || official=
mkdir -p "$BUILD"
work=$(cd "$BUILD" && pwd)/fault
samples=$PWD/test/samples
so=$(cd "$(dirname "$SO")" && pwd)/$(basename "$SO" .so)
export MAKEFLAGS=
# libc keeps the stacks of threads that have ended, which would look like a leak.
export GLIBC_TUNABLES=glibc.pthread.stack_cache_size=0
. test/remote/servers.bash

build() {                             # FOLDER, variables for make
    local folder=$1
    shift
    make --no-print-directory -s -j "$(nproc 2>/dev/null || echo 2)" \
        BUILD="$folder" "$@" "$folder/fault_tests"
}

run() {                               # FOLDER, options
    local program=$1/fault_tests
    shift
    chmod -R u+rwx "$work" 2>/dev/null
    rm -rf "$work"
    mkdir -p "$work/three"
    for name in a b c; do
        cp "$samples/duckdb_names.parquet" "$work/three/$name.parquet"
    done
    install -m 600 test/hostile/sealed_keys.json "$work/three/keys.json"
    install -m 600 /dev/null "$work/three/k.key"
    printf 0123456789012345 >"$work/three/k.key"
    mkdir "$work/out"
    mkdir -p "$work/ice/"{0..9}{0..9}{0..9}/metadata         # a statement appends to one
    for folder in "$work"/ice/*; do
        printf '%s' '{"format-version":3,"location":"'"$folder"'","last-sequence-number":0,' \
            '"last-updated-ms":1,"current-schema-id":0,"schemas":[{"type":"struct",' \
            '"schema-id":0,"fields":[{"id":1,"name":"a","required":false,"type":"long"},' \
            '{"id":2,"name":"b","required":false,"type":"string"}]}],"default-spec-id":0,' \
            '"partition-specs":[{"spec-id":0,"fields":[{"source-id":1,"field-id":1000,' \
            '"name":"a","transform":"identity"},{"source-id":2,"field-id":1001,' \
            '"name":"b_b","transform":"bucket[4]"},{"source-id":2,"field-id":1002,"name":"b_t",' \
            '"transform":"truncate[2]"}]}],"next-row-id":0}' \
            >"$folder/metadata/v0.metadata.json"
    done
    ln -s "$samples" "$work/samples"
    ln -s "$samples/weather" "$work/paged"
    server_start proxy "$work" && set -- -server "${server[url]#http://}" "$@"
    "$program" "$@" "$samples" "$official" "$work" "$so"
    local status=$?
    [ -z "${server[url]:-}" ] || server_stop
    rm -rf "$work"
    return $status
}

if [ "${1:-}" != whole ]; then
    . test/forms.sh
    build "$BUILD" && run "$BUILD" -points $fault_points ${1:+-only "$1"}
    exit
fi

flags="-fsanitize=address,undefined -fno-sanitize-recover=all"
flags="$flags -fno-omit-frame-pointer"
status=0
build "$BUILD" && run "$BUILD" || status=1
echo "--- with AddressSanitizer"
ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
    UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS
build "$BUILD/asan" CC="${CC:-gcc}" OPT="-O1 -g1" EXTRA="$flags" &&
    run "$BUILD/asan" -points 500 || status=1
exit $status
