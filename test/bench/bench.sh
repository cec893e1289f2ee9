#!/bin/bash
# The benchmark: data made once into $BUILD/bench, then ratios (bench.mjs).
#   BENCH='16 columns' make bench     only the parts whose name matches
#   SQLITE=newest make bench          on the newest SQLite that npm brings, or
#                                     on the libsqlite3.so.0 of a folder
#   AGAINST=old.so make bench         this extension against an earlier one
#   taskset -c 0 make bench           on one processor: where another machine shares
#                                     them, one can be slower by half, and a ratio of
#                                     two processes is wrong by as much
set -eu
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build} SO=${SO:-parquet.so}
bash test/setup.sh build test
[ -n "${AGAINST:-}" ] || [[ ! remote =~ ${BENCH:-} ]] || bash test/setup.sh clickhouse
if [ "${SQLITE:-}" = newest ]; then
    bash test/interop/newest.sh build
    library=$(ls -d "$BUILD"/newest/*/libsqlite3.so.0 | tail -n 1)
    SQLITE=$(cd "$(dirname "$library")" && pwd)
    export SQLITE
fi
exec node --max-old-space-size=6000 test/bench/bench.mjs
