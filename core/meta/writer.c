/*
** writer.c - compares created_by with a name and a version.
**
** The text is free, so nothing in it is an error: "parquet-cpp" must not match
** "parquet-cpp-arrow", and a missing or odd version counts as very old.
*/
#include "core/meta/writer.h"

enum { PART_MAX = 1023 };

/* Up to three numbers separated by points; missing ones are 0. */
static uint32_t version_at(PqSlice by, size_t at)
{
    uint32_t part[3] = {0, 0, 0};

    for (int i = 0; i < 3; i++) {
        for (; at < by.n && by.p[at] >= '0' && by.p[at] <= '9'; at++) {
            part[i] = part[i] * 10 + (uint32_t)(by.p[at] - '0');
            part[i] = part[i] > PART_MAX ? PART_MAX : part[i];
        }
        if (at == by.n || by.p[at] != '.') {
            break;
        }
        at++;
    }
    return PQ_VERSION(part[0], part[1], part[2]);
}

bool pq_writer_is(PqSlice by, const char *app, uint32_t before)
{
    static const char version[] = " version ";
    size_t n = strlen(app), n_version = sizeof version - 1;
    uint32_t v = 0;

    if (by.n < n || (n && memcmp(by.p, app, n) != 0) ||
        (by.n > n && by.p[n] != ' ')) {
        return false;
    }
    if (by.n >= n + n_version && memcmp(by.p + n, version, n_version) == 0) {
        v = version_at(by, n + n_version);
    }
    return v < before;
}
