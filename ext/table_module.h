/*
** table_module.h - the module of CREATE VIRTUAL TABLE t USING parquet(...).
*/
#ifndef PQEXT_TABLE_MODULE_H
#define PQEXT_TABLE_MODULE_H

#include "ext/host/host.h"

int pqext_register_table(sqlite3 *db, PqextHost *h);

#endif
