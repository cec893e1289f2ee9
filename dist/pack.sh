#!/usr/bin/env bash
# pack.sh - make npm: the libraries of make dist as packages for npm.
#
#   build/dist/sqlite-parquet-0.1.0.tgz              index.*: which one to load
#   build/dist/sqlite-parquet-linux-x64-0.1.0.tgz    parquet.so, for each that
#   build/dist/sqlite-parquet-linux-arm64-0.1.0.tgz  was built
#
# The version is that of parquet_version().  What is linked in has licenses that
# are to be passed on: they come from the distribution, where its archives came
# from.  Nothing is published.
set -eu
cd "$(dirname "$0")/.."

out=$PWD/${BUILD:-build}/dist
version=$(sed -n 's/^#define PARQUET_VERSION "\(.*\)"$/\1/p' core/face/parquet.h)
linked=(libbrotli-dev libdeflate-dev liblz4-dev libsnappy-dev libssl-dev
    libstdc++-*-dev libxxhash-dev libzstd-dev zlib1g-dev)

pack() {                              # FOLDER: the package that is in it
    (cd "$1" && npm pack --silent --pack-destination "$out")
}

licenses() {                          # PLATFORM: of its archives, or of here
    local package file
    for package in "${linked[@]}"; do
        file=$(compgen -G "$out/$1/root/usr/share/doc/$package/copyright" ||
            compgen -G "/usr/share/doc/$package/copyright") || {
            echo "pack.sh: no /usr/share/doc/$package/copyright" >&2
            return 1
        }
        file=$(tail -n 1 <<<"$file")
        printf '==== %s\n\n' "$(basename "$(dirname "$file")")"
        cat "$file"
    done
}

platform_package() {                  # PLATFORM
    local to=$out/npm/$1
    mkdir -p "$to"
    cp "$out/$1/parquet.so" LICENSE "$to"
    licenses "$1" >"$to/LICENSES.linked"
    cat >"$to/package.json" <<END
{
  "name": "sqlite-parquet-$1",
  "version": "$version",
  "description": "parquet.so of sqlite-parquet for ${1/-/ }",
  "license": "Apache-2.0",
  "os": ["${1%-*}"],
  "cpu": ["${1#*-}"],
  "libc": ["glibc"],
  "preferUnplugged": true,
  "files": ["parquet.so", "LICENSES.linked"]
}
END
    pack "$to"
}

rm -rf "$out/npm" "$out"/*.tgz
for so in "$out"/linux-*/parquet.so; do
    platform_package "$(basename "$(dirname "$so")")"
done
cp -r dist/npm "$out/npm/main"
cp LICENSE "$out/npm/main"
sed -i "s/\"0\.0\.0\"/\"$version\"/" "$out/npm/main/package.json"
pack "$out/npm/main"
