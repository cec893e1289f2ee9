#!/bin/bash
# The benchmark: data made once into $BUILD/bench, then ratios (bench.mjs).
#   BENCH='16 columns' make bench     only the parts whose name matches
set -eu
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build} SO=${SO:-parquet.so}
bash test/setup.sh build test
exec node --max-old-space-size=6000 test/bench/bench.mjs
