/*
** secret_functions.h - parquet_secret and parquet_allow: which servers a connection
** may ask, and with what secrets.
**
**   SELECT parquet_secret('s3://bucket/', json_object('key_id', ?, 'secret', ?))
**   SELECT parquet_secret('s3://bucket/', NULL)       it is forgotten
**   SELECT parquet_allow('https://data.example.org/')
**
** Both answer the prefix.  No function gives a secret back.
*/
#ifndef PQSQL_SECRET_FUNCTIONS_H
#define PQSQL_SECRET_FUNCTIONS_H

#include "sql/keys/key_functions.h"

/* host must live as long as the connection's modules. */
int pqsql_register_secrets(sqlite3 *db, PqsqlKeyHost *host);

#endif
