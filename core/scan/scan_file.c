/*
** scan_file.c - opens and closes the files of a scan, one at a time.
**
** With a summary file, the part files that hold its chunks are open as well.
**
** The hard part is a file that changes during the scan.  Files are checked at
** each row group and once more when the scan leaves them, so that no statement
** succeeds with rows of two versions.
*/
#include "core/files/ignore_errors.h"
#include "core/scan/scan_inside.h"

#include <stdio.h>

static void count_input(PqScan *s, const PqInput *in)
{
    s->stats.bytes_read += pq_source_bytes_read(in->source);
    s->stats.ns_read += pq_source_ns_read(in->source);
    for (int i = 0; i < PQ_MODULE_KIND_COUNT; i++) {
        s->stats.bytes_by_kind[i] += in->bytes_by_kind[i];
    }
}

void pq_scan_close_file(PqScan *s)
{
    const PqPart *part;

    for (uint32_t i = 0; i < s->n_leaves; i++) {
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
    pq_scan_forget_headers(s);
    pq_scan_forget_paths(s);
    for (part = s->parts.first; part; part = part->next) {
        count_input(s, &part->in);
    }
    pq_chunk_files_close(&s->parts);
    if (s->in.source) {
        count_input(s, &s->in);
        pq_source_close(s->in.source);
    }
    pq_footer_release(s->footer);
    s->in = (PqInput){0};
    s->footer = NULL;
    s->file = -1;
}

PqRc pq_scan_check_file(const PqScan *s, PqErr *e)
{
    if (!s->in.source) {
        return PQ_OK;
    }
    PQ_TRY(pq_source_check(s->in.source, e));
    return pq_chunk_files_check(&s->parts, s->group, e);
}

static PqRc leaf_room(PqScan *s, uint32_t n, PqErr *e)
{
    if (n <= s->n_leaves) {
        return PQ_OK;
    }
    PQ_TRY(PQ_RESIZE(s->mem, s->leaves, n, e));
    memset(s->leaves + s->n_leaves, 0, (n - s->n_leaves) * sizeof *s->leaves);
    s->n_leaves = n;
    return PQ_OK;
}

/* Two columns of the table may be one leaf of this file, if their names differ
** only in case.  One of them may ask for levels later; reading the leaf again
** then would invalidate the other's vector.  So such a leaf has levels from
** the start. */
static void share_leaves(PqScan *s)
{
    for (uint32_t i = 0; i < s->table->n_columns; i++) {
        const PqNode *node = s->nodes[i];
        PqScanLeaf *l;

        if (node && node->kind == PQ_NODE_LEAF) {
            l = &s->leaves[node->leaf];
            l->levels = l->used;
            l->used = true;
        }
    }
}

/* Notes, once, that a file has a column that the table does not show. */
static void note_surplus(PqScan *s, const char *path)
{
    char note[PQ_NOTES_ROOM / 2];
    const char *name;

    if (s->noted_surplus || s->footer == s->table->footers[0]) {
        return;
    }
    name = pq_table_surplus(s->table, s->footer, s->nodes);
    if (name) {
        snprintf(note, sizeof note, "%.200s has a column %.100s that the table "
                 "has not; %s", path, name,
                 s->table->union_by_name ? "make the table again to see it"
                                         : "union_by_name=on shows it");
        pq_notes_add(&s->stats.notes, note);
        s->noted_surplus = true;
    }
}

/* Notes, once, that nothing vouches for a plaintext footer whose key is not at
** hand. */
static void note_locks(PqScan *s, const char *path)
{
    const PqFileLocks *l = s->footer->locks;
    char note[PQ_NOTES_ROOM / 2];

    if (!l || s->noted_locks || l->verified) {
        return;
    }
    snprintf(note, sizeof note, "%.200s: the signature of its footer was not "
             "verified, because the key is not at hand", path);
    pq_notes_add(&s->stats.notes, note);
    s->noted_locks = true;
}

static PqRc enter_file(PqScan *s, uint32_t file, const char *path, PqErr *e)
{
    s->file = file;
    s->file_serial++;
    s->stats.files++;
    s->stats.file_bytes += pq_source_size(s->in.source);
    pq_remote_source_stops(s->in.source, &s->stop.stopped);
    pq_notes_add(&s->stats.notes, pq_remote_source_note(s->in.source));
    s->group = 0;
    s->group_known = false;
    s->may_want_of = -1;
    PQ_TRY(leaf_room(s, s->footer->schema.n_leaves, e));
    for (uint32_t i = 0; i < s->n_leaves; i++) {
        s->leaves[i].group = s->leaves[i].next_group = -1;
        s->leaves[i].levels = s->leaves[i].used = s->leaves[i].wanted = false;
    }
    PQ_TRY(pq_table_map(s->table, s->footer, path,
                        pq_listing_is_first(s->listing, file), s->nodes, e));
    note_surplus(s, path);
    note_locks(s, path);
    share_leaves(s);
    pq_scan_announce_file(s);
    return PQ_OK;
}

/* A file that could not be entered is closed again.  A caller that ignores the
** failure may then try it once more. */
PqRc pq_scan_open_file(PqScan *s, uint32_t file, PqErr *e)
{
    const char *path = s->listing->files[file].path;
    PqRc rc;

    PQ_TRY(pq_scan_check_file(s, e));
    pq_scan_close_file(s);
    rc = pq_scan_enter_next(s, file, e);
    if (rc == PQ_OK) {
        rc = enter_file(s, file, path, e);
    }
    if (rc != PQ_OK) {
        pq_left_out_hint(s->table, s->listing, e);
        pq_scan_close_file(s);
    }
    return rc;
}
