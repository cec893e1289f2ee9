/*
** copy_encryption.h - the option "encryption" of a copy.
**
**   {"encryption": {"footer_key": "kf", "column_keys": {"ssn": "k1"},
**                   "clear_columns": ["day"], "algorithm": "AES_GCM_V1",
**                   "plaintext_footer": false, "aad_prefix": "orders",
**                   "store_aad_prefix": true}}
**
** {"encryption": "none"} says that the rows may be in the clear although files
** that are replaced, or lie in the same folder, are encrypted.
**
** A column is encrypted with the footer's key unless it has its own key or is
** in clear_columns.  "*" there means all columns without a key of their own.
*/
#ifndef PQSQL_COPY_ENCRYPTION_H
#define PQSQL_COPY_ENCRYPTION_H

#include "sql/copy/copy_option_values.h"

/* copy_encryption.c: reads the JSON into PqsqlCopyOptions.encryption. */
PqRc pqsql_take_encryption(PqsqlOptionRead *r, const PqJsonToken *t, void *to);

#endif
