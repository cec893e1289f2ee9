/*
** describe_keys.h - inside describe.h: how a file is encrypted.
**
**   encryption
**     algorithm         AES_GCM_V1
**     footer            encrypted with key kf
**     AAD prefix        tester, not in the file
**     footer's key      id, name
**     key k1            ssn
**     key k2, missing   pay.amount
**     in the clear      day
**     anybody sees      that this is a Parquet file, key
**                       metadata, its size and all values in
**                       the clear
*/
#ifndef PQSQL_DESCRIBE_KEYS_H
#define PQSQL_DESCRIBE_KEYS_H

#include "core/for_host.h"

/* Writes nothing if the file is not encrypted. */
PqRc pqsql_describe_keys(const PqFooter *f, PqBuf *out, PqErr *e);

#endif
