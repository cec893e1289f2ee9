/*
** describe_text.h - inside describe.h: words and columns of a fixed width.
**
** Widths are in characters as a terminal shows them, one for each code point.
*/
#ifndef PQSQL_DESCRIBE_TEXT_H
#define PQSQL_DESCRIBE_TEXT_H

#include "core/for_host.h"

/* "1,234,567" */
void pqsql_text_count(PqBuf *b, int64_t n);

/* "215.3"; v is not negative. */
void pqsql_text_tenths(PqBuf *b, double v);

/* "215.3 MB": three digits or so, at most eight characters. */
void pqsql_text_bytes(PqBuf *b, int64_t n);

/* Appends s in at most width characters, with "..." (one character) if it was
** cut.  Characters that a terminal would act on become U+FFFD. */
void pqsql_text_cut(PqBuf *b, PqSlice s, uint32_t width);

/* Appends a bar of at most width blocks that shows part of whole. */
void pqsql_text_bar(PqBuf *b, int64_t part, int64_t whole, uint32_t width);

/* The number of characters that were appended since mark. */
uint32_t pqsql_text_width(const PqBuf *b, size_t mark);

/* Appends blanks until there are width characters since mark. */
void pqsql_text_pad(PqBuf *b, size_t mark, uint32_t width);

/* Right-aligns what was appended since mark in width characters. */
void pqsql_text_right(PqBuf *b, size_t mark, uint32_t width);

#endif
