#!/usr/bin/env bash
# one_file.sh - the library of make dist: what it needs, what it exports, what
# it contains, and that it never calls the codecs of another library.  And make
# install.
set -u
cd "$(dirname "$0")/../.."

export MAKEFLAGS=''
export BUILD=${BUILD:-build}
scratch=$PWD/$BUILD/one-file
. test/dist/library.bash
rm -rf "$scratch"
mkdir -p "$scratch"

line=$(make --no-print-directory -s one-file) || {
    echo "one-file: 0 passed, 1 failed, 0 skipped"
    exit 1
}
echo "$line"
one=$PWD/${line%%: *}
[ "${1:-}" != build ] || exit 0
shared=$(realpath "${SO:-parquet.so}")
archives=$(cc=${CC:-cc}
    for name in deflate zstd snappy z lz4 brotlicommon brotlidec brotlienc \
        xxhash crypto; do
        file=$($cc -print-file-name=lib$name.a)
        [ ! -e "$file" ] || echo "$file"
    done)
shell() { sqlite3 -init /dev/null -batch -bail "$@"; }

# --- what it needs -----------------------------------------------------------

no_search_path() { readelf -d "$one" | grep -E 'R(UN)?PATH'; true; }

# libc says which glibc a symbol needs.  The archives together need as new a
# glibc as the whole file: libcrypto, for one, needs pthread_once of 2.34.
newest() { grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1; }
own_code_raises_nothing() {
    local asked needed
    nm -u $archives 2>/dev/null | awk '{ print $2 }' | sort -u >"$scratch/asked"
    asked=$(nm -D --defined-only "$("${CC:-cc}" -print-file-name=libc.so.6)" |
        awk '{ print $3 }' | grep @@ | sed 's/@@/ /' |
        awk 'NR == FNR { asked[$1]; next } $1 in asked' "$scratch/asked" - |
        newest)
    needed=$(objdump -T "$one" | newest)
    [ "$(printf '%s\n' "$asked" "$needed" | newest)" = "$asked" ] ||
        echo "it needs $needed, the archives $asked"
}

check_library "$one"
check "it has no search path" no_search_path
check "what is written here raises no need of glibc" own_code_raises_nothing

same_bytes() {                        # linked once more, elsewhere
    make --no-print-directory -s one-file DIST="$scratch/again" >/dev/null &&
        cmp "$scratch/again/parquet.so" "$one"
}

check "a second link gives the same bytes" same_bytes

# --- others in the same process ----------------------------------------------

# A trap: a library that is loaded before all others has every function of the
# codecs, and each ends the process.  The shared build calls them, so the trap
# works.
make_trap() {
    nm -g --defined-only $archives 2>/dev/null | awk '$2 == "T" { print $3 }' |
        grep -E '^(ZSTD|LZ4|Brotli|XXH|inflate|deflate|crc32|snappy_|EVP_|libdeflate|_ZN6snappy)' |
        sort -u | sed 's/.*/void &(void); void &(void) { abort(); }/' \
        >"$scratch/trap.c"
    "${CC:-cc}" -w -include stdlib.h -shared -fPIC -fno-builtin \
        -o "$scratch/trap.so" "$scratch/trap.c"
}

# Writes and reads with every codec.
round_trip() {                        # LIBRARY
    local codec sql=".load ${1%.so}"
    for codec in snappy gzip brotli zstd lz4_raw; do
        sql+="
SELECT parquet_copy_to('SELECT * FROM parquet_rows(''test/samples/trips.parquet'')',
    '$scratch/$codec.parquet', '{\"compression\": \"$codec\"}');
SELECT count(*), sum(row ->> '\$.row.id') FROM parquet_rows('$scratch/$codec.parquet');"
    done
    shell :memory: <<<"$sql"
}
its_own_codecs() {
    round_trip "$one" >"$scratch/alone" || return
    LD_PRELOAD=$scratch/trap.so round_trip "$one" >"$scratch/with" || return
    [ "$(grep -c '^4096$' "$scratch/with")" -eq 5 ] || cat "$scratch/with"
    cmp "$scratch/alone" "$scratch/with"
}
others_codecs() {
    LD_PRELOAD=$scratch/trap.so round_trip "$shared" >/dev/null 2>&1 &&
        echo "the trap caught nothing"
    true
}

check "the trap compiles" make_trap
check "it calls its own codecs" its_own_codecs
check "the trap catches who does not" others_codecs

# --- make install --------------------------------------------------------------

install_to() {                        # PREFIX: prints what make install prints
    LDCONFIG=$2 make --no-print-directory -s install PREFIX="$1"
}
says_how() {                          # a folder that ldconfig does not list
    local at=$scratch/elsewhere said
    install_to "$at" false >"$scratch/said" || return
    said=$(sed -n 's/^to load it:  //p' "$scratch/said")
    [ "$said" = ".load $at/lib/parquet" ] || cat "$scratch/said"
    [ "$(cd / && shell :memory: "$said" 'SELECT 1')" = 1 ] || echo "$said"
    [ "$(cd / && LD_LIBRARY_PATH=$at/lib shell :memory: '.load parquet' \
        'SELECT 1')" = 1 ] || echo "not in LD_LIBRARY_PATH"
}
is_listed() {                         # one that it does
    local at=$scratch/listed
    mkdir -p "$at/lib"
    echo "$at/lib" >"$scratch/conf"
    install_to "$at" "/sbin/ldconfig -C $scratch/cache -f $scratch/conf" \
        >"$scratch/said"
    grep -qx 'to load it, from any folder:  .load parquet' "$scratch/said" ||
        cat "$scratch/said"
    /sbin/ldconfig -C "$scratch/cache" -p | grep -q "parquet.so (.*=> $at/lib/" ||
        echo "not in the list"
}

check "make install says how to load it" says_how
check "make install has the loader find it" is_listed

echo "one-file: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
