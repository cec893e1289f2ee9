#!/usr/bin/env bash
# key_memory.sh - a host whose memory is searched for the bytes of its keys.
#
# key_memory.sh build    only compiles
set -u
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build} SO=${SO:-parquet.so}

MAKEFLAGS='' make --no-print-directory -s "$BUILD/key_memory" || exit 1
[ "${1:-}" = build ] && exit 0
if ! [ -r /proc/self/smaps ]; then
    echo "without /proc/self/smaps: no memory is searched"
    echo "keys: 0 passed, 0 failed, 1 skipped"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
so=$(realpath "$SO")
program=$(realpath "$BUILD/key_memory")
cd "$work" && "$program" "$so"
