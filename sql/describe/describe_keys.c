/*
** describe_keys.c - writes the key of each encrypted column, the keys that are
** missing, and what people without any key can see.
**
**   encryption
**     algorithm         AES_GCM_V1
**     footer            encrypted with key kf
**     AAD prefix        tester, not in the file
**     footer's key      id, name
**     key k1            ssn
**     key k2, missing   pay.amount
**     in the clear      day
**     anybody sees      that this is a Parquet file, key
**                       metadata, its size and all values in
**                       the clear
**
** Columns are listed by key.  Two columns have the same key if the keys have
** the same name; a missing key has the words that say what is missing.
*/
#include "sql/describe/describe_inside.h"

/* Leaves beyond MOST are only counted: comparing them takes the square of their
** number. */
enum { LABEL = 20, MOST = 300 };

typedef struct Keys {
    const PqFooter    *f;
    const PqFileLocks *locks;
    PqBuf             *out;
    size_t             line;         /* where it begins                      */
    uint32_t           n_leaves;     /* leaves whose columns are listed      */
} Keys;

/* Begins a line; a line without a label continues the one before. */
static void begin(Keys *k, const char *label, const char *after)
{
    k->line = k->out->n;
    pq_buf_text(k->out, "  ");
    pqsql_text_cut(k->out, pq_slice_text(label), PQSQL_PAGE_WIDTH - 14);
    pq_buf_text(k->out, after);
    if (pqsql_text_width(k->out, k->line) >= LABEL) {
        pq_buf_byte(k->out, '\n');
        k->line = k->out->n;
    }
    pqsql_text_pad(k->out, k->line, LABEL);
}

static void end(Keys *k)
{
    pq_buf_byte(k->out, '\n');
}

/* Adds a word or a name, and the text after it, in a new line if need be. */
static void put(Keys *k, PqSlice word, const char *after)
{
    PqBuf cut;
    uint32_t used = pqsql_text_width(k->out, k->line), n;

    pq_buf_init(&cut, k->out->mem, k->out->sink);
    pqsql_text_cut(&cut, word, PQSQL_PAGE_WIDTH - LABEL - 1);
    pq_buf_text(&cut, after);
    n = pqsql_text_width(&cut, 0);
    if (used > LABEL && used + 1 + n > PQSQL_PAGE_WIDTH) {
        end(k);
        begin(k, "", "");
        used = LABEL;
    }
    if (used > LABEL) {
        pq_buf_byte(k->out, ' ');
    }
    pq_buf_add(k->out, cut.p, cut.n);
    pq_buf_free(&cut);
}

static void put_words(Keys *k, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, " ");

        put(k, pq_slice(text, n), "");
        text += n + (text[n] == ' ');
    }
}

/* "key kf", whether the key is there or missing. */
static const char *words_of(const PqLock *lock, char buf[PQ_KEY_WORDS])
{
    return lock->key ? pq_key_words(pq_slice_text(pq_key_name(lock->key)), buf)
           : lock->wants ? lock->wants : "a key";
}

/* ---- the footer ---------------------------------------------------------------- */

static void write_algorithm(Keys *k)
{
    begin(k, "algorithm", "");
    put_words(k, k->locks->ctr              ? "AES_GCM_CTR_V1: values can be "
                                              "changed unnoticed"
                 : k->locks->footer.unbound ? "AES_GCM_V1: pages can be "
                                              "exchanged unnoticed"
                                            : "AES_GCM_V1");
    end(k);
}

static void write_footer(Keys *k)
{
    const PqFileLocks *l = k->locks;
    char buf[PQ_KEY_WORDS];

    begin(k, "footer", "");
    put_words(k, l->encrypted_footer ? "encrypted with"
                 : l->verified       ? "in the clear, verified with"
                                     : "in the clear, not verified without");
    put_words(k, words_of(&l->footer, buf));
    end(k);
}

static void write_prefix(Keys *k)
{
    if (k->locks->aad_prefix.n == 0) {
        return;
    }
    begin(k, "AAD prefix", "");
    put(k, k->locks->aad_prefix, k->locks->supply_aad_prefix ? "," : "");
    if (k->locks->supply_aad_prefix) {
        put_words(k, "not in the file");
    }
    end(k);
}

/* ---- columns ------------------------------------------------------------------- */

static bool same(const Keys *k, const PqLock *a, const PqLock *b)
{
    char one[PQ_KEY_WORDS], two[PQ_KEY_WORDS];
    const PqLock *footer = &k->locks->footer;

    if (a == b || !a || !b || (a == footer) != (b == footer)) {
        return a == b;
    }
    return !a->key == !b->key &&
           strcmp(words_of(a, one), words_of(b, two)) == 0;
}

static const PqLock *lock_of(const Keys *k, uint32_t leaf)
{
    return leaf < k->locks->n_leaves ? k->locks->of_leaf[leaf] : NULL;
}

/* All columns with the lock of the first. */
static void write_columns(Keys *k, uint32_t first)
{
    const PqLock *lock = lock_of(k, first);
    uint32_t n = k->n_leaves, i, last = first;
    char buf[PQ_KEY_WORDS];

    for (i = first; i < n; i++) {
        last = same(k, lock_of(k, i), lock) ? i : last;
    }
    begin(k, !lock                       ? "in the clear"
             : lock == &k->locks->footer ? "footer's key"
                                         : words_of(lock, buf),
          lock && !lock->key ? ", missing" : "");
    for (i = first; i <= last; i++) {
        if (same(k, lock_of(k, i), lock)) {
            put(k, pq_slice_text(k->f->schema.leaves[i].path),
                i < last ? "," : "");
        }
    }
    end(k);
}

static bool is_first(const Keys *k, uint32_t leaf)
{
    for (uint32_t i = 0; i < leaf; i++) {
        if (same(k, lock_of(k, i), lock_of(k, leaf))) {
            return false;
        }
    }
    return true;
}

/* Writes what is not encrypted, or cannot be. */
static void write_seen(Keys *k)
{
    bool closed = k->locks->encrypted_footer;
    uint32_t i, clear = 0;

    for (i = 0; i < k->f->schema.n_leaves; i++) {
        clear += lock_of(k, i) == NULL;
    }
    begin(k, "anybody sees", "");
    put_words(k, closed ? "that this is a Parquet file,"
                        : "names and types of all columns,");
    if (k->locks->footer_metadata.n) {
        put_words(k, "key metadata,");
    }
    put_words(k, closed ? "its size" : "numbers of rows, sizes, who wrote it");
    if (clear) {
        put_words(k, "and all values in the clear");
    }
    end(k);
}

PqRc pqsql_describe_keys(const PqFooter *f, PqBuf *out, PqErr *e)
{
    uint32_t n = f->schema.n_leaves, i;
    Keys k = {.f = f, .locks = f->locks, .out = out,
              .n_leaves = n < MOST ? n : MOST};

    if (!f->locks) {
        return PQ_OK;
    }
    pq_buf_text(out, "\nencryption\n");
    write_algorithm(&k);
    write_footer(&k);
    write_prefix(&k);
    for (i = 0; i < k.n_leaves && pq_buf_ok(out); i++) {
        if (is_first(&k, i)) {
            write_columns(&k, i);
        }
    }
    if (n > k.n_leaves) {
        begin(&k, "not listed", "");
        pqsql_text_count(out, n - k.n_leaves);
        put_words(&k, "columns more");
        end(&k);
    }
    write_seen(&k);
    return pq_buf_ok(out) ? PQ_OK : e->rc;
}
