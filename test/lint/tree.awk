# tree.awk - make tree: each source file with the sentence that it opens with.
#
#   core/base/bits.h    arrays of bits: which values are there, which rows are wanted.
#
# A file opens with its name, a dash, and what it is for.
FNR == 1 { text = ""; open = 1 }
FNR > 1 && open {
    open = /^\*\* [^ ]/
    if (open) text = text substr($0, 3)
    if (!open || text ~ /\.$/) {
        name = FILENAME
        sub(/.*\//, "", name)
        if (!sub("^ " name " - ", "", text)) text = "?" text
        sub(/\.  ?[A-Z].*/, ".", text)
        printf "%-34s  %s\n", FILENAME, text
        open = 0
    }
}
