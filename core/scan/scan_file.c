/*
** scan_file.c - the files of a scan, one open at a time.
**
** A summary file (_metadata) has row groups whose chunks lie in other files;
** those are opened as they are needed and stay open as long as the summary.
*/
#include "core/scan/scan_state.h"

static void count_input(PqScan *s, const PqInput *in)
{
    int i;

    s->stats.bytes_read += pq_source_bytes_read(in->source);
    for (i = 0; i < PQ_MODULE_KIND_COUNT; i++) {
        s->stats.bytes_by_kind[i] += in->bytes_by_kind[i];
    }
}

void pq_scan_close_file(PqScan *s)
{
    uint32_t i;

    for (i = 0; i < s->n_leaves; i++) {
        s->leaves[i].group = -1;
        s->leaves[i].batch = 0;
        s->leaves[i].next_group = -1;
        s->leaves[i].streak = false;
        if (s->leaves[i].reader) {
            pq_leaf_reader_arena(s->leaves[i].reader);   /* forgets */
        }
        if (s->leaves[i].next) {
            pq_leaf_reader_arena(s->leaves[i].next);
        }
    }
    while (s->parts) {
        PqPartFile *next = s->parts->next;
        count_input(s, &s->parts->in);
        pq_source_close(s->parts->in.source);
        pq_mem_free(s->parts);
        s->parts = next;
    }
    if (s->in.source) {
        count_input(s, &s->in);
        pq_source_close(s->in.source);
    }
    pq_footer_release(s->footer);
    s->in = (PqInput){0};
    s->footer = NULL;
    s->file = -1;
}

static PqRc leaf_room(PqScan *s, uint32_t n, PqErr *e)
{
    PqScanLeaf *p;

    if (n <= s->n_leaves) {
        return PQ_OK;
    }
    p = pq_mem_resize(s->mem, s->leaves, n * sizeof *p, e);
    if (!p) {
        return e->rc;
    }
    memset(p + s->n_leaves, 0, (n - s->n_leaves) * sizeof *p);
    s->leaves = p;
    s->n_leaves = n;
    return PQ_OK;
}

/* Two columns of the table may be one leaf of this file: their names differ in
** case alone.  One of them may need levels, and what the other was given must
** not go when they are asked for; so such a leaf has them from the start. */
static void share_leaves(PqScan *s)
{
    uint32_t i;

    for (i = 0; i < s->table->n_columns; i++) {
        const PqNode *node = s->nodes[i];
        PqScanLeaf *l;

        if (node && node->kind == PQ_NODE_LEAF) {
            l = &s->leaves[node->leaf];
            l->levels = l->used;
            l->used = true;
        }
    }
}

PqRc pq_scan_open_file(PqScan *s, uint32_t file, PqErr *e)
{
    const char *path = s->listing->files[file].path;
    uint32_t i;

    pq_scan_close_file(s);
    PQ_TRY(pq_engine_open(s->table->engine, path, &s->in.source, &s->footer,
                          e));
    s->file = file;
    s->file_serial++;
    s->stats.files++;
    s->group = 0;
    s->group_known = false;
    PQ_TRY(leaf_room(s, s->footer->schema.n_leaves, e));
    for (i = 0; i < s->n_leaves; i++) {
        s->leaves[i].group = s->leaves[i].next_group = -1;
        s->leaves[i].levels = s->leaves[i].used = false;
    }
    PQ_TRY(pq_table_map(s->table, s->footer, path, file == 0, s->nodes, e));
    share_leaves(s);
    return PQ_OK;
}

/* The path of a chunk that lies in another file: relative to this one's
** folder, and not out of it. */
static PqRc part_path(PqScan *s, PqSlice name, char **out, PqErr *e)
{
    const char *own = pq_source_path(s->in.source);
    const char *slash = strrchr(own, '/');
    size_t n = slash ? (size_t)(slash - own) + 1 : 0, i;
    bool climbs = name.n == 0 || name.p[0] == '/' ||
                  memchr(name.p, 0, name.n) != NULL;

    for (i = 0; i + 1 < name.n; i++) {
        climbs = climbs || (name.p[i] == '.' && name.p[i + 1] == '.' &&
                            (i == 0 || name.p[i - 1] == '/') &&
                            (i + 2 == name.n || name.p[i + 2] == '/'));
    }
    if (climbs) {
        return pq_fail(e, PQ_CORRUPT, "points to a file outside its folder: "
                                      "%.*s", (int)name.n, (const char *)name.p);
    }
    *out = pq_mem_alloc(s->mem, n + name.n + 1, e);
    if (!*out) {
        return e->rc;
    }
    memcpy(*out, own, n);
    memcpy(*out + n, name.p, name.n);
    (*out)[n + name.n] = 0;
    return PQ_OK;
}

PqRc pq_scan_part(PqScan *s, PqSlice name, PqInput **out, PqErr *e)
{
    PqPartFile *p;
    char *path;
    PqRc rc;

    PQ_TRY(part_path(s, name, &path, e));
    for (p = s->parts; p; p = p->next) {
        if (strcmp(pq_source_path(p->in.source), path) == 0) {
            pq_mem_free(path);
            *out = &p->in;
            return PQ_OK;
        }
    }
    p = pq_mem_zeros(s->mem, 1, sizeof *p, e);
    if (!p) {
        pq_mem_free(path);
        return e->rc;
    }
    rc = pq_source_open(s->mem, path, &p->in.source, e);
    pq_mem_free(path);
    if (rc != PQ_OK) {
        pq_mem_free(p);
        return rc;
    }
    p->next = s->parts;
    s->parts = p;
    *out = &p->in;
    return PQ_OK;
}
