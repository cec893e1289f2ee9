#!/usr/bin/env bash
# coverage.sh - how much of a module the corpus of its door reaches.
#
# Each door is built for gcov and replays its corpus.  The share of the lines of
# its module that ran is printed, and has to be at least 85 %.  Two doors lead
# to the kernels: pages and filters.
#
# Some modules have two halves: one reads files and one makes them.  A door
# leads to one half.  Of lake tables, files of a log are read by no door.
set -u
cd "$(dirname "$0")/../.."

least=85
build=${BUILD:-build}/coverage
export MAKEFLAGS=
make --no-print-directory -s -j "$(nproc 2>/dev/null || echo 2)" CC=gcc \
    OPT="-O0 -g" EXTRA=--coverage BUILD="$build" replay-doors || exit 1

# doors | folders of their module | which half
modules="
footer    | core/thrift core/meta              | reads
page      | core/encoding                      | reads
nested    | core/nested                        | reads
variant parse | core/variant                   | whole
wkb wkt geoparquet | core/geo                  | whole
key       | core/crypto                        | reads
codec     | core/codec                         | whole
file      | core/column core/scan              | reads
page file | core/simd                          | reads
fill      | core/column core/meta core/nested  | writes
fill      | core/text                          | whole
copy      | core/write                         | whole
deletes log | core/lake                        | log
"

# The files of the half that writes: foo_make.c, foo_write.c, ...
writes='(_make|_shred|shred_[a-z]+|_choose|_out|_store|_fill[a-z_]*|_batch|write_ctx|'
writes="${writes}cells|sealed_scratch|sorted|chunk_bloom|chunk_write|page_write)[.]c\$|"
writes="${writes}simd/(pack|write)_"

# What reads the files of a log.
files="(/lake|_snapshot|_rows)[.]c\$"

# "executed lines path" of each source file of a half of a folder.
lines_of() {
    local object
    for object in "$build/$1"/*.gcda; do
        gcov -n -o "${object%/*}" "$object" 2>/dev/null
    done | awk -v folder="$1/" -v half="$2" -v writes="$writes" -v files="$files" '
        /^File / { gsub(/\047/, "", $2); path = $2 }
        half == "log" && path ~ files { path = "" }
        half != "whole" && half != "log" && (path ~ writes) != (half == "writes") { path = "" }
        /^Lines executed:/ && index(path, folder) == 1 && path ~ /\.c$/ {
            split($2, part, /[:%]/)
            printf "%d %d %s\n", part[2] * $4 / 100 + 0.5, $4, path
            path = ""
        }'
}

status=0
while IFS='|' read -r doors folders half; do
    [ -n "$doors" ] || continue
    half=${half// /}
    find "$build" -name '*.gcda' -delete
    for door in $doors; do
        "$build/replay/$door" "test/fuzz/corpus/$door.tar" >/dev/null || status=1
    done
    for folder in $folders; do
        [ -n "${VERBOSE:-}" ] && lines_of "$folder" "$half" |
            awk '{ printf "  %5.1f %%  %s\n", 100 * $1 / $2, $3 }'
        lines_of "$folder" "$half" | awk -v door="$door" -v folder="$folder" \
            -v half="${half/whole/}" -v least=$least '
            { hit += $1; all += $2 }
            END {
                p = all ? 100 * hit / all : 0
                printf "coverage: %-6s %-13s %-6s %5.1f %% of %d lines\n",
                       door, folder, half, p, all
                exit p < least
            }' || status=1
    done
done <<<"$modules"
[ $status -eq 0 ] || echo "coverage: below $least %"
exit $status
