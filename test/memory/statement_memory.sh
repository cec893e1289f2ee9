#!/usr/bin/env bash
# statement_memory.sh - statements with many cursors stay within `memory`.
#
# statement_memory.sh build    only compiles
set -u
cd "$(dirname "$0")/../.."
BUILD=${BUILD:-build} SO=${SO:-parquet.so}

MAKEFLAGS='' make --no-print-directory -s "$BUILD/statement_memory" || exit 1
[ "${1:-}" = build ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
so=$(realpath "$SO")
program=$(realpath "$BUILD/statement_memory")
cd "$work" && SQLITE_TMPDIR=$work "$program" "$so" "$@"
