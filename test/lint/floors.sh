#!/usr/bin/env bash
# floors.sh - checks rules of the tree that a compiler does not know.
#
#   An include goes to the own folder or to a lower floor, never up and never
#   to a neighbour; the floors are those of the picture in core/README.md.
#   Nothing in core/ has heard of SQLite; sql/ and ext/ see core/ through
#   core/for_host.h; sql/ does not know ext/.  cli/ is like sql/, and nothing knows
#   it.  Includes are written from the root
#   of the tree.  floors.sh --floors prints the floors.
#   File names are unique; what comments and guides name exists.  A file opens
#   with its name and what it is for (make tree prints that).  A file has at
#   most 700 lines, a line at most 100 columns (80 is the aim and is only
#   counted), no tabs.  Code does not promise to be finished later.  Nothing
#   asks the locale of the host what a letter or a decimal point is: for that
#   there are core/base/ascii.h and sqlite3_mprintf.  Then manual.sh checks
#   the guides.
set -u
shopt -s lastpipe                     # report counts in this shell
cd "$(dirname "$0")/../.."

mapfile -t code < <(find core ext sql cli -name '*.[ch]' | sort)
failed=0
# The files of the tree, also where it came without its history.
tree() {
    git ls-files -co --exclude-standard 2>/dev/null ||
        find . \( -name build -o -name node_modules -o -name __pycache__ \) -prune -o -type f -print
}
report() {                            # MESSAGE, findings on stdin
    local found
    found=$(cat)
    [ -z "$found" ] && return
    printf '%s\n%s\n' "$1" "$found"
    failed=$((failed + $(wc -l <<<"$found")))
}

[ ${#code[@]} -gt 0 ] || { echo "floors: no code"; exit 1; }

# The picture has a part for each of core/, sql/ and ext/.  " 2  codec/     ..."
# begins a floor, "    text/ ..." goes on.  The name of the part itself is the
# files at its top.
floors=$(awk '
/^```/ { part = level = "" }
/^(core|sql|ext)\/$/ { part = $1; next }
part != "" && /^[ 1][0-9]  [a-z_]+\/ / {
    level = $1
    sub(/^[ 1][0-9]/, "  ")
}
level != "" && /^    [a-z_]+\/ / {
    print (part == $1 ? part : part $1) "=" level
}
' core/README.md)

[ "${1:-}" = --floors ] && { echo "$floors" | tr = '\t' | sort -s -t/ -k1,1; exit; }

awk -v floors="$floors" '
BEGIN {
    n = split(floors, pair)
    for (i = 1; i <= n; i++) {
        split(pair[i], kv, "=")
        floor[kv[1]] = kv[2] + 0
    }
}
function room(path) {                  # core/text/x.h -> core/text/
    sub(/[^\/]*$/, "", path)
    return path
}
function part(path) {
    return substr(path, 1, index(path, "/") - 1)
}
function wrong(from, to,   above, below) {
    above = part(from)
    below = part(to)
    if (below !~ /^(core|sql|ext|cli|test)$/) return "not written from the root"
    if (from == to) return ""
    if (below == "test") return "code includes a test"
    if (above != below) {
        if (above == "core") return "core/ does not know " below "/"
        if (below == "cli") return above "/ does not know cli/"
        if (below == "ext") return above "/ does not know ext/"
        return below == "sql" || to == "core/" ? "" \
             : above "/ sees only core/for_host.h"
    }
    if (!(from in floor)) return "core/README.md has no floor for " from
    if (!(to in floor)) return "core/README.md has no floor for " to
    if (floor[to] < floor[from]) return ""
    return floor[to] == floor[from] ? "a neighbour" : "a higher floor"
}
BEGIN {
    system_header = "<(sys|arpa|netinet|linux)/|" \
        "<(unistd|fcntl|dirent|dlfcn|malloc|poll|signal|netdb|windows|winsock2|io|direct)\\.h>"
}
/^[ \t]*#[ \t]*include/ {
    if (match($0, /"[^"]*"/)) {
        path = substr($0, RSTART + 1, RLENGTH - 2)
        why = path == "core/base/system.h" ? "" : wrong(room(FILENAME), room(path))
        if (why != "") print "  " FILENAME ":" FNR ": " path ": " why
    }
    if (FILENAME ~ /^core\// && /sqlite3/)
        print "  " FILENAME ":" FNR ": core/ has never heard of SQLite"
    if (FILENAME ~ /^(core|sql|ext)\// && FILENAME !~ /^core\/base\// && match($0, system_header))
        print "  " FILENAME ":" FNR ": write core/base/system.h, which knows each system"
}' "${code[@]}" | report "Includes against the floors:"
[ "${PIPESTATUS[0]}" -eq 0 ] || failed=1

tree | grep -E '\.([ch]|tcl|test|sh|mjs|py|mk|sql)$' | awk -F/ '
    { seen[$NF] = seen[$NF] " " $0; n[$NF]++ }
    END { for (f in n) if (n[f] > 1) print "  " f ":" seen[f] }' |
    report "File names that occur twice:"

# Files in comments and guides, names of ours in guides.  SQLite's files, and those that
# are made, may be named too.
elsewhere=(parquet.c program.c shell.c sqlite3.c sqlite3.h)
guides=(README.md core/README.md sql/*.md test/README.md)
words() { grep -noE "$@" | sort -u -t: -k1,1 -k3,3; }
{ awk '!/^ *# *include/ { print FILENAME ":" FNR ":" $0 }' "${code[@]}" |
      grep -oE '^[^:]*:[0-9]+:|[a-z][a-z0-9_]+\.[ch]\>' |
      awk '/:$/ { at = $0; next } { print at $0 }'
  words '\<[a-z][a-z0-9_]+\.(c|h|sh|py|mjs|test)\>' "${guides[@]}"
} | awk -F: '
    NR == FNR { n = split($0, part, "/"); there[part[n]]; next }
    !($3 in there) { print "  " $1 ":" $2 ": " $3 }
' <(tree; printf '%s\n' "${elsewhere[@]}") - |
    report "Files that are named and do not exist:"

words '\<(pq|pqext|pqsql|PQ|PQEXT|PQSQL)_\w+|\<Pq[A-Za-z]+' "${guides[@]}" |
    awk -F: '
    NR == FNR { there[$0]; next }
    !($3 in there) { print "  " $1 ":" $2 ": " $3 }
' <(grep -ohE '\<(pq|PQ)\w+|\<Pq\w+' -i "${code[@]}" | sort -u) - |
    report "Names in guides that the code does not have:"

awk -f test/lint/tree.awk "${code[@]}" | grep '^[^ ]*  *?' |
    report "Files that do not say what they are for:"

wc -l "${code[@]}" | awk '$2 != "total" && $1 > 700 && $2 !~ /_data\.c$/ {
    print "  " $2 ": " $1 " lines" }' | report "Files that need to be split:"

awk 'length($0) > 100 { print "  " FILENAME ":" FNR ": " length($0) }' \
    "${code[@]}" | report "Lines beyond 100 columns:"

grep -nP '\t' "${code[@]}" | cut -c1-100 | sed 's/^/  /' |
    report "Tabs:"

grep -nP ' +$' "${code[@]}" | cut -c1-100 | sed 's/^/  /' |
    report "Blanks at the end of a line:"

grep -nE '\<(strn?casecmp|to(upper|lower)|is(al(pha|num)|x?digit|space|blank|upper|lower|p(rint|unct)|graph|cntrl))\(|<ctype\.h>' \
    "${code[@]}" | sed 's/^/  /' | report "What asks the locale:"

grep -nE '\<(pq_[a-z_]*printf|pq_fail|pq_err_hint|v?s?n?printf)\(.*%[-+ 0-9.*]*[eEfgG]' \
    "${code[@]}" | sed 's/^/  /' | report "Decimal points of the locale:"

grep -nE '\<st_[acm]time\>' "${code[@]}" | grep -v '^core/base/' | sed 's/^/  /' |
    report "Times of files that core/base/system.h does not have (st_mtim is there):"

promise='TO''DO|FIX''ME|XX''X|HA''CK|not imple''mented|unimple''mented'
grep -nE "\b($promise)\b" "${code[@]}" | sed 's/^/  /' |
    report "Promises:"

long=$(awk 'length($0) > 80' "${code[@]}" | wc -l)
lines=$(cat "${code[@]}" | wc -l)
awk -F'[/=]' '
!seen[$1, $NF]++ { n[$1]++ }
END { printf "floors: %d of core/, %d of sql/, %d of ext/\n", n["core"], n["sql"],
          n["ext"] }' <<<"$floors"
echo "floors: ${#code[@]} files, $lines lines, $long of them beyond 80 columns," \
     "$failed findings"
bash test/lint/manual.sh || failed=1
[ $failed -eq 0 ]
