#!/usr/bin/env bash
# amalgamation.sh - the extension as one file of C, and builds without a part.  Shells that
# are SQLite, its shell and this file, and libraries of make WITHOUT=..., read a sample of
# every codec, make a copy, and say what they lack.
#
#   amalgamation.sh         by gcc: a shell of the whole, and one without all parts
#   amalgamation.sh build   only what make makes of it
#   amalgamation.sh whole   gcc and clang, without each part too, and with -O2; as a
#                           library, it passes Tcl tests: TCL="values copy" takes others
set -u
cd "$(dirname "$0")/../.."

form=${1:-} BUILD=${BUILD:-build}
folder=$BUILD/amalgamation sqlite=$BUILD/cli/sqlite scratch=$BUILD/amalgamation/test
parts="brotli crypto lz4 remote snappy zlib zstd"
TCL=${TCL-options values copy joins remote encryption_samples}
. test/dist/library.bash
mkdir -p "$scratch"

declare -A library=([brotli]="-lbrotlidec -lbrotlienc" [crypto]=-lcrypto [lz4]=-llz4
                    [remote]='' [snappy]=-lsnappy [zlib]=-lz [zstd]=-lzstd)
declare -A sample=([brotli]=duckdb_codec_brotli [lz4]=duckdb_codec_lz4_raw
                   [snappy]=duckdb_codec_snappy [zlib]=duckdb_codec_gzip
                   [zstd]=duckdb_codec_zstd)
declare -A word=([brotli]=BROTLI [lz4]=LZ4_RAW [snappy]=SNAPPY [zlib]=GZIP [zstd]=ZSTD)

# What was made of parquet.c before serves again.
is_made() { [ "$1" -nt "$folder/parquet.c" ]; }
make_() { MAKEFLAGS='' make --no-print-directory -s "$@"; }

# SQLite and its shell are the same in every program.
init=$scratch/init.c
host_objects() {
    cat >"$init" <<'END'
#include <sqlite3.h>
#include "parquet.h"
void add_parquet(void);
void add_parquet(void)
{
    sqlite3_auto_extension((void (*)(void))sqlite3_parquet_init);
}
END
    make_ amalgamation "$sqlite/shell.c" >"$scratch/said" || return
    [ "$form" != build ] || return 0
    [ "$scratch/shell.o" -nt "$sqlite/shell.c" ] && return
    gcc -O0 -w -DSQLITE_THREADSAFE=1 -I"$sqlite" -c -o "$scratch/sqlite3.o" "$sqlite/sqlite3.c" &&
        gcc -O0 -w -DSQLITE_SHELL_INIT_PROC=add_parquet -I"$sqlite" -c \
            -o "$scratch/shell.o" "$sqlite/shell.c"
}

# The compiler says nothing.
silently() {
    "$@" >"$scratch/said" 2>&1 && [ ! -s "$scratch/said" ] && return
    head -n 20 "$scratch/said"
    return 1
}

make_shell() {                        # TO LACKS COMPILER OPTION
    local flags=() libraries=() part
    for part in $parts; do
        if [[ " $2 " == *" $part "* ]]; then
            flags+=("-DPARQUET_NO_${part^^}")
        else
            read -ra some <<<"${library[$part]}"
            libraries+=("${some[@]}")
        fi
    done
    is_made "$1" && return
    silently "$3" -std=c11 -Wall "$4" -DSQLITE_CORE "${flags[@]}" -I"$sqlite" -c \
        -o "$1.o" "$folder/parquet.c" &&
        "$3" -std=c11 -Wall -I"$sqlite" -I"$folder" -o "$1" "$init" "$1.o" \
            "$scratch/sqlite3.o" "$scratch/shell.o" "${libraries[@]}" -lpthread -ldl -lm
}

# The objects are those of make: few are compiled.
make_without() {                      # TO LACKS
    make_ -j "$(nproc)" WITHOUT="$2" SO="$1" "$1"
}

ask() {                               # SHELL-OR-LIBRARY SQL
    local program=("$1" -init /dev/null -batch :memory:)
    [[ $1 != *.so ]] || program=(sqlite3 -init /dev/null -batch :memory: ".load ${1%.so}")
    "${program[@]}" "$2" 2>&1
}

rows() {                              # SHELL PATH
    ask "$1" "CREATE VIRTUAL TABLE temp.t USING parquet('$2'); SELECT * FROM t"
}

# A file of a codec that is there has the rows of the one without a codec.  The error for
# one that is not says where, and what.
reads_codecs() {                      # SHELL LACKS
    local part path wanted got
    wanted=$(rows "$1" test/samples/duckdb_codec_uncompressed.parquet)
    [ "$(wc -l <<<"$wanted")" -gt 10 ] || return 1
    for part in "${!sample[@]}"; do
        path=test/samples/${sample[$part]}.parquet
        got=$(rows "$1" "$path")
        if [[ " $2 " != *" $part "* ]]; then
            [ "$got" = "$wanted" ] || { echo "$path: $(head -c 300 <<<"$got")"; return 1; }
        elif [[ $got != *"$path, row group 0, column "*", page 0"*"this build was made without \
the compression ${word[$part]}"* ]]; then
            echo "$path: $(head -c 300 <<<"$got")"
            return 1
        fi
    done
}

copies() {                            # SHELL
    local to=$scratch/copy.parquet
    [ "$(ask "$1" "CREATE TABLE t AS SELECT value AS n, 'text ' || value AS s
              FROM generate_series(1, 5000);
              SELECT parquet_copy_to('SELECT * FROM t', '$to', '{\"overwrite\": \"replace\"}');
              CREATE VIRTUAL TABLE temp.c USING parquet('$to');
              SELECT count(*), sum(n), max(s) FROM c")" = "5000
5000|12502500|text 999" ]
}

lacks_others() {                      # SHELL LACKS
    local part key server version
    version=$(ask "$1" "SELECT parquet_version()")
    for part in "${!word[@]}"; do
        [[ " $2 " != *" $part "* ]] || [[ $version == *"no ${word[$part]}"* ]] || return 1
    done
    key=$(ask "$1" "SELECT parquet_key('k', zeroblob(16))")
    server=$(ask "$1" "CREATE VIRTUAL TABLE temp.t USING parquet('http://127.0.0.1:1/x.parquet')")
    [[ " $2 " != *" crypto "* ]] || [[ $key == *"made without libcrypto"* ]] || return 1
    [[ " $2 " == *" crypto "* ]] || [ "$key" = 128 ] || return 1
    [[ " $2 " != *" remote "* ]] || [[ $server == *"made without libcurl"* ]] || return 1
    [[ " $2 " == *" remote "* ]] || [[ $server != *"made without"* ]]
}

try() {                               # SHELL-OR-LIBRARY LACKS
    reads_codecs "$@" && copies "$1" && lacks_others "$@"
}
shell() { make_shell "$@" && try "$1" "$2"; }
without() { make_without "$@" && { [ "$form" = build ] || try "$@"; }; }

# clang makes one of the programs, and reads the others.
only_read() {                         # LACKS
    silently clang -std=c11 -Wall -fsyntax-only -DSQLITE_CORE "-DPARQUET_NO_${1^^}" -I"$sqlite" \
        "$folder/parquet.c"
}

loadable() {                          # TO
    is_made "$1" || silently gcc -std=c11 -Wall -O2 -fPIC -shared -DPARQUET_LIBDEFLATE \
        -I"$sqlite" -o "$1" "$folder/parquet.c" -lzstd -lsnappy -llz4 -lbrotlidec \
        -lbrotlienc -lz -ldeflate -lcrypto -lpthread -ldl -lm && exports "$1"
}

passes_tcl() {                        # NAME
    SO=$scratch/parquet.so tclsh tcl/all.tcl "$1" >"$scratch/$1.said" 2>&1 && return
    tail -n 5 "$scratch/$1.said"
    return 1
}

check "SQLite and its shell are compiled" host_objects
check "make without every part" without "$scratch/everything.so" "$parts"
[ "$form" != build ] || exit "$failed"
check "gcc: the whole in a shell" shell "$scratch/whole" "" gcc -O0
check "gcc: a shell without every part" shell "$scratch/everything" "$parts" gcc -O0
if [ "$form" = whole ]; then
    check "clang: the whole in a shell" shell "$scratch/clang" "" clang -O2
    for part in $parts; do
        check "gcc: a shell without $part" shell "$scratch/$part" "$part" gcc -O0
        check "clang reads it without $part" only_read "$part"
        check "make without $part" without "$scratch/$part.so" "$part"
    done
    check "a library that SQLite loads" loadable "$scratch/parquet.so"
    for name in $TCL; do
        check "the library passes $name.test" passes_tcl "$name"
    done
fi
echo "amalgamation: $passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
