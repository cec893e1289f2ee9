/*
** describe_text.c - numbers, sizes, bars and cut texts for the page.
**
** Texts come from the file and may hold anything: invalid UTF-8, and control
** characters that would act on the terminal.
*/
#include "sql/describe/describe_text.h"

#include <math.h>

void pqsql_text_count(PqBuf *b, int64_t n)
{
    char digits[PQ_NUMBER_TEXT_ROOM];
    size_t length = pq_number_text_i64(n, digits), i;

    for (i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-') {
            pq_buf_byte(b, ',');
        }
        pq_buf_byte(b, (uint8_t)digits[i]);
    }
}

/* printf's %.1f would write the decimal point of the host's locale. */
void pqsql_text_tenths(PqBuf *b, double v)
{
    long long tenths = llround(v * 10);

    pq_buf_printf(b, "%lld.%lld", tenths / 10, tenths % 10);
}

void pqsql_text_bytes(PqBuf *b, int64_t n)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB", "PB",
                                       "EB"};
    double v = (double)n;
    size_t i = 0;

    if (n < 1000) {
        pq_buf_printf(b, "%lld B", (long long)n);
        return;
    }
    while (v >= 999.95 && i + 1 < PQ_COUNT(unit)) {
        v /= 1000;
        i++;
    }
    pqsql_text_tenths(b, v);
    pq_buf_printf(b, " %s", unit[i]);
}

static bool is_shown(const uint8_t *p, size_t n)
{
    if (n == 1) {
        return p[0] >= 0x20 && p[0] < 0x7f;
    }
    return n != 2 || p[0] != 0xc2 || p[1] >= 0xa0;    /* U+0080..U+009F */
}

void pqsql_text_cut(PqBuf *b, PqSlice s, uint32_t width)
{
    const uint8_t *p = s.p, *end = s.n ? s.p + s.n : s.p;
    size_t mark = b->n, last = b->n;   /* last: start of the last character */
    uint32_t n = 0;

    while (p < end) {
        bool good;
        size_t step = pq_utf8_step(p, end, &good);

        if (n == width) {
            if (width > 0 && pq_buf_ok(b) && b->n > mark) {
                b->n = last;
                pq_buf_text(b, "\u2026");
            }
            return;
        }
        last = b->n;
        if (good && is_shown(p, step)) {
            pq_buf_add(b, p, step);
        } else {
            pq_buf_text(b, "\ufffd");
        }
        p += step;
        n++;
    }
}

/* Eighths of a block: U+258F is one, U+2588 eight. */
void pqsql_text_bar(PqBuf *b, int64_t part, int64_t whole, uint32_t width)
{
    static const char *const block[] = {
        "", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a",
        "\u2589", "\u2588"};
    double share = whole > 0 ? (double)part / (double)whole : 0;
    uint32_t eighths;

    share = share > 1 ? 1 : share;
    eighths = (uint32_t)(share * width * 8 + 0.5);
    if (eighths == 0 && part > 0) {
        eighths = 1;
    }
    for (; eighths >= 8; eighths -= 8) {
        pq_buf_text(b, block[8]);
    }
    pq_buf_text(b, block[eighths]);
}

uint32_t pqsql_text_width(const PqBuf *b, size_t mark)
{
    uint32_t n = 0;

    for (size_t i = mark; i < b->n; i++) {
        n += (b->p[i] & 0xc0) != 0x80;
    }
    return n;
}

void pqsql_text_pad(PqBuf *b, size_t mark, uint32_t width)
{
    uint32_t n = pqsql_text_width(b, mark);

    for (; n < width; n++) {
        pq_buf_byte(b, ' ');
    }
}

void pqsql_text_right(PqBuf *b, size_t mark, uint32_t width)
{
    uint32_t n = pqsql_text_width(b, mark), blanks;
    size_t length = b->n - mark;

    if (n >= width || !pq_buf_ok(b)) {
        return;
    }
    blanks = width - n;
    if (pq_buf_room(b, blanks)) {
        b->n += blanks;
        memmove(b->p + mark + blanks, b->p + mark, length);
        memset(b->p + mark, ' ', blanks);
    }
}
