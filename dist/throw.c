/*
** throw.c - a C++ exception ends the process: for the build of one file.
**
** Snappy is C++.  It is built without exceptions and nothing here catches
** one; what could still throw is its runtime: operator new without memory.
** Such an exception would unwind through SQLite, which holds locks, so its
** only good end is that of a process without a handler.  With the shared
** libraries the C++ runtime says so.  In a single file that end is written
** here, and the linker is told (--wrap) to put it in place of the runtime's
** functions for exceptions.  The unwinder is then not needed, and with it go
** thread-local storage and a symbol of glibc 2.35.
**
** dist.mk reads the names from the lines that begin with ENDS.
*/
#include <stdio.h>
#include <stdlib.h>

#define ENDS(name)                                                             \
    _Noreturn void __wrap_##name(void);                                        \
    _Noreturn void __wrap_##name(void)                                         \
    {                                                                          \
        fputs("parquet: out of memory in a C++ library\n", stderr);            \
        abort();                                                               \
    }

ENDS(__cxa_allocate_exception)
ENDS(__cxa_free_exception)
ENDS(__cxa_throw)
ENDS(__cxa_rethrow)
ENDS(__cxa_begin_catch)
ENDS(__cxa_end_catch)
ENDS(__gxx_personality_v0)
ENDS(_Unwind_Resume)
