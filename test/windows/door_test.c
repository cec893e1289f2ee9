/*
** door_test.c - the words of core/base/system.h mean on Windows what POSIX says.
**
** Each line that fails is printed; the process ends with their number.
*/
#include "core/base/system.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;
static bool as_posix = true;             /* names change under open files */

#define IS(condition) is((condition), #condition, __LINE__)

static void is(bool good, const char *what, int line)
{
    if (!good) {
        printf("line %d: %s (errno %d, %s)\n", line, what, errno, strerror(errno));
        failed++;
    }
}

static int make(const char *path, const char *text)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    IS(fd >= 0);
    IS(pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
    return fd;
}

static bool reads(int fd, const char *text)
{
    char got[64] = "";

    return pread(fd, got, sizeof got - 1, 0) == (ssize_t)strlen(text) && !strcmp(got, text);
}

static void bytes(void)
{
    int fd = make("door/\xc3\xa9\xe2\x82\xac.txt", "a\nb\r\nc"), again;
    struct stat st, named;
    char c;

    IS(reads(fd, "a\nb\r\nc"));
    IS(pread(fd, &c, 1, 100) == 0);
    IS(fstat(fd, &st) == 0 && st.st_size == 6 && S_ISREG(st.st_mode));
    IS(stat("door/\xc3\xa9\xe2\x82\xac.txt", &named) == 0 && named.st_ino == st.st_ino &&
       named.st_dev == st.st_dev && named.st_mtim.tv_sec == st.st_mtim.tv_sec);
    IS(st.st_mtim.tv_sec > 1600000000 && st.st_mtim.tv_nsec < 1000000000);
    IS((st.st_mode & 077) == 0);         /* else no file of keys is read */
    IS(strtod("3.839223843572815e-239", NULL) == 0x1.fffffffffffffp-793);
    IS(open("door/\xc3\xa9\xe2\x82\xac.txt", O_RDWR | O_CREAT | O_EXCL, 0666) < 0 &&
       errno == EEXIST);
    again = dup(fd);
    close(fd);
    IS(reads(again, "a\nb\r\nc"));
    IS(ftruncate(again, 1) == 0 && fsync(again) == 0 && reads(again, "a"));
    IS(pwrite(again, "z", 1, INT64_C(5) << 30) == 1);
    IS(fstat(again, &st) == 0 && st.st_size == (INT64_C(5) << 30) + 1);
    close(again);
    IS(unlink("door/\xc3\xa9\xe2\x82\xac.txt") == 0);
    IS(open("door/\xc3\xa9\xe2\x82\xac.txt", O_RDONLY) < 0 && errno == ENOENT);
}

/* A reader keeps what it has opened. */
static void names(void)
{
    int old = make("door/old", "old"), new = make("door/new", "new"), fd;
    struct stat a, b;

    IS(renameat2(AT_FDCWD, "door/new", AT_FDCWD, "door/old", RENAME_NOREPLACE) != 0 &&
       errno == EEXIST);
    if (rename("door/new", "door/old") != 0) {
        printf("this system does not rename over an open file, as wine 8\n");
        as_posix = false;
        close(old);
        old = dup(new);
        IS(rename("door/new", "door/old") == 0);
    } else {
        IS(reads(old, "old"));
    }
    IS(reads(new, "new"));
    fd = open("door/old", O_RDONLY);
    IS(reads(fd, "new"));
    IS(link("door/old", "door/other") == 0);
    IS(stat("door/other", &a) == 0 && fstat(fd, &b) == 0 && a.st_ino == b.st_ino);
    IS(unlink("door/old") == 0 && reads(fd, "new"));
    IS(!as_posix || (stat("door/old", &a) != 0 && errno == ENOENT));
    IS(access("door/other", F_OK) == 0 && access("door/none", F_OK) != 0);
    close(old), close(new), close(fd);
    IS(unlink("door/other") == 0);
}

static void locks(void)
{
    int a = make("door/lock", "+ line\n"), b = open("door/lock", O_RDWR);

    IS(flock(a, LOCK_EX | LOCK_NB) == 0);
    IS(flock(b, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
    IS(reads(b, "+ line\n"));            /* a journal is read while it is locked */
    close(a);
    IS(flock(b, LOCK_EX | LOCK_NB) == 0);
    close(b);
    IS(unlink("door/lock") == 0);
}

/* How a copy into a folder and those above it keep others out. */
static void locks_of_folders(void)
{
    int a = open("door", O_RDONLY | O_DIRECTORY), b = open("door", O_RDONLY | O_DIRECTORY), c;
    DIR *d;

    IS(flock(a, LOCK_SH | LOCK_NB) == 0 && flock(b, LOCK_SH | LOCK_NB) == 0);
    c = open("door", O_RDONLY | O_DIRECTORY);
    IS(flock(c, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
    close(a), close(b);
    IS(flock(c, LOCK_EX | LOCK_NB) == 0);
    a = open("door", O_RDONLY | O_DIRECTORY);
    IS(flock(a, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
    IS(flock(a, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK);
    close(make("door/file", ""));
    IS((d = opendir("door")) != NULL && readdir(d) != NULL && closedir(d) == 0);
    IS(rename("door/file", "door/other") == 0 && unlink("door/other") == 0);
    close(c);
    IS(flock(a, LOCK_EX | LOCK_NB) == 0);
    close(a);
}

static void folders(void)
{
    char path[2000] = "door", real[PATH_MAX];
    size_t at[8];
    struct dirent *entry;
    int n = 0;
    DIR *d;

    for (int i = 0; i < 8; i++) {        /* beyond 260 */
        at[i] = strlen(path);
        memset(path + at[i], 'x', 100);
        path[at[i]] = '/';
        path[at[i] + 100] = 0;
        IS(mkdir(path, 0777) == 0);
    }
    close(make("door/file", ""));
    strcat(path, "/f");
    close(make(path, "far"));
    IS(realpath("door/file", real) && strstr(real, "/door/file") && !strchr(real, '\\'));
    IS(unlink(path) == 0);
    path[strlen(path) - 2] = 0;
    IS((d = opendir("door")) != NULL);
    for (errno = 0; d && (entry = readdir(d)); n++) {
        IS(entry->d_type == (strcmp(entry->d_name, "file") ? DT_DIR : DT_REG));
    }
    IS(n == 4 && errno == 0);            /* with . and .. */
    closedir(d);
    IS(rmdir("door") != 0 && errno == ENOTEMPTY);
    IS(opendir("door/none") == NULL && errno == ENOENT);
    IS(closedir(NULL) != 0);
    for (int i = 8; i-- > 0;) {
        IS(rmdir(path) == 0);
        path[at[i]] = 0;
    }
    IS(unlink("door/file") == 0);
}

static void rest(void)
{
    int fd = open("door", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600), again = dup(fd);
    char text[64];
    uint64_t a = 0, b = 0;
    void *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    IS(fd >= 0 && pwrite(fd, "scratch", 7, 0) == 7);
    close(fd);
    IS(reads(again, "scratch"));
    close(again);
    IS(p != MAP_FAILED && munmap(p, 1 << 20) == 0);
    IS(getrandom(&a, 8, 0) == 8 && getrandom(&b, 8, 0) == 8 && a != b);
    IS(getenv("TMPDIR") != NULL && getenv("NO_SUCH_VARIABLE") == NULL);
    IS(getcwd(text, sizeof text) && !strchr(text, '\\'));
    IS(sysconf(_SC_NPROCESSORS_ONLN) > 0);
    IS(inet_pton(AF_INET6, "::1", text) == 1);
}

int main(void)
{
    IS(mkdir("door", 0777) == 0);
    bytes();
    names();
    locks();
    locks_of_folders();
    folders();
    rest();
    IS(rmdir("door") == 0);              /* so the scratch file is gone, too */
    printf("door: %d failed\n", failed);
    return failed;
}
