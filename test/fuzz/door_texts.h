/*
** door_texts.h - gives the texts that a user writes to every parser.
**
**   0  bits      8 bytes: a number of any kind, which is printed and read
**   8  digits    precision - 1, of a DECIMAL
**   9  scale
**  10  the rest  a text
**
** The text goes to every reader of core/text. A value that was read is printed
** and read again, and must be the same.  A number must be what strtod reads.
*/
#ifndef DOOR_TEXTS_H
#define DOOR_TEXTS_H

#include "test/fuzz/door.h"

void door_texts(PqSlice in);

#endif
