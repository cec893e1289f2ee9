/*
** system_windows_process.c - memory, libraries and the process on Windows, by the words of POSIX.
*/
#ifdef _WIN32
#include "core/base/system_windows_inside.h"

void *pq_windows_map(size_t n)
{
    void *p = VirtualAlloc(NULL, n, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

    return p ? p : MAP_FAILED;
}

int pq_windows_unmap(void *p)
{
    return pq_windows_done(VirtualFree(p, 0, MEM_RELEASE));
}

int pq_windows_lock(void *p, size_t n)
{
    return pq_windows_done(VirtualLock(p, n));
}

void explicit_bzero(void *p, size_t n)
{
    SecureZeroMemory(p, n);
}

void *memmem(const void *in, size_t n, const void *what, size_t n_what)
{
    for (const char *at = in; n >= n_what; at++, n--) {
        if (memcmp(at, what, n_what) == 0) {
            return (void *)(uintptr_t)at;
        }
    }
    return NULL;
}

/* Not from the current folder, which anybody may have filled. */
void *dlopen(const char *name, int how)
{
    wchar_t *w = pq_windows_wide(name);
    HMODULE library = w ? LoadLibraryExW(w, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS) : NULL;

    (void)how;
    free(w);
    return library;
}

void *dlsym(void *library, const char *name)
{
    FARPROC f = GetProcAddress(library, name);
    void *out;

    memcpy(&out, &f, sizeof out);
    return out;
}

/* A function of Windows 10's C library, which rounds as IEEE 754 says; known keeps it. */
static void *of_ucrt(_Atomic(void *) *known, const char *name)
{
    if (!*known) {
        HMODULE ucrt = LoadLibraryExW(L"ucrtbase.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);

        *known = ucrt ? dlsym(ucrt, name) : NULL;
    }
    return *known;
}

double pq_windows_strtod(const char *text, char **end)
{
    static _Atomic(void *) known;
    double (*f)(const char *, char **) = (double (*)(const char *, char **))
        of_ucrt(&known, "strtod");

    return f ? f(text, end) : __mingw_strtod(text, end);
}

float pq_windows_strtof(const char *text, char **end)
{
    static _Atomic(void *) known;
    float (*f)(const char *, char **) = (float (*)(const char *, char **))
        of_ucrt(&known, "strtof");

    return f ? f(text, end) : __mingw_strtof(text, end);
}

/* As on other systems, the library stays when a connection closes: functions of OpenSSL are
** called at the end of the process. */
BOOL WINAPI DllMain(HINSTANCE self, DWORD why, LPVOID reserved);

BOOL WINAPI DllMain(HINSTANCE self, DWORD why, LPVOID reserved)
{
    HMODULE pinned;

    (void)reserved;
    if (why == DLL_PROCESS_ATTACH) {
        GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                               GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCWSTR)self, &pinned);
    }
    return TRUE;
}

BOOLEAN NTAPI SystemFunction036(PVOID to, ULONG n);  /* RtlGenRandom */

ssize_t getrandom(void *to, size_t n, unsigned flags)
{
    ULONG some = n < INT_MAX ? (ULONG)n : INT_MAX;

    (void)flags;
    return SystemFunction036(to, some) ? (ssize_t)some : pq_windows_fail();
}

/* Variables by the names that other systems have.  A text stays until the thread has asked
** for some more. */
char *getenv(const char *name)
{
    enum { SOME = 8, ROOM = 2048 };
    static _Thread_local char texts[SOME][ROOM];
    static _Thread_local unsigned n;
    char *out = texts[n++ % SOME];
    wchar_t w[ROOM / 2], *w_name;
    DWORD got;

    name = !strcmp(name, "HOME") ? "USERPROFILE" : !strcmp(name, "TMPDIR") ? "TEMP" : name;
    w_name = pq_windows_wide(name);
    got = w_name ? GetEnvironmentVariableW(w_name, w, ROOM / 2) : 0;
    free(w_name);
    return got > 0 && got < ROOM / 2 &&
                   WideCharToMultiByte(CP_UTF8, 0, w, -1, out, ROOM, NULL, NULL) > 0
               ? out : NULL;
}

long pq_windows_processors(void)
{
    SYSTEM_INFO info;

    GetSystemInfo(&info);
    return (long)info.dwNumberOfProcessors;
}

#endif
