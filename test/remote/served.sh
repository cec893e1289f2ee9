#!/usr/bin/env bash
# served.sh - the Tcl suite and the oracle with every local file that they read served:
# files as http:// URLs, folders and globs as s3:// (served.c).  Same rows, same errors
# but for the name; what cannot be so is in served.list.
#
#   served.sh tcl [NAME... | -part 1/2]     the Tcl tests, but for remote*.test
#   served.sh oracle [SCRIPT...]            scripts of the oracle; SEED=8 ... as oracle.sh
#
# It says how many arguments were read from the server, and why others were not.
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build} PARQUET_TESTING
PARQUET_TESTING=$(realpath -q "${PARQUET_TESTING:-../shared/parquet-testing}")      # without dots
what=$1
shift
MAKEFLAGS='' make --no-print-directory -s "$BUILD/served/parquet.so" || exit
export SO=$BUILD/served/parquet.so PARQUET_SERVED_LOG
log=$what
[ "${1:-}" != -part ] || log+=${2%/*}
PARQUET_SERVED_LOG=$(realpath "$BUILD/served")/$log.log
rm -f "$PARQUET_SERVED_LOG"
. test/remote/servers.bash

# The server looks into the folder of the process that asks, which is this subshell
# and what it becomes.
(
    server_start proxy / "buckets=$BASHPID" || exit
    export PARQUET_SERVED=${server[url]}
    # The server ends with this process, which has none of its descriptors: tests look
    # at those that there are.
    own=$BASHPID
    tail --pid="$own" -f /dev/null >/dev/null &
    exec {server_input[${server[pid]}]}>&-
    case $what in
    tcl) PARQUET_DIFFERS=$PWD/test/remote/served.list exec tclsh tcl/all.tcl "$@" ;;
    oracle)                           # tokens reads no files
        [ $# -gt 0 ] || set -- "$(FORM=check bash test/oracle/oracle.sh list | sed 's/tokens //')"
        BUILD=$BUILD/served SCRIPTS=$* exec bash test/oracle/oracle.sh
        ;;
    esac
) | sed -u "s/^$what: \([0-9]* passed\)/served: \1/"
status=${PIPESTATUS[0]}
awk -F'\t' '{ n[$1]++ } END { for (kind in n) print "served: " n[kind], kind }' \
    "$PARQUET_SERVED_LOG" | sort
if ! grep -q '^by http' "$PARQUET_SERVED_LOG" || ! grep -q '^by s3' "$PARQUET_SERVED_LOG"; then
    echo "FAIL: nothing was read from the server"
    exit 1
fi
exit "$status"
