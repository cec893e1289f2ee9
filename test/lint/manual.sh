#!/usr/bin/env bash
# manual.sh - checks the guides: README.md, and the pages of sql/, core/ and test/.
#
#   A link within the tree leads to a file that is there, and to a heading or
#   an anchor in it.  A page of the manual has at most 20,000 bytes.  The index,
#   sql/README.md, has a line for each option and each function that the code
#   has, and for no other; it has a link to each page.
set -u
shopt -s lastpipe                     # report counts in this shell
cd "$(dirname "$0")/../.."

most=20000
failed=0
report() {                            # MESSAGE, findings on stdin
    local found
    found=$(cat)
    [ -z "$found" ] && return
    printf '%s\n%s\n' "$1" "$found"
    failed=$((failed + $(wc -l <<<"$found")))
}

mapfile -t guides < <({ git ls-files -co --exclude-standard '*.md' 2>/dev/null ||
                        find . -name '*.md' -not -path '*/node_modules/*'; } |
                      sed 's|^\./||' | sort -u)
pages=(sql/*.md)

# All guides are read twice: first their headings, as GitHub names them, and their
# anchors; then their links.
awk '
function slug(text) {
    text = tolower(text)
    gsub(/[^a-z0-9_ -]/, "", text)
    gsub(/ /, "-", text)
    return text
}
function folder(path) { sub(/[^\/]*$/, "", path); return path }
function plain(path) {                # sql/../README.md is README.md
    while (sub(/[^\/]+\/\.\.\//, "", path)) {}
    return path
}
function exists(path,   line) {
    if (!(path in there)) there[path] = system("test -e \"" path "\"") == 0
    return there[path]
}
FNR == 1 { code = 0; if (FILENAME in seen) second = 1; seen[FILENAME] }
/^```/ { code = !code }
code { next }
!second && /^#+ / { text = $0; sub(/^#+ /, "", text); at[FILENAME "#" slug(text)] }
!second {
    for (text = $0; match(text, /<a id="[^"]*"/); text = substr(text, RSTART + 1))
        at[FILENAME "#" substr(text, RSTART + 7, RLENGTH - 8)]
    next
}
{
    for (text = $0; match(text, /\]\([^)]*\)/); text = substr(text, RSTART + 2)) {
        link = substr(text, RSTART + 2, RLENGTH - 3)
        if (link ~ /^[a-z]+:/) continue
        to = link
        sub(/#.*/, "", to)
        to = to == "" ? FILENAME : plain(folder(FILENAME) to)
        mark = link ~ /#/ ? substr(link, index(link, "#")) : ""
        if (!exists(to) || (mark != "" && !((to mark) in at)))
            print "  " FILENAME ":" FNR ": " link
    }
}' "${guides[@]}" "${guides[@]}" | report "Links that lead nowhere:"

wc -c "${pages[@]}" | awk -v most=$most '$2 != "total" && $1 > most {
    print "  " $2 ": " $1 " bytes, " most " at most" }' | report "Pages to be split:"

for page in "${pages[@]#sql/}"; do
    [ "$page" = README.md ] || grep -q "]($page)" sql/README.md || echo "  $page"
done | report "Pages that sql/README.md does not link to:"

# The names that begin a code span in the first cells below a heading.
named() {                             # HEADING
    sed -n "/^## $1\$/,/^## /p" sql/README.md | grep '^| \[' |
        sed 's/\](.*//' | grep -oE '`[A-Za-z_0-9]+' | tr -d '`' | grep -v '^NAME$' | sort -u
}
# Literals of code that match a pattern, down to the name.
literals() {                          # PATTERN FILE...
    grep -ohE "$1" "${@:2}" | grep -oE '"[A-Za-z_0-9]+"' | tr -d '"' | sort -u
}
compare() {                           # WHAT LEAST HEADING, names of the code on stdin
    local names
    names=$(cat)
    [ "$(wc -l <<<"$names")" -ge "$2" ] ||
        echo "  only $(wc -l <<<"$names") were found in the code" |
        report "The ${1}s:"
    comm -23 <(echo "$names") <(named "$3") | sed "s/^/  $1 /" |
        report "The index does not have:"
    comm -13 <(echo "$names") <(named "$3") | sed "s/^/  $1 /" |
        report "The index has, and the code does not:"
}
literals '^ +\{"[a-z0-9_]+", OPTION_' ext/table/options.c |
    compare "option of a table" 20 "Options of a table"
literals '^ +(\{\.name = |[A-Z]+\()"[a-z0-9_]+"' sql/copy/copy_options.c |
    compare "option of a copy" 35 "Options of a copy"
{ literals '"parquet_[a-z_]+"' ext/functions/*.c sql/version.c \
      sql/move/export.c sql/move/import.c sql/rewrite/rewriting.c sql/rewrite/compact.c
  literals 'db, "parquet_[a-z_]+"' sql/move/archive.c sql/move/archive_back.c
  literals '"variant_explode(_outer)?"' ext/functions/variant_explode.c
  literals '^ +\{"[a-z_]+", ' sql/variant_functions/variant_functions.c
  literals '^ +\{"pq_[A-Za-z_]+"|"pq_ST_[A-Za-z]+_Extent"' sql/geo_functions/geo_register.c |
      sed 's/^pq_//'
} | sort -u | compare "function" 55 "All functions"

literals '\{"[a-z_]+", take_' sql/copy/copy_encryption.c | while read -r member; do
    grep -q "^| \[\`encryption\`.*\`$member\`" sql/README.md ||
        echo "  member of encryption $member"
done | report "The index does not have:"

echo "manual: ${#guides[@]} guides, ${#pages[@]} pages of $(cat "${pages[@]}" | wc -c) bytes," \
     "$failed findings"
[ $failed -eq 0 ]
