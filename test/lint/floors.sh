#!/usr/bin/env bash
# floors.sh - the laws of the tree that a compiler does not know.
#
#   An include goes to the own folder or to a lower floor, never up and never
#   to a neighbour; nothing in core/ has heard of SQLite; sql/ and ext/ see
#   core/ through core/parquet.h; sql/ does not know ext/, and ext/ knows of
#   sql/ only its headers.  Includes are written from the root of the tree.
#   File names are unique.  A file has at most 700 lines, a line at most 100
#   columns (80 is the aim and is only counted), no tabs.  Code does not
#   promise to be finished later.
set -u
shopt -s lastpipe                     # report counts in this shell
cd "$(dirname "$0")/../.."

mapfile -t code < <(find core ext sql -name '*.[ch]' | sort)
failed=0
report() {                            # MESSAGE, findings on stdin
    local found
    found=$(cat)
    [ -z "$found" ] && return
    printf '%s\n%s\n' "$1" "$found"
    failed=$((failed + $(wc -l <<<"$found")))
}

[ ${#code[@]} -gt 0 ] || { echo "floors: no code"; exit 1; }

awk '
BEGIN {
    n = split("base=0 thrift=1 simd=1 codec=2 crypto=2 encoding=2 text=2 " \
              "geo=2 meta=3 column=4 variant=4 nested=5 lookup=5 write=6 files=6 " \
              "scan=7 verify=7",
              pair, " ")
    for (i = 1; i <= n; i++) {
        split(pair[i], kv, "=")
        floor[kv[1]] = kv[2] + 0
    }
}
function room(path,   part) {          # core/text/x.h -> text, sql/x.h -> sql
    split(path, part, "/")
    if (part[1] != "core") return part[1]
    return path ~ /^core\/[^\/]+$/ ? "face" : part[2]
}
function wrong(from, to, path) {
    if (path !~ /^(core|sql|ext|test)\//) return "not written from the root"
    if (from == to) return ""
    if (to == "test") return "code includes a test"
    if (from == "ext" && to == "sql") return ""
    if (from == "ext" || from == "sql")
        return to == "face" ? "" : from "/ sees only core/parquet.h"
    if (to == "ext" || to == "sql") return "core/ does not know " to "/"
    if (from == "face") return ""
    if (to == "face") return "the face is above all floors"
    if (!(from in floor)) return "which floor is core/" from "?"
    if (!(to in floor)) return "which floor is core/" to "?"
    if (floor[to] < floor[from]) return ""
    return floor[to] == floor[from] ? "a neighbour" : "a higher floor"
}
/^[ \t]*#[ \t]*include/ {
    if (match($0, /"[^"]*"/)) {
        path = substr($0, RSTART + 1, RLENGTH - 2)
        why = wrong(room(FILENAME), room(path), path)
        if (why != "") print "  " FILENAME ":" FNR ": " path ": " why
    }
    if (FILENAME ~ /^core\// && /sqlite3/)
        print "  " FILENAME ":" FNR ": core/ has never heard of SQLite"
}' "${code[@]}" | report "Includes against the floors:"

{ git ls-files -co --exclude-standard 2>/dev/null || find . -type f; } |
    grep -E '\.([ch]|tcl|test|sh|mjs|py|mk|sql)$' | awk -F/ '
    { seen[$NF] = seen[$NF] " " $0; n[$NF]++ }
    END { for (f in n) if (n[f] > 1) print "  " f ":" seen[f] }' |
    report "File names that occur twice:"

wc -l "${code[@]}" | awk '$2 != "total" && $1 > 700 && $2 !~ /_data\.c$/ {
    print "  " $2 ": " $1 " lines" }' | report "Files that need to be split:"

awk 'length($0) > 100 { print "  " FILENAME ":" FNR ": " length($0) }' \
    "${code[@]}" | report "Lines beyond 100 columns:"

grep -nP '\t' "${code[@]}" | cut -c1-100 | sed 's/^/  /' |
    report "Tabs:"

grep -nP ' +$' "${code[@]}" | cut -c1-100 | sed 's/^/  /' |
    report "Blanks at the end of a line:"

promise='TO''DO|FIX''ME|XX''X|HA''CK|not imple''mented|unimple''mented'
grep -nE "\b($promise)\b" "${code[@]}" | sed 's/^/  /' |
    report "Promises:"

long=$(awk 'length($0) > 80' "${code[@]}" | wc -l)
lines=$(cat "${code[@]}" | wc -l)
echo "floors: ${#code[@]} files, $lines lines, $long of them beyond 80 columns," \
     "$failed findings"
[ $failed -eq 0 ]
