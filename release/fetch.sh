#!/usr/bin/env bash
# fetch.sh LIBRARY FOLDER - the sources of a library of sources.list, in FOLDER.
#
# Each file is looked for in DOWNLOADS, then on the servers.  Nothing is unpacked
# that does not have the sum of the list.  FOLDER appears when all is in it.
set -eu
library=$1 folder=$2
list=$(dirname "$0")/sources.list
downloads=${DOWNLOADS:-$(dirname "$folder")/downloads}
day=20261101T000000Z                  # of snapshot.debian.org, which keeps all
servers=(http://deb.debian.org/debian/pool/main
    http://deb.debian.org/debian-security/pool/updates/main
    "http://snapshot.debian.org/archive/debian/$day/pool/main"
    "http://snapshot.debian.org/archive/debian-security/$day/pool/updates/main")

has_sum() { echo "$2  $1" | sha256sum --check --status; }

download() {                          # PLACE SUM: leaves it in $downloads
    local file=$downloads/${1##*/} server
    [ ! -e "$file" ] || ! has_sum "$file" "$2" || return 0
    for server in "${servers[@]}"; do
        curl -sfL --retry 2 -m 300 -o "$file.part" "$server/$1" || continue
        has_sum "$file.part" "$2" || continue
        mv "$file.part" "$file"
        return 0
    done
    rm -f "$file.part"
    echo "fetch.sh: no server has $1 with the sum of sources.list" >&2
    return 1
}

patched() {                           # applies debian/patches of the folder
    local patch
    [ -e debian/patches/series ] || return 0
    while read -r patch _; do
        case $patch in ''|'#'*) continue ;; esac
        patch -s -p1 <"debian/patches/$patch"
    done <debian/patches/series
}

mkdir -p "$downloads"
new=$folder.new
rm -rf "$new"
mkdir -p "$new"
while read -r name place sum; do
    [ "$name" = "$library" ] || continue
    download "$place" "$sum"
    case $place in
        *.debian.tar.*) tar -xf "$downloads/${place##*/}" -C "$new" ;;
        *) tar -xf "$downloads/${place##*/}" -C "$new" --strip-components=1 ;;
    esac
done <"$list"
(cd "$new" && patched)
rm -rf "$folder"
mv "$new" "$folder"
