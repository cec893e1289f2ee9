#!/usr/bin/env bash
# examples.sh - the programs of examples/, compiled from what make install installs,
# print what they should, also for a wrong path, a damaged file and an interrupt.
#
#   examples.sh build     the library alone
#
# The header compiles by itself, as C99 and as C++.  The libraries show the names of
# the header and no others.
set -u
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build} SO=${SO:-parquet.so} CC=${CC:-cc}
EXTRA=${EXTRA:-}

if [ "${1:-}" = build ]; then
    exec env MAKEFLAGS='' make --no-print-directory -s -j "$(nproc)" lib
fi

to=$BUILD/examples
rm -rf "$to"
mkdir -p "$to/data"
root=$(cd "$to" && pwd)/root
lib=$root/usr/lib
passed=0 failed=0

check() {                             # WHAT, the command's status before
    if [ "$2" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $1"
    fi
}

# Runs a program; its status, and all that it prints, have to be these.
prints() {                            # STATUS TEXT PROGRAM ARGUMENT...
    local status=$1 wanted=$2 got
    shift 2
    got=$({ "$to/$1" "${@:2}" 2>&1; echo "status $?"; } |
        sed "s/checksum is [0-9a-f]*, its header says [0-9a-f]*/checksum differs/")
    [ "$got" = "$wanted${wanted:+
}status $status" ]
    check "$*" $?
    [ "$got" = "$wanted${wanted:+
}status $status" ] || diff <(echo "$wanted${wanted:+
}status $status") <(echo "$got")
}

MAKEFLAGS='' DESTDIR=$root PREFIX=/usr make -s install >"$to/log" 2>&1
check "make install" $?
export PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib

# ---- what is installed ----

$CC -std=c99 -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only -x c \
    "$root/usr/include/parquet.h"
check "the header as C99" $?
if command -v c++ >/dev/null; then
    c++ -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ "$root/usr/include/parquet.h"
    check "the header as C++" $?
fi
declared=$(sed '/^static inline/,/^}/d' core/face/parquet.h |
    grep -oE '\<parquet_[a-z_]+\([^)]' | tr -d '(' | sed 's/.$//' | sort -u)
for name in libparquet.so libparquet.a; do
    shown=$(nm $([ $name = libparquet.a ] || echo -D) -g --defined-only "$lib/$name" |
        awk 'NF == 3 && $3 ~ /^[a-z]/ { print $3 }' | sort -u)
    diff <(comm -12 <(echo "$declared") <(echo "$shown")) <(echo "$shown")
    check "$name shows what the header declares, and no more" $?
done

programs="list_columns scan_where write_rows verify_file"
for program in $programs; do
    $CC -std=c11 -Wall -Wextra -Werror $EXTRA "examples/$program.c" -o "$to/$program" \
        $(pkg-config --cflags --libs sqlite-parquet)
    check "$program compiles" $?
done
$CC -std=c11 $EXTRA examples/list_columns.c -o "$to/list_static" \
    $(pkg-config --cflags sqlite-parquet) "$lib/libparquet.a" \
    $(pkg-config --libs --static sqlite-parquet | sed 's/-lparquet//')
check "list_columns with libparquet.a" $?

# ---- what they print ----

trips=test/samples/trips.parquet
listing='id           INT64
pickup       TIMESTAMP(MICROS)
dropoff      TIMESTAMP(MICROS)
passengers   INT8
payment      STRING
distance     DOUBLE
fare         DECIMAL(8,2)
tip          DECIMAL(8,2)
route        STRUCT
tags         LIST
route.from   STRING
route.to     STRING
4096 rows, written by DuckDB version v1.5.6 (build 069cc9f9b5)
row group 0: 2048 rows, id 1 .. 2048
row group 1: 2048 rows, id 2049 .. 4096'
prints 0 "$listing" list_columns $trips
prints 0 "$listing" list_static $trips
prints 0 '4095 | 2024-03-30 16:20:00 | 2024-03-30 16:57:00 | 4 | card | 14.1 | 29.29 | 3.28 | {"from":"Airport","to":"Old Town"} | ["night","group"]
4096 | 2024-03-30 16:30:00 | 2024-03-30 16:53:00 | 3 | cash | 8.1 | 18.18 | NULL | {"from":"Market","to":"Airport"} | []
2 rows, id adds up to 8191
read 1 files and 1 row groups, skipped 0 and 1' scan_where $trips id 4095
prints 0 '2023-01-01 | -15.1 | 0 | 2023 | Oslo
2023-04-01 | -19.2 | 0 | 2023 | Oslo
2023-06-30 | -5.6 | 1 | 2023 | Oslo
2023-09-28 | 13.1 | 0 | 2023 | Oslo
2024-01-01 | -10.7 | 1 | 2024 | Oslo
8 rows
read 2 files and 2 row groups, skipped 2 and 0' scan_where test/samples/weather city Oslo
prints 0 '250000 rows in 3 row groups' write_rows "$to/data/sales.parquet" 250000
prints 0 'id           INT64, never NULL
day          DATE
price        DECIMAL(10,2)
tags         LIST
250000 rows, written by parquet.so for SQLite version 0.1.0
row group 0: 100000 rows, id 0 .. 99999
row group 1: 100000 rows, id 100000 .. 199999
row group 2: 50000 rows, id 200000 .. 249999' list_columns "$to/data/sales.parquet"
prints 0 '249999 | 1970-01-22 | 2499.99 | NULL
1 rows, id adds up to 249999
read 1 files and 1 row groups, skipped 0 and 2' \
    scan_where "$to/data/sales.parquet" price 2499.99
prints 0 '0 errors' verify_file "$to/data/sales.parquet"

# ---- a wrong path, a value that does not fit ----

prints 1 "/none.parquet: cannot open: No such file or directory" list_columns /none.parquet
prints 1 "damaged: README.md: not a Parquet file: it looks like text; a path may name the wrong file" \
    verify_file README.md
prints 1 'there is no column x' scan_where $trips x 1
prints 1 "column id: 'x' is not an INT64" scan_where $trips id x
prints 2 'list_columns FILE' list_columns

# ---- a damaged file, cut off or with a byte changed ----

flip() {                              # FILE BYTE
    printf '\x55' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
cp "$to/data/sales.parquet" "$to/data/damaged.parquet"
flip "$to/data/damaged.parquet" 2000
prints 1 "$to/data/damaged.parquet, row group 0, column id, page 0, byte 4: the page's checksum differs; the option checksum=off reads it anyway" \
    scan_where "$to/data/damaged.parquet" id 5
prints 1 'error, row group 0, column id, page 0: the page is not what was written: its checksum differs
error, row group 0: this row of the row group belongs before the previous one
2 errors' verify_file "$to/data/damaged.parquet"
head -c 1000 $trips >"$to/data/cut.parquet"
prints 1 "$to/data/cut.parquet: begins like a Parquet file but does not end like one: it was cut off, or never finished; copy or write it again" \
    list_columns "$to/data/cut.parquet"

# ---- an interrupt: nothing is left of what was written, and the old file stays ----

before=$(ls -A "$to/data"; cksum "$to/data/sales.parquet")
n_files=$(ls -A "$to/data" | wc -l)
"$to/write_rows" "$to/data/sales.parquet" 10000000000 >"$to/said" 2>&1 &
for _ in $(seq 1000); do              # until the new file is there
    [ "$(ls -A "$to/data" | wc -l)" -eq "$n_files" ] || break
    sleep 0.01
done
kill -INT $!
wait $!
[ $? -eq 1 ] && [ "$(cat "$to/said")" = interrupted ]
check "write_rows is interrupted" $?
[ "$before" = "$(ls -A "$to/data"; cksum "$to/data/sales.parquet")" ]
check "what was there before the interrupt" $?

echo "examples: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
