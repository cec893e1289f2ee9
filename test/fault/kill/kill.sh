#!/usr/bin/env bash
# kill.sh - copies that are killed at any moment leave whole files.
#
#   kill.sh                         a copy to one file, one into a folder, and
#                                   one into its partitions, by kill_driver
#   kill.sh NAME TARGET OLD NEW     two commands that replace TARGET, a path in
#                                   the working directory they are run in; both
#                                   write the same bytes each time
#
# For each of MOMENTS (200) moments:  OLD; start NEW; kill -9; look.
#
# Every file under its final name is, byte for byte, one of OLD or of NEW.  So
# after a copy to one file that is the old or the new file.  A folder has all
# old or all new files, unless the moment was in the last pass of the copy.
# Then OLD runs again and has to clean up: afterwards there is nothing but what
# it writes.
#
# The moments are drawn evenly from the time NEW takes.  At least a quarter of
# them have to be between the first byte that was written and the first rename.
# The files show that: a temporary file is not empty, and the old files still
# have their names.  On a machine whose load changes there may be fewer such
# moments.  Then NEW is killed as soon as a number of bytes were written, drawn
# evenly from all that it writes, until there are enough.
#
# SEED=n draws other moments.
set -u
cd "$(dirname "$0")/../../.."

BUILD=${BUILD:-build}
MOMENTS=${MOMENTS:-200}
mkdir -p "$BUILD"
work=$(mktemp -d "$(cd "$BUILD" && pwd)/kill.XXXXXX")
trap 'rm -rf "$work"' EXIT
export TIMEFORMAT=%R
passed=0 failed=0 skipped=0

# Files under their final names, and everything else.
named() {
    (cd "$1" && find . -name '.?*' -prune -o -type f -print0 |
        xargs -0r sha1sum | sort)
}
hidden() { (cd "$1" && find . -name '.?*' -print); }

# Empty folders are litter too, unless NEW or OLD makes them.
empty() { (cd "$1" && find . -mindepth 1 -type d -empty); }

fail() {
    failed=$((failed + 1))
    echo "FAIL $*"
}

seconds() {                           # COMMAND: the median of five
    local i
    for i in 1 2 3 4 5; do
        (cd "$work/at" && { time bash -c "$1" >/dev/null 2>&1; } 2>&1)
    done | sort -n | sed -n 3p
}

# Where the copy was: prints the phase, fails where no phase looks like that.
phase_of() {                          # STATUS
    local now lock temp
    now=$(named "$work/at")
    lock=$(hidden "$work/at" | grep -c '\.lock$')
    temp=$(cd "$work/at" && find . -name '.*.tmp' -size +0 | wc -l)
    if [ "$1" -eq 0 ]; then
        [ "$now" = "$new" ] && [ "$lock" -eq 0 ] && echo "6 after the end"
    elif [ "$1" -ne 137 ] && [ "$1" -ne 124 ]; then      # it failed
        return 1
    elif [ "$lock" -eq 0 ] && [ "$now" = "$old" ]; then
        echo "1 before it began"
    elif [ "$lock" -eq 0 ] && [ "$now" = "$new" ]; then
        echo "6 after the end"
    elif [ "$now" = "$old" ] && [ "$temp" -eq 0 ]; then
        echo "2 before the first write"
    elif [ "$now" = "$old" ]; then
        echo "3 between the first write and the rename"
    elif [ "$now" = "$new" ]; then
        echo "5 all new, the old not yet removed"
    elif [ -d "$work/at/$target" ] && [ "$lock" -eq 1 ] &&
         ! comm -23 <(echo "$now") <(printf '%s\n%s\n' "$old" "$new" | sort -u) |
             grep -q .; then
        echo "4 some new, some old files, all whole"
    else
        return 1
    fi
}

bytes_below() { find "$1" -type f -printf '%s\n' | awk '{ n += $1 } END { print n + 0 }'; }

# Two ways to kill NEW; the status is 137 when it was.
#
# In the foreground timeout waits until the process is really gone.
killed_after() {                      # COMMAND SECONDS
    (cd "$work/at" && exec timeout --foreground -s KILL "$2" \
        bash -c "exec $1") >/dev/null 2>&1
}
# The process is stopped while the files are examined.
killed_at() {                         # COMMAND BYTES
    local pid
    (cd "$work/at" && exec bash -c "exec $1") >/dev/null 2>&1 &
    pid=$!
    while kill -STOP $pid 2>/dev/null; do
        [ "$(bytes_below "$work/at")" -lt "$2" ] || kill -KILL $pid
        kill -CONT $pid
        sleep 0.002
    done 2>/dev/null
    wait $pid
} 2>/dev/null

histogram() {
    sort "$work/phases" | uniq -c | while read -r n _ text; do
        printf '  %4d  %-42s %s\n' "$n" "$text" \
            "$(printf '%*s' $((n * 40 / MOMENTS)) '' | tr ' ' '#')"
    done
}

random() { echo $((RANDOM * 32768 + RANDOM)); }      # below 2^30

# NEW, killed, then a look at what lies there, then OLD.
moment() {                            # killed_after|killed_at WHEN
    local status phase when="${1#killed_} $2"
    "$1" "$command_new" "$2"
    status=$?
    if phase=$(phase_of $status) && [ -n "$phase" ]; then
        echo "$phase" >>"$work/phases"
    else
        fail "$name: killed $when, status $status:" \
             "$(named "$work/at" | head -3) $(hidden "$work/at" | head -3)"
    fi
    if ! (cd "$work/at" && bash -c "$command_old" 2>&1); then
        fail "$name: OLD, NEW was killed $when"
    elif [ "$(named "$work/at")" != "$old" ] ||
         [ -n "$(hidden "$work/at")$(empty "$work/at")" ]; then
        fail "$name: not cleaned, NEW was killed $when:" \
             "$(hidden "$work/at" | head -3) $(empty "$work/at" | head -3)"
    elif [ "$1" = killed_after ]; then    # there may be none of the others
        passed=$((passed + 1))
    fi
}

within() { grep -c '^3' "$work/phases"; }

kills() {                             # NAME TARGET OLD NEW
    local name=$1 command_old=$3 command_new=$4 span i more old_bytes new_bytes
    target=$2
    rm -rf "$work/at" && mkdir "$work/at" && : >"$work/phases"
    (cd "$work/at" && bash -c "$command_new") || { fail "$name: NEW"; return; }
    new=$(named "$work/at")
    new_bytes=$(bytes_below "$work/at")
    (cd "$work/at" && bash -c "$command_old") || { fail "$name: OLD"; return; }
    old=$(named "$work/at")
    old_bytes=$(bytes_below "$work/at")
    [ -n "$old" ] && [ "$old" != "$new" ] ||
        { fail "$name: OLD and NEW are the same"; return; }
    span=$(seconds "$command_new")
    (cd "$work/at" && bash -c "$command_old")
    RANDOM=${SEED:-1}
    for ((i = 1; i <= MOMENTS; i++)); do
        moment killed_after "$(awk -v s="$span" -v r="$(random)" \
            'BEGIN { printf "%.6f", 0.001 + s * 1.02 * r / 1073741824 }')"
    done
    for ((more = 0; more < MOMENTS && $(within) < MOMENTS / 4; more++)); do
        moment killed_at $((old_bytes + 1 + new_bytes * $(random) / 1073741824))
    done
    echo "$name: $MOMENTS moments of $span s, and $more of so many bytes"
    histogram
    if [ "$(within)" -lt $((MOMENTS / 4)) ]; then
        fail "$name: only $(within) moments between the first write and the rename"
    fi
}

if [ $# -eq 4 ]; then
    kills "$@"
elif [ $# -eq 0 ]; then
    driver=$(cd "$BUILD" && pwd)/kill_driver
    make --no-print-directory -s "$BUILD/kill_driver" || exit 1
    for kind in file folder partitions; do
        kills "a copy to $kind" out "$driver $kind out 0 3000000" \
            "$driver $kind out 1 16000000"
    done
else
    sed -n '2,9p' "$0"
    exit 2
fi
echo "kill: $passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
