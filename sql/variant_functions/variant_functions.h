/*
** variant_functions.h - the functions of Variants that return one value.
*/
#ifndef PQSQL_VARIANT_FUNCTIONS_H
#define PQSQL_VARIANT_FUNCTIONS_H

#include "sql/variant_functions/variants.h"

/* twins must live as long as the connection's modules. */
int pqsql_register_variants(sqlite3 *db, const PqsqlTwins *twins);

/* Name i of the functions, and how each is called; NULL after the last. */
const char *pqsql_variant_function(uint32_t i, const char **shape);

/* Gives the result of a call, or returns an error, which is in call->state. */
typedef struct PqsqlVariantCall PqsqlVariantCall;
typedef PqRc PqsqlVariantRun(sqlite3_context *ctx, const PqsqlVariantCall *call,
                             int argc, sqlite3_value **argv);

struct PqsqlVariantCall {            /* the user data of a function          */
    PqsqlVariants   *state;
    const char      *name;
    bool             try_;
    PqsqlVariantRun *run;
};

/* Gives the error of the call's state, with its name before it. */
void pqsql_variant_failed(sqlite3_context *ctx, const PqsqlVariantCall *call);

/* variant_schema.c */
PqsqlVariantRun pqsql_schema_of_variant;
void pqsql_schema_agg_step(sqlite3_context *ctx, int argc,
                           sqlite3_value **argv);
void pqsql_schema_agg_final(sqlite3_context *ctx);

#endif
