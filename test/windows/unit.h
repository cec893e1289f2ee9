/*
** unit.h - words that the unit tests know and mingw-w64 does not have.
*/
#ifndef TEST_WINDOWS_UNIT_H
#define TEST_WINDOWS_UNIT_H

#include "core/base/system.h"

/* system_windows.h has given these names back. */
static inline int read(int fd, void *to, unsigned n)
{
    return _read(fd, to, n);
}

static inline int write(int fd, const void *from, unsigned n)
{
    return _write(fd, from, n);
}

static inline int setenv(const char *name, const char *value, int over)
{
    name = !strcmp(name, "HOME") ? "USERPROFILE" : name;        /* as getenv does */
    return over || !getenv(name) ? _putenv_s(name, value) : 0;
}

static inline int unsetenv(const char *name)
{
    return _putenv_s(name, "");
}

static inline char *mkdtemp(char *path)
{
    return _mktemp(path) && mkdir(path, 0700) == 0 ? path : NULL;
}

/* Has no e, which no program that was started would notice. */
static inline FILE *pq_windows_fopen(const char *path, const char *how)
{
    char binary[4] = {how[0], 'b', how[1] == '+' ? '+' : 0};

    return fopen(path, binary);
}
#define fopen pq_windows_fopen

static inline int pq_windows_remove(const char *path)
{
    return unlink(path) == 0 ? 0 : rmdir(path);
}
#define remove pq_windows_remove

/* rm -r FOLDER and mkdir FOLDER. */
int pq_windows_system(const char *command);
#define system pq_windows_system

int fchdir(int fd);
int utimensat(int at, const char *path, const struct timespec times[2], int flags);
int scandir(const char *path, struct dirent ***out, void *filter,
            int (*order)(const struct dirent **a, const struct dirent **b));

#endif
