#!/usr/bin/env bash
# demo.sh - make demo: the extension at work in the sqlite3 shell, each
# statement printed before its result.
set -eu
cd "$(dirname "$0")/.."
rm -rf build/demo
mkdir -p build/demo
export SQLITE_HISTORY=/dev/null
exec sqlite3 -init /dev/null -bail -batch :memory: <test/demo.sql
