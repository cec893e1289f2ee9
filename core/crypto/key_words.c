/*
** key_words.c - how messages name a key, and texts that may be one.
**
** A name that looks like a key was given in the place of a name, so no message repeats it.
*/
#include "core/crypto/aes_key.h"

#include "core/base/secret.h"
#include "core/text/base64.h"
#include "core/text/parse.h"

#include <stdio.h>

/* The digits inside x'...' or 0x...; any other text as it is. */
static PqSlice without_mark(PqSlice s)
{
    if (s.n > 3 && (s.p[0] | 0x20) == 'x' && s.p[1] == '\'' &&
        s.p[s.n - 1] == '\'') {
        return pq_slice(s.p + 2, s.n - 3);
    }
    return s.n > 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x'
               ? pq_slice(s.p + 2, s.n - 2) : s;
}

bool pq_key_looks_like_one(PqSlice text)
{
    uint8_t bytes[PQ_KEY_MOST];
    size_t n;
    bool is;

    text = without_mark(pq_parse_trim(text));
    is = (text.n % 2 == 0 && pq_key_size_ok(text.n / 2) &&
          pq_hex_parse(text, bytes) == PQ_PARSE_OK) ||
         (pq_base64_parse(text, bytes, sizeof bytes, &n) && pq_key_size_ok(n));
    pq_wipe(bytes, sizeof bytes);
    return is;
}

const char *pq_key_words(PqSlice name, char buf[PQ_KEY_WORDS])
{
    int n = name.n < 120 ? (int)name.n : 120;

    if (pq_key_looks_like_one(name)) {
        return "a key whose name looks like a key and is not shown";
    }
    snprintf(buf, PQ_KEY_WORDS, "key %.*s", n, name.n ? (char *)name.p : "");
    return buf;
}

/* The name in such words.  NULL: they are not a name, or the name has a
** quote. */
static const char *name_in(const char *words)
{
    static const char before[] = "key ";
    const char *name = words + sizeof before - 1;

    return strncmp(words, before, sizeof before - 1) == 0 &&
                   !strchr(name, '\'')
               ? name : NULL;
}

void pq_key_hint(const char *words, PqErr *e)
{
    const char *name = name_in(words);

    if (name) {
        pq_err_hint(e, "SELECT parquet_key_file('%.120s', 'FILE') gives it",
                    name);
    } else {
        pq_err_hint(e, "SELECT parquet_key_file('NAME', 'FILE') gives a key, and "
                       "footer_key= or column_keys= names it");
    }
}

void pq_key_hint_wrong(const PqKey *k, PqErr *e)
{
    char words[PQ_KEY_WORDS];
    const char *name = name_in(pq_key_words(pq_slice_text(pq_key_name(k)), words));

    pq_err_hint(e, "this key has %u bits; SELECT parquet_key_file('%.120s', "
                   "'FILE') replaces it", pq_key_bits(k),
                name ? name : "NAME");
}
