#!/usr/bin/env bash
# setup.sh - makes a bare Debian or Ubuntu machine able to build and test.
#
#   setup.sh build          compiler, libraries, the sqlite3 shell
#   setup.sh build check    and Tcl, Python, Node with the packages of interop that
#                           need no compiler: for make check
#   setup.sh build test     and the one that does: for make check-all
#   setup.sh build dist     and what make dist links
#   setup.sh build dist cli and what make cli links
#   setup.sh dist-arm64     and what make dist-arm64 does
#   setup.sh release        and what make release builds its libraries with
#   setup.sh macos          clang with the headers of macOS, of npm (400 MB), likewise
#   setup.sh wasm           and what make release-wasm compiles and is tried with
#   setup.sh clickhouse     ClickHouse of npm (525 MB), a peer of make bench
#   setup.sh npm            and what make npm packs with
#   setup.sh hosts          every host of test/hosts
#   setup.sh lint           clang and the analysers
#   setup.sh fuzz           clang with what its fuzzer links
#
# Prints nothing and needs no rights if everything is there.  Each package is
# probed for by what it brings, so a machine that has it from elsewhere (a newer
# Node, say) is left as it is.  Packages come through apt, with sudo when not
# root.  On other systems it only lists what is missing.
set -u
cd "$(dirname "$0")/.."

missing=()
recommended=(--no-install-recommends)
say()  { printf 'setup: %s\n' "$*" >&2; }
compiler() { command -v "${CC:-cc}" >/dev/null 2>&1 && echo "${CC:-cc}" || echo gcc; }

need() {                              # need PACKAGE COMMAND...: fails without
    local package=$1
    shift
    "$@" >/dev/null 2>&1 || missing+=("$package")
}

header() {                            # does the compiler find it?
    for dir in /usr/include "/usr/include/$(uname -m)-linux-gnu" \
               /usr/local/include; do
        [ -e "$dir/$1" ] && return 0
    done
    printf '#include <%s>\n' "$1" | "$(compiler)" -x c -fsyntax-only -
}

needs_of_build() {
    need gcc command -v "$(compiler)"
    need libc6-dev header stdlib.h
    need make command -v make
    need sqlite3 command -v sqlite3
    need libsqlite3-dev header sqlite3ext.h
    need libzstd-dev header zstd.h
    need libsnappy-dev header snappy-c.h
    need zlib1g-dev header zlib.h
    need libdeflate-dev header libdeflate.h
    need liblz4-dev header lz4.h
    need libbrotli-dev header brotli/decode.h
    need libxxhash-dev header xxhash.h
    need libssl-dev header openssl/evp.h
    need libcurl4-openssl-dev header curl/curl.h
}

tcl_sqlite() { echo 'exit [catch {package require sqlite3}]' | tclsh; }
spatialite() { sqlite3 :memory: "SELECT load_extension('mod_spatialite')"; }
python_sqlite() { /usr/bin/python3 -c 'import sqlite3, sys
sys.exit(not hasattr(sqlite3.Connection, "enable_load_extension"))'; }

needs_of_check() {
    need tcl command -v tclsh
    need libsqlite3-tcl tcl_sqlite
    need libsqlite3-mod-spatialite spatialite
    need python3 python_sqlite
    needs_of_npm
    need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
    need binutils command -v nm
    need pkg-config command -v pkg-config
    need locales test -e /usr/share/i18n/locales/de_DE
}

needs_of_test() {
    needs_of_check
    needs_of_cli
    needs_of_servers
    need python3-botocore /usr/bin/python3 -c 'import botocore'
    need python3-pip /usr/bin/python3 -c 'import pip'
    need gcc-mingw-w64-x86-64-posix command -v x86_64-w64-mingw32-gcc-posix
    # better-sqlite3 is compiled if its download cannot be reached or is made
    # for another machine.
    need g++ command -v g++
    need libnode-dev test -e "$(node_headers)/include/node/node.h"
}

# The servers of test/remote.
needs_of_servers() {
    need openssl command -v openssl
    need nginx-light env "PATH=$PATH:/usr/sbin" nginx -v
    need python3-swift /usr/bin/python3 -c 'import swift'
}

needs_of_clickhouse() { needs_of_npm; }
needs_of_macos() { needs_of_npm; }

needs_of_npm() {
    need nodejs command -v node
    need npm command -v npm
}

archive() { [ -e "$("$(compiler)" -print-file-name="lib$1.a")" ]; }

needs_of_dist() {
    need g++ archive stdc++
    need binutils command -v objdump
    need python3 command -v /usr/bin/python3
}

needs_of_release() {
    needs_of_dist
    needs_of_dist-arm64
    need curl command -v curl
    need ca-certificates test -e /etc/ssl/certs/ca-certificates.crt
    need xz-utils command -v xz
    need bzip2 command -v bzip2
    need patch command -v patch
    need perl perl -MFindBin -MIPC::Cmd -e 1
    need g++-mingw-w64-x86-64-posix command -v x86_64-w64-mingw32-g++-posix
    need wine command -v wine
    need musl-tools command -v musl-gcc
    need linux-libc-dev test -e /usr/include/linux/stat.h
    need unzip command -v unzip
    need dpkg command -v dpkg-deb
    need lintian command -v lintian
    need python3-pip /usr/bin/python3 -c 'import pip'
}

needs_of_wasm() {
    need emscripten command -v emcc
    need chromium command -v chromium
    needs_of_npm
}

# SQLite's sources come from npm: cli/cli_sqlite.sh.
needs_of_cli() {
    needs_of_npm
    need libedit-dev header editline/readline.h
}

needs_of_dist-arm64() {
    need gcc-aarch64-linux-gnu command -v aarch64-linux-gnu-gcc
    need g++-aarch64-linux-gnu command -v aarch64-linux-gnu-g++
    need qemu-user-static \
        sh -c "command -v qemu-aarch64-static || command -v qemu-aarch64"
}

needs_of_hosts() {
    need php-cli command -v php
    need php-sqlite3 php -r 'new SQLite3(":memory:");'
    need ruby-sqlite3 ruby -rsqlite3 -e 1
    need libdbd-sqlite3-perl perl -MDBD::SQLite -e 1
    need r-cran-rsqlite Rscript -e 'library(RSQLite)'
    need golang-go command -v go
    need golang-github-mattn-go-sqlite3-dev \
        test -d /usr/share/gocode/src/github.com/mattn/go-sqlite3
    need cargo command -v cargo
    need librust-rusqlite-dev \
        ls -d /usr/share/cargo/registry/rusqlite-[0-9]*
    need default-jdk-headless command -v javac
    need libxerial-sqlite-jdbc-java test -e /usr/share/java/sqlite-jdbc.jar
}

needs_of_lint() {
    need clang command -v clang
    need clang-format command -v clang-format
    need clang-tidy command -v clang-tidy
    need cppcheck command -v cppcheck
}

fuzzer_links() {
    local program='int LLVMFuzzerTestOneInput(void); '
    program+='int LLVMFuzzerTestOneInput(void) { return 0; }'
    echo "$program" |
        clang -fsanitize=fuzzer,address -x c -o /dev/null -
}

# The package of clang only recommends the libraries that it links.  Their
# package has the version of clang in its name.
needs_of_fuzz() {
    need clang fuzzer_links
    need llvm command -v llvm-cov
    recommended=(--install-recommends)
}

node_headers() {                      # the folder that holds include/node
    local bin
    bin=$(readlink -f "$(command -v node)" 2>/dev/null) || bin=/usr/bin/node
    [ -e "${bin%/bin/*}/include/node/node.h" ] && echo "${bin%/bin/*}" ||
        echo /usr
}

install_missing() {
    [ ${#missing[@]} -eq 0 ] && return 0
    local as=()
    if ! command -v apt-get >/dev/null 2>&1; then
        say "missing, by their Debian names: ${missing[*]}"
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null 2>&1 || {
            say "run as root or install sudo: apt-get install ${missing[*]}"
            return 1
        }
        as=(sudo)
    fi
    say "installing ${missing[*]}"
    local get=("${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
    local log
    log=$(mktemp)
    if "${get[@]}" update >"$log" 2>&1 &&
        "${get[@]}" install -y "${recommended[@]}" "${missing[@]}" \
            >>"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    tail -n 20 "$log" >&2
    rm -f "$log"
    say "could not install: ${missing[*]}"
    return 1
}

# The foreign readers and writers, and npm's hosts.  npm ci installs exactly
# what the lock file says.  Scripts of packages do not run.
node_packages() (                     # FOLDER [HOW]
    cd "$1" || return 1
    local stamp=node_modules/.complete
    if [ -e $stamp ] && cmp -s $stamp package-lock.json; then
        return 0
    fi
    say "installing the packages of $1"
    quietly npm "${2:-ci}" --ignore-scripts --no-audit --no-fund || return 1
    cp package-lock.json $stamp
)

# The one package of a folder that has to be built, unless npm has it for this
# machine.
native_package() (                    # FOLDER PACKAGE WORKS FETCH BUILD
    cd "$1/node_modules/$2" || return 1
    node -e "$3" >/dev/null 2>&1 && return 0
    timeout 60 npx --no-install prebuild-install $4 >/dev/null 2>&1 &&
        node -e "$3" >/dev/null 2>&1 && return 0
    say "building $2 of npm (two minutes)"
    npm_config_nodedir=$(node_headers) quietly npm run "$5" && node -e "$3"
)

quietly() {                           # output only when it fails
    local log
    log=$(mktemp)
    if "$@" >"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    tail -n 30 "$log" >&2
    rm -f "$log"
    say "failed: $*"
    return 1
}

for part in "$@"; do
    "needs_of_$part" || exit 2
done
install_missing || exit 1
case " $* " in
*" check "* | *" test "*) node_packages test/interop ||
    say "interop will be reported as failed" ;;
esac
case " $* " in
*" test "*) native_package test/interop better-sqlite3 \
    'new (require("."))(":memory:").prepare("SELECT 1").get()' \
    '' build-release || say "interop will be reported as failed" ;;
esac
case " $* " in
# npm ci refuses a lock file without the libraries for other systems.
*" clickhouse "*) node_packages test/bench/clickhouse install ||
    say "make bench does not ask ClickHouse" ;;
esac
case " $* " in
*" hosts "*) node_packages test/hosts && native_package test/hosts sqlite3 \
    'new (require(".")).Database(":memory:")' '-r napi' rebuild ||
    say "two of the hosts will be reported as failed" ;;
esac
case " $* " in
*" macos "*) node_packages release/macos || exit 1 ;;
esac
exit 0
