/*
** sealed_scratch.c - enciphers a temporary file: AES-CTR by offset.
**
** Any part of the file may be read again, so the stream must be found from an
** offset.  The file is cut into units, and the number of a unit is its nonce:
**
**   unit    0            1            2            4096 bytes each
**   nonce   00..00       00..01       00..02       (8 bytes of the 12)
**
** A nonce must not be used twice with one key for different bytes.  It is not:
** the key belongs to one file, and a sink only appends, so each byte is written
** once.  A piece that begins within a unit needs the stream from the unit's
** start on; what comes before the piece is computed and thrown away.
*/
#include "core/crypto/sealed_scratch.h"

#include "core/base/random.h"
#include "core/base/secret.h"
#include "core/crypto/aes_key.h"

enum { UNIT = 4096, KEY_BYTES = 32 };

/* n bytes from `skip` on in a unit. */
static PqRc turn_part(PqKey *k, uint64_t unit, size_t skip, uint8_t *p,
                      size_t n, PqErr *e)
{
    uint8_t nonce[PQ_NONCE_BYTES] = {0}, whole[UNIT];

    pq_store_u64(nonce, unit);
    if (skip == 0) {
        return pq_key_ctr(k, nonce, p, n, p, false, e);
    }
    memset(whole, 0, skip);
    memcpy(whole + skip, p, n);
    PQ_TRY(pq_key_ctr(k, nonce, whole, skip + n, whole, false, e));
    memcpy(p, whole + skip, n);
    return PQ_OK;
}

static PqRc turn(void *key, uint64_t offset, uint8_t *p, size_t n, PqErr *e)
{
    while (n) {
        size_t skip = (size_t)(offset % UNIT), some = UNIT - skip;

        some = n < some ? n : some;
        PQ_TRY(turn_part(key, offset / UNIT, skip, p, some, e));
        offset += some;
        p += some;
        n -= some;
    }
    return PQ_OK;
}

static void release(void *key)
{
    pq_key_release(key);
}

static PqRc make_key(PqMem *mem, PqKey **out, PqErr *e)
{
    uint8_t bytes[KEY_BYTES];
    PqRc rc = pq_random_fill(bytes, sizeof bytes, e);

    if (rc == PQ_OK) {
        rc = pq_key_new(mem, "of a temporary file",
                        pq_slice(bytes, sizeof bytes), out, e);
    }
    pq_wipe(bytes, sizeof bytes);
    return rc;
}

PqRc pq_sealed_scratch(PqMem *mem, const char *folder, PqSink **out, PqErr *e)
{
    PqKey *key = NULL;

    *out = NULL;
    PQ_TRY(make_key(mem, &key, e));
    if (pq_sink_scratch(mem, folder, out, e) != PQ_OK) {
        pq_key_release(key);
        return e->rc;
    }
    pq_sink_turn(*out, (PqSinkTurn){turn, release, key});
    return PQ_OK;
}
