#!/usr/bin/env bash
# full_disk.sh - a copy that fills the disk says so, and leaves what was there.
#
#   full_disk.sh                         a copy to one file, one into a folder,
#                                        and one into its partitions, by
#                                        kill_driver
#   full_disk.sh NAME TARGET OLD NEW     two commands that replace TARGET, as
#                                        for kill.sh
#
# The disk is a small tmpfs that only this process and its children see.  Its
# size grows from what holds OLD to what holds OLD and NEW, and once more with
# too few inodes instead of too few bytes.  At each size, NEW succeeds and its
# files are there.  Or it fails with an error that names the target and says "no
# space left", and the files of OLD are there.  In either case no other file is
# left.
set -u
cd "$(dirname "$0")/../../.."

BUILD=${BUILD:-build}
STEPS=${STEPS:-12}
mkdir -p "$BUILD"

if [ -z "${FULL_DISK_INSIDE:-}" ]; then
    for how in "unshare -m" "unshare -rm"; do
        if $how mount -t tmpfs none /mnt 2>/dev/null; then
            FULL_DISK_INSIDE=1 exec $how bash "$0" "$@"
        fi
    done
    echo "skipped: no tmpfs can be mounted"
    echo "full-disk: 0 passed, 0 failed, 1 skipped"
    exit 0
fi

work=$(mktemp -d "$(cd "$BUILD" && pwd)/full_disk.XXXXXX")
mkdir "$work/at"
trap 'umount "$work/at" 2>/dev/null; rm -rf "$work"' EXIT
passed=0 failed=0 refused=0

tree() { (cd "$work/at" && find . -type f -exec sha1sum {} + | sort); }
used() { du -sk "$work/at" | cut -f1; }
in_it() { (cd "$work/at" && bash -c "$1"); }
fail() {
    failed=$((failed + 1))
    echo "FAIL $*"
}

try() {                               # NAME TARGET OLD NEW OPTIONS-OF-MOUNT
    local name=$1 target=$2 options=$5 message
    mount -t tmpfs -o "$options" none "$work/at" || exit 1
    if ! in_it "$3" >/dev/null 2>&1; then
        umount "$work/at"
        return                        # too small for OLD
    fi
    if message=$(in_it "$4" 2>&1); then
        if [ "$(tree)" = "$new" ]; then
            passed=$((passed + 1))
        else
            fail "$name, $options: not what NEW writes: $(tree | head -5)"
        fi
    else
        refused=$((refused + 1))
        if [ "$(tree)" != "$old" ]; then
            fail "$name, $options: not what was there: $(tree | head -5)"
        elif ! grep -q "no space left" <<<"$message" ||
             ! grep -q "$target" <<<"$message"; then
            fail "$name, $options: says $message"
        elif [ -n "$(cd "$work/at" && find . -type d -empty)" ]; then
            fail "$name, $options: leaves empty folders"
        else
            passed=$((passed + 1))
        fi
    fi
    umount "$work/at"
}

steps() {                             # NAME TARGET OLD NEW
    local small large i n
    mount -t tmpfs none "$work/at" || exit 1
    in_it "$4" >/dev/null 2>&1 && new=$(tree) && n=$(used) &&
        in_it "$3" >/dev/null 2>&1 && old=$(tree) && small=$(used)
    umount "$work/at"
    [ -n "${small:-}" ] || { fail "$1: OLD or NEW"; return; }
    large=$((small + n + 512))
    refused=0
    for ((i = 0; i <= STEPS; i++)); do
        try "$@" "size=$((small + (large - small) * i / STEPS))k"
    done
    n=$(wc -l <<<"$old")
    for ((i = n + 1; i <= n + 60; i += 6)); do
        try "$@" "size=1g,nr_inodes=$i"
    done
    echo "$1: the disk was full $refused times"
    [ $refused -ge $((STEPS / 2)) ] || fail "$1: full only $refused times"
}

if [ $# -eq 4 ]; then
    steps "$@"
elif [ $# -eq 0 ]; then
    driver=$(cd "$BUILD" && pwd)/kill_driver
    make --no-print-directory -s "$BUILD/kill_driver" || exit 1
    for kind in file folder partitions; do
        steps "a copy to $kind" out "$driver $kind out 0 1000000" \
            "$driver $kind out 1 4000000"
    done
else
    sed -n '2,9p' "$0"
    exit 2
fi
echo "full-disk: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
