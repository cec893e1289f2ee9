# planted_remote.sh - faults of what is read from servers; planted.sh has the rest, and
# plants these too.

by=faults:row
plant a-status-that-passes-is-the-end core/remote/request.c \
    'came ? is_passing(a->status) : a->may_repeat' \
    'came ? false : a->may_repeat'
plant a-reset-is-the-end core/remote/request.c \
    'came ? is_passing(a->status) : a->may_repeat' \
    'came ? is_passing(a->status) : false'
plant a-cut-body-is-the-end core/remote/http_exchange.c \
    'case CURLE_COULDNT_CONNECT: case CURLE_PARTIAL_FILE:' \
    'case CURLE_COULDNT_CONNECT:'
by=faults:like
plant if-match-is-not-sent core/remote/request.c \
    'add_header(&h, "If-Match", x->q.if_match, e)' \
    'add_header(&h, "If-Match", "", e)'
by=faults:row
plant another-version-is-an-answer core/remote/remote_source.c \
    'return a->status == 412 ||' 'return a->status == 413 ||'
plant a-body-may-be-short core/remote/remote_source.c \
    'a->body.n != at.end - at.begin || a->body_cut' 'a->body_cut'
plant an-end-may-be-short core/remote/remote_open.c \
    'at->end == size && a->body.n == size - at->begin &&' 'at->end == size &&'
by=where
by=tcl:remote_hive
plant a-listing-for-another-question-serves ext/table/statement_files.c \
    'return l->list.n_skipped == 0 ||' 'return l->list.n_files > 0 ||'
plant numbers-of-files-are-of-a-part ext/table/statement_files.c \
    'if (l->list.n_skipped == 0) {' 'if (l->list.n_files > 0) {'
plant rowids-of-all-files-are-of-a-part ext/cursor/cursor_terms.c \
    'if (counts_files(t, term)) {' 'if (counts_files(t, term) && t->n_columns == 0) {'
plant a-folder-passes-if-its-first-term-does ext/cursor/cursor_terms.c \
    'i < s->n_file_terms && passes; i++) {' 'i < s->n_file_terms && passes && i < 1; i++) {'
plant a-text-is-never-equal-to-an-integer-folder ext/cursor/cursor_terms.c \
    'return passes || is_other;' 'return passes || (is_other && s->n_file_terms == 0);'
plant files-come-while-a-statement-runs core/files/s3_walk.c \
    'if (rc == PQ_OK && out->part) {' 'if (rc == PQ_OK && out->part && out->table) {'
by=unit:hive
plant a-deeper-folder-has-the-value core/files/hive.c \
    'v->is_there ? PQ_OK : read_value' 'v->is_there && !v->text ? PQ_OK : read_value'
by=where
