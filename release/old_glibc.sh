#!/usr/bin/env bash
# old_glibc.sh VERSION FOLDER - what a linker sees of glibc, as old as VERSION.
#
# A library needs the glibc that it was linked with, because the linker takes the
# newest version of each symbol: pthread_create@@GLIBC_2.34, fstat@@GLIBC_2.33.  The
# older ones are still in it, hidden: pthread_create@GLIBC_2.2.5.  So FOLDER has
# libraries without code, with the names of glibc's, whose symbols have the newest
# version up to VERSION.  -L FOLDER has the linker choose these, for sources and
# archives that know nothing of it.  A symbol that is newer than VERSION is not
# there, and ends the link; old_glibc.c has a few of them.
#
# Before 2.34, threads and dlopen were in libraries of their own, where they are
# found on such machines.  Newer ones have these names for it.
set -eu
oldest=$1 folder=$2
CC=${CC:-gcc}
here=$(realpath "$(dirname "$0")")
rm -rf "$folder"
mkdir -p "$folder"

# SYMBOL VERSION, the newest that is old enough.
symbols_of() {                        # LIBRARY, as the compiler finds it
    nm -D --defined-only "$("$CC" -print-file-name="$1")" |
        sed -n 's/.* \(.*[^@]\)@@*GLIBC_/\1 /p' |
        awk -v oldest="$oldest" '
            function number(version,  part) {
                split(version, part, ".")
                return part[1] * 1e6 + part[2] * 1e3 + part[3]
            }
            $2 ~ /^[0-9.]+$/ && number($2) <= number(oldest) &&
                number($2) > number(version[$1]) { version[$1] = $2 }
            END { for (s in version) print s, "GLIBC_" version[s] }'
}

stub() {                              # NAME SONAME: of the lines of symbols
    sort -k2,2V -k1,1 | awk -v name="$folder/$1" '
        $2 != version {
            if (version) print "};" >name ".map"
            version = $2
            print version " {" >name ".map"
        }
        {
            print "  " $1 ";" >name ".map"
            print ".globl " $1 "\n.type " $1 ",%function\n" $1 ":" >name ".s"
        }
        END { print "};" >name ".map" }'
    "$CC" -shared -nostdlib -Wl,-soname,"$2" -Wl,--version-script="$folder/$1.map" \
        -o "$folder/$1" "$folder/$1.s"
}

symbols_of libc.so.6 >"$folder/libc.symbols"
grep -E '^(pthread|sem)_' "$folder/libc.symbols" | stub libpthread.so libpthread.so.0
grep -E '^dl(open|close|sym|vsym|addr|error|info) ' "$folder/libc.symbols" |
    stub libdl.so libdl.so.2
grep -vE '^(pthread_|sem_|dl(open|close|sym|vsym|addr|error|info) )' \
    "$folder/libc.symbols" | stub libc.so.6 libc.so.6
symbols_of libm.so.6 | stub libm.so libm.so.6

"$CC" -O2 -fPIC -ffunction-sections -Wall -Wextra -c -o "$folder/old_glibc.o" \
    "$here/old_glibc.c"
"${AR:-ar}" rcsD "$folder/libold_glibc.a" "$folder/old_glibc.o"
echo "GROUP ( -lold_glibc libc.so.6 -lc_nonshared )" >"$folder/libc.so"
rm -f "$folder"/*.map "$folder"/*.s "$folder"/*.o "$folder"/*.symbols
