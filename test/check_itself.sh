#!/usr/bin/env bash
# check_itself.sh - does check.sh notice a suite that does not work?
#
# It gets tables of suites that are made up, and has to fail for each that runs
# nothing, dies, says nothing, or does not compile.
set -u
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

# The last line has to be the one given, and the status that of failure unless
# nothing failed in it.
expect() {                            # LAST LINE, TABLE, options of check.sh
    local last=$1 table=$2 said status want=1
    shift 2
    said=$(SUITES=$table BUILD=$scratch bash test/check.sh "$@" 2>&1)
    status=$?
    [[ $last != *" 0 failed, "* ]] || want=0
    if [ "$(tail -n 1 <<<"$said")" = "$last" ] && [ $status -eq $want ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAIL %s\nwanted: %s\ngot: %s (status %s)\n' "$table" "$last" \
            "$said" "$status"
    fi
}

good='good | both | 1 | | echo good: 2 passed, 0 failed, 1 skipped'
expect '2 passed, 0 failed, 1 skipped' "$good"
expect '0 passed, 1 failed, 0 skipped' \
    'none | both | 1 | | echo none: 0 passed, 0 failed, 0 skipped'

# Seven suites that each count as one failure, and one that counts its own two.
bad=$good'
nothing  | both | 1 | | echo nothing: 0 passed, 0 failed, 0 skipped
half     | both | 1 | | echo half: 1 passed
other    | both | 1 | | echo good: 1 passed, 0 failed, 0 skipped
silent   | both | 1 | | :
missing  | both | 1 | | bash test/none.sh
killed   | both | 1 | | kill -9 \$\$
programs | both | 1 | false | echo programs: 1 passed, 0 failed, 0 skipped
error    | both | 1 | | echo error: 1 passed, 0 failed, 0 skipped; exit 1
two      | both | 1 | | echo two: 1 passed, 2 failed, 0 skipped; exit 1'
for jobs in 1 2; do
    JOBS=$jobs expect '4 passed, 10 failed, 1 skipped' "$bad"
done

# A suite that make check leaves out, and one with a form for each.
forms=$good'
forms | check | 1 | | echo forms: 1 passed, 0 failed, 0 skipped
forms | all   | 1 | | echo forms: 7 passed, 0 failed, 0 skipped
long  | all   | 1 | | echo long: 9 passed, 0 failed, 0 skipped'
expect '3 passed, 0 failed, 1 skipped' "$forms"
expect '18 passed, 0 failed, 1 skipped' "$forms" --all
expect '10 passed, 0 failed, 0 skipped' "$forms" forms long
expect '7 passed, 0 failed, 0 skipped' "$forms" --all forms
expect 'no such suite: typo' "$forms" good typo

echo "itself: $passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
