/*
** hive_name.h - the folder of a partition: key=value, as Hive and Spark
** write it and hive.h reads it.
**
**   country  FR                country=FR
**   when     10:30             when=10%3A30
**   .id      a/b               %2Eid=a%2Fb
**   country  null, or ''       country=__HIVE_DEFAULT_PARTITION__
**
** The bytes that those two escape are percent-escaped: controls, DEL, and
**
**   " # % ' * / : = ? \ { [ ] ^
**
** The rest stays as it is, whatever its encoding.  The first byte of a name
** that begins with "." is escaped too, because readers leave such folders out.
** The text __HIVE_DEFAULT_PARTITION__ itself also has its first byte escaped.
**
** The empty text has no folder of its own: Hive writes it as null, and Spark
** refuses to read "country=".  Every other text is read back as it was.
*/
#ifndef PQ_HIVE_NAME_H
#define PQ_HIVE_NAME_H

#include "core/base/bytes.h"

/* The longest name of a file or folder that file systems allow. */
enum { PQ_NAME_BYTES = 255 };

/* Appends the folder and a slash.  A value with p NULL is null.  PQ_USAGE when
** no folder can have the name: too long, a zero byte in it, an empty column. */
PqRc pq_hive_name_add(PqBuf *out, PqSlice column, PqSlice value, PqErr *e);

/* Respells a folder of any writer as pq_hive_name_add would, and appends it
** with a slash: "when=10:30" becomes "when=10%3A30".  "country=" is not null
** and stays as it is.  The caller checks out. */
void pq_hive_name_respell(PqBuf *out, PqSlice folder);

/* Is it the folder of some value of that column, by any writer and with any
** bytes escaped? */
bool pq_hive_name_is(PqSlice folder, PqSlice column);

#endif
