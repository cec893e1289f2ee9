#!/usr/bin/env bash
# arm64_root.sh FOLDER - what an arm64 machine of this distribution has, in a
# folder: the archives and headers that the library is built from, and the
# programs that load it.
#
# apt works with lists and a cache of its own, as if for another machine: nothing
# of this one changes, and no rights are needed.
set -eu
root=$1
packages=(libc6-dev libsqlite3-dev libzstd-dev libsnappy-dev zlib1g-dev
    libdeflate-dev liblz4-dev libbrotli-dev libxxhash-dev libssl-dev
    libcurl4-openssl-dev
    sqlite3 tcl libsqlite3-tcl python3)

[ ! -e "$root/.complete" ] || exit 0
command -v apt-get >/dev/null || { echo "arm64_root.sh needs apt" >&2; exit 1; }
rm -rf "$root"
mkdir -p "$root"
root=$(cd "$root" && pwd)
apt=$root.apt
mkdir -p "$apt"/lists/partial "$apt"/cache/archives/partial
: >"$apt/status"

get() {
    apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o Dir::State="$apt" -o Dir::State::status="$apt/status" \
        -o Dir::Cache="$apt/cache" -o Debug::NoLocking=1 \
        -o APT::Sandbox::User="$(id -un)" "$@"
}
# A source without arm64 fails, and need not matter.
get update >"$apt/log" 2>&1 || true
get install -y --no-install-recommends --download-only "${packages[@]}" \
    >>"$apt/log" 2>&1 || { tail -n 20 "$apt/log" >&2; exit 1; }
for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$root"
done
# A link from the top means this root.
find "$root" -type l -lname '/*' | while read -r link; do
    ln -sfn "$root$(readlink "$link")" "$link"
done
rm -rf "$apt"
touch "$root/.complete"
