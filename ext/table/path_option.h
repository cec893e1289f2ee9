/*
** path_option.h - computed columns in USING parquet(...):
**
**   user_id = variant_get(event, '$.user.id', 'bigint')
**   at      = try_variant_get("s.event", '$.at')
**
** The value is taken apart here; what it means is core/files/table_paths.c.
*/
#ifndef PQEXT_PATH_OPTION_H
#define PQEXT_PATH_OPTION_H

#include "ext/host/host.h"

/* Is the value of an option a call of variant_get or try_variant_get? */
bool pqext_is_path_call(const char *value);

/* Its parts, in memory of SQLite.  SQLITE_OK, or an error with *error set. */
int  pqext_path_parse(const char *name, const char *value, PqPathSpec *out,
                      char **error);
void pqext_path_free(PqPathSpec *p);

#endif
