/*
** scenario.c - the statements whose points fail.
**
** The name of each says what only it covers.  $S are our samples, $O the
** official files, $W the scratch folder, $H the server of its files; any other $ is
** itself.
*/
#include "test/fault/fault.h"

#include <string.h>

const char *folder_samples, *folder_official, *folder_work, *fault_server;

#define TABLE(file) "CREATE VIRTUAL TABLE temp.t USING parquet(" file ")"
#define DROP        "DROP TABLE IF EXISTS temp.t"

/* The table is made and read to its end; DROP comes after. */
#define WHOLE(name, file) \
    {name, "", TABLE(file) "; SELECT * FROM t", DROP, 0}
#define WHOLE_OFFICIAL(name, file) \
    {name, "", TABLE("'$O/data/" file "'") "; SELECT * FROM t", DROP, OFFICIAL}

/* A statement over a table that exists. */
#define OVER(name, file, sql) {name, TABLE(file), sql, "", 0}

#define KEYS \
    "SELECT parquet_key('kf', x'30313233343536373839303132333435'); " \
    "SELECT parquet_key('k1', 'MTIzNDU2Nzg5MDEyMzQ1MA==')"

/* Of test/hostile/sealed_*.parquet. */
#define SEALED_KEYS \
    "SELECT parquet_key('k0', x'bfeaea5d82784e8c6d4dbe6d31cc8e86'); " \
    "SELECT parquet_key('k1', x'a9ba9ed5e6b34d63ac4de3ab06bdb65f7a71b548" \
    "f5d9eac7'); " \
    "SELECT parquet_key('k2', x'f2a25a7f5b4ec4015f549a3b342930eef6bcdff9f80c95ba" \
    "7b0299c72a8565d3')"

/* Opened, pruned by all that is sealed, and looked into. */
#define SEALED(name, file, options) \
    {name, SEALED_KEYS, \
     TABLE("'$S/../hostile/" file "'" options) "; SELECT * FROM t; " \
     "SELECT id FROM t WHERE word = 'nectarine'; " \
     "SELECT word FROM t WHERE id BETWEEN 101 AND 102; " \
     "SELECT id, real FROM t ORDER BY id DESC LIMIT 1; " \
     "SELECT count(*) FROM parquet_pages('$S/../hostile/" file "'); " \
     "SELECT count(*) FROM parquet_metadata('$S/../hostile/" file "'); " \
     "SELECT count(*) FROM parquet_verify('$S/../hostile/" file "')", \
     DROP, 0}

#define PART(codec) \
    OVER("a part of a page, " codec, \
         "'$S/duckdb_large_" codec ".parquet', threads=0", \
         "SELECT text FROM t LIMIT 3; SELECT max(id), text FROM t; " \
         "SELECT text FROM t WHERE id IN (9, 97)")

/* The catalog of a DuckLake, with a table t in it. */
#define DUCKLAKE \
    "ATTACH '$W/x.lake' AS lake; CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_column(column_id, begin_snapshot, end_snapshot, table_id, " \
    "column_order, column_name, column_type, initial_default, default_value, " \
    "nulls_allowed, parent_column, default_value_type, default_value_dialect); CREATE " \
    "TABLE IF NOT EXISTS lake.ducklake_data_file(data_file_id, table_id, begin_snapshot, " \
    "end_snapshot, file_order, path, path_is_relative, file_format, record_count, " \
    "file_size_bytes, footer_size, row_id_start, partition_id, encryption_key, " \
    "mapping_id, partial_max); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_delete_file(delete_file_id, table_id, begin_snapshot, end_snapshot, " \
    "data_file_id, path, path_is_relative, format, delete_count, file_size_bytes, " \
    "footer_size, encryption_key, partial_max); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_file_column_stats(data_file_id, table_id, column_id, " \
    "column_size_bytes, value_count, null_count, min_value, max_value, contains_nan, " \
    "extra_stats); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_file_partition_value(data_file_id, table_id, partition_key_index, " \
    "partition_value); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_file_variant_stats(data_file_id, table_id, column_id, variant_path, " \
    "shredded_type, column_size_bytes, value_count, null_count, min_value, max_value, " \
    "contains_nan, extra_stats); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_files_scheduled_for_deletion(data_file_id, path, path_is_relative, " \
    "schedule_start); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_inlined_data_tables(table_id, table_name, schema_version); CREATE " \
    "TABLE IF NOT EXISTS lake.ducklake_metadata(\"key\", \"value\", scope, scope_id); " \
    "CREATE TABLE IF NOT EXISTS lake.ducklake_name_mapping(mapping_id, column_id, " \
    "source_name, target_field_id, parent_column, is_partition); CREATE TABLE IF NOT " \
    "EXISTS lake.ducklake_partition_column(partition_id, table_id, partition_key_index, " \
    "column_id, \"transform\"); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_partition_info(partition_id, table_id, begin_snapshot, end_snapshot); " \
    "CREATE TABLE IF NOT EXISTS lake.ducklake_schema(schema_id, schema_uuid, " \
    "begin_snapshot, end_snapshot, schema_name, path, path_is_relative); CREATE TABLE IF " \
    "NOT EXISTS lake.ducklake_schema_versions(begin_snapshot, schema_version, table_id); " \
    "CREATE TABLE IF NOT EXISTS lake.ducklake_snapshot(snapshot_id, snapshot_time, " \
    "schema_version, next_catalog_id, next_file_id); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_snapshot_changes(snapshot_id, changes_made, author, commit_message, " \
    "commit_extra_info); CREATE TABLE IF NOT EXISTS lake.ducklake_table(table_id, " \
    "table_uuid, begin_snapshot, end_snapshot, schema_id, table_name, path, " \
    "path_is_relative); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_table_column_stats(table_id, column_id, contains_null, contains_nan, " \
    "min_value, max_value, extra_stats); CREATE TABLE IF NOT EXISTS " \
    "lake.ducklake_table_stats(table_id, record_count, next_row_id, file_size_bytes); " \
    "DELETE FROM lake.ducklake_metadata; INSERT INTO lake.ducklake_metadata VALUES " \
    "('version', '1.0', NULL, NULL), ('data_path', printf('$W/x/%s/', " \
    "hex(randomblob(8))), NULL, NULL), " \
    "('encrypted', 'true', NULL, NULL); DELETE FROM lake.ducklake_schema; INSERT INTO " \
    "lake.ducklake_schema VALUES (0, 'u', 0, NULL, 'main', 'main/', 1); DELETE FROM " \
    "lake.ducklake_snapshot; INSERT INTO lake.ducklake_snapshot VALUES (1, 't', 1, 2, 0);" \
    " DELETE FROM lake.ducklake_table; INSERT INTO lake.ducklake_table VALUES (1, 'u', 1," \
    " NULL, 0, 't', 't/', 1); DELETE FROM lake.ducklake_column; INSERT INTO " \
    "lake.ducklake_column VALUES (1, 1, NULL, 1, 1, 'a', 'int64', NULL, NULL, 1, NULL, " \
    "NULL, NULL), (2, 1, NULL, 1, 2, 'b', 'varchar', NULL, NULL, 1, NULL, NULL, NULL); " \
    "CREATE TABLE IF NOT EXISTS lake.ducklake_inlined_data_1_1(row_id, begin_snapshot, " \
    "end_snapshot, a, b); DELETE FROM lake.ducklake_inlined_data_tables; INSERT INTO " \
    "lake.ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1); DELETE" \
    " FROM lake.ducklake_inlined_data_1_1; INSERT INTO lake.ducklake_inlined_data_1_1 " \
    "VALUES (7, 1, NULL, 70, 'i'), (8, 1, NULL, 80, 'j')"

/* Any key opens the buckets of the server, which are folders. */
#define BUCKETS \
    "SELECT parquet_secret('s3://', '{\"endpoint\": \"$H\", \"use_ssl\": false, " \
    "\"url_style\": \"path\", \"key_id\": \"k\", \"secret\": \"s\"}')"

#define SERIES(n) \
    "(WITH RECURSIVE r(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM r " \
    "WHERE value < " n ") SELECT value FROM r)"

/* Three row groups of 700 kB: more than the end of a file that is asked for first. */
#define MAKE_LARGE \
    "SELECT parquet_copy_to('SELECT value AS id, randomblob(700) AS body FROM " \
    SERIES("3000") "', '$W/large.parquet', '{\"row_group_rows\": 1000, " \
    "\"page_rows\": 200, \"compression\": \"uncompressed\"}')"

#define LARGE(name, fault) \
    {name, MAKE_LARGE, \
     TABLE("'http://$H" fault "/large.parquet'") "; SELECT sum(length(body)) FROM t; " \
     "SELECT body FROM t WHERE id IN (1, 1500); SELECT count(*) FROM t WHERE id > 2900", \
     DROP, MAKES_FILE | SERVED}

/* Thirty row groups with Bloom filters, of which one request asks for blocks. */
#define MAKE_BLOOMS \
    "SELECT parquet_copy_to('SELECT value AS id, hex(randomblob(8)) AS name, " \
    "randomblob(700) AS body FROM " SERIES("3000") "', '$W/blooms.parquet', " \
    "'{\"row_group_rows\": 100, \"columns\": {\"name\": {\"bloom\": true}}}')"

#define BLOOMS(name, fault) \
    {name, MAKE_BLOOMS, \
     TABLE("'http://$H" fault "/blooms.parquet'") "; SELECT count(*) FROM t WHERE name = '7Q'; " \
     "SELECT count(*) FROM t WHERE name IN ('1Q', '2Q', '3Q')", \
     DROP, MAKES_FILE | SERVED}

/* A catalog with all that is read of one: a file by names, which lacks a column and a field
** that have first values, its deletes in a file and in the catalog, bounds, a view, and a row
** in the catalog. */
#define LAKE_TABLE(name, as) "CREATE TABLE IF NOT EXISTS lake.ducklake_" name " AS SELECT " as "; "
#define MAKE_LAKE \
    "SELECT parquet_copy_to('SELECT value AS pos FROM " SERIES("3") "', '$W/del.parquet'); " \
    "ATTACH '$W/f.lake' AS lake; " \
    LAKE_TABLE("metadata", "'version' AS key, '1.0' AS value, NULL AS scope UNION ALL " \
               "SELECT 'data_path', '$W/', NULL") \
    LAKE_TABLE("snapshot", "1 AS snapshot_id, 1 AS schema_version, '2026-01-01' AS snapshot_time") \
    LAKE_TABLE("snapshot_changes", "1 AS snapshot_id, 'created' AS changes_made") \
    LAKE_TABLE("view", "1 AS view_id, 0 AS begin_snapshot, NULL AS end_snapshot, 0 AS schema_id, " \
               "'ids' AS view_name, 'SELECT id FROM att' AS sql, '' AS column_aliases") \
    LAKE_TABLE("file_column_stats", "1 AS data_file_id, 1 AS table_id, 1 AS column_id, " \
               "0 AS null_count, '1' AS min_value, '9' AS max_value") \
    LAKE_TABLE("schema_versions", "1 AS begin_snapshot, 1 AS schema_version, 1 AS table_id") \
    LAKE_TABLE("schema", "0 AS schema_id, 0 AS begin_snapshot, NULL AS end_snapshot, " \
               "'main' AS schema_name, '' AS path, 1 AS path_is_relative") \
    LAKE_TABLE("table", "1 AS table_id, 0 AS begin_snapshot, NULL AS end_snapshot, " \
               "0 AS schema_id, 'att' AS table_name, '' AS path, 1 AS path_is_relative") \
    LAKE_TABLE("column", "1 AS column_id, 0 AS begin_snapshot, NULL AS end_snapshot, 1 AS " \
               "table_id, 1 AS column_order, 'id' AS column_name, 'int64' AS column_type, " \
               "NULL AS initial_default, NULL AS parent_column UNION ALL " \
               "SELECT 2, 0, NULL, 1, 2, 'payment', 'varchar', NULL, NULL UNION ALL " \
               "SELECT 3, 0, NULL, 1, 3, 'added', 'int32', '7', NULL UNION ALL " \
               "SELECT 4, 0, NULL, 1, 4, 'route', 'struct', NULL, NULL UNION ALL " \
               "SELECT 5, 0, NULL, 1, 1, 'via', 'varchar', 'x', 4 UNION ALL " \
               "SELECT 6, 0, NULL, 1, 2, 'to', 'varchar', NULL, 4") \
    LAKE_TABLE("data_file", "1 AS data_file_id, 1 AS table_id, 0 AS begin_snapshot, " \
               "NULL AS end_snapshot, '$S/trips.parquet' AS path, 0 AS path_is_relative, " \
               "'parquet' AS file_format, 'MDEyMzQ1Njc4OTAxMjM0NQ==' AS encryption_key, " \
               "1 AS mapping_id, NULL AS partial_max, 1000 AS record_count, " \
               "1 AS file_size_bytes, 0 AS row_id_start") \
    LAKE_TABLE("delete_file", "1 AS table_id, 0 AS begin_snapshot, NULL AS end_snapshot, " \
               "1 AS data_file_id, 'del.parquet' AS path, 1 AS path_is_relative, " \
               "'parquet' AS format, NULL AS encryption_key") \
    LAKE_TABLE("inlined_delete_1", "1 AS file_id, 7 AS row_id, 1 AS begin_snapshot") \
    LAKE_TABLE("name_mapping", "1 AS mapping_id, 'id' AS source_name, 1 AS target_field_id, " \
               "0 AS is_partition UNION ALL SELECT 1, 'payment', 2, 0 UNION ALL " \
               "SELECT 1, 'route', 4, 0 UNION ALL SELECT 1, 'to', 6, 0") \
    LAKE_TABLE("inlined_data_tables", "1 AS table_id, 'ducklake_rows' AS table_name, " \
               "1 AS schema_version") \
    LAKE_TABLE("rows", "0 AS begin_snapshot, NULL AS end_snapshot, 9999 AS id, 'x' AS payment, " \
               "1 AS added, '{''via'': NULL, ''to'': ''it\\''s''}' AS route") \
    "DETACH lake"

const Scenario scenarios[] = {
    {"loading", "", "SELECT parquet_version() IS NOT NULL", "", FROM_OPEN},

    /* types, structures, encodings, codecs */
    WHOLE("every type", "'$S/duckdb_types.parquet'"),
    WHOLE("every type, other writer", "'$S/hyparquet_types.parquet'"),
    WHOLE("pages of version 2", "'$S/duckdb_types_v2.parquet'"),
    WHOLE("every encoding", "'$S/hyparquet_encodings.parquet'"),
    WHOLE("encodings of version 2", "'$S/duckdb_encodings_v2.parquet'"),
    WHOLE("young encodings", "'$S/hyparquet_encodings_young.parquet'"),
    WHOLE("rare encodings", "'$S/../hostile/encodings.parquet'"),
    WHOLE("levels", "'$S/../hostile/levels.parquet'"),
    WHOLE("nested", "'$S/duckdb_nested.parquet'"),
    WHOLE("nested, other writer", "'$S/hyparquet_nested.parquet', map=entries"),
    WHOLE("variant", "'$S/duckdb_variant.parquet'"),
    WHOLE("variant, shredded", "'$S/hyparquet_variant.parquet'"),
    WHOLE("variants as blobs", "'$S/duckdb_variant.parquet', variant=blob"),
    OVER("texts with a Variant each", "'$S/duckdb_variant.parquet'",
         "SELECT variant_typeof(event), event FROM t"),
    WHOLE("paths into a Variant",
          "'$S/duckdb_variant.parquet', x = try_variant_get(event, '$.x', "
          "'int'), k = variant_get(event, '$.kind'), "
          "t = variant_get(event, '$.tags[0]', 'string'), "
          "v = variant_get(event, '$', 'variant'), "
          "d = variant_get(event, '$.at')"),
    OVER("conditions on paths into a Variant",
         "'$S/duckdb_variant.parquet', trust_stats=off, "
         "x = variant_get(event, '$.x', 'decimal(9,2)'), "
         "k = variant_get(event, '$.kind', 'string')",
         "SELECT x, k FROM t WHERE x > 5 AND k >= 'a'; "
         "SELECT \"event.at\" FROM t WHERE \"event.kind\" IN ('a', 'key'); "
         "SELECT k FROM t ORDER BY x DESC LIMIT 2"),
    WHOLE("geometry", "'$S/duckdb_geometry.parquet'"),
    {"geometries in a native encoding",
     "SELECT parquet_copy_to('SELECT ''[{\"x\":1,\"y\":2},null]'' AS g', "
     "'$W/native.parquet', '{\"types\": {\"g\": \"LIST<STRUCT<x DOUBLE, y "
     "DOUBLE>>\"}, \"threads\": 0, \"kv_metadata\": {\"geo\": "
     "\"{\\\"columns\\\":{\\\"g\\\":{\\\"encoding\\\":\\\"linestring\\\"}}}"
     "\"}}')",
     TABLE("'$W/native.parquet'") "; SELECT g, \"g.wkb\" FROM t; "
     "SELECT crs, edges, covering FROM parquet_schema('$W/native.parquet'); "
     "SELECT parquet_describe('$W/native.parquet')", DROP, 0},
    WHOLE("uncompressed", "'$S/duckdb_codec_uncompressed.parquet'"),
    WHOLE("snappy", "'$S/duckdb_codec_snappy.parquet'"),
    WHOLE("gzip", "'$S/duckdb_codec_gzip.parquet'"),
    WHOLE("brotli", "'$S/duckdb_codec_brotli.parquet'"),
    WHOLE("lz4_raw", "'$S/duckdb_codec_lz4_raw.parquet'"),
    WHOLE("zstd", "'$S/duckdb_codec_zstd.parquet'"),
    WHOLE_OFFICIAL("gzip of several members",
                   "concatenated_gzip_members.parquet"),
    WHOLE_OFFICIAL("lz4 of Hadoop", "hadoop_lz4_compressed.parquet"),
    WHOLE_OFFICIAL("lz4 of no Hadoop", "non_hadoop_lz4_compressed.parquet"),
    WHOLE_OFFICIAL("maps of Impala", "nullable.impala.parquet"),
    WHOLE_OFFICIAL("a dictionary page at offset 0",
                   "dict-page-offset-zero.parquet"),
    WHOLE_OFFICIAL("many columns of structs", "nested_structs.rust.parquet"),

    /* options and columns */
    WHOLE("no rows", "'$S/duckdb_empty.parquet'"),
    WHOLE("odd names", "'$S/duckdb_names.parquet'"),
    WHOLE("some columns of many",
          "'$S/duckdb_wide.parquet', columns='c1,c50,c99'"),
    WHOLE("other values", "'$S/duckdb_types.parquet', decimal=text, "
                          "timestamp=unixepoch, nan=text, invalid_utf8=blob, "
                          "binary_as_string"),
    WHOLE("no threads", "'$S/hyparquet_pages.parquet', threads=0"),
    WHOLE("threads", "'$S/trips.parquet', threads=3"),
    OVER("hidden columns", "'$S/duckdb_names.parquet'",
         "SELECT filename, file_index, file_row_number, "
         "file_row_group_number, rowid, * FROM t"),
    OVER("leaves of structs", "'$S/duckdb_nested.parquet'",
         "SELECT * FROM t; SELECT count(*), group_concat(name) FROM "
         "pragma_table_xinfo('t')"),

    /* many files */
    WHOLE("hive folders", "'$S/weather'"),
    OVER("hive folders, some", "'$S/weather/**/*.parquet'",
         "SELECT * FROM t WHERE year = 2024 AND city IN ('Oslo', 'Rome')"),
    WHOLE("united by name", "'$S/duckdb_codec_[bz]*.parquet', union_by_name"),
    WHOLE("united by name, others",
          "'$S/*_codec_*.parquet', union_by_name"),
    OVER("several files", "'$S/duckdb_codec_*.parquet'",
         "SELECT count(*), sum(i) FROM t; "
         "SELECT i FROM t WHERE filename LIKE '%zstd%' LIMIT 3"),

    /* pages that are larger than what is wanted of them */
    PART("zstd"), PART("snappy"), PART("gzip"), PART("brotli"), PART("lz4_raw"),

    /* pruning and finding */
    OVER("by the page index", "'$S/hyparquet_pages.parquet'",
         "SELECT * FROM t WHERE sorted BETWEEN 700 AND 720; "
         "SELECT count(*) FROM t WHERE falling < 12 OR word = 'none'"),
    OVER("by statistics and a bloom filter", "'$S/duckdb_bloom.parquet'",
         "SELECT count(*) FROM t WHERE user = 'nobody'; "
         "SELECT count(*) FROM t WHERE key = -1; "
         "SELECT count(*) FROM t WHERE user IN (SELECT user FROM t LIMIT 3)"),
    OVER("by values of every form", "'$S/duckdb_types.parquet'",
         "SELECT i FROM t WHERE date < '2000-01-01' OR decimal_38_10 > 0; "
         "SELECT i FROM t WHERE varchar LIKE '%a%' AND ubigint <> 5; "
         "SELECT i FROM t WHERE uuid IN (SELECT uuid FROM t LIMIT 3); "
         "SELECT i FROM t WHERE double IS NOT NULL AND timestamp_ns > '1'; "
         "SELECT i FROM t WHERE blob IS NOT x'00' AND enum = 'x'"),
    OVER("by a list and a bloom filter", "'$S/duckdb_bloom.parquet'",
         "SELECT count(*) FROM t WHERE key IN (1000, 1001, 1003, 1004, 1006, "
         "2000, 2001, 2003, 2004, 2006, 3000, 3001, 3003, 3004, 3006, 4000)"),
    OVER("by dictionaries", "'$S/duckdb_groups.parquet'",
         "SELECT count(*) FROM t WHERE bucket > 7 AND bucket < 8; "
         "SELECT count(*) FROM t WHERE word > 'birch' AND word < 'birch~'"),
    OVER("by rowid", "'$S/hyparquet_pages.parquet'",
         "SELECT * FROM t WHERE rowid = 1500; "
         "SELECT * FROM t WHERE rowid IN (3, 1000, 1999, 5); "
         "SELECT * FROM t WHERE rowid > 1990"),
    OVER("by rowid, in a join", "'$S/hyparquet_pages.parquet'",
         "SELECT a.sorted, b.word FROM t AS a JOIN t AS b "
         "ON b.rowid = a.rowid + 10 WHERE a.rowid < 8"),
    OVER("by key, in a join", "'$S/duckdb_codec_zstd.parquet'",
         "WITH k(v) AS (VALUES (3), (200), (4), (NULL), (3), (7.0), ('9')) "
         "SELECT k.v, t.word, t.real, t.rowid FROM k CROSS JOIN t "
         "ON t.i = k.v"),
    OVER("by key of text, in a join", "'$S/duckdb_codec_snappy.parquet'",
         "WITH k(v) AS (SELECT word FROM t LIMIT 6) "
         "SELECT count(*), sum(t.i), max(t.real) FROM k CROSS JOIN t "
         "ON t.word = k.v"),
    OVER("by key of nested rows", "'$S/duckdb_nested.parquet'",
         "SELECT b.* FROM t a CROSS JOIN t b ON b.i = a.i"),
    OVER("in a subquery", "'$S/duckdb_codec_zstd.parquet'",
         "WITH k(v) AS (VALUES (3), (200), (4), (NULL), (3), (7.0), ('9')) "
         "SELECT v, EXISTS (SELECT 1 FROM t WHERE t.i = k.v), "
         "(SELECT max(word) FROM t WHERE t.i = k.v OR t.rowid = k.v) FROM k"),
    OVER("in a subquery over files", "'$W/three/*.parquet'",
         "WITH k(v) AS (VALUES (3), (4), (5), (6)) SELECT (SELECT count(*) "
         "FROM t WHERE file_row_number = k.v OR file_index = k.v) FROM k"),
    OVER("sorted and grouped", "'$S/duckdb_codec_zstd.parquet'",
         "SELECT word, count(*), max(real) FROM t GROUP BY 1 ORDER BY 2, 1"),
    OVER("grouped by hashes", "'$S/trips.parquet'",
         "SELECT count(*), sum(fare * n), sum(s) FROM (SELECT fare, count(*) AS "
         "n, sum(tip) AS s FROM t GROUP BY fare); "
         "SELECT pickup, payment, max(id) FROM t GROUP BY 1, 2 ORDER BY 1, 2; "
         "SELECT count(*), sum(fare * tip) FROM (SELECT DISTINCT fare, tip FROM "
         "t); SELECT payment, tip, max(fare) "
         "FROM t GROUP BY 1, 2 ORDER BY 2 DESC, 1"),
    {"grouped in a temporary file",
     "SELECT parquet_copy_to('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
     "i + 1 FROM n LIMIT 12000) SELECT i * 7919 % 5000 AS k, printf(''%0400d'', "
     "i) AS s FROM n', '$W/grouped.parquet', '{\"threads\": 0}'); "
     TABLE("'$W/grouped.parquet', memory='8MB', threads=0"),
     "SELECT count(*), sum(k * n), min(m) FROM (SELECT k, count(*) AS n, max(s) "
     "AS m FROM t GROUP BY k); SELECT k, count(*), min(s) FROM t GROUP BY k ORDER BY k DESC", "", MAKES_FILE},
    OVER("a rollup", "'$S/duckdb_groups.parquet', rollup='bucket, word, "
         "substr(word, 1, 2) AS two, count(*) AS n, sum(id) AS s, min(word) AS "
         "lo, max(id * 0.5) AS hi'",
         "SELECT bucket, n, s FROM t WHERE bucket > 2 ORDER BY s DESC; "
         "SELECT two, lo, sum(n) FROM t GROUP BY two; SELECT n, hi FROM t; "
         "SELECT bucket, count(word) FROM t GROUP BY bucket ORDER BY bucket DESC; "
         "SELECT max(rowid), count(word) FROM t; "
         "SELECT a.word, b.n FROM t a JOIN t b ON b.word = a.word WHERE "
         "a.bucket = 1; SELECT (SELECT sum(n) FROM t b WHERE b.bucket = "
         "a.bucket) FROM t a WHERE a.bucket IN (1, 3)"),
    OVER("a rollup whose computed dimensions are compared",
         "'$S/duckdb_groups.parquet', rollup='bucket, word, length(word) AS len, "
         "upper(word) AS up, bucket % 3 AS rest, bucket > 1 AND bucket < 9 AS mid, "
         "count(*) AS n, sum(id) AS s'",
         "SELECT bucket, sum(n) FROM t WHERE len > 3 AND up > 'B' GROUP BY 1; "
         "SELECT sum(s) FROM t WHERE rest IN (1, 2) AND up LIKE '%A%' AND mid; "
         "SELECT (SELECT sum(n) FROM t b WHERE b.len <> a.bucket AND b.up IS NOT "
         "a.word) FROM t a WHERE NOT a.mid"),
    OVER("a rollup of dates", "'$S/trips.parquet', rollup='date(pickup) AS "
         "day, strftime(''%H'', pickup) AS hour, payment, count(*) AS n, "
         "sum(fare * (1 - tip)) AS s'",
         "SELECT day, sum(s), sum(n) FROM t WHERE day > '2000' GROUP BY day; "
         "SELECT hour, payment, n FROM t ORDER BY n DESC LIMIT 3"),
    OVER("a rollup of files", "'$W/three/*.parquet', rollup='filename, "
         "count(*) AS n'", "SELECT filename, n FROM t; SELECT n FROM t"),
    {"a rollup in a temporary file",
     "SELECT parquet_copy_to('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
     "i + 1 FROM n LIMIT 12000) SELECT i * 7919 % 9000 AS k, printf(''%0200d'', "
     "i) AS s FROM n', '$W/rolled.parquet', '{\"threads\": 0}'); "
     TABLE("'$W/rolled.parquet', memory='1MB', threads=0, rollup='k, s, "
           "count(*) AS n, max(s) AS hi'"),
     "SELECT count(*), sum(n) FROM t WHERE k IS NOT NULL AND s > ''; "
     "SELECT k, hi FROM t ORDER BY k LIMIT 5; "
     "SELECT count(*) FROM (SELECT s, max(k) FROM t GROUP BY s)", "", MAKES_FILE},
    {"a rollup in order of more than a pass",
     "SELECT parquet_copy_to('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
     "i + 1 FROM n LIMIT 3000) SELECT i * 7919 % 9000 AS k, printf(''%0200d'', "
     "i) AS s FROM n', '$W/ordered.parquet', '{\"threads\": 0}'); "
     TABLE("'$W/ordered.parquet', memory='1MB', threads=0, rollup='k, s, "
           "count(*) AS n, max(s) AS hi'"),
     "SELECT k, s, n FROM t ORDER BY n, k LIMIT 3 OFFSET 1100", "", MAKES_FILE},
    OVER("a rollup by threads", "'$S/duckdb_groups.parquet', threads=3, "
         "rollup='bucket, word, count(*) AS n, sum(id) AS s, max(word) AS hi'",
         "SELECT word, n, hi FROM t; SELECT bucket, s FROM t WHERE bucket > 2; "
         "SELECT n, s FROM t"),
    OVER("a rollup by threads of a length", "'$S/duckdb_groups.parquet', threads=3, "
         "rollup='bucket, length(word) AS len, count(*) AS n'",
         "SELECT bucket, sum(n) FROM t WHERE len > 3 GROUP BY 1"),
    {"elements of two lists",
     "SELECT parquet_copy_to('SELECT value AS i, ''[{\"x\":1,\"l\":[1,null]},"
     "{\"x\":2,\"l\":[]},null]'' AS a, ''[1,2]'' AS b FROM json_each(''[1,2,3]'')', "
     "'$W/lists.parquet', '{\"threads\": 0, \"types\": {\"a\": "
     "\"STRUCT<x BIGINT, l BIGINT[]>[]\", \"b\": \"BIGINT[]\"}}'); "
     TABLE("'$W/lists.parquet', unnest='a.l', outer=on"),
     "SELECT *, \"a.ordinal\", \"a.l.ordinal\" FROM t; SELECT i, b, "
     "\"a.l\" FROM t WHERE \"a.l\" = 1 OR \"a.x\" = 2; SELECT count(*) FROM t",
     "", MAKES_FILE},
    OVER("elements of lists", "'$S/duckdb_nested.parquet', unnest='structs', "
         "outer=on", "SELECT * FROM t; SELECT i, \"structs.what\" FROM t WHERE "
         "\"structs.price\" > 1 AND i > 3; SELECT count(*) FROM t; "
         "SELECT \"structs.ordinal\", count(*) FROM t GROUP BY 1"),
    OVER("elements of lists in lists", "'$S/duckdb_nested.parquet', "
         "unnest='maps.value.q.value'", "SELECT * FROM t"),
    OVER("elements of maps", "'$S/duckdb_nested.parquet', unnest='map'",
         "SELECT * FROM t WHERE \"map.key\" > 'a'"),
    OVER("a rollup of elements", "'$S/duckdb_nested.parquet', unnest='list', "
         "rollup='list, count(*) AS n, sum(i) AS s'", "SELECT * FROM t"),
    WHOLE("a list of paths",
          "'[\"$W/three/*.parquet\", \"$S/duckdb_names.parquet\"]'"),
    {"a copy that a list of paths would have",
     TABLE("'[\"$W/three/*.parquet\"]'"),
     "SELECT parquet_copy_to('SELECT * FROM t', '$W/three/d.parquet')",
     "$W/three/d.parquet: the query reads the table", REFUSED},
    {"a database out and back",
     "CREATE TABLE a(i INTEGER PRIMARY KEY, x, day DATE); "
     "INSERT INTO a VALUES (1, 'x', '2024-01-01'), (2, 2.5, NULL), (3, x'00', NULL); "
     "CREATE TABLE b(odd); INSERT INTO b VALUES (CAST(x'FF' AS TEXT)), (1); "
     "CREATE INDEX c ON a(x); CREATE VIEW v AS SELECT * FROM b; ATTACH ':memory:' AS back",
     "SELECT parquet_export('$W/whole', '{\"overwrite\": \"replace\"}'); "
     "SELECT parquet_import('$W/whole', '{\"schema\": \"back\"}'); "
     "SELECT count(*) FROM back.a; DROP TABLE back.a; DROP TABLE back.b; DROP VIEW back.v",
     "DROP TABLE IF EXISTS back.a; DROP TABLE IF EXISTS back.b; DROP VIEW IF EXISTS back.v", 0},
    {"files made of files", "",
     "SELECT parquet_copy_to('SELECT value AS i FROM json_each(''[1, 2, 3]'')', '$W/one.parquet'); "
     "SELECT parquet_copy_to('SELECT 4 AS i', '$W/one.parquet', '{\"overwrite\": \"append\"}'); "
     "SELECT parquet_rewrite('$W/one.parquet', '$W/two.parquet', '{\"where_not\": \"i = 2\"}'); "
     "SELECT parquet_rewrite('$W/one.parquet', '$W/two.parquet', '{\"sort\": \"i\"}'); "
     "SELECT parquet_copy_to('SELECT value AS i FROM json_each(''[1, 2]'')', '$W/small', "
     "'{\"overwrite\": \"replace\", \"file_rows\": 1}'); SELECT parquet_compact('$W/small')",
     "", 0},
    {"rows into an archive and back",
     "CREATE TABLE cold(i INTEGER PRIMARY KEY AUTOINCREMENT, x, day DATE); "
     "INSERT INTO cold VALUES (1, 'x', '2024-01-01'), (2, 2.5, NULL), (3, x'00', NULL)",
     "SELECT parquet_archive('cold', 'i < 3', '$W/cold') LIKE '{\"rows\":2,%'; "
     "SELECT i, x FROM cold_all ORDER BY i; SELECT parquet_restore('cold', 'i = 1'); "
     "SELECT i, x FROM cold_all ORDER BY i; SELECT parquet_archive_drop('cold', 'i > 2')",
     "SELECT parquet_restore('cold', '1')", 0},
    OVER("in order of files", "'$W/three/*.parquet'",
         "SELECT filename, count(*) FROM t GROUP BY filename; "
         "SELECT DISTINCT file_index FROM t; "
         "SELECT * FROM t ORDER BY filename DESC, file_row_number LIMIT 9"),
    OVER("by keys of two columns, shared", "'$S/duckdb_codec_zstd.parquet'",
         "WITH k(v) AS (VALUES (3), (200), (4), (NULL), (3), (7.0), ('9'), (12), "
         "(13), (14), (15), (201)) SELECT v, (SELECT max(word) FROM t WHERE t.i = "
         "k.v), (SELECT count(*) FROM t AS u WHERE u.i = k.v AND u.word > 'a'), "
         "(SELECT min(w.i) FROM t AS w WHERE w.word = (SELECT word FROM t AS x "
         "WHERE x.i = k.v)) FROM k"),
    OVER("in order", "'$S/duckdb_groups.parquet'",
         "SELECT max(id), max(word) FROM t; SELECT max(word) FROM t; "
         "SELECT * FROM t WHERE bucket > 2 ORDER BY word DESC, id LIMIT 30; "
         "SELECT DISTINCT word FROM t; SELECT rowid FROM t ORDER BY rowid DESC"),
    OVER("counted", "'$S/duckdb_groups.parquet'",
         "SELECT count(*) FROM t; SELECT rowid FROM t LIMIT 20"),
    {"text as UTF-16", "PRAGMA encoding='UTF-16'; " TABLE(
         "'$S/duckdb_codec_snappy.parquet'"),
     "SELECT * FROM t WHERE word > 'a' AND filename > 'a'", "", 0},
    {"text as UTF-16, made", "PRAGMA encoding='UTF-16'; CREATE TABLE x(y)",
     TABLE("'$S/duckdb_codec_snappy.parquet'")
     "; SELECT count(*), min(word) FROM t WHERE word > 'b'", DROP, 0},
    {"text as UTF-16, joined", "PRAGMA encoding='UTF-16'; " TABLE(
         "'$S/duckdb_codec_snappy.parquet'")
     "; CREATE TABLE keys AS SELECT word FROM t LIMIT 6",
     "SELECT count(*), sum(t.i) FROM keys k CROSS JOIN t ON t.word = k.word; "
     "SELECT count(*) FROM t WHERE word IN (SELECT word FROM keys)", "", 0},

    /* without a table */
    {"parquet_rows", "",
     "SELECT * FROM parquet_rows('$S/duckdb_nested.parquet')", "", 0},
    {"parquet_rows of many", "",
     "SELECT row ->> 'i', file_index FROM "
     "parquet_rows('$S/duckdb_codec_*.parquet')", "", 0},
    {"parquet_attach", "",
     "SELECT parquet_attach('att', '$S/duckdb_names.parquet', 'decimal=text');"
     "SELECT * FROM att", "DROP TABLE IF EXISTS temp.att", 0},
    {"parquet_attach of a folder", "",
     "SELECT parquet_attach('$W/three'); "
     "SELECT count(*) FROM temp.b; SELECT * FROM temp.c",
     "DROP TABLE IF EXISTS temp.a; DROP TABLE IF EXISTS temp.b; "
     "DROP TABLE IF EXISTS temp.c", LEAVES_OUT},
    {"a DuckLake", MAKE_LAKE, TABLE("'$W/f.lake', table='att'") "; "
     "SELECT count(*), max(id) FROM t; SELECT payment FROM t WHERE id IN (5, 9999); "
     "SELECT added, route FROM t WHERE id IN (5, 9999); SELECT sum(added), count(\"route.via\") "
     "FROM t; SELECT * FROM parquet_files('$W/f.lake', 'att'); "
     "SELECT * FROM parquet_snapshots('$W/f.lake')",
     DROP, MAKES_FILE},
    {"parquet_attach of a DuckLake", MAKE_LAKE,
     "SELECT parquet_attach('$W/f.lake', 'columns=id'); SELECT * FROM temp.att",
     "DROP VIEW IF EXISTS temp.ids; DROP TABLE IF EXISTS temp.att", MAKES_FILE},
    {"parquet_schema", "",
     "SELECT * FROM parquet_schema('$S/duckdb_nested.parquet')", "", 0},
    {"parquet_metadata", "",
     "SELECT * FROM parquet_metadata('$S/duckdb_types.parquet'); "
     "SELECT * FROM parquet_file_metadata('$S/duckdb_codec_zstd.parquet'); "
     "SELECT * FROM parquet_kv_metadata('$S/duckdb_geometry.parquet'); "
     "SELECT * FROM parquet_row_groups('$S/duckdb_groups.parquet')", "", 0},
    {"parquet_file_metadata of several", "",
     "SELECT * FROM parquet_file_metadata('$S/duckdb_codec_*.parquet')", "",
     LEAVES_OUT},
    {"parquet_pages", "",
     "SELECT * FROM parquet_pages('$S/hyparquet_pages.parquet')", "", 0},
    {"parquet_bloom_probe", "",
     "SELECT * FROM parquet_bloom_probe('$S/duckdb_bloom.parquet', 'user', "
     "'nobody')", "", 0},
    {"parquet_verify", "",
     "SELECT * FROM parquet_verify('$S/hyparquet_types.parquet')", "", 0},
    {"parquet_verify of indexes", "",
     "SELECT * FROM parquet_verify('$S/../hostile/indexes.parquet')", "", 0},
    {"parquet_verify of nested", "",
     "SELECT * FROM parquet_verify('$S/duckdb_nested.parquet')", "", 0},
    {"parquet_describe", "",
     "SELECT parquet_describe('$S/duckdb_types.parquet')", "", 0},
    {"parquet_summary", "",
     "SELECT * FROM parquet_summary('$S/duckdb_types.parquet'); "
     "SELECT * FROM parquet_summary('$S/duckdb_groups.parquet'); "
     "SELECT * FROM parquet_summary('$S/weather')", "", 0},
    {"functions of Variants", "",
     "SELECT variant_get(v, d || '.a', 'string'), variant_get(j, d || '.b[1]'), "
     "try_variant_get(j, d || '.b', 'int'), variant_get(v, d || '.b', 'variant'), "
     "variant_to_json(v), variant_typeof(j), is_variant_null(j), "
     "schema_of_variant(v), to_variant(j), try_parse_json('{') FROM "
     "(SELECT j, parse_json(j) AS v, char(36) AS d FROM (SELECT "
     "'{\"a\":1.50,\"b\":[\"x\\n\",{\"c\":null}]}' AS j)); "
     "SELECT variant_get(value, char(36, 91, 48, 93)) FROM "
     "json_each('[[1],[[2]],[\"x\"]]'); "
     "SELECT schema_of_variant_agg('{\"k' || value || '\":1}') FROM "
     "json_each('[1,2,3,4,5]'); "
     "SELECT *, variant FROM variant_explode('{\"a\":[1],\"b\":2}'); "
     "SELECT * FROM variant_explode_outer(NULL)", "", 0},
    {"a copy of calls", "",
     TABLE("'$S/trips.parquet'") "; SELECT parquet_copy_to('SELECT max(fare) AS "
     "f, date(max(t.pickup)) AS d, datetime(pickup) AS e FROM t LIMIT 3', "
     "'$W/calls.parquet')",
     DROP, 0},
    {"a comparison with times", "",
     "CREATE VIRTUAL TABLE temp.t USING parquet('$S/trips.parquet'); "
     "SELECT count(*) FROM t WHERE pickup >= parquet_timestamp('2024-03-10T12' "
     "|| ':00Z'); SELECT count(*) FROM t WHERE pickup > '2024/03/10'; "
     "SELECT count(*) FROM t WHERE pickup = '2024-03-10T12:00:00.250000'; "
     "SELECT count(*) FROM t WHERE pickup LIKE '2024-03-1%'; "
     "SELECT count(*) FROM t WHERE date(pickup) = '2024-03-10' "
     "AND payment = 'CASH' COLLATE NOCASE",
     DROP, 0},
    {"functions of geometries", "",
     "SELECT ST_AsText(g), ST_AsGeoJSON(g, 1), hex(ST_AsBinary(t)), "
     "ST_XMin(t), GeometryType(g), ST_NPoints(t), ST_AsText(ST_Envelope(g)), "
     "ST_AsText(ST_Expand(t, 1)), ST_Hilbert(g, t), ST_Within_Extent(g, t), "
     "hex(ST_MakeEnvelope(170, 0, -170, d)) FROM "
     "(SELECT t, ST_GeomFromText(t) AS g, 1 AS d FROM (SELECT "
     "'LINESTRING Z (1 2 3,4 5 6)' || substr('', rowid) AS t FROM "
     "(SELECT 1 AS rowid))); "
     "SELECT ST_AsText(ST_Extent(p)), ST_X(max(p)) FROM "
     "(SELECT ST_Point(value, -value) AS p FROM json_each('[1,2,3,4,5]')); "
     "SELECT ST_AsText(ST_Extent(ST_Point(value, 0)) OVER (ORDER BY value "
     "ROWS BETWEEN 1 PRECEDING AND 20 FOLLOWING)) FROM json_each('[1,2,3,4]')",
     "", 0},
    {"a copy of Variants, shredded", "",
     "SELECT parquet_copy_to('SELECT column1 AS v FROM (VALUES (''{\"a\":1,"
     "\"b\":[\"x\",null],\"c\":1.50}''), (x''0100001407000000''), "
     "(NULL), (2.5), (''{\"a\":\"\\n\",\"d\":{}}''))', '$W/v.parquet', "
     "'{\"variant\": \"v\", \"shred\": \"auto\", \"threads\": 0}'); "
     "SELECT parquet_copy_to('SELECT * FROM parquet_rows(''$S/"
     "duckdb_variant.parquet'')', '$W/v.parquet', '{\"variant\": \"row\", "
     "\"shred\": {\"row\": \"STRUCT<v STRUCT<a INT[]>>\"}, \"threads\": 0}')", "", 0},
    {"a copy of Variants, some unfit", "",
     "SELECT parquet_copy_to('SELECT column1 AS v, column1 AS w FROM (VALUES "
     "(''{\"a\":1,\"l\":[2]}''), (''{\"a\":\"x\",\"l\":[\"y\"]}''))', "
     "'$W/v.parquet', '{\"variant\": [\"v\", \"w\"], \"shred\": {\"v\": "
     "\"STRUCT<a INT, l INT[]>\", \"w\": \"STRUCT<a INT>\"}, \"threads\": 0}'); "
     TABLE("'$W/v.parquet'") "; SELECT * FROM t", DROP, 0},
    {"a copy of Variants, all unfit", "",
     "SELECT parquet_copy_to('SELECT column1 AS v FROM (VALUES "
     "(''{\"a\":1,\"l\":[\"2\"]}''), (''{\"l\":[\"y\"]}''))', "
     "'$W/v.parquet', '{\"variant\": \"v\", \"shred\": {\"v\": "
     "\"STRUCT<a INT, l INT[]>\"}, \"threads\": 0}')",
     "shred, column v, $.l[]: 2 of 2 values are not of type INT32; name", REFUSED},
    {"a copy of geometries", "",
     "SELECT parquet_copy_to('SELECT column1 AS g, column2 AS h FROM (VALUES "
     "(''POINT(3 4)'', NULL), (x''0101000020e610000000000000000008400000000000001"
     "040'', ''LINESTRING(170 0,-170 1)''), (NULL, ''POINT EMPTY''))', "
     "'$W/g.parquet', '{\"types\": {\"g\": \"geometry(projjson:k)\", "
     "\"h\": \"geography\"}, \"geoparquet\": \"1.1\", \"hilbert\": \"g\", "
     "\"kv_metadata\": {\"k\": \"{}\"}, \"primary_column\": \"h\", "
     "\"threads\": 0}'); "
     TABLE("'$W/g.parquet'") "; SELECT parquet_copy_to('SELECT * FROM t', "
     "'$W/h.parquet', '{\"geoparquet\": \"2.0\", \"covering\": \"double\", "
     "\"threads\": 0}'); SELECT * FROM parquet_verify('$W/h.parquet'); "
     "SELECT value FROM parquet_kv_metadata('$W/h.parquet')", DROP, 0},
    SEALED("encrypted", "sealed_gcm.parquet", ", aad_prefix='of trips'"),
    SEALED("encrypted, a key of a column found by trying",
           "sealed_signed.parquet", ", footer_key=k0"),
    SEALED("encrypted by CTR", "sealed_ctr.parquet",
           ", column_keys='word=k1;real=k2'"),
    {"encrypted, some keys are not there",
     "SELECT parquet_key('k0', x'bfeaea5d82784e8c6d4dbe6d31cc8e86')",
     TABLE("'$S/../hostile/sealed_gcm.parquet'") "; SELECT id, twin FROM t; "
     "SELECT count(*) FROM parquet_schema('$S/../hostile/sealed_gcm.parquet'); "
     "SELECT parquet_describe('$S/../hostile/sealed_gcm.parquet')", DROP, 0},
    {"keys are replaced", SEALED_KEYS "; " TABLE("'$S/../hostile/"
                                                 "sealed_ctr.parquet'"),
     "SELECT parquet_key('k0', NULL); SELECT parquet_key('k0', "
     "x'bfeaea5d82784e8c6d4dbe6d31cc8e86'); SELECT * FROM t",
     "SELECT parquet_key('k0', x'bfeaea5d82784e8c6d4dbe6d31cc8e86')", 0},
    {"keys from a file, named", "",
     "SELECT parquet_key_file('$W/three/keys.json'); "
     "SELECT parquet_key_file('k3', '$W/three/k.key'); "
     "SELECT count(*) FROM parquet_pages('$S/../hostile/sealed_gcm.parquet', "
     "'footer_key=k0, column_keys=\"word\"=k1'); "
     "SELECT * FROM parquet_schema('$S/../hostile/sealed_gcm.parquet', "
     "'footer_key=k0'); SELECT count(*) FROM parquet_bloom_probe("
     "'$S/../hostile/sealed_gcm.parquet', 'word', 'x', 'footer_key=k0'); "
     "SELECT parquet_describe('$S/../hostile/sealed_gcm.parquet', "
     "'footer_key=k0, aad_prefix=of trips'); "
     "SELECT * FROM parquet_describe('$S/../hostile/sealed_gcm.parquet', NULL)",
     "SELECT parquet_key('k0', NULL); SELECT parquet_key('k1 ', NULL); "
     "SELECT parquet_key('k3', NULL)", 0},
    {"key material",
     "SELECT parquet_key('kf', x'30313233343536373839303132333435'), "
     "parquet_key('kc1', x'31323334353637383930313233343530'), "
     "parquet_key('kc2', x'31323334353637383930313233343531')",
     TABLE("'$O/data/external_key_material_java.parquet.encrypted'")
     "; SELECT * FROM t", DROP, OFFICIAL},
    {"an encrypted copy, and its table", "",
     KEYS "; SELECT parquet_copy_to('SELECT column1 AS a, column2 AS b, column3 "
     "AS g FROM (VALUES (1, ''x'', ''POINT(3 4)''), (2, NULL, NULL))', "
     "'$W/e.parquet', '{\"encryption\": {\"footer_key\": \"kf\", "
     "\"column_keys\": {\"b\": \"k1\"}, \"clear_columns\": [\"a\"], "
     "\"aad_prefix\": \"p\"}, \"types\": {\"g\": \"geometry\"}, "
     "\"geoparquet\": \"1.1\", \"bloom\": true, \"threads\": 0}'); "
     TABLE("'$W/e.parquet', aad_prefix=p") "; SELECT * FROM t WHERE b > 'a'; "
     "SELECT * FROM parquet_verify('$W/e.parquet')", DROP, 0},
    {"a copy with key material inside", "",
     KEYS "; SELECT parquet_copy_to('SELECT 1 AS a, 2 AS b', '$W/e.parquet', "
     "'{\"encryption\": {\"footer_key\": \"kf\", \"column_keys\": \"b=k1\", "
     "\"key_material\": \"internal\"}, \"threads\": 0}'); "
     TABLE("'$W/e.parquet'") "; SELECT * FROM t", DROP, 0},
    {"a folder with key material beside its files", KEYS,
     "SELECT parquet_copy_to('SELECT column1 AS a, column2 AS b FROM (VALUES "
     "(1, ''x''), (2, ''y''), (1, ''z''))', '$W/m', '{\"encryption\": "
     "{\"footer_key\": \"kf\", \"column_keys\": \"b=k1\", \"key_material\": "
     "\"external\", \"wrapping\": \"single\"}, \"partition_by\": [\"a\"], "
     "\"overwrite\": \"replace\", \"threads\": 0}'); "
     TABLE("'$W/m'") "; SELECT * FROM t", DROP, 0},
    {"an encrypted folder", KEYS,
     "SELECT parquet_copy_to('SELECT column1 AS a, column2 AS b FROM (VALUES "
     "(1, ''x''), (2, ''y''), (1, ''z''))', '$W/e', '{\"encryption\": "
     "{\"footer_key\": \"kf\", \"column_keys\": \"b=k1\", "
     "\"plaintext_footer\": true, \"algorithm\": \"AES_GCM_CTR_V1\"}, "
     "\"partition_by\": [\"a\"], \"overwrite\": \"replace\", "
     "\"filename_pattern\": \"{uuid}\", \"threads\": 0}'); "
     TABLE("'$W/e'") "; SELECT * FROM t", DROP, 0},
    {"a folder is added to", "",
     "SELECT parquet_copy_to('SELECT 1 AS a, ''x'' AS b, ''[{\"x\":[1]}]'' AS c', "
     "'$W/more', '{\"file_rows\": 9, \"overwrite\": \"replace\", \"threads\": 0, "
     "\"types\": {\"c\": \"STRUCT<x INT[]>[]\"}}'); "
     "SELECT parquet_copy_to('SELECT ''new'' AS b, 2 AS a', '$W/more', "
     "'{\"overwrite\": \"append\", \"threads\": 0}'); "
     TABLE("'$W/more'") "; SELECT * FROM t", DROP, 0},
    {"a Delta table", "",
     "WITH x(p) AS MATERIALIZED (SELECT '$W/lake/' || hex(randomblob(8))) SELECT "
     "parquet_copy_to('SELECT 1 AS a, ''x'' AS b', p, "
     "'{\"lake\": \"delta\", \"partition_by\": [\"a\"], \"threads\": 0}') > '', "
     "parquet_copy_to('SELECT 2 AS a, NULL AS b', p, '{\"lake\": \"append\", \"threads\": 0}') > '', "
     "parquet_copy_to('SELECT 3 AS a, ''z'' AS b', p, '{\"lake\": \"overwrite\", \"threads\": 0}') > '', "
     "(SELECT row FROM parquet_rows(p)), "
     "(SELECT group_concat(operation) FROM parquet_snapshots(p)) FROM x", "", 0},
    {"an Iceberg table", "",
     "WITH x(p) AS MATERIALIZED (SELECT printf('$W/ice/%03d', abs(random() % 1000))) SELECT "
     "parquet_copy_to('SELECT 1 AS a, ''x'' AS b UNION ALL SELECT 2, NULL', p, "
     "'{\"lake\": \"append\", \"threads\": 0}') > '', (SELECT count(*) > 1 FROM "
     "parquet_rows(p) WHERE row >= '{\"a\":1'), (SELECT min(operation) FROM "
     "parquet_snapshots(p)) FROM x", "", 0},
    {"a table of an Iceberg catalog",
     "ATTACH '$W/ice.db' AS cat; CREATE TABLE IF NOT EXISTS cat.iceberg_tables(catalog_name, "
     "table_namespace, table_name, metadata_location, previous_metadata_location)",
     "BEGIN; INSERT INTO cat.iceberg_tables VALUES ('c', 's', 't', "
     "printf('$W/ice/%03d/metadata/v0.metadata.json', abs(random() % 1000)), NULL); "
     "SELECT parquet_copy_to('SELECT 1 AS a, ''x'' AS b UNION ALL SELECT 2, NULL', '$W/ice.db', "
     "'{\"lake\": \"append\", \"table\": \"s.t\", \"threads\": 0}') > ''; "
     TABLE("'$W/ice.db', table='s.t'") "; SELECT * FROM t ORDER BY a",
     "SAVEPOINT s; ROLLBACK; DROP TABLE IF EXISTS temp.t", 0},
    {"a DuckLake that is written", DUCKLAKE,
     "BEGIN; SELECT parquet_copy_to('SELECT 1 AS a, ''x'' AS b UNION ALL SELECT 2, NULL', "
     "'$W/x.lake', '{\"lake\": \"append\", \"table\": \"t\", \"threads\": 0}'), "
     "parquet_copy_to('SELECT 3 AS a', '$W/x.lake', "
     "'{\"lake\": \"append\", \"table\": \"t\", \"threads\": 0}'); "
     "SELECT parquet_delete('$W/x.lake', 'a IN (2, 80)', '{\"table\": \"t\"}'); "
     "SELECT parquet_compact('$W/x.lake', '{\"table\": \"t\", \"threads\": 0}'); "
     TABLE("'$W/x.lake', table='t'") "; SELECT * FROM t ORDER BY a",
     "SAVEPOINT s; ROLLBACK; DROP TABLE IF EXISTS temp.t", 0},
    {"a Delta table with a checkpoint", "",
     "WITH x(p) AS MATERIALIZED (SELECT '$W/lake/c' || hex(randomblob(8))) SELECT "
     "parquet_copy_to('SELECT 1 AS a', p, '{\"lake\": \"delta\", \"threads\": 0}') > '', "
     "(SELECT sum(parquet_copy_to('SELECT 2 AS a', p || substr('', value), "
     "'{\"lake\": \"append\", \"threads\": 0}') > '') FROM " SERIES("10") "), "
     "(SELECT count(row) FROM parquet_rows(p)) FROM x", "", 0},
    {"a partition is replaced",
     "SELECT parquet_copy_to('SELECT column1 AS a, column2 AS b FROM (VALUES "
     "(1, ''x''), (2, ''y''), (3, ''z''))', '$W/days', '{\"partition_by\": "
     "[\"a\"], \"overwrite\": \"replace\", \"threads\": 0}')",
     "SELECT parquet_copy_to('SELECT 2 AS a, ''new'' AS b', '$W/days', "
     "'{\"partition_by\": [\"a\"], \"overwrite\": \"partitions\", "
     "\"filename_pattern\": \"{uuid}\", \"threads\": 0}'); "
     TABLE("'$W/days'") "; SELECT * FROM t", DROP, MAKES_FILE},
    {"parquet_scan_stats", TABLE("'$S/duckdb_names.parquet'")
     "; SELECT count(*) FROM (SELECT * FROM t)",
     "SELECT \"table\", files, num_rows FROM parquet_scan_stats() LIMIT 1", "",
     0},

    /* files that are not local */
    LARGE("a served file", ""),
    LARGE("a server without ranges", "/~fault=whole"),
    LARGE("a server without ranges of the end", "/~fault=noend416"),
    BLOOMS("several ranges by one request", ""),
    BLOOMS("several ranges of which one comes", "/~fault=parts_one"),
    {"served files side by side", "",
     TABLE("'[\"http://$H/three/a.parquet\", \"http://$H/three/b.parquet\", "
           "\"http://$H/three/c.parquet\"]'") "; SELECT *, filename FROM t", DROP, SERVED},
    {"listed in a bucket", BUCKETS,
     TABLE("'s3://samples/weather/**/*.parquet'") "; SELECT count(*), sum(year) FROM t "
     "WHERE city = 'Oslo'; SELECT count(*) FROM parquet_rows('s3://three/')", DROP, SERVED},
    {"some folders of a bucket", BUCKETS,
     TABLE("'s3://paged/'") "; SELECT count(*) FROM t WHERE year = 2023; SELECT sum(rowid), "
     "(SELECT count(*) FROM t WHERE year = 2024 AND city > 'C') FROM t WHERE year = 2023 AND "
     "city = 'Oslo'", DROP, SERVED},
    {"a rollup of some folders of a bucket", BUCKETS,
     TABLE("'s3://paged/', rollup='year, city, file_index AS file, count(*) AS n'") "; SELECT "
     "sum(n) FROM t WHERE year = 2023; SELECT city, sum(n), sum(file) FROM t WHERE year = 2024 GROUP "
     "BY 1; SELECT a.year, b.n FROM t a CROSS JOIN t b ON a.rowid = b.rowid WHERE a.year = 2023 AND "
     "b.year > 0 AND a.n > 0", DROP, SERVED},
    {"copied to a server in parts", BUCKETS,
     "SELECT parquet_copy_to('SELECT value AS id, zeroblob(900000) AS body FROM "
     SERIES("7") "', 's3://out/x.parquet', '{\"overwrite\": \"error\", "
     "\"memory\": \"32MB\", \"compression\": \"uncompressed\", \"dictionary\": false, "
     "\"row_group_rows\": 2}'); "
     "SELECT sum(length(row)) FROM parquet_rows('$W/out/x.parquet')", "",
     SERVED | UPLOADS},
    {"copied to a server, partitions", BUCKETS,
     "SELECT parquet_copy_to('SELECT value AS id, value % 2 AS p FROM "
     SERIES("9") "', 's3://out/x', '{\"overwrite\": \"append\", "
     "\"partition_by\": [\"p\"]}'); "
     "SELECT row FROM parquet_rows('$W/out/x/*/*')", "", SERVED | UPLOADS},
    {"a Delta table in a bucket", BUCKETS,
     "SELECT parquet_copy_to('SELECT value AS id, value % 2 AS p FROM " SERIES("9") "', "
     "'s3://out/x', '{\"lake\": \"delta\", \"partition_by\": [\"p\"]}'); "
     "SELECT row FROM parquet_rows('$W/out/x')", "", SERVED | UPLOADS},
    {"copied to a server by one PUT", BUCKETS,
     "SELECT parquet_copy_to('SELECT 1 AS x', 's3://out/x.parquet', "
     "'{\"overwrite\": \"error\"}'); "
     "SELECT row FROM parquet_rows('$W/out/x.parquet')", "", SERVED | UPLOADS},
    {"copied to a server, spooled", "",
     "SELECT parquet_copy_to('SELECT value AS id, zeroblob(200000) AS body FROM "
     SERIES("7") "', 'http://$H/out/x.parquet', '{\"overwrite\": \"error\", "
     "\"memory\": \"32MB\", \"compression\": \"uncompressed\", \"dictionary\": false, "
     "\"row_group_rows\": 2}'); "
     "SELECT sum(length(row)) FROM parquet_rows('$W/out/x.parquet')", "",
     SERVED | UPLOADS},
    {"a copy to a server that fails", BUCKETS,
     "SELECT parquet_copy_to('SELECT value AS id, value % 2 AS p, abs(CASE value WHEN 9 "
     "THEN -9223372036854775808 ELSE 1 END) FROM " SERIES("9") "', 's3://out/x', "
     "'{\"file_rows\": 1, \"threads\": 0, \"partition_by\": [\"p\"]}')",
     "the query failed after 8 rows: integer", SERVED | UPLOADS | REFUSED},
    {"a pipe", "",
     TABLE("'/dev/stdin'") "; SELECT count(*), sum(fare) FROM t", DROP, PIPED},
    {"a BLOB of the database",
     "CREATE TABLE files(body); INSERT INTO files VALUES(readfile('$S/trips.parquet'))",
     TABLE("'blob:main.files.body.1'") "; SELECT count(*), sum(fare) FROM t; "
     "SELECT fare FROM t WHERE id = 77", DROP, 0},
    {"a BLOB as the argument", "",
     "SELECT sum(length(row)) FROM parquet_rows(readfile('$S/trips.parquet')); "
     "SELECT count(*) FROM parquet_pages(readfile('$S/trips.parquet'))", "", 0},

    {"an Iceberg table, rows deleted in three ways", "",
     TABLE("'$S/../fault/iceberg'") "; SELECT * FROM t; "
     "SELECT * FROM parquet_snapshots('$S/../fault/iceberg')", DROP, 0},

    /* the life of a table */
    {"dropped", TABLE("'$S/duckdb_names.parquet'"),
     "DROP TABLE t; " TABLE("'$S/duckdb_names.parquet'"),
     DROP "; " TABLE("'$S/duckdb_names.parquet'"), 0},
    {"run again", TABLE("'$S/duckdb_codec_zstd.parquet'"),
     "SELECT * FROM t WHERE i < 100; SELECT max(word) FROM t", "", TWICE},
    {"copied", TABLE("'$S/hyparquet_types.parquet'"),
     "CREATE TABLE copy AS SELECT * FROM t; SELECT * FROM copy",
     "DROP TABLE IF EXISTS copy", 0},
    {"renamed", "",
     "CREATE VIRTUAL TABLE main.r USING parquet('$S/duckdb_names.parquet'); "
     "ALTER TABLE main.r RENAME TO s; SELECT * FROM main.s",
     "DROP TABLE IF EXISTS main.r; DROP TABLE IF EXISTS main.s", 0},
    {"rolled back", "",
     "BEGIN; " TABLE("'$S/duckdb_names.parquet'") "; SELECT * FROM t; ROLLBACK",
     DROP, 0},
    {"in a database of old",
     "CREATE VIRTUAL TABLE f USING parquet('$S/duckdb_codec_zstd.parquet'); "
     "CREATE VIEW v AS SELECT i, word FROM f WHERE i > 200",
     "SELECT * FROM v; SELECT count(*) FROM f", "",
     IN_A_FILE | NEEDS_NEW_CONNECTION},
    {"in a database of old, UTF-16",
     "PRAGMA encoding='UTF-16'; "
     "CREATE VIRTUAL TABLE f USING parquet('$S/duckdb_codec_zstd.parquet')",
     "SELECT * FROM f WHERE word > 'b'", "", IN_A_FILE | NEEDS_NEW_CONNECTION},
    {"in a database, two tables joined",
     "CREATE VIRTUAL TABLE f USING parquet('$S/duckdb_codec_zstd.parquet'); "
     "CREATE VIRTUAL TABLE g USING parquet('$S/duckdb_codec_gzip.parquet')",
     "SELECT f.word, g.real FROM f JOIN g USING (i) WHERE f.i < 9", "",
     IN_A_FILE | NEEDS_NEW_CONNECTION},
};
const size_t n_scenarios = COUNT(scenarios);

char *fault_expand(const char *sql)
{
    sqlite3_str *s = sqlite3_str_new(NULL);

    sqlite3_str_appendall(s, "");
    while (*sql) {
        size_t n = strcspn(sql, "$");

        sqlite3_str_append(s, sql, (int)n);
        sql += n;
        if (*sql) {
            const char *folder = sql[1] == 'S'   ? folder_samples
                                 : sql[1] == 'O' ? folder_official
                                 : sql[1] == 'W' ? folder_work
                                 : sql[1] == 'H' ? fault_server
                                                 : NULL;

            sqlite3_str_appendf(s, "%s", folder ? folder : "$");
            sql += folder ? 2 : 1;
        }
    }
    sqlite3_str_appendchar(s, 1, ' ');
    return sqlite3_str_finish(s);
}
