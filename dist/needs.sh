#!/usr/bin/env bash
# needs.sh FILE - what a library needs of the machine it is loaded on.
#
# Prints one line; fails where that is more than libc and libm.  The loader
# itself (ld-linux) is a part of libc, and so are libpthread and libdl of old.  musl
# is libc.so.
set -eu
file=$1
dynamic=$(objdump -p "$file")
needed=$(awk '$1 == "NEEDED" { print $2 }' <<<"$dynamic")
more=$(grep -vE '^(libc|libm|libpthread|libdl|ld-linux.*)\.so(\.[0-9]+)?$' <<<"$needed" || true)
glibc=$(objdump -T "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 || true)

printf '%s: %d kB, needs %s%s\n' "$file" \
    $(($(stat -c %s "$file") / 1000)) "$(paste -sd ' ' <<<"$needed")" \
    "${glibc:+ of glibc ${glibc#GLIBC_} or newer}"
[ -z "$more" ] || { echo "it needs more than libc and libm: $more" >&2; exit 1; }
