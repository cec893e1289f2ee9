/*
** group_text_inside.h - inside group_text.h: what is shared by its files.
**
**   group_text.c    blocks, and their clauses
**   group_where.c   the terms of a WHERE
**   group_mistakes.c   what its writer did not mean
*/
#ifndef PQSQL_GROUP_TEXT_INSIDE_H
#define PQSQL_GROUP_TEXT_INSIDE_H

#include "sql/group_text.h"
#include "sql/token.h"

enum { PQSQL_GROUP_RESULTS = 64 };

typedef enum PqsqlClause {
    PQSQL_IN_RESULTS, PQSQL_IN_FROM, PQSQL_IN_WHERE, PQSQL_IN_GROUP, PQSQL_IN_HAVING,
    PQSQL_IN_ORDER, PQSQL_IN_LIMIT, PQSQL_CLAUSES
} PqsqlClause;

/* A result column. */
typedef struct PqsqlGroupResult {
    PqSlice alias;                   /* n 0: none                           */
    int     dimension;               /* all that it is; -1: something else  */
    bool    constant;                /* ... a number                        */
    /* ... or what rows can be ordered by, and of which column; ANY: it is neither. */
    PqsqlTopOf top_of;
    uint32_t   top_column;
} PqsqlGroupResult;

/* A block that is being read. */
typedef struct PqsqlBlock {
    const PqsqlGroupNames *names;
    const PqsqlToken *t;             /* the last one is END                 */
    uint32_t n;
    uint32_t begin, end;             /* of the block                        */
    uint32_t clause[PQSQL_CLAUSES + 1];          /* where each begins, with its
                                     ** word; results without SELECT        */
    bool     has[PQSQL_CLAUSES];
    bool     adds_up;                /* sum(m), min(x) or the like          */
    PqsqlGroupResult results[PQSQL_GROUP_RESULTS];
    uint32_t n_results;
    PqsqlGroupText block;
} PqsqlBlock;

static inline bool is_word(const PqsqlBlock *r, uint32_t i, const char *word)
{
    return i < r->n && pqsql_is_word(r->t[i], word);
}

static inline bool is_sign(const PqsqlBlock *r, uint32_t i, char sign)
{
    return i < r->n && pqsql_is_sign(r->t[i], sign);
}

static inline bool is_a_word(const PqsqlBlock *r, uint32_t i)
{
    return i < r->n && r->t[i].kind == PQSQL_TOKEN_WORD;
}

/* What comes inside brackets counts as 1, its closing bracket too. */
static inline int depth_after(const PqsqlBlock *r, uint32_t i, int depth)
{
    return depth + is_sign(r, i, '(') - is_sign(r, i, ')');
}

/* The dimension that begins at i, q.d or d, and its end; -1: there is none. */
int pqsql_group_dimension(const PqsqlBlock *r, uint32_t i, uint32_t *end);
int pqsql_group_measure(const PqsqlBlock *r, uint32_t i, uint32_t *end);

/* A function of one row that is built into SQLite. */
bool pqsql_group_is_scalar(PqsqlToken t);

/* Any expression: its dimensions are read.  False: it is not understood. */
bool pqsql_group_expression(PqsqlBlock *r, uint32_t i, uint32_t to);

/* ---- group_where.c ---- */

bool pqsql_group_where(PqsqlBlock *r);

/* ---- group_mistakes.c ---- */

void pqsql_group_mistake(PqsqlBlock *r);

#endif
