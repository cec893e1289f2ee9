#!/usr/bin/env bash
# pack.sh - make npm: the libraries of make dist as packages for npm.
#
#   build/dist/sqlite-parquet-0.1.0.tgz              index.*: which one to load
#   build/dist/sqlite-parquet-linux-x64-0.1.0.tgz    parquet.so, for each that
#   build/dist/sqlite-parquet-win32-x64-0.1.0.tgz    was built
#   build/dist/sqlite-parquet-wasm-0.1.0.tgz         the module for browsers, likewise
#
# The version is that of parquet_version().  What is linked in has licenses that
# are to be passed on: they come from the distribution, where its archives came
# from, or are the file LICENSES.  Nothing is published.
#
# PLATFORMS is another folder of what was built, and PACKAGES another one for the packages.
set -eu
cd "$(dirname "$0")/.."

platforms=${PLATFORMS:-$PWD/${BUILD:-build}/dist}
out=${PACKAGES:-$PWD/${BUILD:-build}/dist}
version=$(sed -n 's/^#define PARQUET_VERSION "\(.*\)"$/\1/p' core/face/parquet.h)
linked=(libbrotli-dev libdeflate-dev liblz4-dev libsnappy-dev libssl-dev
    libstdc++-*-dev libxxhash-dev libzstd-dev zlib1g-dev)

pack() {                              # FOLDER: the package that is in it
    (cd "$1" && npm pack --silent --pack-destination "$out")
}

licenses() {                          # PLATFORM: of its archives, or of here
    local package file
    [ -z "${LICENSES:-}" ] || { cat "$LICENSES"; return; }
    for package in "${linked[@]}"; do
        file=$(compgen -G "$platforms/$1/root/usr/share/doc/$package/copyright" ||
            compgen -G "/usr/share/doc/$package/copyright") || {
            echo "pack.sh: no /usr/share/doc/$package/copyright" >&2
            return 1
        }
        file=$(tail -n 1 <<<"$file")
        printf '==== %s\n\n' "$(basename "$(dirname "$file")")"
        cat "$file"
    done
}

# As Node says it: win32-x64, darwin-arm64.
node_name() { sed 's/^windows-/win32-/; s/^macos-/darwin-/' <<<"$1"; }

platform_package() {                  # PLATFORM FILE
    local to=$work/$1 node libc=''
    node=$(node_name "$1")
    case $1 in
    linux-musl-*) libc='"libc": ["musl"],' ;;
    linux-*)      libc='"libc": ["glibc"],' ;;
    esac
    mkdir -p "$to"
    cp "$platforms/$1/$2" LICENSE "$to"
    [ ! -e "$platforms/$1/parquet" ] || cp "$platforms/$1/parquet" "$to"
    licenses "$1" >"$to/LICENSES.linked"
    cat >"$to/package.json" <<END
{
  "name": "sqlite-parquet-$node",
  "version": "$version",
  "description": "$2 of sqlite-parquet for ${1//-/ }",
  "license": "Apache-2.0",
  "os": ["${node%%-*}"],
  "cpu": ["${1##*-}"],
  $libc
  "preferUnplugged": true,
  "files": ["$2", "parquet", "LICENSES.linked"]
}
END
    pack "$to"
}

wasm_package() {
    local to=$work/wasm
    mkdir -p "$to/manual"
    cp "$platforms"/wasm/{*.mjs,parquet.wasm} LICENSE "$to"
    cp sql/*.md "$to/manual"
    echo "SQLite and Parquet in a browser: [manual/browser.md](manual/browser.md)" >"$to/README.md"
    licenses wasm >"$to/LICENSES.linked"
    cat >"$to/package.json" <<END
{
  "name": "sqlite-parquet-wasm",
  "version": "$version",
  "description": "SQLite with Parquet files as tables, as one module of WebAssembly",
  "license": "Apache-2.0",
  "type": "module",
  "exports": { ".": "./sqlite3.mjs", "./*": "./*" },
  "files": ["*.mjs", "parquet.wasm", "manual", "LICENSES.linked"]
}
END
    pack "$to"
}

work=$out/npm
rm -rf "$work" "$out"/*.tgz
mkdir -p "$work"
needed=''
for library in "$platforms"/{linux,windows,macos}-*/parquet.{so,dll,dylib}; do
    [ -e "$library" ] || continue
    platform=$(basename "$(dirname "$library")")
    platform_package "$platform" "$(basename "$library")"
    needed+="${needed:+, }\"sqlite-parquet-$(node_name "$platform")\": \"$version\""
done
[ ! -e "$platforms/wasm/parquet.wasm" ] || wasm_package
cp -r dist/npm "$work/main"
cp LICENSE "$work/main"
mkdir "$work/main/manual"
cp sql/*.md "$work/main/manual"
sed -i -e "s/\"0\.0\.0\"/\"$version\"/" \
    -e "s/\"optionalDependencies\": {/&$needed/" "$work/main/package.json"
pack "$work/main"
