/*
** system_windows.h - the words of POSIX for Windows: what system.h includes there.
**
** mingw-w64 has some of these words with another meaning: its stat has no number of a
** file and no nanoseconds, its paths are not UTF-8, and no other program can rename or
** remove what its open has opened.  So a word is a macro for a function or a type of
** system_windows.c or system_windows_process.c, whichever meaning mingw-w64 gives it.
**
**   word          meaning on Windows
**   st_dev, _ino  serial number of the volume, index of the file in it
**   st_mtim       100 ns
**   flock         locks one byte beyond the end of any file: others can still read;
**                 a folder is locked for this machine only
**   rename        over an open file, too
**   O_TMPFILE     a file with a name, which goes when it is closed
**
** Paths are UTF-8, with / or \ between their parts, and may be longer than 260.
*/
#ifndef PQ_SYSTEM_WINDOWS_H
#define PQ_SYSTEM_WINDOWS_H

/* Names of the C library that nothing here needs, and that functions of ours have. */
#define read  pq_windows_unused_read
#define write pq_windows_unused_write
#define tell  pq_windows_unused_tell
#include <io.h>
#undef read
#undef write
#undef tell

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <process.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* ---- limits and errors ---------------------------------------------------------- */

#undef PATH_MAX
#undef NAME_MAX
#define PATH_MAX 4096
#define NAME_MAX 765                   /* 255 units of UTF-16 as UTF-8        */

#ifndef EDQUOT
#define EDQUOT 2001
#endif
#ifndef ESTALE
#define ESTALE 2002
#endif

/* XSI's, and not GNU's: its text is in buf. */
char *pq_windows_strerror(int err, char *buf, size_t n);
#define strerror_r pq_windows_strerror

/* Of mingw-w64's and msvcrt's, each has values that it rounds wrong. */
double pq_windows_strtod(const char *text, char **end);
float pq_windows_strtof(const char *text, char **end);
#undef strtod
#define strtod pq_windows_strtod
#define strtof pq_windows_strtof

enum { PQ_SYSTEM_HAS_DRIVES = 1, PQ_SYSTEM_HOLDS_NAMES = 1, PQ_SYSTEM_DROPS_LOCKS = 0 };

/* ---- what a path names ---------------------------------------------------------- */

struct PqWindowsStat {
    uint64_t        st_dev, st_ino;
    unsigned        st_mode, st_uid, st_gid;
    int64_t         st_size;
    struct timespec st_mtim, st_ctim;
};

#undef stat
#undef fstat
#undef lstat
#define stat  PqWindowsStat
#define fstat pq_windows_fstat
#define lstat pq_windows_lstat
int PqWindowsStat(const char *path, struct PqWindowsStat *out);
int pq_windows_lstat(const char *path, struct PqWindowsStat *out);
int pq_windows_fstat(int fd, struct PqWindowsStat *out);

#define ino_t uint64_t
#define dev_t uint64_t
#define uid_t unsigned
#define gid_t unsigned

#define S_IFLNK     0xa000
#define S_IFSOCK    0xc000
#define S_ISLNK(m)  (((m) & 0xf000) == S_IFLNK)
#define S_ISSOCK(m) (((m) & 0xf000) == S_IFSOCK)

/* There are no owners, and of the permissions one: to write.  What others may do is not known. */
#define geteuid()            0u
#define fchmod(fd, mode)     ((void)(fd), (void)(mode), 0)
#define fchown(fd, uid, gid) ((void)(fd), (void)(uid), (void)(gid), -1)

int pq_windows_access(const char *path, int how);
int pq_windows_unlink(const char *path);
int pq_windows_rmdir(const char *path);
int pq_windows_mkdir(const char *path, unsigned mode);
int pq_windows_link(const char *from, const char *to);
int pq_windows_rename(const char *from, const char *to);
int pq_windows_rename_how(const char *from, const char *to, unsigned how);
ssize_t pq_windows_readlink(const char *path, char *out, size_t n);
char *pq_windows_realpath(const char *path, char *out);
char *pq_windows_getcwd(char *out, size_t n);
char *pq_windows_getenv(const char *name);
#define access    pq_windows_access
#define unlink    pq_windows_unlink
#define rmdir     pq_windows_rmdir
#define mkdir     pq_windows_mkdir
#define link      pq_windows_link
#define rename    pq_windows_rename
#define realpath  pq_windows_realpath
#define getcwd    pq_windows_getcwd
#define getenv    pq_windows_getenv
#define readlink  pq_windows_readlink

enum { RENAME_NOREPLACE = 1, RENAME_EXCHANGE = 2 };
#define AT_FDCWD 0
#define renameat2(at, from, at_, to, how) pq_windows_rename_how(from, to, how)

#ifndef W_OK
#define F_OK 0
#define W_OK 2
#define R_OK 4
#endif
#undef X_OK
#define X_OK 0

/* ---- files ------------------------------------------------------------------------ */

#define O_CLOEXEC   O_NOINHERIT
#define O_NONBLOCK  0
#define O_NOCTTY    0
#define O_NOFOLLOW  0x01000000
#define O_DIRECTORY 0x02000000
#define O_TMPFILE   0x04000000

int pq_windows_open(const char *path, int flags, ...);
#define open pq_windows_open

ssize_t pq_windows_read(int fd, void *to, size_t n, int64_t at);
ssize_t pq_windows_write(int fd, const void *from, size_t n, int64_t at);
int pq_windows_fsync(int fd);
int pq_windows_ftruncate(int fd, int64_t n);
int pq_windows_dup(int fd);
#define pread     pq_windows_read
#define pwrite    pq_windows_write
#define fsync     pq_windows_fsync
#undef ftruncate
#define ftruncate pq_windows_ftruncate
#define dup       pq_windows_dup
#define mkostemp(path, flags)   ((void)(path), errno = ENOSYS, -1)

enum { F_DUPFD_CLOEXEC = 1 };
#define fcntl(fd, command, least) pq_windows_dup(fd)

enum { SYNC_FILE_RANGE_WAIT_BEFORE, SYNC_FILE_RANGE_WRITE, SYNC_FILE_RANGE_WAIT_AFTER };
#define sync_file_range(fd, at, n, how) ((void)(at), (void)(n), (void)(how), 0)

enum { LOCK_SH = 1, LOCK_EX = 2, LOCK_NB = 4, LOCK_UN = 8 };
#ifndef EWOULDBLOCK
#define EWOULDBLOCK EAGAIN
#endif
int pq_windows_flock(int fd, int how);
#define flock     pq_windows_flock

/* ---- folders ---------------------------------------------------------------------- */

enum { DT_UNKNOWN, DT_REG, DT_DIR, DT_LNK };

typedef struct PqWindowsEntry {
    unsigned char d_type;
    char          d_name[NAME_MAX + 1];
} PqWindowsEntry;

typedef struct PqWindowsFolder PqWindowsFolder;

#define DIR      PqWindowsFolder
#define dirent   PqWindowsEntry
PqWindowsFolder *pq_windows_opendir(const char *path);
struct PqWindowsEntry *pq_windows_readdir(PqWindowsFolder *d);
int pq_windows_closedir(PqWindowsFolder *d);
int pq_windows_dirfd(PqWindowsFolder *d);
#define opendir   pq_windows_opendir
#define readdir   pq_windows_readdir
#define closedir  pq_windows_closedir
#define dirfd     pq_windows_dirfd

/* ---- pipes: a path is never one ---------------------------------------------------- */

struct statx_timestamp {
    int64_t tv_sec;
    int64_t tv_nsec;
};
struct statx {
    uint64_t stx_dev_major, stx_dev_minor, stx_ino, stx_mask;
    unsigned stx_mode;
    struct statx_timestamp stx_btime;
};
enum { STATX_INO = 1, STATX_BTIME = 2 };
#define statx(at, path, flags, mask, out) ((void)(path), *(out) = (struct statx){0}, -1)

/* Never called. */
#define pq_system_wait(fd, ms)        ((void)(fd), (void)(ms), false)
#define pq_system_read(fd, to, n)     ((void)(fd), (void)(to), (void)(n), -1)

/* ---- memory, libraries, the process ------------------------------------------------- */

enum { PROT_READ = 1, PROT_WRITE = 2, MAP_PRIVATE = 4, MAP_ANONYMOUS = 8, MADV_DONTDUMP = 1 };
#define MAP_FAILED ((void *)-1)
void *pq_windows_map(size_t n);
int pq_windows_unmap(void *p);
int pq_windows_lock(void *p, size_t n);
#define mmap(at, n, prot, how, fd, offset) pq_windows_map(n)
#define munmap(p, n)           ((void)(n), pq_windows_unmap(p))
#define mlock(p, n)            pq_windows_lock(p, n)
#define madvise(p, n, advice)  ((void)(p), (void)(n), 0)
#define malloc_usable_size(p)  _msize(p)
void explicit_bzero(void *p, size_t n);
void *memmem(const void *in, size_t n, const void *what, size_t n_what);

enum { RTLD_NOW = 1, RTLD_LOCAL = 2, RTLD_NOLOAD = 4, RTLD_NODELETE = 8 };
typedef struct Dl_info {
    const char *dli_fname;
} Dl_info;
void *dlopen(const char *name, int how);
void *dlsym(void *library, const char *name);
/* There is no name: the library stays loaded in any case. */
#define dladdr(at, out) ((void)(at), (out)->dli_fname = NULL, 0)

/* As curl.se, vcpkg and MSYS2 call it. */
#define PQ_SYSTEM_LIBCURL "libcurl-x64.dll", "libcurl.dll", "libcurl-4.dll"
#define PQ_SYSTEM_LIBCURL_FROM "put libcurl-x64.dll, from curl.se, beside the program"

ssize_t getrandom(void *to, size_t n, unsigned flags);

enum { _SC_NPROCESSORS_ONLN = 1 };
long pq_windows_processors(void);
#define sysconf(what) pq_windows_processors()

enum { RLIMIT_NOFILE = 1, PQ_WINDOWS_FILES = 2048 };
struct rlimit {
    uint64_t rlim_cur;
};
#define getrlimit(what, out) ((out)->rlim_cur = PQ_WINDOWS_FILES, 0)

#ifndef CLOCK_REALTIME_COARSE
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME       /* it ticks like times of files */
#endif

/* No signal comes to threads, and no process is forked. */
#undef pthread_sigmask
#undef pthread_atfork
#define sigset_t             int
#ifndef SIG_SETMASK
#define SIG_SETMASK          0
#endif
#define sigfillset(set)      (*(set) = 0)
static inline int pq_windows_sigmask(const sigset_t *set, sigset_t *old)
{
    (void)set;
    if (old) {
        *old = 0;
    }
    return 0;
}
#define pthread_sigmask(how, set, old) ((void)(how), pq_windows_sigmask(set, old))
#define pthread_atfork(before, parent, child) ((void)(child), 0)

/* Without a frame longjmp does not unwind: functions of codecs do not say how that is done. */
#undef setjmp
#define setjmp(to) _setjmp(to, NULL)

/* ---- addresses ----------------------------------------------------------------------- */

#ifndef AF_INET6
#define AF_INET  2
#define AF_INET6 23
#endif
#define SOCK_CLOEXEC 0
#ifndef INET6_ADDRSTRLEN
#define INET6_ADDRSTRLEN 65
#endif
/* As in the headers of Windows, which libcurl's include. */
__attribute__((dllimport)) unsigned long inet_addr(const char *text);
__attribute__((dllimport)) int inet_pton(int family, const char *text, void *out);
__attribute__((dllimport)) const char *inet_ntop(int family, const void *address, char *out,
                                                 size_t n);

#endif
