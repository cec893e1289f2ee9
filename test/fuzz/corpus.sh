#!/usr/bin/env bash
# corpus.sh - the corpus of a door is one tar file, test/fuzz/corpus/DOOR.tar.
#
#   corpus.sh unpack DOOR FOLDER     a file per input, into FOLDER
#   corpus.sh pack DOOR FOLDER       the files of FOLDER become the corpus
#   corpus.sh add DOOR FILE...       more inputs, such as those that broke something
#
# Owner and time are left out and the names are sorted, so the same inputs make
# the same bytes on every machine.  replay.c reads this format only: ustar, plain
# files, names without a folder.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)

pack() {                              # TAR FOLDER
    (cd "$2" && ls -A | LC_ALL=C sort) |
        tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=644 \
            --mtime=@0 --record-size=512 -cf "$1.new" -C "$2" --verbatim-files-from -T -
    mv "$1.new" "$1"
}

unpack() { mkdir -p "$2" && tar -xf "$1" -C "$2"; }       # TAR FOLDER

[ $# -ge 3 ] || { sed -n '2,6s/^# \?//p' "$0"; exit 2; }
what=$1 corpus=$top/test/fuzz/corpus/$2.tar
case $what in
    pack | unpack) "$what" "$corpus" "$3" ;;
    add)
        shift 2
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        [ ! -e "$corpus" ] || unpack "$corpus" "$folder"
        cp -- "$@" "$folder"
        pack "$corpus" "$folder"
        ;;
    *) echo "corpus.sh: pack, unpack or add?"; exit 2 ;;
esac
