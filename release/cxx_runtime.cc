/*
** cxx_runtime.cc - the part of a C++ runtime that Snappy calls, for a release.
**
** Memory comes from malloc.  Where there is none left the process ends: an
** exception would unwind through SQLite, which holds locks.  A length or a
** position that std::string would refuse cannot occur, and ends it as well.
*/
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace {

[[noreturn]] void end(const char *why)
{
    fprintf(stderr, "parquet: %s in Snappy\n", why);
    abort();
}

}

void *operator new(std::size_t n)
{
    void *p = malloc(n ? n : 1);

    if (!p) {
        end("out of memory");
    }
    return p;
}

void *operator new[](std::size_t n) { return operator new(n); }
void operator delete(void *p) noexcept { free(p); }
void operator delete(void *p, std::size_t) noexcept { free(p); }
void operator delete[](void *p) noexcept { free(p); }
void operator delete[](void *p, std::size_t) noexcept { free(p); }

extern "C" void __cxa_pure_virtual(void) { end("a call of no function"); }

namespace std {

[[noreturn]] void __throw_bad_alloc() { end("out of memory"); }
[[noreturn]] void __throw_bad_array_new_length() { end("out of memory"); }
[[noreturn]] void __throw_length_error(const char *why) { end(why); }
[[noreturn]] void __throw_logic_error(const char *why) { end(why); }

}
