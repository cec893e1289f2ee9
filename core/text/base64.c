/*
** base64.c - four digits are three bytes.
**
** Two digits at the end are one byte, three are two.  Their remaining bits are
** ignored, as in most readers.
*/
#include "core/text/base64.h"

static int digit_of(uint8_t c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

bool pq_base64_parse(PqSlice text, uint8_t *out, size_t room, size_t *n)
{
    uint32_t bits = 0;

    *n = 0;
    for (int i = 0; i < 2 && text.n && text.p[text.n - 1] == '='; i++) {
        text.n--;
    }
    if (text.n % 4 == 1) {
        return false;
    }
    for (size_t i = 0; i < text.n; i++) {
        int digit = digit_of(text.p[i]);

        if (digit < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 > 0) {
            if (*n == room) {
                return false;
            }
            out[(*n)++] = (uint8_t)(bits >> (6 - 2 * (i % 4)));
        }
    }
    return true;
}

void pq_base64_text(PqSlice bytes, PqBuf *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
                                 "qrstuvwxyz0123456789+/";

    for (size_t i = 0; i < bytes.n; i += 3) {
        size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
        uint32_t bits = 0;
        char four[4];

        for (size_t k = 0; k < n; k++) {
            bits |= (uint32_t)bytes.p[i + k] << (16 - 8 * k);
        }
        for (size_t k = 0; k < 4; k++) {
            four[k] = k > n ? '=' : digits[bits >> (18 - 6 * k) & 63];
        }
        pq_buf_add(out, four, sizeof four);
    }
}
