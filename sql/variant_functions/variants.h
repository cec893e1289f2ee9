/*
** variants.h - Variants as arguments and results of functions.
**
** A Variant comes as one blob, metadata then value, or as JSON text:
**
**   blob                   a Variant; anything else is an error
**   text                   the Variant that a table handed out as this text
**                          (variant_of_text.h); else JSON, which is parsed
**   number                 itself
**
** It leaves as a blob with the subtype 'V', or as JSON with the subtype 'J'.
** The builders and buffers are shared by all functions of a connection, because
** making them costs more than a call.
*/
#ifndef PQSQL_VARIANTS_H
#define PQSQL_VARIANTS_H

#include "sql/value/variant_of_text.h"

typedef struct PqsqlVariants {
    sqlite3         *db;
    PqMem           *mem;
    PqVariantBuild  *parsed;         /* arguments that were JSON, or NULL    */
    PqVariantBuild  *built;          /* results, or NULL                     */
    PqArena          scratch;
    PqBuf            text;
    const PqsqlTwins *twins;
    PqErr            e;              /* of the current call                  */
    uint32_t         holders;        /* functions, tables: each releases it  */
} PqsqlVariants;

/* NULL: no memory.  twins may be NULL, and must outlive it. */
PqsqlVariants *pqsql_variants_new(sqlite3 *db, const PqsqlTwins *twins);
void pqsql_variants_release(void *s);

typedef struct PqsqlVariant {
    PqVariantMeta m;
    PqSlice       metadata, value;
} PqsqlVariant;

/* An argument that is not NULL; the error is in s->e.  Valid until the next
** call that parses with s. */
PqRc pqsql_variant_take(PqsqlVariants *s, sqlite3_value *v, PqsqlVariant *out);

/* One of metadata and value. */
PqRc pqsql_variant_of(PqSlice metadata, PqSlice value, PqsqlVariant *out,
                      PqErr *e);

/* A type by its name; the error says which one was probably meant. */
PqRc pqsql_variant_target(PqSlice name, PqVariantTarget *out, PqErr *e);

/* Results.  _blob joins the two; _part leaves out names that value does not
** use; _built is what was built in s->built, _text what is in s->text. */
void pqsql_variant_result_blob(sqlite3_context *ctx, PqSlice metadata,
                               PqSlice value);
PqRc pqsql_variant_result_built(sqlite3_context *ctx, PqsqlVariants *s);
PqRc pqsql_variant_result_text(sqlite3_context *ctx, PqsqlVariants *s);
PqRc pqsql_variant_result_part(sqlite3_context *ctx, PqsqlVariants *s,
                               const PqVariantMeta *m, PqSlice value);
PqRc pqsql_variant_result_json(sqlite3_context *ctx, PqsqlVariants *s,
                               const PqVariantMeta *m, PqSlice value);

/* What is wrong, as "FUNCTION: ..."; NULL: no memory.  The error is gone
** then. */
char *pqsql_variants_message(PqsqlVariants *s, const char *function);

/* Begins a Variant in one of the two builders, which is made if there is none.
** _tidy gives back memory after a call that needed much. */
PqRc pqsql_variants_begin(PqsqlVariants *s, PqVariantBuild **b);
void pqsql_variants_tidy(PqsqlVariants *s);

#endif
