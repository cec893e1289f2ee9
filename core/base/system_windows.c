/*
** system_windows.c - the meaning of POSIX's words on Windows.
**
** Files are opened by CreateFileW with every way to share, and get a descriptor of the C
** library.  Reading and writing go to the handle below it, so nothing there turns line
** feeds into others.  Errors of Windows become errno in one table.
**
** What is hard: Windows refuses to rename over an open file, or to remove one, unless it is
** told to do it as POSIX says, which Windows 10 and NTFS know.  Elsewhere the old ways are
** tried.
*/
#ifdef _WIN32
#include "core/base/system_windows_inside.h"

#include <wchar.h>

/* ---- errors ------------------------------------------------------------------------ */

static const struct {
    DWORD windows;
    int   posix;
} errors[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT}, {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_BAD_NETPATH, ENOENT}, {ERROR_BAD_NET_NAME, ENOENT},
    {ERROR_BAD_PATHNAME, ENOENT}, {ERROR_INVALID_NAME, ENOENT},
    {ERROR_INVALID_DRIVE, ENOENT}, {ERROR_DELETE_PENDING, ENOENT},
    {ERROR_TOO_MANY_OPEN_FILES, EMFILE}, {ERROR_ACCESS_DENIED, EACCES},
    {ERROR_SHARING_VIOLATION, EACCES}, {ERROR_WRITE_PROTECT, EROFS},
    {ERROR_LOCK_VIOLATION, EWOULDBLOCK}, {ERROR_IO_PENDING, EWOULDBLOCK},
    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}, {ERROR_OUTOFMEMORY, ENOMEM},
    {ERROR_FILE_EXISTS, EEXIST}, {ERROR_ALREADY_EXISTS, EEXIST},
    {ERROR_DISK_FULL, ENOSPC}, {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {1295 /* ERROR_DISK_QUOTA_EXCEEDED */, EDQUOT}, {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
    {ERROR_DIRECTORY, ENOTDIR}, {ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG},
    {ERROR_INVALID_HANDLE, EBADF}, {ERROR_INVALID_FUNCTION, EOPNOTSUPP},
    {ERROR_NOT_SUPPORTED, EOPNOTSUPP}, {ERROR_TOO_MANY_LINKS, EMLINK},
    {ERROR_NOT_SAME_DEVICE, EXDEV}, {ERROR_INVALID_PARAMETER, EINVAL},
};

int pq_windows_fail(void)
{
    DWORD last = GetLastError();

    errno = EIO;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].windows == last) {
            errno = errors[i].posix;
        }
    }
    return -1;
}

int pq_windows_done(BOOL good)
{
    return good ? 0 : pq_windows_fail();
}

char *pq_windows_strerror(int err, char *buf, size_t n)
{
    snprintf(buf, n, "%s", err == EDQUOT   ? "Disk quota exceeded"
                           : err == ESTALE ? "Stale file handle"
                                           : strerror(err));
    return buf;
}

/* ---- paths --------------------------------------------------------------------------- */

/* Longer paths need a prefix, after which Windows takes only whole ones. */
enum { SHORT_PATH = 240 };

/* The path in UTF-16, to be freed; NULL with errno.  whole: from the drive on. */
static wchar_t *wide_path(const char *path, bool whole)
{
    int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *w = n > 0 ? malloc((size_t)n * sizeof *w) : NULL, *full;
    DWORD room;

    if (!w) {
        errno = n > 0 ? ENOMEM : ENOENT;
        return NULL;
    }
    MultiByteToWideChar(CP_UTF8, 0, path, -1, w, n);
    if ((n < SHORT_PATH && !whole) || wcsncmp(w, L"\\\\?\\", 4) == 0) {
        return w;
    }
    room = GetFullPathNameW(w, 0, NULL, NULL);
    full = malloc((room + 8) * sizeof *full);
    if (full && room) {
        bool server = (w[0] == '\\' || w[0] == '/') && (w[1] == '\\' || w[1] == '/');

        wcscpy(full, server ? L"\\\\?\\UNC" : L"\\\\?\\");
        GetFullPathNameW(w, room, full + (server ? 6 : 4), NULL);
        if (server) {
            full[6] = 'C';               /* \\server became \\?\UNC\server */
            full[7] = '\\';
        }
    }
    free(w);
    errno = full ? errno : ENOMEM;
    return full;
}

wchar_t *pq_windows_wide(const char *path)
{
    return wide_path(path, false);
}

/* UTF-16 as UTF-8, with / for \.  False: there is no room. */
static bool narrow(const wchar_t *w, char *out, size_t n)
{
    if (WideCharToMultiByte(CP_UTF8, 0, w, -1, out, (int)n, NULL, NULL) <= 0) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (; *out; out++) {
        *out = *out == '\\' ? '/' : *out;
    }
    return true;
}

static HANDLE open_handle(const char *path, DWORD access_, DWORD how, DWORD flags)
{
    wchar_t *w = pq_windows_wide(path);
    HANDLE h;

    if (!w) {
        return INVALID_HANDLE_VALUE;
    }
    h = CreateFileW(w, access_, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    how, flags | FILE_FLAG_BACKUP_SEMANTICS, NULL);
    free(w);
    if (h == INVALID_HANDLE_VALUE) {
        pq_windows_fail();
    }
    return h;
}

/* ---- what a path names ---------------------------------------------------------------- */

static struct timespec time_of(LARGE_INTEGER t)
{
    enum { TICKS = 10000000, TICK_NS = 100 };
    const int64_t epoch = INT64_C(11644473600);      /* from 1601 to 1970 */

    return (struct timespec){.tv_sec = t.QuadPart / TICKS - epoch,
                             .tv_nsec = (long)(t.QuadPart % TICKS * TICK_NS)};
}

static bool is_link(HANDLE h, DWORD attributes)
{
    FILE_ATTRIBUTE_TAG_INFO tag;

    return (attributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
           GetFileInformationByHandleEx(h, FileAttributeTagInfo, &tag, sizeof tag) &&
           (tag.ReparseTag == IO_REPARSE_TAG_SYMLINK ||
            tag.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

static int examine(HANDLE h, struct stat *out)
{
    BY_HANDLE_FILE_INFORMATION info;
    FILE_BASIC_INFO times;

    *out = (struct stat){0};
    if (GetFileType(h) != FILE_TYPE_DISK) {
        out->st_mode = GetFileType(h) == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR;
        return 0;
    }
    if (!GetFileInformationByHandle(h, &info) ||
        !GetFileInformationByHandleEx(h, FileBasicInfo, &times, sizeof times)) {
        return pq_windows_fail();
    }
    out->st_dev = info.dwVolumeSerialNumber;
    out->st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
    out->st_size = (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow);
    out->st_mtim = time_of(times.LastWriteTime);
    out->st_ctim = time_of(times.ChangeTime);
    out->st_mode = is_link(h, info.dwFileAttributes)                      ? S_IFLNK
                   : info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? S_IFDIR
                                                                      : S_IFREG;
    out->st_mode |= info.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? 0400 : 0600;
    return 0;
}

static int examine_path(const char *path, DWORD flags, struct stat *out)
{
    HANDLE h = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, flags);
    int rc = h == INVALID_HANDLE_VALUE ? -1 : examine(h, out);

    if (h != INVALID_HANDLE_VALUE) {
        CloseHandle(h);
    }
    return rc;
}

int stat(const char *path, struct stat *out)
{
    return examine_path(path, 0, out);
}

int lstat(const char *path, struct stat *out)
{
    return examine_path(path, FILE_FLAG_OPEN_REPARSE_POINT, out);
}

static HANDLE handle_of(int fd)
{
    return (HANDLE)_get_osfhandle(fd);
}

int fstat(int fd, struct stat *out)
{
    return examine(handle_of(fd), out);
}

int access(const char *path, int how)
{
    struct stat st;

    if (stat(path, &st) != 0) {
        return -1;
    }
    errno = EACCES;
    return (how & W_OK) && S_ISREG(st.st_mode) && !(st.st_mode & 0200) ? -1 : 0;
}

/* Does it as POSIX says: the name is gone, the open file stays. */
int unlink(const char *path)
{
    HANDLE h = open_handle(path, DELETE, OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT);
    FILE_DISPOSITION_INFO old_way = {TRUE};
    DWORD how = 0x1 | 0x2 | 0x10;     /* delete, as POSIX says, what is read-only, too */
    BOOL good;

    if (h == INVALID_HANDLE_VALUE) {
        return -1;
    }
    good = SetFileInformationByHandle(h, (FILE_INFO_BY_HANDLE_CLASS)21, &how, sizeof how) ||
           SetFileInformationByHandle(h, FileDispositionInfo, &old_way, sizeof old_way);
    pq_windows_done(good);
    CloseHandle(h);
    return good ? 0 : -1;
}

int rmdir(const char *path)
{
    wchar_t *w = pq_windows_wide(path);
    int rc = w ? pq_windows_done(RemoveDirectoryW(w)) : -1;

    free(w);
    return rc;
}

int mkdir(const char *path, unsigned mode)
{
    wchar_t *w = pq_windows_wide(path);
    int rc = w ? pq_windows_done(CreateDirectoryW(w, NULL)) : -1;

    (void)mode;
    free(w);
    return rc;
}

int link(const char *from, const char *to)
{
    wchar_t *a = pq_windows_wide(from), *b = pq_windows_wide(to);
    int rc = a && b ? pq_windows_done(CreateHardLinkW(b, a, NULL)) : -1;

    free(a);
    free(b);
    return rc;
}

/* FILE_RENAME_INFO with flags, which older headers do not have. */
typedef struct RenameTo {
    DWORD   flags;
    HANDLE  root;
    DWORD   n_bytes;
    wchar_t name[1];
} RenameTo;

static bool rename_as_posix(const char *from, const wchar_t *to)
{
    size_t n = wcslen(to) * sizeof *to;
    RenameTo *r = calloc(1, sizeof *r + n);
    HANDLE h = r ? open_handle(from, DELETE | SYNCHRONIZE, OPEN_EXISTING,
                               FILE_FLAG_OPEN_REPARSE_POINT) : INVALID_HANDLE_VALUE;
    bool good = false;

    if (h != INVALID_HANDLE_VALUE) {
        r->flags = 0x1 | 0x2;            /* replace, as POSIX says */
        r->n_bytes = (DWORD)n;
        memcpy(r->name, to, n);
        good = SetFileInformationByHandle(h, (FILE_INFO_BY_HANDLE_CLASS)22, r,
                                          (DWORD)(sizeof *r + n));
        CloseHandle(h);
    }
    free(r);
    return good;
}

int pq_windows_rename_how(const char *from, const char *to, unsigned how)
{
    wchar_t *a = pq_windows_wide(from), *b = wide_path(to, true);
    int rc = -1;

    if (how == RENAME_EXCHANGE) {
        errno = EINVAL;
    } else if (a && b) {
        rc = how != RENAME_NOREPLACE && rename_as_posix(from, b)
                 ? 0 : pq_windows_done(MoveFileExW(a, b, how ? 0 : MOVEFILE_REPLACE_EXISTING));
    }
    free(a);
    free(b);
    return rc;
}

int rename(const char *from, const char *to)
{
    return pq_windows_rename_how(from, to, 0);
}

ssize_t readlink(const char *path, char *out, size_t n)
{
    (void)path, (void)out, (void)n;
    errno = ENOSYS;
    return -1;
}

char *realpath(const char *path, char *out)
{
    HANDLE h = open_handle(path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, 0);
    wchar_t w[PATH_MAX];
    const wchar_t *from = w;
    DWORD n;

    if (h == INVALID_HANDLE_VALUE) {
        return NULL;
    }
    n = GetFinalPathNameByHandleW(h, w, PATH_MAX, FILE_NAME_NORMALIZED);
    CloseHandle(h);
    if (n == 0 || n >= PATH_MAX) {
        pq_windows_fail();
        return NULL;
    }
    if (wcsncmp(w, L"\\\\?\\UNC\\", 8) == 0) {
        w[6] = '\\';
        from = w + 6;
    } else if (wcsncmp(w, L"\\\\?\\", 4) == 0) {
        from = w + 4;
    }
    out = out ? out : malloc(PATH_MAX);
    return out && narrow(from, out, PATH_MAX) ? out : NULL;
}

char *getcwd(char *out, size_t n)
{
    wchar_t w[PATH_MAX];

    return GetCurrentDirectoryW(PATH_MAX, w) && narrow(w, out, n) ? out : NULL;
}

/* ---- files --------------------------------------------------------------------------------- */

/* A name of its own in the folder; the file goes with its last handle. */
static HANDLE open_scratch(const char *folder)
{
    char path[PATH_MAX];
    uint64_t id;

    if (getrandom(&id, sizeof id, 0) < 0) {
        return INVALID_HANDLE_VALUE;
    }
    snprintf(path, sizeof path, "%s/.parquet-scratch.%016llx", folder,
             (unsigned long long)id);
    return open_handle(path, GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW,
                       FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE);
}

/* A descriptor of h, which is closed if there is none. */
static int take_handle(HANDLE h)
{
    int fd = _open_osfhandle((intptr_t)h, _O_BINARY | _O_NOINHERIT);

    if (fd < 0) {
        CloseHandle(h);
    }
    return fd;
}

int open(const char *path, int flags, ...)
{
    bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
    DWORD how = !(flags & O_CREAT) ? OPEN_EXISTING
                : flags & O_EXCL   ? CREATE_NEW
                                   : OPEN_ALWAYS;
    HANDLE h = flags & O_TMPFILE
                   ? open_scratch(path)
                   : open_handle(path, GENERIC_READ | (writes ? GENERIC_WRITE : 0u), how,
                                 flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT
                                                    : FILE_ATTRIBUTE_NORMAL);
    struct stat st;

    if (h == INVALID_HANDLE_VALUE) {
        return -1;
    }
    if ((flags & O_NOFOLLOW) && examine(h, &st) == 0 && S_ISLNK(st.st_mode)) {
        CloseHandle(h);
        errno = ELOOP;
        return -1;
    }
    return take_handle(h);
}

static OVERLAPPED place_of(int64_t at)
{
    return (OVERLAPPED){.Offset = (DWORD)at, .OffsetHigh = (DWORD)((uint64_t)at >> 32)};
}

static DWORD some_of(size_t n)
{
    return n < 1u << 30 ? (DWORD)n : 1u << 30;
}

ssize_t pread(int fd, void *to, size_t n, int64_t at)
{
    OVERLAPPED place = place_of(at);
    DWORD got;

    if (ReadFile(handle_of(fd), to, some_of(n), &got, &place)) {
        return (ssize_t)got;
    }
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : pq_windows_fail();
}

ssize_t pwrite(int fd, const void *from, size_t n, int64_t at)
{
    OVERLAPPED place = place_of(at);
    DWORD wrote;

    return WriteFile(handle_of(fd), from, some_of(n), &wrote, &place)
               ? (ssize_t)wrote : pq_windows_fail();
}

/* A folder cannot be flushed by a handle that only reads. */
int fsync(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)
               ? 0 : pq_windows_done(FlushFileBuffers(handle_of(fd)));
}

int ftruncate(int fd, int64_t n)
{
    FILE_END_OF_FILE_INFO end = {.EndOfFile.QuadPart = n};

    return pq_windows_done(SetFileInformationByHandle(handle_of(fd), FileEndOfFileInfo, &end,
                                                      sizeof end));
}

int dup(int fd)
{
    HANDLE me = GetCurrentProcess(), h;

    if (!DuplicateHandle(me, handle_of(fd), me, &h, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
        return pq_windows_fail();
    }
    return take_handle(h);
}

/* Bytes of a folder cannot be locked, and who opens it without FILE_SHARE_WRITE keeps files
** from being renamed in it.  So pipes that are named after the folder are its locks, which end
** with the process: one of the first name, or many of the second.  Each is made before it is
** looked whether there is one of the other name, so two never both succeed.  fd becomes the
** pipe.  Another machine does not see it. */
static int lock_folder(int fd, const struct stat *st, int how)
{
    SECURITY_DESCRIPTOR all;             /* other users lock folders, too */
    SECURITY_ATTRIBUTES may = {sizeof may, &all, FALSE};
    bool shares = (how & LOCK_SH) != 0;
    char name[2][80];
    HANDLE h;
    int pipe = -1, rc;

    for (int i = 0; i < 2; i++) {
        snprintf(name[i], sizeof name[i], "\\\\.\\pipe\\parquet-%s-%llx.%llx",
                 i ? "shares" : "locks", (unsigned long long)st->st_dev,
                 (unsigned long long)st->st_ino);
    }
    InitializeSecurityDescriptor(&all, SECURITY_DESCRIPTOR_REVISION);
    SetSecurityDescriptorDacl(&all, TRUE, NULL, FALSE);
    h = CreateNamedPipeA(name[shares], PIPE_ACCESS_DUPLEX, PIPE_REJECT_REMOTE_CLIENTS,
                         shares ? PIPE_UNLIMITED_INSTANCES : 1, 0, 0, 0, &may);
    if (h == INVALID_HANDLE_VALUE || (pipe = take_handle(h)) < 0 ||
        WaitNamedPipeA(name[!shares], 1) || GetLastError() != ERROR_FILE_NOT_FOUND) {
        if (pipe >= 0) {
            close(pipe);
        }
        errno = EWOULDBLOCK;
        return -1;
    }
    rc = _dup2(pipe, fd);
    close(pipe);
    return rc;
}

int flock(int fd, int how)
{
    OVERLAPPED place = place_of(INT64_C(1) << 62);
    HANDLE h = handle_of(fd);
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        return lock_folder(fd, &st, how);
    }
    if (how & LOCK_UN) {
        return pq_windows_done(UnlockFileEx(h, 0, 1, 0, &place));
    }
    return pq_windows_done(LockFileEx(h, (how & LOCK_EX ? LOCKFILE_EXCLUSIVE_LOCK : 0u) |
                                             (how & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0u),
                                      0, 1, 0, &place));
}

/* ---- folders ------------------------------------------------------------------------------- */

struct PqWindowsFolder {
    HANDLE           h;
    WIN32_FIND_DATAW found;
    bool             is_read;        /* the first entry was given */
    int              fd;             /* the folder as a file      */
    struct dirent    entry;
};

PqWindowsFolder *opendir(const char *path)
{
    size_t n = strlen(path);
    char *pattern = malloc(n + 3);
    PqWindowsFolder *d = calloc(1, sizeof *d);
    wchar_t *w = NULL;

    if (pattern && d) {
        memcpy(pattern, path, n);
        strcpy(pattern + n, n && (path[n - 1] == '/' || path[n - 1] == '\\') ? "*" : "/*");
        w = pq_windows_wide(pattern);
    }
    if (w && (d->h = FindFirstFileW(w, &d->found)) == INVALID_HANDLE_VALUE) {
        pq_windows_fail();
        free(d);
        d = NULL;
    }
    if (!w) {
        free(d);
        d = NULL;
    }
    if (d) {
        d->fd = open(path, O_RDONLY);
    }
    free(w);
    free(pattern);
    return d;
}

struct dirent *readdir(PqWindowsFolder *d)
{
    DWORD a;

    if (d->is_read && !FindNextFileW(d->h, &d->found)) {
        if (GetLastError() != ERROR_NO_MORE_FILES) {
            pq_windows_fail();
        }
        return NULL;
    }
    d->is_read = true;
    a = d->found.dwFileAttributes;
    d->entry.d_type = a & FILE_ATTRIBUTE_REPARSE_POINT ? DT_UNKNOWN
                      : a & FILE_ATTRIBUTE_DIRECTORY   ? DT_DIR
                                                       : DT_REG;
    return narrow(d->found.cFileName, d->entry.d_name, sizeof d->entry.d_name) ? &d->entry
                                                                               : NULL;
}

int closedir(PqWindowsFolder *d)
{
    if (!d) {
        errno = EINVAL;
        return -1;
    }
    FindClose(d->h);
    if (d->fd >= 0) {
        close(d->fd);
    }
    free(d);
    return 0;
}

int dirfd(PqWindowsFolder *d)
{
    return d->fd;
}

#endif
