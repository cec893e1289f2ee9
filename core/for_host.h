/*
** for_host.h - what the SQLite host needs of the engine, and why.
**
** SQLite plans a query before it runs it, gives conditions a meaning of its own,
** adds rows up, and shows every byte of a file.  For that ext/ and sql/ see the
** engine itself.  They include this file and nothing else of core/, and
** test/lint/floors.sh sees to it.  Each header begins with what it is for.
*/
#ifndef PQ_FOR_HOST_H
#define PQ_FOR_HOST_H

#include "core/face/parquet.h"           /* what every program has           */

/* ---- a SELECT: it is planned by what files say, and its terms become spans ---- */

#include "core/scan/condition.h"         /* a term with its operand          */
#include "core/scan/geo_condition.h"     /* ... about boxes of geometries    */
#include "core/scan/row_box.h"
#include "core/scan/unnest.h"            /* brings scan.h, table.h           */
#include "core/scan/row_source.h"        /* whatever hands out rows          */
#include "core/scan/distinct.h"
#include "core/scan/file_order.h"
#include "core/scan/scan_units.h"        /* rows for several threads         */
#include "core/scan/join_index.h"         /* rows by a value, for joins       */
#include "core/scan/lookup.h"
#include "core/top/top.h"                /* the first rows in some order     */
#include "core/rollup/rollup_order.h"    /* groups; brings rollup.h          */
#include "core/rollup/key_test.h"        /* ... whose rows are chosen first  */
#include "core/rollup/rollup_wholes.h"   /* ... that are equal in some keys  */
#include "core/numbering/text_numbers.h"
#include "core/numbering/word_numbers.h"
#include "core/summary/summary.h"        /* a column in a few words          */

/* ---- a table of SQL: the files of a statement, their columns ---- */

#include "core/base/folder.h"
#include "core/base/source_kind.h"       /* BLOBs of a database as files      */
#include "core/base/sink_kind.h"         /* rows of a catalog as a file       */
#include "core/base/random.h"            /* a key for files of a DuckLake    */
#include "core/text/base64.h"            /* ... as its catalog has it        */
#include "core/numbering/hash.h"
#include "core/base/lake_tables.h"
#include "core/lake/delta_write.h"       /* new files of a lake table         */
#include "core/lake/iceberg_write.h"
#include "core/lake/iceberg_transform.h"   /* buckets of DuckLakes         */
#include "core/lake/file_rows.h"         /* its files, by a catalog in SQLite */
#include "core/lake/lake.h"
#include "core/lake/lake_types.h"
#include "core/lake/log_names.h"
#include "core/lake/snapshot.h"
#include "core/base/path_hint.h"
#include "core/files/ignore_errors.h"    /* files that are to be skipped     */
#include "core/files/path_list.h"
#include "core/files/table_paths.h"      /* columns that are paths           */
#include "core/files/summary_files.h"           /* a summary becomes its files      */

/* ---- a value of SQL: out of a vector, and out of any text ---- */

#include "core/nested/json_rows.h"       /* lists, structs, maps, variants   */
#include "core/nested/geo_rows.h"        /* points, and lists of points      */
#include "core/meta/plain_text.h"        /* a bound as readable text         */
#include "core/text/calendar.h"
#include "core/text/digits.h"
#include "core/text/parse.h"
#include "core/text/json_read.h"
#include "core/text/json_text.h"
#include "core/text/number_parse.h"
#include "core/text/number_text.h"
#include "core/text/text_kind.h"         /* a type for texts without one     */
#include "core/text/time_parse.h"
#include "core/text/utf16.h"

/* ---- functions of SQL about Variants and geometries ---- */

#include "core/variant/variant_build.h"  /* unnest.h brings variant_cast.h   */
#include "core/variant/variant_type.h"
#include "core/geo/hilbert.h"
#include "core/geo/wkt.h"

/* ---- functions that show what is in a file ---- */

#include "core/column/page_crc.h"
#include "core/files/chunk_files.h"      /* a summary's chunks lie elsewhere */
#include "core/meta/bloom.h"
#include "core/verify/verify.h"          /* is all of it true?               */

/* ---- parquet_copy_to: types are guessed, and values that do not fit are named ---- */

#include "core/encoding/encoder.h"
#include "core/meta/schema_make.h"
#include "core/meta/writer.h"            /* what created_by begins with      */
#include "core/nested/json_shred.h"      /* JSON text into leaves            */
#include "core/nested/variant_shred.h"   /* ... and Variants                 */
#include "core/write/copy.h"
#include "core/write/file_name.h"
#include "core/rewrite/rewrite.h"       /* files made of files              */
#include "core/base/digest.h"            /* parquet_archive: a file is whole ... */
#include "core/write/run_folder.h"       /* ... and where it lies            */

/* ---- the connection ---- */

#include "core/base/build.h"             /* for parquet_version()            */
#include "core/base/clock.h"
#include "core/base/secret.h"            /* to wipe what was a key           */
#include "core/base/sort.h"              /* rowids                           */

#endif
