/*
** door.h - what the fuzz doors share.
**
** A door is a program that gives untrusted bytes to one module of the engine.
** It is built twice: with libFuzzer, which invents bytes (fuzz.sh), and with
** replay.c, which reads the corpus of the door (replay.sh).  Beyond what the
** sanitizers see, a door checks:
**
**   memory     no more than the budget, and all of it given back
**   errors     one line of printable text, with the file's name in it
**   agreement  two ways to the same values give the same values
**
** If one of them does not hold, the door prints which and aborts.
**
** The bytes of an input are taken from the front, field by field.  After its
** end zeros are read, so every input is valid, and every truncation of one.
*/
#ifndef DOOR_H
#define DOOR_H

#include "core/for_host.h"

enum { DOOR_MEMORY = 64 << 20 };

/* The name of every file in memory. */
#define DOOR_FILE "door.parquet"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

PqMem *door_open(PqErr *e);
void   door_close(PqMem *mem);

#define DOOR_CHECK(x) ((x) ? (void)0 : door_broken(__FILE__, __LINE__, #x))
_Noreturn void door_broken(const char *file, int line, const char *what);

/* Checks that the text of an error is readable.  about: what it has to name, or
** NULL. */
void door_check_text(const char *text, const char *about);
void door_check_error(const PqErr *e, const char *about);

uint8_t  door_u8(PqSlice *in);
uint16_t door_u16(PqSlice *in);
uint32_t door_u24(PqSlice *in);
PqSlice  door_take(PqSlice *in, size_t n);       /* or what is left */

/* A copy that ends where its memory ends.  The caller frees it with free(). */
uint8_t *door_copy(PqSlice s);

#endif
