/*
** system_windows_inside.h - for system_windows.c and system_windows_process.c.
*/
#ifndef PQ_SYSTEM_WINDOWS_INSIDE_H
#define PQ_SYSTEM_WINDOWS_INSIDE_H

#include "core/base/system_windows.h"

#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0a00
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <winsock2.h>
#include <ws2tcpip.h>
#include <windows.h>

#include <stdbool.h>

/* -1, with errno for the last error of Windows. */
int pq_windows_fail(void);

/* 0, or -1 with errno. */
int pq_windows_done(BOOL good);

/* The path in UTF-16, to be freed; NULL with errno. */
wchar_t *pq_windows_wide(const char *path);

#endif
