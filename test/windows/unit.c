/*
** unit.c - what the unit tests do with folders, and mingw-w64 does not have.
*/
#include "test/windows/unit.h"

#include "test/windows/ftw.h"

#include <sys/utime.h>

__attribute__((dllimport)) unsigned long GetFinalPathNameByHandleA(void *h, char *out,
                                                                   unsigned long n,
                                                                   unsigned long how);
int _chdir(const char *path);

int fchdir(int fd)
{
    char path[PATH_MAX];                 /* \\?\C:\a */
    unsigned long n = GetFinalPathNameByHandleA((void *)_get_osfhandle(fd), path,
                                                sizeof path, 0);

    return n > 4 && n < sizeof path ? _chdir(path + 4) : -1;
}

/* In whole seconds. */
int utimensat(int at, const char *path, const struct timespec times[2], int flags)
{
    struct __utimbuf64 to = {times[0].tv_sec, times[1].tv_sec};

    (void)at, (void)flags;
    return _utime64(path, &to);
}

int scandir(const char *path, struct dirent ***out, void *filter,
            int (*order)(const struct dirent **a, const struct dirent **b))
{
    enum { MOST = 1000 };
    DIR *d = opendir(path);
    struct dirent *entry;
    int n = 0;

    (void)filter;
    *out = calloc(MOST, sizeof **out);
    while (d && *out && n < MOST && (entry = readdir(d)) != NULL) {
        if (((*out)[n] = malloc(sizeof *entry)) != NULL) {
            *(*out)[n++] = *entry;
        }
    }
    if (d) {
        closedir(d);
    }
    qsort(*out, (size_t)n, sizeof **out, (int (*)(const void *, const void *))order);
    return d ? n : -1;
}

static int walk(const char *path, int level,
                int (*each)(const char *, const struct stat *, int, struct FTW *))
{
    struct FTW ftw = {level};
    struct stat st;
    int rc = lstat(path, &st);

    if (rc == 0 && S_ISDIR(st.st_mode)) {
        DIR *d = opendir(path);
        struct dirent *entry;

        while (d && rc == 0 && (entry = readdir(d)) != NULL) {
            char inner[PATH_MAX];

            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) {
                rc = walk(inner, level + 1, each);
            }
        }
        if (d) {
            closedir(d);
        }
    }
    return rc == 0 ? each(path, &st, 0, &ftw) : rc;
}

static int removes(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

int pq_windows_system(const char *command)
{
    char path[PATH_MAX];

    if (sscanf(command, "mkdir %s", path) == 1) {
        return mkdir(path, 0777);
    }
    return sscanf(command, "rm -r '%[^']", path) == 1 || sscanf(command, "rm -r %s", path) == 1
               ? walk(path, 0, removes) : -1;
}

int nftw(const char *path, int (*each)(const char *, const struct stat *, int, struct FTW *),
         int most, int flags)
{
    (void)most, (void)flags;
    return walk(path, 0, each);
}
