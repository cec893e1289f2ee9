/*
** unknown_names.c - the error for an option, or a column in columns=, that does
** not exist: it says what to write instead.
**
** A misspelt name is found by pqsql_nearest.  The table has names that other
** tools use and that are not near ours: names of DuckDB's read_parquet,
** pyarrow, pandas, Polars and Spark.  They are not accepted as options, because
** they do not mean quite the same there.
*/
#include "ext/table/options.h"

#include "sql/did_you_mean.h"

#define ALWAYS_THERE " is a hidden column of every table: SELECT "
#define HIVE_TYPES \
    "folders that are all integers or all dates get that type automatically"
#define RECORDED "each file records "
#define IN_QUERY "write it in the query: SELECT ... FROM the table "

typedef struct Elsewhere {
    const char *option;              /* our option, or NULL                  */
    const char *instead;             /* what to do if that is NULL           */
    const char *names[8];            /* what it is called elsewhere          */
} Elsewhere;

static const Elsewhere elsewhere[] = {
    {"hive", NULL, {"hive_partitioning", "partitioning", "partitioned"}},
    {NULL, HIVE_TYPES "; hive=off reads without them", {"hive_types"}},
    {NULL, HIVE_TYPES,
     {"hive_types_autocast", "try_parse_hive_dates", "hive_schema"}},
    {NULL, "key=value folders become columns from the first glob character on, "
           "or below the folder that is given", {"base_path"}},
    {NULL, "filename" ALWAYS_THERE "filename, * FROM t",
     {"filename", "filenames", "include_file_paths"}},
    {NULL, "file_row_number" ALWAYS_THERE "file_row_number, * FROM t",
     {"file_row_number", "row_index_name"}},
    {NULL, "file_index" ALWAYS_THERE "file_index, * FROM t", {"file_index"}},
    {"union_by_name", NULL,
     {"merge_schema", "schema_merge", "unify_schemas", "union_all_by_name",
      "missing_columns", "allow_missing_columns", "extra_columns"}},
    {"columns", NULL, {"select", "usecols", "projection"}},
    {"exclude", NULL, {"drop", "except", "omit", "without"}},
    {"rollup", NULL, {"group_by", "groupby", "aggregate", "cube"}},
    {"unnest", NULL, {"explode", "flatten"}},
    {"ignore_errors", NULL,
     {"ignore_corrupt_files", "ignore_missing_files", "skip_errors", "on_error",
      "strict"}},
    {"timestamp", NULL,
     {"timestamps", "timestamp_as", "coerce_int96_timestamp_unit",
      "int96_rebase_mode", "datetime_rebase_mode"}},
    {"checksum", NULL,
     {"page_checksum_verification", "verify_checksum", "crc"}},
    {"trust_stats", NULL, {"use_statistics"}},
    {"threads", NULL, {"use_threads", "num_threads", "parallel", "n_jobs"}},
    {"memory", NULL, {"memory_limit", "max_memory", "buffer_size"}},
    {"invalid_utf8", NULL, {"encoding"}},
    {"footer_key", NULL,
     {"encryption_config", "decryption_properties", "encryption",
      "encryption_key", "key", "password"}},
    {NULL, "SELECT parquet_key_file('kf', 'kf.key') or "
           "parquet_key_file('keys.json') gives keys to the connection",
     {"keys", "key_file"}},
    {"aad_prefix", NULL, {"aad"}},
    {NULL, RECORDED "how it is compressed", {"compression", "codec"}},
    {NULL, "there is one engine", {"engine"}},
    {NULL, RECORDED "its columns", {"header"}},
    {NULL, RECORDED "its columns; columns= chooses some of them", {"schema"}},
    {NULL, RECORDED "its types; CAST in a query changes them",
     {"types", "dtype"}},
    {NULL, "a folder is always read with its subfolders",
     {"recursive", "recursive_file_lookup"}},
    {NULL, "the path itself may be a glob: 'folder/**/2024-*.parquet'",
     {"path_glob_filter", "glob"}},
    {NULL, IN_QUERY "WHERE ...", {"filters", "filter", "where"}},
    {NULL, IN_QUERY "LIMIT n", {"limit", "n_rows"}},
    {NULL, IN_QUERY "ORDER BY ...", {"order_by"}},
    {NULL, "that is an option of parquet_copy_to, which writes",
     {"overwrite", "partition_by"}},
    {NULL, "the path comes first and has no name", {"path", "file"}},
};

static const Elsewhere *known_elsewhere(const char *name)
{
    for (size_t i = 0; i < PQ_COUNT(elsewhere); i++) {
        for (size_t k = 0; elsewhere[i].names[k]; k++) {
            if (pqsql_same_words(elsewhere[i].names[k], name)) {
                return &elsewhere[i];
            }
        }
    }
    return NULL;
}

/* Our option, misspelt or written in another way: binaryAsString. */
static const char *ours(const char *name)
{
    PqsqlNearest near = {.word = name};
    const char *option;

    for (size_t i = 0; (option = pqext_option_name(i)) != NULL; i++) {
        if (pqsql_same_words(option, name)) {
            return option;
        }
        pqsql_nearest_look(&near, option);
    }
    return pqsql_nearest(&near);
}

static char *all_names(const char *name)
{
    sqlite3_str *s = sqlite3_str_new(NULL);
    const char *option;

    sqlite3_str_appendf(s, "parquet: there is no option %s; there are", name);
    for (size_t i = 0; (option = pqext_option_name(i)) != NULL; i++) {
        sqlite3_str_appendf(s, "%s %s", i ? "," : "", option);
    }
    return sqlite3_str_finish(s);
}

/* To SQLite, columns=a,b is two arguments.  So is rollup=a,b. */
static bool ends(const char *option, const char *before)
{
    const char *name = before ? before + strspn(before, "'") : "";

    return sqlite3_strnicmp(name, option, (int)strlen(option)) == 0 &&
           strchr(name, '=') != NULL;
}

char *pqext_option_unknown(const char *name, const char *before)
{
    const Elsewhere *known = known_elsewhere(name);
    const char *option = known ? known->option : ours(name), *list;

    for (size_t i = 0; (list = pqext_option_name(i)) != NULL; i++) {
        if (pqext_option_has_names(list) && ends(list, before)) {
            return sqlite3_mprintf("parquet: there is no option %s; several "
                                   "columns are one text: %s='a,%s'", name, list,
                                   name);
        }
    }
    if (!known && ends("rollup", before)) {
        return sqlite3_mprintf("parquet: there is no option %s; a rollup is one "
                               "text: rollup='a, %s'", name, name);
    }
    if (known && known->instead) {
        return sqlite3_mprintf("parquet: there is no option %s: %s", name,
                               known->instead);
    }
    return option ? sqlite3_mprintf("parquet: there is no option %s; did you "
                                    "mean %s?", name, option)
                  : all_names(name);
}

/* ---- names in columns= --------------------------------------------------- */

enum { NAMED_AT_MOST = 12 };

/* Calls see() for each name that columns= may contain. */
static void each_column(const PqTable *t, const PqListing *l,
                        void (*see)(void *arg, const char *name), void *arg)
{
    uint32_t i, k;

    for (i = 0; i < t->n_footers; i++) {
        const PqNode *root = t->footers[i]->schema.root;

        for (k = 0; k < root->n_children; k++) {
            see(arg, root->child[k]->name);
        }
    }
    for (k = 0; k < l->n_folder_columns; k++) {
        see(arg, l->folder_columns[k]);
    }
}

static void look(void *near, const char *name)
{
    pqsql_nearest_look(near, name);
}

/* The first column that word names before a dot. */
typedef struct Struct {
    const char *word, *name;
} Struct;

static void look_for_struct(void *arg, const char *name)
{
    Struct *s = arg;
    size_t n = strlen(name);

    if (!s->name && n > 0 && sqlite3_strnicmp(s->word, name, (int)n) == 0 &&
        s->word[n] == '.') {         /* equal names have equal lengths */
        s->name = name;
    }
}

typedef struct Names {
    sqlite3_str *text;
    uint32_t     n;
} Names;

static void add_name(void *arg, const char *name)
{
    Names *all = arg;

    if (all->n++ < NAMED_AT_MOST) {
        sqlite3_str_appendf(all->text, "%s%s", all->n > 1 ? ", " : "", name);
    }
}

void pqext_column_unknown(const PqTable *t, const PqListing *l,
                          const char *name, PqErr *e)
{
    static const char *const hidden[] = {"filename", "file_index",
                                         "file_row_number",
                                         "file_row_group_number"};
    PqsqlNearest near = {.word = name};
    Struct of = {.word = name};
    Names all = {.text = NULL};
    char *text;

    for (size_t i = 0; i < PQ_COUNT(hidden); i++) {
        if (pq_ascii_same(hidden[i], name)) {
            pq_err_hint(e, "%s is a hidden column of every table", hidden[i]);
            return;
        }
    }
    each_column(t, l, look_for_struct, &of);
    each_column(t, l, look, &near);
    if (of.name || pqsql_nearest(&near)) {
        pq_err_hint(e, "did you mean %s?",
                    of.name ? of.name : pqsql_nearest(&near));
        return;
    }
    all.text = sqlite3_str_new(NULL);
    each_column(t, l, add_name, &all);
    text = sqlite3_str_finish(all.text);
    if (text) {
        pq_err_hint(e, "it has %s%s", text,
                    all.n > NAMED_AT_MOST ? ", ..." : "");
    }
    sqlite3_free(text);
}

/* ---- lists in unnest= ---------------------------------------------------- */

/* The paths of lists and maps, as unnest= takes them. */
typedef struct Lists {
    const char  *word;               /* what was written                    */
    const char  *same;               /* but for the words of the file; or
                                     ** NULL                                */
    bool         below;              /* those in the column that it names   */
    PqsqlNearest near;
    sqlite3_str *text;
    uint32_t     n;
    PqArena      arena;
    PqErr        e;                  /* of the arena                        */
} Lists;

static void see_lists(Lists *all, const PqNode *n, const char *path);

static const char *joined(Lists *all, const char *path, const char *name)
{
    bool plain = *name && !strpbrk(name, ".\"");
    char *quoted = plain ? NULL : sqlite3_mprintf("\"%w\"", name);
    const char *part = plain ? name : quoted ? quoted : "";
    const char *text = pq_arena_printf(&all->arena, &all->e, "%s%s%s", path,
                                       *path ? "." : "", part);

    sqlite3_free(quoted);
    return text ? text : "";
}

/* Skips words for the elements of lists and maps, as a file has them, at the
** front of a path: items.list.element.parts. */
static const char *past_words(const char *z)
{
    static const char *const words[] = {"list", "element", "item", "array",
                                        "bag", "array_element", "key_value"};
    size_t n = strcspn(z, "."), i = 0;

    while (i < PQ_COUNT(words)) {
        if (*z && strlen(words[i]) == n &&
            sqlite3_strnicmp(z, words[i], (int)n) == 0) {
            z += n + (z[n] == '.');
            n = strcspn(z, ".");
            i = 0;
        } else {
            i++;
        }
    }
    return z;
}

/* Are they equal, apart from such words? */
static bool is_same_list(const char *a, const char *b)
{
    size_t n;

    for (;; a += n + (a[n] == '.'), b += n + (b[n] == '.')) {
        a = past_words(a);
        b = past_words(b);
        n = strcspn(a, ".");
        if (n != strcspn(b, ".") || sqlite3_strnicmp(a, b, (int)n) != 0) {
            return false;
        }
        if (!*a && !*b) {
            return true;
        }
    }
}

/* Do they begin with the same column? */
static bool is_same_column(const char *a, const char *b)
{
    size_t n = strcspn(a, ".");

    return n == strcspn(b, ".") && sqlite3_strnicmp(a, b, (int)n) == 0;
}

static void see_list(Lists *all, const PqNode *n, const char *path)
{
    if (!all->below || is_same_column(path, all->word)) {
        pqsql_nearest_look(&all->near, path);
        all->same = is_same_list(path, all->word) ? path : all->same;
        if (all->n++ < NAMED_AT_MOST) {
            sqlite3_str_appendf(all->text, "%s%s", all->n > 1 ? ", " : "", path);
        }
    }
    if (n->kind == PQ_NODE_MAP) {
        see_lists(all, n->child[0], joined(all, path, "key"));
        if (n->n_children > 1) {
            see_lists(all, n->child[1], joined(all, path, "value"));
        }
    } else {
        see_lists(all, n->child[0],
                  n->child[0]->kind == PQ_NODE_STRUCT
                      ? path : joined(all, path, "element"));
    }
}

/* Recursion is as deep as the schema: PQ_SCHEMA_MAX_DEPTH. */
static void see_lists(Lists *all, const PqNode *n, const char *path)
{
    if (n->kind == PQ_NODE_LIST || n->kind == PQ_NODE_MAP) {
        see_list(all, n, path);
    }
    for (uint32_t i = 0; n->kind == PQ_NODE_STRUCT && i < n->n_children; i++) {
        see_lists(all, n->child[i], joined(all, path, n->child[i]->name));
    }
}

/* below: only lists in the column that unnest names.  False: there are none. */
static bool hint_list(const PqTable *t, const PqNode *root, const char *unnest,
                      bool below, PqErr *e)
{
    Lists all = {.word = unnest, .below = below, .near = {.word = unnest}};
    const char *near;
    char *text;

    pq_err_init(&all.e);
    pq_arena_init(&all.arena, t->engine->mem);
    all.text = sqlite3_str_new(NULL);
    see_lists(&all, root, "");
    near = all.same ? all.same : pqsql_nearest(&all.near);
    text = sqlite3_str_finish(all.text);
    if (near) {
        pq_err_hint(e, "did you mean unnest='%s'?", near);
    } else if (text) {
        pq_err_hint(e, "%s lists and maps: %s%s; write unnest='%.*s'",
                    below ? "its column's" : "its", text,
                    all.n > NAMED_AT_MOST ? ", ..." : "",
                    (int)strcspn(text, ","), text);
    }
    sqlite3_free(text);
    pq_arena_free(&all.arena);
    return all.n > 0;
}

void pqext_list_unknown(const PqTable *t, const PqNode *root,
                        const char *unnest, PqErr *e)
{
    if (strchr(unnest, ',') && !strchr(unnest, '"')) {
        pq_err_hint(e, "unnest takes one path; for a second list write FROM t, "
                       "json_each(t.tags)");
    } else if (!hint_list(t, root, unnest, true, e) &&
               !hint_list(t, root, unnest, false, e)) {
        pq_err_hint(e, "it has no list and no map; for a text of JSON write "
                       "FROM t, json_each(t.x)");
    }
}
