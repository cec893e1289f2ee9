/*
** like.c - texts that cannot match a pattern are found by its literal parts.
**
** A search through a page goes over all its texts as one piece of memory, since
** they lie side by side.  Something found across the end of a text is not a
** match.  Bytes beyond ASCII are never searched: if bytes are not UTF-8, SQLite
** may take different ones for the same character.
*/
#include "ext/condition/like.h"

#include "ext/host/host.h"

/* SQLite's limit on patterns, SQLITE_MAX_LIKE_PATTERN_LENGTH. */
enum { LONGEST = 50000 };

/* Folds as SQLite does: ASCII letters only. */
static unsigned fold(unsigned c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static bool same(const PqextPattern *p, unsigned a, unsigned b)
{
    return a == b || (!p->glob && fold(a) == fold(b));
}

/* Bytes beyond ASCII are left out: SQLite makes U+FFFD of bytes that are not
** UTF-8, so different bytes may be the same to it. */
static bool is_literal(const PqextPattern *p, unsigned char c)
{
    if (c == 0 || c >= 0x80) {
        return false;
    }
    return p->glob ? c != '*' && c != '?' && c != '[' : c != '%' && c != '_';
}

/* The bytes with which every match begins. */
static PqSlice start_of(const PqextPattern *p)
{
    size_t n = 0;

    while (n < p->prefix.n &&
           (p->glob || !pq_ascii_is_letter((char)p->prefix.p[n]))) {
        n++;
    }
    return pq_slice(p->prefix.p, n);
}

/* Bytes of a text are compared eight at a time if the bit that tells a small letter
** from a capital one is set in both. */
static void set_end(PqextPattern *p)
{
    enum { CASE = 'a' - 'A' };
    const unsigned char *at = p->prefix.p + p->prefix.n;

    for (size_t i = 1; i <= sizeof p->end && p->prefix.n >= sizeof p->end; i++) {
        bool letter = !p->glob && pq_ascii_is_letter((char)*(at - i));

        p->cases = p->cases << 8 | (letter ? CASE : 0);
        p->end = p->end << 8 | *(at - i);
    }
    p->end |= p->cases;
}

static PqSlice literal_at(const PqextPattern *p, PqSlice text, size_t at)
{
    size_t end = at;

    while (end < text.n && is_literal(p, text.p[end])) {
        end++;
    }
    return pq_slice(text.p + at, end - at);
}

void pqext_pattern_init(PqextPattern *p, PqSlice text, bool glob)
{
    size_t at, end = 0;

    *p = (PqextPattern){.glob = glob};
    if (text.n > LONGEST) {
        text.n = 0;                  /* SQLite reports it: every row passes */
    }
    p->prefix = literal_at(p, text, 0);
    p->start = start_of(p);
    set_end(p);
    /* What follows a [ may be the inside of a set. */
    while (end < text.n && !(glob && text.p[end] == '[') && text.p[end]) {
        end++;
    }
    text.n = end;
    for (at = 0; at < text.n; at++) {
        PqSlice part = literal_at(p, text, at);

        if (part.n > p->inside.n) {
            p->inside = part;
        }
        at += part.n;
    }
}

PqRc pqext_pattern_after(const PqextPattern *p, PqArena *a, PqSlice *out,
                         PqErr *e)
{
    size_t n = p->start.n;
    char *text = pq_arena_text(a, p->start.p, n, e);

    PQ_TRY(text ? PQ_OK : e->rc);
    text[n - 1]++;                   /* it is ASCII */
    *out = pq_slice(text, n);
    return PQ_OK;
}

/* Compares from the back, because texts that differ mostly begin alike
** (https://). */
static bool matches_at(const PqextPattern *p, PqSlice part,
                       const unsigned char *at)
{
    for (size_t i = part.n; i-- > 0;) {
        if (!same(p, part.p[i], at[i])) {
            return false;
        }
    }
    return true;
}

static bool has_prefix(const PqextPattern *p, const unsigned char *text, size_t n)
{
    size_t n_prefix = p->prefix.n;
    enum { LAST = sizeof p->end };

    return n >= n_prefix &&
           (n_prefix < LAST ||
            (pq_load_u64(text + n_prefix - LAST) | p->cases) == p->end) &&
           matches_at(p, p->prefix, text);
}

static const unsigned char *find_inside(const PqextPattern *p,
                                        const unsigned char *text, size_t n)
{
    return pq_kernels()->find(text, n, p->inside.p, p->inside.n, !p->glob);
}

bool pqext_pattern_matches(const PqextPattern *p, PqSlice text)
{
    return has_prefix(p, text.p, text.n) &&
           (p->inside.n <= p->prefix.n ||
            find_inside(p, text.p, text.n) != NULL);
}

/* The first text from i on that does not follow the previous text in memory.
** The texts of a page follow each other, with only lengths between them. */
static uint32_t end_of_piece(const PqStr *v, uint32_t i, uint32_t n,
                             const uint64_t *wanted)
{
    enum { GAP = 8 };
    const unsigned char *end = v[i].p + v[i].n;

    for (i++; i < n; i++) {
        if (pq_bit(wanted, i)) {
            if ((uintptr_t)v[i].p - (uintptr_t)end > GAP) {
                break;
            }
            end = v[i].p + v[i].n;
        }
    }
    return i;
}

static void test_one(const PqextPattern *p, const PqStr *v, uint32_t i,
                     uint64_t *bits)
{
    bool passes = pqext_pattern_matches(p, pq_slice(v[i].p, v[i].n));

    bits[i / 64] |= (uint64_t)passes << i % 64;
}

/* Texts [i, end) lie in one piece.  A hit belongs to one of them, or to none if
** it lies across an end. */
static void search_piece(const PqextPattern *p, const PqStr *v, uint32_t i,
                         uint32_t end, const uint64_t *wanted, uint64_t *bits)
{
    const unsigned char *at = v[i].p, *stop;
    uint32_t last = end - 1;

    while (!pq_bit(wanted, last)) {
        last--;
    }
    stop = v[last].p + v[last].n;
    while ((at = find_inside(p, at, (size_t)(stop - at))) != NULL) {
        while (!pq_bit(wanted, i) || v[i].p + v[i].n <= at) {
            i++;
        }
        if (at >= v[i].p && at + p->inside.n <= v[i].p + v[i].n) {
            test_one(p, v, i, bits);
            at = v[i].p + v[i].n;
        } else {
            at++;
        }
    }
}

void pqext_pattern_test(const PqextPattern *p, const PqStr *v, uint32_t n,
                        const uint64_t *wanted, uint64_t *bits)
{
    uint32_t i = 0, end;

    memset(bits, 0, (n + 63) / 64 * sizeof *bits);
    while (i < n) {
        if (!pq_bit(wanted, i)) {
            i++;
        } else if (p->inside.n <= p->prefix.n) {
            test_one(p, v, i++, bits);
        } else {
            end = end_of_piece(v, i, n, wanted);
            search_piece(p, v, i, end, wanted, bits);
            i = end;
        }
    }
}

bool pqext_like_is_builtin(sqlite3 *db)
{
    int n_own;

    return pqext_ask_int(db, "SELECT count(*) FROM pragma_function_list "
                             "WHERE name IN ('like', 'glob') AND NOT builtin",
                         &n_own) && n_own == 0;
}
