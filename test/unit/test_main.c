/*
** test_main.c - runs every unit test, or those whose "suite.name" holds the
** argument; ends with the counts that make check adds up.
*/
#include "test/unit/test.h"

#include <stdlib.h>

static Test *first;
static int held_count;
static void *held[256];

void test_register(Test *t)
{
    t->next = first;
    first = t;
}

void test_fail(Test *t, const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    t->failed = true;
    printf("FAIL %s.%s\n     %s:%d: ", t->suite, t->name, file, line);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
}

static int nibble(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

PqSlice test_hex(Test *t, const char *hex)
{
    uint8_t *p = malloc(strlen(hex) / 2 + 1);
    size_t n = 0;

    (void)t;
    if (!p || held_count == (int)PQ_COUNT(held)) {
        abort();
    }
    held[held_count++] = p;
    while (*hex) {
        if (nibble(hex[0]) < 0) {
            hex++;
            continue;
        }
        p[n++] = (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]));
        hex += 2;
    }
    return pq_slice(p, n);
}

static void run(Test *t)
{
    PqErr e;

    pq_err_init(&e);
    t->e = &e;
    t->mem = pq_mem_new((size_t)1 << 30);
    t->run(t);
    if (!t->failed && pq_mem_used(t->mem) != 0) {
        test_fail(t, __FILE__, __LINE__, "leaves %zu bytes allocated",
                  pq_mem_used(t->mem));
    }
    pq_mem_release(t->mem);
    while (held_count) {
        free(held[--held_count]);
    }
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    Test *t, *reversed = NULL;

    while (first) {                  /* back into the order of the file */
        t = first;
        first = t->next;
        t->next = reversed;
        reversed = t;
    }
    for (t = reversed; t; t = t->next) {
        char name[256];
        snprintf(name, sizeof name, "%s.%s", t->suite, t->name);
        if (argc > 1 && !strstr(name, argv[1])) {
            continue;
        }
        run(t);
        if (t->failed) {
            failed++;
        } else if (t->skipped) {
            printf("skip %s: %s\n", name, t->skipped);
            skipped++;
        } else {
            passed++;
        }
    }
    printf("unit: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
