/*
** door.c - see door.h.
*/
#include "test/fuzz/door.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void door_broken(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

PqMem *door_open(PqErr *e)
{
    PqMem *mem = pq_mem_new(DOOR_MEMORY);

    DOOR_CHECK(mem != NULL);
    pq_err_init(e);
    return mem;
}

void door_close(PqMem *mem)
{
    DOOR_CHECK(pq_mem_peak(mem) <= DOOR_MEMORY);
    DOOR_CHECK(pq_mem_used(mem) == 0);
    pq_mem_release(mem);
}

void door_check_text(const char *text, const char *about)
{
    const unsigned char *p = (const unsigned char *)text;

    DOOR_CHECK(text && *text);
    for (; *p; p++) {
        if (*p < ' ' || *p == 0x7f) {
            fprintf(stderr, "not printable: %s\n", text);
            abort();
        }
    }
    if (about && !strstr(text, about)) {
        fprintf(stderr, "does not name %s: %s\n", about, text);
        abort();
    }
}

void door_check_error(const PqErr *e, const char *about)
{
    if (e->rc != PQ_OK) {
        door_check_text(e->text, about);
    }
}

PqSlice door_take(PqSlice *in, size_t n)
{
    PqSlice s = {in->p, n < in->n ? n : in->n};

    in->p += s.n;
    in->n -= s.n;
    return s;
}

uint8_t door_u8(PqSlice *in)
{
    PqSlice s = door_take(in, 1);

    return s.n ? s.p[0] : 0;
}

uint16_t door_u16(PqSlice *in)
{
    unsigned low = door_u8(in), high = door_u8(in);

    return (uint16_t)(low | high << 8);
}

uint32_t door_u24(PqSlice *in)
{
    uint32_t low = door_u16(in), high = door_u8(in);

    return low | high << 16;
}

uint8_t *door_copy(PqSlice s)
{
    uint8_t *p = malloc(s.n ? s.n : 1);

    DOOR_CHECK(p != NULL);
    if (s.n) {
        memcpy(p, s.p, s.n);
    }
    return p;
}
