/*
** test.h - unit tests: a name is a sentence that can be false.
**
**   TEST(rle, a_run_longer_than_the_page_is_cut)
**   {
**       CHECK(pq_levels_read(&l, 9, out, t->e) == PQ_OK);
**       CHECK_INT(out[8], 1);
**   }
**
** Tests register themselves before main runs.  A failing CHECK prints where
** and what, fails its test and returns from it.  t->e is a fresh PqErr and
** t->mem a fresh budget; what a test leaves allocated in t->mem is a failure.
*/
#ifndef TEST_H
#define TEST_H

#include "core/base/arena.h"

#include <stdio.h>

typedef struct Test {
    const char  *suite, *name;
    void       (*run)(struct Test *t);
    struct Test *next;
    bool         failed;
    const char  *skipped;            /* why */
    PqMem       *mem;
    PqErr       *e;
} Test;

/* Why a test is skipped that reads the official sample files. */
#define NO_SAMPLES "no official sample files"

void test_register(Test *t);
void test_fail(Test *t, const char *file, int line, const char *fmt, ...)
    PQ_PRINTF(4, 5);

/* Checks for the same bytes.  Prints those where the two begin to differ. */
bool test_bytes(Test *t, const char *file, int line, const char *what,
                PqSlice got, PqSlice want);

/* Bytes from "04 8a ff", spaces ignored; lives until the test ends. */
PqSlice test_hex(Test *t, const char *hex);

#define TEST(suite_, name_)                                            \
    static void test_##suite_##_##name_(Test *t);                      \
    __attribute__((constructor)) static void                          \
        register_##suite_##_##name_(void)                              \
    {                                                                  \
        static Test self = {.suite = #suite_, .name = #name_,          \
                            .run = test_##suite_##_##name_};           \
        test_register(&self);                                          \
    }                                                                  \
    static void test_##suite_##_##name_(Test *t)

#define CHECK(cond)                                                    \
    do {                                                               \
        if (!(cond)) {                                                 \
            test_fail(t, __FILE__, __LINE__, "%s", #cond);             \
            return;                                                    \
        }                                                              \
    } while (0)

#define CHECK_INT(got, want)                                           \
    do {                                                               \
        long long got_ = (long long)(got), want_ = (long long)(want);  \
        if (got_ != want_) {                                           \
            test_fail(t, __FILE__, __LINE__, "%s is %lld, not %lld",   \
                      #got, got_, want_);                              \
            return;                                                    \
        }                                                              \
    } while (0)

#define CHECK_TEXT(got, want)                                          \
    do {                                                               \
        const char *got_ = (got), *want_ = (want);                     \
        if (strcmp(got_, want_) != 0) {                                \
            test_fail(t, __FILE__, __LINE__, "%s is \"%s\", not \"%s\"", \
                      #got, got_, want_);                              \
            return;                                                    \
        }                                                              \
    } while (0)

#define CHECK_BYTES(got, got_n, want, want_n)                          \
    do {                                                               \
        if (!test_bytes(t, __FILE__, __LINE__, #got,                   \
                        pq_slice((got), (size_t)(got_n)),              \
                        pq_slice((want), (size_t)(want_n)))) {         \
            return;                                                    \
        }                                                              \
    } while (0)

/* The call succeeds / fails with rc and a message that holds text. */
#define CHECK_OK(call)                                                 \
    do {                                                               \
        if ((call) != PQ_OK) {                                         \
            test_fail(t, __FILE__, __LINE__, "%s: %s", #call,          \
                      t->e->text);                                     \
            return;                                                    \
        }                                                              \
    } while (0)

#define CHECK_FAILS(call, rc_, text_)                                  \
    do {                                                               \
        if ((call) != (rc_) || !strstr(t->e->text, (text_))) {         \
            test_fail(t, __FILE__, __LINE__, "%s: rc %d, \"%s\"",      \
                      #call, (int)t->e->rc, t->e->text);               \
            return;                                                    \
        }                                                              \
        pq_err_clear(t->e);                                            \
    } while (0)

#endif
