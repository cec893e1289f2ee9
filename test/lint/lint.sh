#!/usr/bin/env bash
# lint.sh - make lint: the rules of the tree, two compilers without a warning,
# static analysis, and how far the layout is from .clang-format.
#
#   lint.sh                 all
#   lint.sh floors gcc      these
set -u
cd "$(dirname "$0")/../.."

jobs=$(nproc 2>/dev/null || echo 2)
build=${BUILD:-build}
# clang-format may want to change this many lines in a hundred: tables are laid
# out by hand.
format_limit=12
status=0

make_() { make --no-print-directory -s -k -j "$jobs" "$@"; }

# Both ways to read gzip are compiled, whichever this machine would link.
compiler() {
    make_ CC="$1" BUILD="$build/lint/$1" WERROR=-Werror objects &&
        make_ CC="$1" BUILD="$build/lint/$1" WERROR=-Werror DEFLATE=no objects
}

lint_floors()   { bash test/lint/floors.sh; }
lint_gcc()      { compiler gcc; }
lint_clang()    { compiler clang; }
lint_tidy()     { make_ lint-tidy; }
lint_cppcheck() { make_ lint-cppcheck; }

lint_format() {
    local lines differ=0 n file
    lines=$(cat core/*/*.[ch] ext/*.[ch] ext/*/*.[ch] sql/*.[ch] sql/*/*.[ch] 2>/dev/null | wc -l)
    for file in core/*/*.[ch] ext/*.[ch] ext/*/*.[ch] sql/*.[ch] sql/*/*.[ch]; do
        [ -e "$file" ] || continue
        n=$(clang-format "$file" | diff "$file" - | grep -c '^<')
        differ=$((differ + n))
        [ $((n * 100)) -gt $(($(wc -l <"$file") * 40)) ] &&
            echo "$file: $n lines are not as clang-format would have them"
    done
    echo "$differ of $lines lines differ from .clang-format"
    [ $((differ * 100)) -le $((lines * format_limit)) ]
}

[ $# -gt 0 ] || set -- floors gcc clang format cppcheck tidy
for part in "$@"; do
    start=$SECONDS
    if "lint_$part"; then
        echo "lint $part: clean ($((SECONDS - start)) s)"
    else
        echo "lint $part: findings ($((SECONDS - start)) s)"
        status=1
    fi
done
exit $status
