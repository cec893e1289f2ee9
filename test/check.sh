#!/usr/bin/env bash
# check.sh - runs the test suites and adds up their results.
#
#   check.sh                what make check runs, as many at once as there are
#                           processors
#   check.sh --all          what make check-all runs
#   check.sh tcl fault      these, one after another, with their output
#   check.sh --all oracle   this one as make check-all runs it
#   JOBS=n check.sh ...     n at once
#   check.sh --compile      only compiles programs of the suites: those that need no
#                           packages of Node, which may be on their way yet
#
# A suite is a command that ends with a line "NAME: N passed, N failed, N
# skipped".  A suite counts as one failure if it dies, hangs, prints no such
# line, says that it ran nothing, or exits with an error although its line says
# that nothing failed.  The last line of all is the sum.
#
# All programs of the suites are compiled before the first suite starts, so that
# no two suites compile the same file.  Each suite has its own folders.
#
# A suite prints "without samples: WHAT" for what it cannot test without the
# official sample files.  These lines are printed once, together, at the end.
set -u
cd "$(dirname "$0")/.."

BUILD=${BUILD:-build}
SO=${SO:-parquet.so}
case $SO in /*) ;; *) SO=$PWD/$SO ;; esac
export BUILD SO FORM
export PARQUET_TESTING=${PARQUET_TESTING:-$(cd ../shared/parquet-testing \
    2>/dev/null && pwd)}

# name | make check, make check-all, or both | seconds | programs to compile | command
#
# The seconds are about what the suite takes of a processor.  The longest suites
# start first, and a suite is stopped only after many times its seconds.  A name
# that is there twice for the same run is one suite in two parts.
#
# make check takes five minutes on two processors, its build included.  How much of
# a suite belongs to it is in forms.sh; planted.sh --check says what it finds.
suites=${SUITES:-"
exports     | both  |   1 |                | bash test/lint/exports.sh
floors      | both  |   3 |                | run_floors
itself      | both  |   3 |                | bash test/check_itself.sh
planted     | both  |   1 |                | bash test/oracle/planted.sh --places
unit        | both  |  40 | compile_unit   | run_unit 1/2
unit        | both  |  40 |                | run_unit 2/2
tcl         | both  |  40 |                | tclsh tcl/all.tcl -part 1/2
tcl         | both  |  40 |                | tclsh tcl/all.tcl -part 2/2
conformance | both  |  20 |                | run_conformance
first-hour  | both  |   2 |                | python3 test/first_hour.py
keys        | both  |   2 | bash test/keys/key_memory.sh build | bash test/keys/key_memory.sh
memory      | both  |   8 | bash test/memory/statement_memory.sh build | bash test/memory/statement_memory.sh
examples    | both  |   5 | bash test/examples/examples.sh build | bash test/examples/examples.sh
full-disk   | both  |   3 | compile kill_driver | bash test/fault/kill/full_disk.sh
oracle      | both  | 240 |                | run_oracle
interop     | both  |  40 |                | run_interop interop compare.mjs
written     | both  | 110 |                | run_written
random      | all   |  40 |                | run_interop random random.mjs
round-trip  | both  |  10 |                | run_round_trip
move-steps  | both  |  15 |                | run_move_steps
archive     | both  |  20 |                | run_archive
tamper      | both  |  25 |                | run_tamper
page-headers | both |  10 |                | run_page_headers
fault       | both  |  95 | compile fault_tests | bash test/fault/fault.sh
kill        | both  |  30 | compile kill_driver | run_kill
kill-shell  | all   |  25 |                | MOMENTS=20 bash test/fault/kill/shell.sh
sign        | all   |  20 | compile sign_lines | run_sign
remote-faults | both | 70 |                | run_remote_faults each
remote-faults | all |  45 |                | run_remote_faults random 60
served      | all   | 100 | compile served/parquet.so | bash test/remote/served.sh tcl -part 1/2
served      | all   | 100 |                | bash test/remote/served.sh tcl -part 2/2
served      | all   |  60 |                | run_served_oracle
fuzz-replay | both  |  30 | bash test/fuzz/replay.sh build | bash test/fuzz/replay.sh
hostile     | both  | 140 | bash test/hostile/hostile.sh build | bash test/hostile/hostile.sh
hosts       | all   |   5 | bash test/interop/hosts.sh build | bash test/interop/hosts.sh
cli         | both  |  12 | compile_cli    | run_cli
amalgamation | both | 40 | bash test/dist/amalgamation.sh build | bash test/dist/amalgamation.sh
one-file    | all   |   6 | bash test/dist/one_file.sh build | bash test/dist/one_file.sh
npm         | all   |   5 |                | bash test/dist/npm_packages.sh
wheels      | all   |   5 |                | run_wheels
newest      | all   | 170 | bash test/interop/newest.sh build | bash test/interop/newest.sh
lakes       | all   |   5 |                | run_lakes
windows     | all   |  60 |                | bash test/windows/compiles.sh
workloads   | all   |  22 | compile_workloads | run_interop workloads ../bench/workloads/answers.mjs
"}

compile() {                           # PROGRAM...
    MAKEFLAGS='' make --no-print-directory -s -j "$(nproc 2>/dev/null ||
        echo 2)" "${@/#/$BUILD/}"
}

# Some tests need a locale with a decimal comma, or one in which I is not the
# capital of i.  These may not be installed.
compile_unit() {
    local name
    mkdir -p "$BUILD/locale"
    for name in de_DE tr_TR; do
        [ -e "$BUILD/locale/$name.UTF-8" ] || localedef -c -i $name -f UTF-8 \
            "$(cd "$BUILD/locale" && pwd)/$name.UTF-8" 2>/dev/null
    done
    compile unit_tests
}

# make check links a program of -O0 with shared codecs; make check-all, what make dist has.
cli_program() {
    [ "$FORM" = check ] && echo "$BUILD/cli/parquet" || echo "$BUILD/dist/cli/parquet"
}
compile_cli() {
    local form=(CLI_OUT="$(cli_program)")
    [ "$FORM" != check ] || form+=(CLI_OPT=-O0 CLI_STATIC=)
    MAKEFLAGS='' make --no-print-directory -s -j "$(nproc)" cli-program "${form[@]}"
}
run_wheels() { $python test/dist/wheels_test.py; }
run_cli() { $python -u test/cli/cli.py "$(cli_program)" "$BUILD/cli-test"; }

compile_workloads() {
    bash test/interop/newest.sh build && compile bench/runner bench/trivial.so
}

run_unit() {                          # PART
    LOCPATH=$(cd "$BUILD/locale" && pwd) "$BUILD/unit_tests" -part "$1"
}

# The system's Python loads extensions; others may not.
export python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

run_floors() {
    if bash test/lint/floors.sh; then
        echo "floors: 1 passed, 0 failed, 0 skipped"
    else
        echo "floors: 0 passed, 1 failed, 0 skipped"
    fi
}

run_conformance() {
    $python -u test/conformance.py
}

run_oracle() {
    . test/forms.sh
    SEED=${SEED:-$check_seed} SHARE=${SHARE:-$oracle_share} \
        bash test/oracle/oracle.sh
}

run_lakes() { $python test/interop/lakes.py "$SO"; }

run_round_trip() {
    . test/forms.sh
    $python -u test/move/round_trip.py "$SO" "$BUILD/round_trip" random "$databases" \
        "${SEED:-$check_seed}"
}

run_move_steps() {
    . test/forms.sh
    $python -u test/move/steps.py "$SO" "$BUILD/move_steps" 3
}

run_archive() {
    . test/forms.sh
    local kind
    for kind in random kill far; do
        $python -u test/move/archive.py "$SO" "$BUILD/archive" $kind "$archives" \
            "${SEED:-$check_seed}" || return
    done
}

run_served_oracle() {
    . test/forms.sh
    SEED=${SEED:-$check_seed} CASES=300 bash test/remote/served.sh oracle
}

run_page_headers() {
    . test/forms.sh
    $python test/hostile/page_headers.py "$SO" "$BUILD/page_headers" \
        "$header_every"
}

run_sign() {
    $python test/remote/sign.py "$BUILD/sign_lines"
}

run_remote_faults() {                 # each | random SECONDS
    . test/forms.sh
    EVERY=$faults_every $python test/remote/faults.py "$SO" "$BUILD/remote_$1" "$@"
}

run_tamper() {
    . test/forms.sh
    $python test/hostile/tamper.py "$SO" "$BUILD/tamper" "$tamper_every"
}

run_kill() {
    . test/forms.sh
    MOMENTS=$kill_moments bash test/fault/kill/kill.sh
}

run_written() {
    . test/forms.sh
    run_interop written written.mjs $written_cells
}

run_interop() {                       # NAME SCRIPT...
    local major
    major=$(node -p 'process.versions.node.split(".")[0]')
    if [ "${major:-0}" -lt 18 ]; then
        echo "skipped: Node 18 or newer is needed"
        echo "$1: 0 passed, 0 failed, 1 skipped"
    else
        node "test/interop/$2" "${@:3}"
    fi
}
export -f compile run_floors run_unit run_conformance run_oracle run_served_oracle \
    run_page_headers run_sign run_remote_faults run_round_trip run_move_steps run_archive \
    run_tamper run_kill run_written run_interop run_cli run_wheels run_lakes cli_program

# --- the table ---------------------------------------------------------------

trim() { local s=$1; s=${s#"${s%%[! ]*}"}; echo "${s%"${s##*[! ]}"}"; }

FORM=check only_compile=
while [[ ${1:-} == --* ]]; do
    case $1 in
    --all) FORM=all ;;
    --compile) only_compile=yes ;;
    *) echo "no such option: $1"; exit 2 ;;
    esac
    shift
done
wanted="$*"
suite=() seconds=() compiled=() command=() log=()
logs=$BUILD/check
mkdir -p "$logs"

# A suite that make check does not have is run by its name all the same.
names=" $(awk -F' *[|] *' '$2 == "check" || $2 == "both" { printf "%s ", $1 }' \
    <<<"$suites")"
is_wanted() {                         # NAME FORM
    local of=$FORM
    [ -n "$1" ] || return
    if [ -n "$wanted" ]; then
        [[ " $wanted " == *" $1 "* ]] || return
        [[ $names == *" $1 "* ]] || of=all
    fi
    [ "$2" = both ] || [ "$2" = "$of" ]
}

while IFS='|' read -r name forms time compiles runs; do
    name=$(trim "$name")
    is_wanted "$name" "$(trim "$forms")" || continue
    part=1
    for other in "${suite[@]}"; do
        [ "$other" != "$name" ] || part=$((part + 1))
    done
    log+=("$logs/$name$([ $part -eq 1 ] || echo ".$part").log")
    suite+=("$name")
    seconds+=("$(trim "$time")")
    compiled+=("$(trim "$compiles")")
    command+=("$(trim "$runs")")
done <<<"$suites"
for name in $wanted; do
    [[ " ${suite[*]} " == *" $name "* ]] || { echo "no such suite: $name"; exit 1; }
done

# --- one suite ---------------------------------------------------------------

# Only a suite that hangs is stopped.  The time limit depends on how long this
# machine, busy as it is, takes to count.  A machine that takes twice the 60 ms
# of a usual one gets twice the time.
milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }
begin=$(milliseconds)
for ((i = 0; i < 50000; i++)); do :; done
slowness=$((($(milliseconds) - begin) / 60 + 1))

guarded() {                           # I: the suite, stopped when it hangs
    exec timeout -k 10 $(((900 + 20 * seconds[$1]) * slowness)) \
        bash -c "${command[$1]}" </dev/null 2>&1
}

total_passed=0 total_failed=0 total_skipped=0
broken=()

# Seconds, from what bash's times says of processes that ended: "1m2.3s 0m0.6s".
processor() {                         # FILE
    tail -n 1 "$1" 2>/dev/null | awk -F'[ms ]+' '
        { printf "%.1f s of a processor", $1 * 60 + $2 + $3 * 60 + $4 }'
}

count() {                             # I STATUS SECONDS
    local name=${suite[$1]} status=$2 line p=0 f=0 s=0
    line=$(grep -aE "^$name: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped\$" \
        "${log[$1]}" | tail -n 1)
    if [ -z "$line" ]; then
        f=1
        case $status in
        124 | 137) echo "$name: stopped after $3 s, as one that hangs" ;;
        *) echo "$name: ended with status $status and without a result" ;;
        esac
    else
        read -r p f s < <(echo "${line#"$name": }" | tr -cd '0-9 ')
        if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
            f=1
            echo "$name: ended with status $status"
        elif [ $((p + f + s)) -eq 0 ]; then
            f=1
            echo "$name: ran nothing"
        fi
    fi
    [ "$f" -eq 0 ] || broken+=("$1")
    total_passed=$((total_passed + p))
    total_failed=$((total_failed + f))
    total_skipped=$((total_skipped + s))
    echo "    ($3 s, $(processor "${log[$1]}.times"))"
}

aloud() {                             # I: with its output
    local start=$SECONDS status
    echo "--- ${suite[$1]}"
    {
        (guarded "$1")
        status=$?
        times >"${log[$1]}.times"
        exit $status
    } | tee "${log[$1]}"
    count "$1" "${PIPESTATUS[0]}" $((SECONDS - start))
}

start() {                             # I: beside other suites
    rm -f "${log[$1]}.status"
    (
        (guarded "$1") >"${log[$1]}" &
        trap 'kill $!' TERM
        begin=$SECONDS
        wait $!
        status=$?
        times >"${log[$1]}.times"
        echo "$status $((SECONDS - begin))" >"${log[$1]}.new"
        mv "${log[$1]}.new" "${log[$1]}.status"
    ) &
}

# Prints and counts the suites that have ended.
finish() {
    local i status took
    for i in "${!running[@]}"; do
        [ -e "${log[i]}.status" ] || continue
        read -r status took <"${log[i]}.status"
        rm "${log[i]}.status"
        unset "running[$i]"
        echo "--- ${suite[i]}"
        grep -av '^without samples: ' "${log[i]}"
        count "$i" "$status" "$took"
    done
}

# Waits until one more suite has ended.  One that ends without a status was
# killed.
next() {
    local i
    wait -n
    if [ $? -eq 127 ]; then
        for i in "${!running[@]}"; do echo "1 0" >"${log[i]}.status"; done
    fi
    finish
}

# --- all of them -------------------------------------------------------------

# What fails here is compiled again before the suites, and is reported then.
if [ -n "$only_compile" ]; then
    for i in "${!suite[@]}"; do
        case ${suite[i]} in
        newest | workloads | cli) ;;
        *) ${compiled[i]} >"${log[i]}" 2>&1 ;;
        esac
    done
    exit 0
fi

for i in "${!suite[@]}"; do
    [ -n "${compiled[i]}" ] || continue
    ${compiled[i]} >"${log[i]}" 2>&1 && continue
    cat "${log[i]}"
    for k in "${!suite[@]}"; do       # and not what was compiled earlier
        [ "${suite[k]}" != "${suite[i]}" ] ||
            command[k]="echo 'FAIL it does not compile'; exit 1"
    done
done

jobs=${JOBS:-1} all=
[ "$FORM" = check ] || all=yes
[ -n "$wanted" ] || jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
if [ "$jobs" -le 1 ]; then
    for i in "${!suite[@]}"; do aloud "$i"; done
else
    trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM
    running=()
    for i in $(for i in "${!suite[@]}"; do echo "${seconds[i]} $i"; done |
        sort -srn -k 1,1 | cut -d' ' -f2); do
        start "$i"
        running[i]=1
        while [ ${#running[@]} -ge "$jobs" ]; do next; done
    done
    while [ ${#running[@]} -gt 0 ]; do next; done
fi

# --- the end -----------------------------------------------------------------

# Failures are repeated at the end, where a long log is read first.
for i in "${broken[@]}"; do
    echo
    echo "--- ${suite[i]} failed:"
    grep -aE '^! |FAIL|WRONG|ERROR|[Ee]rror|not ok|alone: |wanted: |got: ' \
        "${log[i]}" | grep -avE '(^|: )ok ' | cut -c 1-300 | tail -n 30
    echo "to run it alone: bash test/check.sh ${all:+--all }${suite[i]}"
done

# "suite (what, what); suite (what)"
missing=$(for i in "${!suite[@]}"; do
    sed -n "s/^without samples: /${suite[i]}|/p" "${log[i]}"
done | sort -u | awk -F'|' '
    $1 != last { printf "%s%s (", last ? "); " : "", $1; last = $1; comma = "" }
    { printf "%s%s", comma, $2; comma = ", " }
    END { if (last) printf ")" }')
echo
times >"$logs/times"
echo "$SECONDS s, $(processor "$logs/times")"
[ -z "$missing" ] || echo "not tested without the official sample files" \
    "(PARQUET_TESTING=folder): $missing"
echo "$total_passed passed, $total_failed failed, $total_skipped skipped"
[ $total_failed -eq 0 ] && [ $((total_passed + total_skipped)) -gt 0 ]
