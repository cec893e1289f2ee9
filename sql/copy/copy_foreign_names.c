/*
** copy_foreign_names.c - the table of other tools' names: DuckDB's COPY, the
** writers of Spark and pandas, pyarrow, Polars and parquet-java.
**
** A row for each option, or for what is written for it.  Names that the search
** for near names finds by itself (use_dictionary, max_threads) are not in the
** table.
*/
#include "sql/copy/copy_option_values.h"

#include "sql/did_you_mean.h"

#define ORDER                                                        \
    "sorting_columns, which promises the order that an ORDER BY in the " \
    "query makes"
#define APPEND "\"overwrite\": \"append\""
#define REPLACE "\"overwrite\": \"replace\""
#define PARTITIONS "\"overwrite\": \"partitions\""

static const PqsqlElsewhere rows[] = {
    {"compression", NULL, {"codec"}},
    {"encryption", NULL, {"encryption_config", "encrypt",
                          "encryption_properties"}},
    {"encryption", "\"encryption\": {\"footer_key\": \"kf\"}",
     {"footer_key", "parquet.encryption.footer.key", "key"}},
    {"encryption", "\"encryption\": {\"column_keys\": {\"ssn\": \"k1\"}}",
     {"column_keys", "parquet.encryption.column.keys"}},
    {"encryption", "\"encryption\": {\"clear_columns\": [\"id\"]}",
     {"clear_columns"}},
    {"encryption", "\"encryption\": {\"plaintext_footer\": true}",
     {"plaintext_footer"}},
    {"encryption", "\"encryption\": {\"aad_prefix\": \"orders\"}",
     {"aad_prefix"}},
    {"compression_level", NULL, {"zstd_level"}},
    {"row_group_rows", NULL, {"row_group_size", "max_row_group_size",
                              "max_row_group_length", "max_rows_per_group"}},
    {"row_group_bytes", NULL, {"row_group_size_bytes", "block_size",
                               "parquet.block.size"}},
    {"page_bytes", NULL, {"page_size", "data_page_size",
                          "data_page_size_limit", "parquet.page.size"}},
    {"page_rows", NULL, {"data_page_row_count_limit"}},
    {"file_bytes", NULL, {"file_size", "file_size_bytes", "max_file_size"}},
    {"file_rows", NULL, {"rows_per_file", "max_rows_per_file",
                         "max_records_per_file"}},
    {"overwrite", APPEND, {"append"}},
    {"overwrite", REPLACE, {"replace", "force"}},
    {"overwrite", PARTITIONS, {"dynamic", "overwrite_partitions",
                               "replace_where", "partition_overwrite_mode"}},
    {"overwrite", NULL, {"mode", "save_mode", "if_exists",
                         "existing_data_behavior"}},
    {"sorting_columns", ORDER, {"sort", "sort_by", "sorted_by", "sorted",
                                "order_by", "sort_columns"}},
    {"geoparquet", NULL, {"geoparquet_version", "schema_version"}},
    {"covering", NULL, {"write_covering_bbox", "bbox"}},
    {"types", "\"types\": {\"geom\": \"geometry(crs)\"}",
     {"crs", "srid"}},
    {"types", "\"types\": {\"geom\": \"geometry\"}",
     {"geometry_columns"}},
    {"primary_column", NULL, {"primary_geometry", "geometry_name"}},
    {"hilbert", NULL, {"sort_by_bbox"}},
    {"partition_by", NULL, {"partition_cols", "partition_columns",
                            "partitioned_by", "partitioning_columns", "hive"}},
    {"filename_pattern", NULL, {"file_pattern", "file_prefix",
                                "filename_template", "basename_template"}},
    {"types", NULL, {"schema", "dtype", "dtypes", "cast", "casts",
                     "coerce_timestamps", "use_deprecated_int96_timestamps"}},
    {"types", "\"types\": \"auto\"",
     {"auto_detect", "infer_schema"}},
    {"not_null", NULL, {"required", "nullable"}},
    {"on_mismatch", NULL, {"ignore_errors", "on_error", "safe", "strict"}},
    {"encoding", NULL, {"use_byte_stream_split"}},
    {"compatibility", NULL, {"flavor", "version", "parquet_version",
                             "writer_version"}},
    {"kv_metadata", NULL, {"key_value_metadata"}},
    {"params", NULL, {"parameters", "bind", "args"}},
    {"threads", NULL, {"n_jobs", "parallel", "workers"}},
    {"progress", NULL, {"verbose"}},
    {"created_by", NULL, {"application", "writer"}},
};

const PqsqlElsewhere *pqsql_copy_elsewhere(const char *name)
{
    for (size_t i = 0; i < PQ_COUNT(rows); i++) {
        const char *const *known = rows[i].known_as;

        for (size_t k = 0; k < PQ_COUNT(rows[i].known_as) && known[k]; k++) {
            if (pqsql_same_words(known[k], name)) {
                return &rows[i];
            }
        }
    }
    return NULL;
}
