/*
** cursor_kept.c - what a cursor leaves to the next one.
**
** A correlated subquery, and each branch of an OR, runs once for every row of
** the statement around it.  Before 3.50 SQLite opens a new cursor for each run;
** since then it keeps the cursor, and asks it with one plan after the other:
**
**   before 3.50    open 1  filter 1    open 2  close 1  filter 2    open 3 ...
**   since          open 1  filter 1            filter 1 ...
**   OR             filter 1 by a = ?           filter 1 by b = ?   filter 1 ...
**
** The scan with its open files belongs to a plan, and so do the term that is
** asked and the count of calls that it waits for.  (Picked rows and indexes of
** keys belong to the listing: lookup.h.)  So a cursor has a state for each plan
** that it was asked with: one is current, the others are set aside.  If a
** cursor is closed right after another cursor of its table was opened, with no
** call between, the new one has replaced it, and takes everything.
**
** No cursor outlives its statement: at the end of one SQLite closes its cursors
** and opens none.  Only indexes of keys do (core/scan/lookup_kept.c).
*/
#include "ext/cursor/cursor.h"
#include "ext/table/plan_idxstr.h"

#include <stddef.h>

enum {
    MOST_ASIDE = 8,                  /* plans                               */
    ASIDE_SHARE = 2                  /* of memory, for all that is aside    */
};

/* Exchanges all but what SQLite knows of the cursors, the states that they have
** set aside, and their errors.  The error is last, and three quarters of it. */
static void exchange(PqextCursor *a, PqextCursor *b)
{
    enum { ALL = offsetof(PqextCursor, s.e) };
    sqlite3_vtab_cursor a_base = a->base, b_base = b->base;
    PqextCursor *a_aside = a->aside, *b_aside = b->aside;
    char other[ALL];

    memcpy(other, a, ALL);
    memcpy(a, b, ALL);
    memcpy(b, other, ALL);
    a->base = a_base;
    b->base = b_base;
    a->aside = a_aside;
    b->aside = b_aside;
}

static size_t bytes_of(const PqextCursor *c)
{
    return c->s.scan ? pq_mem_used(pq_scan_mem(c->s.scan)) : 0;
}

/* Do the table's cursors together take too much of its memory? */
static bool is_too_much(const PqextCursor *c)
{
    const PqLookup *l = c->s.listing ? c->s.listing->lookup : NULL;

    return l && pq_lookup_used(l) > pq_lookup_memory(l);
}

/* If the states take too much, forgets those that were set aside first. */
static void forget_some(PqextCursor *c)
{
    size_t most = pq_mem_limit_of(c->s.table->options.memory) / ASIDE_SHARE, bytes = 0;
    PqextCursor **at = &c->aside;

    for (uint32_t n = 1; *at; n++) {
        PqextCursor *state = *at;

        bytes += bytes_of(state);
        if (n > MOST_ASIDE || bytes > most ||
            (!state->aside && is_too_much(c))) {
            bytes -= bytes_of(state);
            *at = state->aside;
            state->aside = NULL;     /* that one stays */
            pqext_cursor_free(state);
        } else {
            at = &state->aside;
        }
    }
}

/* Makes a state for another plan, with the same listing.  NULL: there is no
** memory, or nothing worth setting aside. */
static PqextCursor *new_state(const PqextCursor *c)
{
    PqextCursor *state = c->s.scan ? pqext_cursor_new(c->s.table) : NULL;

    if (state) {
        state->s.listing = c->s.listing;
        state->s.listing->holders++;
    }
    return state;
}

/* Sets the current state aside, and takes the one for that plan.  Without
** memory the current one is forgotten. */
static void change_state(PqextCursor *c, uint64_t about)
{
    PqextCursor **at = &c->aside, *state;

    pqext_cursor_end_call(c);
    while (*at && (*at)->about != about) {
        at = &(*at)->aside;
    }
    state = *at;
    if (state) {
        *at = state->aside;
        state->aside = NULL;
    } else {
        state = new_state(c);
    }
    if (!state) {
        pqext_cursor_forget(c);
    } else {
        exchange(c, state);
    }
    if (state && state->s.scan) {
        state->aside = c->aside;
        c->aside = state;
    } else {
        pqext_cursor_free(state);
    }
    forget_some(c);
}

void pqext_cursor_switch_to(PqextCursor *c, const char *text)
{
    const PqextSigned *plan = pqext_plan_signed(text);

    if (c->about != plan->number) {
        change_state(c, plan->number);
    }
    c->about = plan->number;
    c->s.plan = (const void *)(plan + 1);
    c->s.text = text;
}

void pqext_cursor_inherit(PqextCursor *heir, PqextCursor *from)
{
    pqext_cursor_end_call(from);
    exchange(heir, from);
    heir->aside = from->aside;
    from->aside = NULL;
}
