/*
** system.h - the door to the operating system: files, folders, memory, libraries.
**
** The words are those of POSIX, which most systems speak: there they cost nothing.  Another
** system gets the same words from a header of its own.  So all other code is the same for
** every system.
**
** Only core/base/ includes headers of a system; all other code includes this file,
** also ext/ and sql/.  make lint looks.
*/
#ifndef PQ_SYSTEM_H
#define PQ_SYSTEM_H

#ifdef _WIN32
#include "core/base/system_windows.h"
#else
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* glibc declares it in a header that declares printf too.  With that header, a source that forgot
** its own include would compile here and not elsewhere.  The attribute is for the amalgamation,
** which hides what it declares. */
__attribute__((visibility("default"))) size_t malloc_usable_size(void *p);

/* Does input come within the time? */
static inline int pq_system_wait(int fd, int ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    return poll(&ready, 1, ms) > 0;
}

static inline ssize_t pq_system_read(int fd, void *to, size_t n)
{
    return read(fd, to, n);
}

/* May a path begin with C: and have \ between its parts? */
enum { PQ_SYSTEM_HAS_DRIVES = 0 };

/* May an open file keep others from its name? */
enum { PQ_SYSTEM_HOLDS_NAMES = 0 };

/* Does closing a descriptor release the locks that others of this process hold? */
enum { PQ_SYSTEM_DROPS_LOCKS = 1 };

/* The names of libcurl's file, and where it comes from. */
#ifdef __APPLE__
#define PQ_SYSTEM_LIBCURL "/usr/lib/libcurl.4.dylib"
#define PQ_SYSTEM_LIBCURL_FROM "macOS has it as /usr/lib/libcurl.4.dylib"
#else
#define PQ_SYSTEM_LIBCURL "libcurl.so.4", "libcurl-gnutls.so.4"
#define PQ_SYSTEM_LIBCURL_FROM "apt install libcurl4, or the package of that name here"
#endif

#include "core/base/system_emscripten.h"
#include "core/base/system_macos.h"
#endif

static inline int pq_system_has_drive(const char *path)
{
    return PQ_SYSTEM_HAS_DRIVES && *path && path[1] == ':';
}

static inline int pq_system_is_absolute(const char *path)
{
    return *path == '/' || pq_system_has_drive(path);
}

#endif
