/*
** z85.c - each group is a big-endian number of five digits, which may not exceed what
** four bytes hold.
*/
#include "core/text/z85.h"

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
                             "UVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/* The bytes of a group; 0: it is not one.
**
** QUIRK: Rust's z85 3.x, which delta-kernel-rs uses, writes a last group of fewer than
** four bytes with a # for each that is missing.  No other group begins with #: five digits
** would be too large.  Test: z85.a_last_group_may_lack_bytes. */
static size_t parse_group(PqSlice group, bool is_last, uint8_t *out)
{
    size_t n = 4;
    uint64_t v = 0;
    uint32_t be;

    for (; is_last && n > 1 && group.p[0] == '#'; n--) {
        (void)pq_slice_cut(&group, 1);
    }
    for (size_t i = 0; i < group.n; i++) {
        const char *digit = memchr(digits, group.p[i], sizeof digits - 1);

        if (!digit) {
            return 0;
        }
        v = v * 85 + (uint64_t)(digit - digits);
    }
    if (v >> 8 * n) {
        return 0;
    }
    be = __builtin_bswap32((uint32_t)v << (32 - 8 * n));
    memcpy(out, &be, n);
    return n;
}

bool pq_z85_parse(PqSlice text, uint8_t *out, size_t *n)
{
    bool ok = text.n % 5 == 0;

    for (*n = 0; ok && text.n;) {
        PqSlice group = pq_slice_cut(&text, 5);
        size_t some = parse_group(group, text.n == 0, out + *n);

        ok = some > 0;
        *n += some;
    }
    return ok;
}
