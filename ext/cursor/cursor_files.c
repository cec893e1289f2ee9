/*
** cursor_files.c - conditions that choose files: by their names, their numbers, and
** the key=value folders they lie in.
**
** They are those on values of a column, asked about the one value that all rows of
** a file have.  SQLite tests the rows of the files that are left again.
*/
#include "ext/cursor/cursor_scan.h"

/* The texts of a UTF-16 database have another order.  A name that is no UTF-8 has
** U+FFFD there in place of some bytes, and so has an operand that was made of it. */
static bool is_vague(const PqextCondition *f, const PqCell *v)
{
    return f->table->utf16 && v->kind == PQ_CELL_TEXT &&
           ((f->op >= PQEXT_LT && f->op <= PQEXT_GE) ||
            !pq_utf8_valid(pq_cell_slice(v)));
}

/* Could a row of this file pass? */
static bool file_passes(const PqextScan *s, const PqextCondition *f,
                        const PqListedFile *file)
{
    PqextFileValue v = pqext_file_value(
        s->listing, s->table->table, f->column,
        (uint32_t)(file - s->listing->list.files));
    PqCell cell = v.is_null   ? (PqCell){.kind = PQ_CELL_NULL}
                  : v.is_text ? pq_cell_text(pq_slice_text(v.text))
                              : pq_cell_int(v.number);

    return v.is_other || is_vague(f, &cell) ||
           pqext_condition_passes_cell(f, &cell);
}

bool pqext_scan_skips(void *arg, const PqListedFile *file)
{
    const PqextScan *s = arg;
    uint32_t i = 0;

    while (i < s->n_file_terms && file_passes(s, &s->file_terms[i], file)) {
        i++;
    }
    return i < s->n_file_terms;
}
