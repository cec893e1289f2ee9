/*
** interval_text.c - prints an INTERVAL as an ISO 8601 duration.
**
**   0e 00 00 00  03 00 00 00  39 30 00 00      14 months, 3 days, 12345 ms
**   P14M3DT12.345S
**
** Nothing is carried from one part to the next: the length of a month or a day
** depends on when it begins.
*/
#include "core/text/digits.h"
#include "core/text/time_text.h"

static char *put_part(uint32_t v, char letter, char *out)
{
    if (v) {
        out = pq_digits_u64(out, v);
        *out++ = letter;
    }
    return out;
}

size_t pq_time_text_interval(const uint8_t v[12], char *out)
{
    uint32_t months = pq_load_u32(v), days = pq_load_u32(v + 4);
    uint32_t millis = pq_load_u32(v + 8);
    char *end = out;

    *end++ = 'P';
    end = put_part(months, 'M', end);
    end = put_part(days, 'D', end);
    if (millis || !(months || days)) {
        *end++ = 'T';
        end = pq_digits_u64(end, millis / 1000);
        if (millis % 1000) {
            *end++ = '.';
            end = pq_digits_3(end, millis % 1000);
        }
        *end++ = 'S';
    }
    *end = 0;
    return (size_t)(end - out);
}
