#!/usr/bin/env bash
# release.sh TARGET - make release-check: what make release made for a target whose
# programs run here: what it needs and exports, and what it does.
#
#   linux-x64         is loaded by glibc 2.19 too, the oldest that a server of packages
#                     has; the suites run with it.  TCL="values copy": other Tcl tests
#   linux-musl-x64    is loaded by a SQLite for musl
#   linux-arm64       is loaded by a SQLite for arm64 under qemu, as on this Debian
#   windows-x64       is loaded by a sqlite3.exe under wine, and by a tclsh.exe
#   macos-arm64       is only looked at: nothing here runs it
#
# The demonstration prints and writes the same everywhere.  A shell of SQLite for each
# stays in RELEASE_CACHE.  CODECS, COMPILER, GLIBC and UNIT_TESTS come from release.mk.
set -u
cd "$(dirname "$0")/../.."

target=$1
BUILD=${BUILD:-build}
TCL=${TCL-values copy_append encryption_write joins life order}
built=$PWD/$BUILD/release
one=$built/$target/${FILE:-parquet.so}
scratch=$PWD/$BUILD/release-test/$target
tools=$RELEASE_CACHE/tools
. test/dist/library.bash
mkdir -p "$scratch" "$tools"

# --- the file ------------------------------------------------------------------------

if [ "$target" = windows-x64 ] || [ "$target" = macos-arm64 ]; then
    check "it does not say where it was built" no_place "$one" "$RELEASE_CACHE"
else
    check_library "$one" "$RELEASE_CACHE"
fi

# --- other machines ------------------------------------------------------------------

shell_by() {                          # NAME COMPILER...: $tools/NAME
    local to=$tools/$1
    shift
    [ ! -x "$to" ] || return 0
    make --no-print-directory -s "$BUILD/cli/sqlite/shell.c" >/dev/null &&
        "$@" -w -fPIC -D_GNU_SOURCE= -DSQLITE_DISABLE_LFS -DHAVE_USLEEP=1 \
            -I"$BUILD/cli/sqlite" -o "$to.new" "$BUILD"/cli/sqlite/{sqlite3,shell}.c \
            -lpthread ${DL--ldl} -lm && mv "$to.new" "$to"
}

demonstration() {                     # NAME LIBRARY SHELL...
    local to=$scratch/$1 library=$2
    shift 2
    rm -rf build/demo "$to"
    mkdir -p build/demo
    sed "s|^\.load .*|.load $library|" test/demo.sql |
        "$@" -init /dev/null -bail -batch :memory: >"$scratch/said" 2>&1 || {
        tail -n 5 "$scratch/said"
        return 1
    }
    mv build/demo "$to"
    sed '/^\.load/d; $d; s/\r$//' "$scratch/said" >"$to/said"
    [ "$(wc -l <"$to/said")" -gt 100 ] || cat "$to/said"
}
same_demonstration() {                # SHELL...
    demonstration wanted "$built/linux-x64/parquet.so" "$tools/shell" &&
        demonstration came "$one" "$@" && diff -r "$scratch/wanted" "$scratch/came"
}

words_of_errors() {                   # SHELL...
    "$@" -init /dev/null :memory: ".load $one" "SELECT * FROM parquet_rows('no/such')" 2>&1 |
        grep -v 'no/such: .*No such file or directory'
    true
}

# --- linux-x64 -----------------------------------------------------------------------

glibc=libc6_2.19-0ubuntu6_amd64.deb
glibc_at=http://archive.ubuntu.com/ubuntu/pool/main/e/eglibc
glibc_sum=d82bcd1f16a43b1dc4fa35a738d87c5dd25d6a87f8e0a529b2c188e984866ded
old=$tools/glibc-2.19/lib/x86_64-linux-gnu

no_newer_glibc() {
    objdump -T "$one" | grep -o 'GLIBC_[0-9.]*' | sort -uV |
        awk -v oldest="GLIBC_$GLIBC" 'old { print } $0 == oldest { old = 1 }'
}
# Threads are where they were before glibc 2.34.
old_libraries() {
    local needed
    needed=$(readelf -d "$one" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | paste -sd ' ')
    [ "$needed" = "libc.so.6 libdl.so.2 libm.so.6 libpthread.so.0" ] || echo "$needed"
}
old_glibc() {
    [ ! -d "$old" ] || return 0
    curl -sfL -m 300 -o "$tools/$glibc" "$glibc_at/$glibc" &&
        echo "$glibc_sum  $tools/$glibc" | sha256sum --check --quiet &&
        dpkg-deb -x "$tools/$glibc" "$tools/glibc-2.19"
}
suite() {                             # COMMAND...: its last line has the sum
    local said
    said=$("$@" 2>&1) || { tail -n 20 <<<"$said"; return 1; }
    tail -n 1 <<<"$said" | grep -q ' 0 failed' || tail -n 5 <<<"$said"
}

# --- linux-arm64 ---------------------------------------------------------------------

on_arm() { "$(command -v qemu-aarch64-static || command -v qemu-aarch64)" \
    -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$curl_arm/lib/.libs" "$@"; }

# Of HTTP only: the unit tests ask no server for TLS.
curl_arm=$tools/curl-arm64-7.88.1
libcurl_arm() {
    local by="CC=$COMPILER"           # make has told it cc, by its environment
    [ ! -e "$curl_arm/lib/.libs/libcurl.so.4" ] || return 0
    DOWNLOADS=$RELEASE_CACHE/downloads bash -c '. release/fetch.sh' test/release/fetch \
        curl "$curl_arm" && cd "$curl_arm" &&
        ./configure "$by" --host=aarch64-linux-gnu --disable-static --disable-ldap \
            --without-{ssl,zlib,brotli,zstd,nghttp2,libpsl,librtmp,libidn2} >log 2>&1 &&
        make -C lib "$by" -j"$(nproc)" >>log 2>&1 || { tail -n 20 "$curl_arm/log"; return 1; }
}

# What qemu cannot do for the programs that it runs.  A line that is not true any more is a
# failure, like any other test.
qemu_cannot="\
aes_key.a_secret_is_not_in_core_dumps    it ignores that advice"
unit_on_arm() {
    local half said=$scratch/unit
    for half in 1 2; do               # beside each other: a quarter of an hour each
        on_arm "$UNIT_TESTS" -part $half/2 >"$said.$half" 2>&1 &
    done
    wait
    for half in 1 2; do
        tail -n 1 "$said.$half" | grep -q '^unit: .* passed' || tail -n 5 "$said.$half"
    done
    diff <(cut -d " " -f 1 <<<"$qemu_cannot") \
        <(sed -n "s/^FAIL //p" "$said".[12] | LC_ALL=C sort -u) ||
        grep -h -A 2 '^FAIL' "$said".[12]
}

# --- windows-x64 ---------------------------------------------------------------------

export WINEPREFIX=$tools/wine WINEDEBUG=-all
in_wine=(wine "$tools/sqlite3.exe")

# The first program that wine runs makes WINEPREFIX, and wine says so among its words.
windows_shell() {
    wine wineboot -i >/dev/null 2>&1 || true
    DL='' shell_by sqlite3.exe "$COMPILER" -municode -static
}
windows_dlls() {
    x86_64-w64-mingw32-objdump -p "$one" | sed -n 's/.*DLL Name: //p' |
        grep -vixE '(advapi32|crypt32|kernel32|msvcrt|user32|ws2_32)\.dll'
    true
}
windows_exports() {
    x86_64-w64-mingw32-objdump -p "$one" |
        sed -n '/Ordinal\/Name Pointer/,/^$/s/^\t\[.*\] //p' |
        diff - <(printf 'sqlite3_%s_init\n' extension parquet)
}
moves() {                             # TO LIBRARY SLASH SHELL...
    local to=$1 library=$2 slash=$3
    shift 3
    rm -rf build/demo
    mkdir -p build/demo
    { echo ".load $library"; sed "s|\\\\|$slash|g" test/windows/moves.sql; } |
        "$@" -init /dev/null -bail -batch :memory: 2>&1 | sed 's/\r$//' >"$scratch/$to"
    grep -c . "$scratch/$to" | grep -xq '1[0-9]' || cat "$scratch/$to"
}
windows_moves() {
    moves moved_there "$built/linux-x64/parquet.so" / "$tools/shell" &&
        moves moved "$one" '\\' "${in_wine[@]}" && diff "$scratch"/moved{_there,}
}
# A test that is left out needs what mingw-w64 lacks, or another that is left out.
left_out_for_nothing() {
    local name why
    grep -v '^#' test/windows/not_tested.txt | while read -r name why; do
        if grep -q "^$why " test/windows/not_tested.txt; then
            grep -q "\"test/unit/$why.h\"" "test/unit/$name.c"
        else
            ! "$COMPILER" -I. -I"$CODECS/include" -Itest/windows -fsyntax-only \
                -Werror=implicit-function-declaration -include test/windows/unit.h \
                "test/unit/$name.c" 2>/dev/null
        fi || echo "$name compiles: take the exception out"
    done
}

# --- macos-arm64 ---------------------------------------------------------------------

# For arm64, with libraries that each Mac has: libcurl is loaded at the first use.
mac_header() {
    file -b "$one" | grep -q '^Mach-O 64-bit arm64 dynamically linked shared library' ||
        file "$one"
    strings "$one" | grep -E '^(/usr/lib|/System|@rpath)/.*\.dylib$' |
        diff - <(printf '%s\n' @rpath/parquet.dylib /usr/lib/lib{System.B,curl.4}.dylib)
}

check "a shell for an old glibc is built" shell_by shell gcc -L"$CODECS/glibc"
case $target in
linux-x64)
    check "it needs no glibc newer than $GLIBC" no_newer_glibc
    check "it names the libraries of an old glibc" old_libraries
    check "an old glibc is there" old_glibc
    check "glibc 2.19 loads it, and it answers the same" same_demonstration \
        "$old/ld-linux-x86-64.so.2" --library-path "$old" "$tools/shell"
    # shellcheck disable=SC2086
    check "Tcl tests" suite env SO="$one" tclsh tcl/all.tcl $TCL
    check "unit tests with its libraries" suite "$UNIT_TESTS"
    ;;
linux-musl-x64)
    check "a shell for musl is built" shell_by shell-musl "$COMPILER"
    check "musl loads it, and it answers the same" same_demonstration "$tools/shell-musl"
    check "its errors have the system's words" words_of_errors "$tools/shell-musl"
    ;;
linux-arm64)
    check "it needs no glibc newer than $GLIBC" no_newer_glibc
    check "it names the libraries of an old glibc" old_libraries
    check "a shell for arm64 is built" shell_by shell-arm64 "$COMPILER"
    check "qemu loads it, and it answers the same" same_demonstration on_arm "$tools/shell-arm64"
    check "libcurl for arm64 is built" libcurl_arm
    check "unit tests with its libraries" unit_on_arm
    ;;
windows-x64)
    check "a sqlite3.exe is built" windows_shell
    check "it needs DLLs of Windows only" windows_dlls
    check "only the entry points are exported from it" windows_exports
    check "it answers the same under wine" same_demonstration "${in_wine[@]}"
    check "rows move by paths of Windows" windows_moves
    check "a unit test is left out only if it would not compile" left_out_for_nothing
    check "the words of POSIX have their meaning" suite make --no-print-directory -s \
        WINDOWS_CODECS="$CODECS" windows-door
    check "Tcl tests under wine" suite bash test/windows/tcl.sh archive encryption locks values
    ;;
macos-arm64)
    check "it is a library for macOS, which needs libSystem only" mac_header
    ;;
esac

echo "release $target: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
