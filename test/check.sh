#!/usr/bin/env bash
# check.sh - runs the test suites and adds up what they say.
#
#   check.sh                every suite that is in the tree
#   check.sh tcl fault      these
#
# A suite is a command that ends with a line "NAME: N passed, N failed, N
# skipped".  One that dies, hangs, says no such line, or exits with an error
# while it claims that nothing failed, counts as one failure.  The last line
# of all is the sum.
set -u
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
SO=${SO:-parquet.so}
case $SO in /*) ;; *) SO=$PWD/$SO ;; esac
export BUILD SO
export PARQUET_TESTING=${PARQUET_TESTING:-$(cd ../shared/parquet-testing \
    2>/dev/null && pwd)}

# The oracle draws its questions from this: the same ones in every run, so that
# a failure is the change's.  SEED=n draws others, and so do the long runs.
export check_seed=20261122

# name | file that makes it exist | seconds | command
suites="
exports     | test/lint/exports.sh     |  30 | bash test/lint/exports.sh
unit        | test/unit/test_main.c    | 300 | run_unit
tcl         | tcl/all.tcl              | 300 | tclsh tcl/all.tcl
conformance | test/conformance.py      | 300 | run_conformance
hosts       | test/interop/hosts.sh    | 120 | bash test/interop/hosts.sh
interop     | test/interop/compare.mjs | 300 | run_interop interop compare.mjs
random      | test/interop/random.mjs  | 300 | run_interop random random.mjs
written     | test/interop/written.mjs | 300 | run_interop written written.mjs
fuzz-replay | test/fuzz/replay.sh      | 300 | bash test/fuzz/replay.sh
hostile     | test/hostile/hostile.sh  | 300 | bash test/hostile/hostile.sh
fault       | test/fault/fault.sh      | 300 | bash test/fault/fault.sh
kill        | test/fault/kill/kill.sh  | 300 | bash test/fault/kill/kill.sh
full-disk   | test/fault/kill/full_disk.sh | 60 | bash test/fault/kill/full_disk.sh
kill-shell  | test/fault/kill/shell.sh | 600 | MOMENTS=20 bash test/fault/kill/shell.sh
oracle      | test/oracle/oracle.sh    | 600 | run_oracle
"

# One test wants a locale with a decimal comma, which need not be installed.
run_unit() {
    local german=$BUILD/locale/de_DE.UTF-8
    mkdir -p "$BUILD/locale"
    [ -e "$german" ] || localedef -c -i de_DE -f UTF-8 \
        "$(cd "$BUILD/locale" && pwd)/de_DE.UTF-8" 2>/dev/null
    make --no-print-directory -s -j "$(nproc)" "$BUILD/unit_tests" &&
        LOCPATH=$(cd "$BUILD/locale" && pwd) "$BUILD/unit_tests"
}

run_conformance() {
    local python=python3
    [ -x /usr/bin/python3 ] && python=/usr/bin/python3
    $python -u test/conformance.py
}

run_oracle() {
    SEED=${SEED:-$check_seed} bash test/oracle/oracle.sh
}

run_interop() {                       # NAME SCRIPT
    local major
    major=$(node -p 'process.versions.node.split(".")[0]')
    if [ "${major:-0}" -lt 18 ]; then
        echo "skipped: Node 18 or newer is needed"
        echo "$1: 0 passed, 0 failed, 1 skipped"
    else
        node "test/interop/$2"
    fi
}
export -f run_unit run_conformance run_interop run_oracle

trim() { local s=$1; s=${s#"${s%%[! ]*}"}; echo "${s%"${s##*[! ]}"}"; }

wanted="$*"
total_passed=0 total_failed=0 total_skipped=0
broken=()
logs=$BUILD/check
mkdir -p "$logs"

count() {                             # NAME STATUS LOG
    local name=$1 status=$2 line p=0 f=0 s=0
    line=$(grep -aE "^$name: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped\$" \
        "$3" | tail -n 1)
    if [ -z "$line" ]; then
        f=1
        case $status in
        124) echo "$name: stopped, it took too long" ;;
        *) echo "$name: ended with status $status and without a result" ;;
        esac
    else
        read -r p f s < <(echo "${line#"$name": }" | tr -cd '0-9 ')
        if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
            f=1
            echo "$name: ended with status $status"
        fi
    fi
    [ "$f" -eq 0 ] || broken+=("$name")
    total_passed=$((total_passed + p))
    total_failed=$((total_failed + f))
    total_skipped=$((total_skipped + s))
}

while IFS='|' read -r name file seconds command; do
    name=$(trim "$name")
    [ -n "$name" ] && [ -e "$(trim "$file")" ] || continue
    [ -z "$wanted" ] || [[ " $wanted " == *" $name "* ]] || continue
    echo "--- $name"
    start=$SECONDS
    timeout -k 10 "$(trim "$seconds")" bash -c "$command" </dev/null 2>&1 |
        tee "$logs/$name.log"
    count "$name" "${PIPESTATUS[0]}" "$logs/$name.log"
    echo "    ($((SECONDS - start)) s)"
done <<<"$suites"

# What failed once more at the end, where a long log is read first.
for name in "${broken[@]}"; do
    echo
    echo "--- $name failed:"
    grep -aE 'FAIL|WRONG|ERROR|[Ee]rror|failed|not ok' "$logs/$name.log" |
        cut -c 1-300 | tail -n 12
done

echo
echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
[ $total_failed -eq 0 ] && [ $((total_passed + total_skipped)) -gt 0 ]
