#!/usr/bin/env bash
# again.sh - make check again and again on a fresh clone: a test that fails now
# and then is found by asking it often.
#
#   again.sh 10        ten times; in every second one something else keeps the
#                      processors busy
#
# The clone is of what is committed, in a folder of its own without sample files
# beside it.  A line for each run; what failed is shown, and its whole log stays
# in build/again.
set -u
cd "$(dirname "$0")/.."

times=${1:-10}
logs=$PWD/build/again
scratch=$(mktemp -d)
others=()
end() {
    [ ${#others[@]} -eq 0 ] || kill "${others[@]}" 2>/dev/null
    others=()
}
trap 'end; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

unset PARQUET_TESTING PARQUET_SHARED BUILD SO
rm -rf "$logs"
mkdir -p "$logs"
git clone -q . "$scratch/clone" || exit 1
for modules in test/*/node_modules; do      # npm would bring the same ones
    [ ! -d "$modules" ] || cp -r "$modules" "$scratch/clone/$modules"
done

busy() {                              # two for each processor
    local i
    for ((i = 0; i < 2 * $(nproc 2>/dev/null || echo 2); i++)); do
        (exec sh -c 'while :; do :; done') &
        others+=($!)
    done
}

bad=0
for ((run = 1; run <= times; run++)); do
    how=idle
    [ $((run % 2)) -eq 1 ] || { how=busy; busy; }
    start=$SECONDS
    make -C "$scratch/clone" check >"$logs/$run.log" 2>&1
    status=$?
    took=$((SECONDS - start))
    end
    echo "run $run, $how: $(grep -aE '^[0-9]+ passed, ' "$logs/$run.log" |
        tail -n 1), $took s, load $(cut -d' ' -f1 /proc/loadavg)"
    [ $status -eq 0 ] && continue
    bad=$((bad + 1))
    sed -n '/^--- .* failed:$/,$p' "$logs/$run.log"
done
echo "$((times - bad)) of $times runs passed"
[ $bad -eq 0 ]
