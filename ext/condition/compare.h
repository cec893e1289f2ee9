/*
** compare.h - how SQLite compares one value with another.
**
** Filters, proofs and groups ask the same questions about the value of a column
** and of an operand.  They are hard because it is not known what an operand is
** compared as.  Against a column of texts, or one without affinity, a text that
** looks like a number is one when it comes from a column of numbers (a virtual
** one, or one of a compound SELECT), and then equals all texts of that number:
**
**   column, TEXT    operand    compared as texts    as numbers
**   '5'             '5.0'      less                 equal
**   '!'             '5'        less                 more: no number
**   '10'            '9'        less                 more
**
** A literal is surely compared as it is (the condition is then exact, or about
** numbers), and so are the entries of a list of IN.  For everything else both
** ways have to be considered.
*/
#ifndef PQEXT_COMPARE_H
#define PQEXT_COMPARE_H

#include "ext/condition/term.h"
#include "sql/value/numeric.h"

/* Does the comparison hold for two values that are in this order? */
bool pqext_op_holds(PqextOp op, int order);

/* A copy of v, which is not NULL, in a.  numeric: a text that looks like a
** number becomes one. */
PqRc pqext_value_take(sqlite3_value *v, bool numeric, PqArena *a,
                      PqCell *out, PqErr *e);

/* ---- texts that look like numbers --------------------------------------- */

/* The number in a text that looks like one, if everyone reads the same number:
** it has no exponent, no NUL, and few enough digits.  No locale is asked. */
bool pqext_number_of(PqSlice text, double *out);

/* The text that SQLite makes of an infinity, which does not look like a number;
** no bytes for a finite number. */
PqSlice pqext_text_of_infinity(const PqCell *number);

/* May a column's text be equal to a number, compared as texts or as numbers? */
bool pqext_may_be_text_of(PqSlice text, const PqCell *number);

/* May SQLite find the comparison true for a column's text and an operand, as
** texts or as numbers?  looks: the operand looks like a number; literal: they
** are texts. */
bool pqext_texts_may_hold(PqextOp op, PqSlice text, PqSlice operand, bool looks,
                          bool literal);

#endif
