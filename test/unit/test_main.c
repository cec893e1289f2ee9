/*
** test_main.c - runs every unit test, and ends with the counts that make check
** adds up.
**
**   unit_tests               all of them
**   unit_tests TEXT          those whose "suite.name" holds the text
**   unit_tests -part 1/2     every second one
*/
#include "test/unit/test.h"

#include <stdlib.h>

static Test *first;
static const char *program;
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
    printf("\n     alone: %s %s.%s\n", program, t->suite, t->name);
}

/* "n bytes, from at on: 04 8a ff" */
static void show_bytes(char *out, size_t room, PqSlice s, size_t at)
{
    enum { SHOWN = 16 };
    size_t n = (size_t)snprintf(out, room, "%zu bytes, from %zu on:", s.n, at);

    for (size_t i = at; i < s.n && i < at + SHOWN && n + 4 < room; i++) {
        n += (size_t)snprintf(out + n, room - n, " %02x", s.p[i]);
    }
}

bool test_bytes(Test *t, const char *file, int line, const char *what,
                PqSlice got, PqSlice want)
{
    char saw[120], wanted[120];
    size_t at = 0;

    if (got.n == want.n && (!got.n || memcmp(got.p, want.p, got.n) == 0)) {
        return true;
    }
    while (at < got.n && at < want.n && got.p[at] == want.p[at]) {
        at++;
    }
    show_bytes(saw, sizeof saw, got, at);
    show_bytes(wanted, sizeof wanted, want, at);
    test_fail(t, file, line, "%s is %s, not %s", what, saw, wanted);
    return false;
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

/* Back into the order of the files. */
static Test *in_order(void)
{
    Test *t, *reversed = NULL;

    while (first) {
        t = first;
        first = t->next;
        t->next = reversed;
        reversed = t;
    }
    return reversed;
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    static int nth;
    int part, parts;

    if (argc == 3 && strcmp(argv[1], "-part") == 0 &&
        sscanf(argv[2], "%d/%d", &part, &parts) == 2 && parts > 0) {
        return nth++ % parts == part - 1;
    }
    return argc < 2 || strstr(name, argv[1]);
}

/* A suite prints once that it lacks the official sample files. */
static void tell_skipped(const Test *t, const char *name)
{
    static const char *told = "";

    if (strcmp(t->skipped, NO_SAMPLES) != 0) {
        printf("skipped: %s: %s\n", name, t->skipped);
    } else if (strcmp(t->suite, told) != 0) {
        printf("without samples: %s\n", t->suite);
        told = t->suite;
    }
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, skipped = 0;
    Test *t;

    program = argv[0];
    setvbuf(stdout, NULL, _IOLBF, 0);  /* a crash loses no output */
    for (t = in_order(); t; t = t->next) {
        char name[256];
        snprintf(name, sizeof name, "%s.%s", t->suite, t->name);
        if (!is_wanted(name, argc, argv)) {
            continue;
        }
        run(t);
        if (t->failed) {
            failed++;
        } else if (t->skipped) {
            tell_skipped(t, name);
            skipped++;
        } else {
            passed++;
        }
    }
    printf("unit: %d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed != 0;
}
