#!/usr/bin/env bash
# again.sh - make check again and again on a fresh clone, to find tests that
# fail only now and then.
#
#   again.sh 10            ten times: one run alone, then two at once, and so on.
#                          Each of the two keeps the processors busy for the other
#   again.sh 10 check-all  make check-all instead
#
# The clones have what is committed, in folders of their own, without sample
# files beside them.  Each run prints a line.  What failed is shown, and its
# whole log stays in build/again.
set -u
cd "$(dirname "$0")/.."

times=${1:-10} target=${2:-check}
logs=$PWD/build/again
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'kill 0; exit 130' INT TERM

unset PARQUET_TESTING PARQUET_SHARED BUILD SO
rm -rf "$logs"
mkdir -p "$logs"
clone() {                             # NAME
    git clone -q . "$scratch/$1" || exit 1
    for modules in test/*/node_modules; do   # npm would bring the same ones
        [ ! -d "$modules" ] || cp -r "$modules" "$scratch/$1/$modules"
    done
}

# The output of a run goes to its log.  Its line is printed at once.
check() {                             # CLONE RUN HOW
    local start=$SECONDS log=$logs/$2.log status
    make -C "$scratch/$1" "$target" >"$log" 2>&1
    status=$?
    echo "run $2, $3: $(grep -aE '^[0-9]+ passed, ' "$log" | tail -n 1)," \
        "$((SECONDS - start)) s, load $(cut -d' ' -f1 /proc/loadavg)"
    [ $status -eq 0 ] || sed -n '/^--- .* failed:$/,$p' "$log"
    return $status
}

clone one
clone two
bad=0 run=0
while [ $run -lt "$times" ]; do
    run=$((run + 1))
    check one $run alone || bad=$((bad + 1))
    [ $run -lt "$times" ] || break
    run=$((run + 1))
    check one $run busy &
    first=$!
    if [ $run -lt "$times" ]; then
        run=$((run + 1))
        check two $run busy || bad=$((bad + 1))
    fi
    wait $first || bad=$((bad + 1))
done
echo "$((times - bad)) of $times runs passed"
[ $bad -eq 0 ]
