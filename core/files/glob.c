/*
** glob.c - matches patterns with names; nothing here touches a disk.
**
** Two things are hard.  A match must not take exponential time, whatever the
** number of stars (see pq_glob_match).  And ** makes one folder stand at
** several places of the pattern, so a step maps a set of places to a set.
*/
#include "core/files/glob.h"

#include "core/base/folder.h"

#include <limits.h>

/* The end of the class that begins at p, or NULL when it is never closed. */
static const uint8_t *class_end(const uint8_t *p, const uint8_t *end)
{
    p++;
    if (p < end && (*p == '!' || *p == '^')) {
        p++;
    }
    if (p < end && *p == ']') {
        p++;
    }
    while (p < end && *p != ']') {
        p++;
    }
    return p < end ? p + 1 : NULL;
}

/* Is c in the class [p, end), which includes its brackets? */
static bool in_class(const uint8_t *p, const uint8_t *end, uint8_t c)
{
    bool outside, found = false;

    p++;
    end--;
    outside = *p == '!' || *p == '^';
    p += outside;
    while (p < end) {
        uint8_t low = *p++, high = low;
        if (end - p >= 2 && *p == '-') {
            high = p[1];
            p += 2;
        }
        found = found || (low <= c && c <= high);
    }
    return found != outside;
}

/* The end of the element at p, which is not a star, if it matches c; otherwise
** NULL. */
static const uint8_t *match_one(const uint8_t *p, const uint8_t *end, uint8_t c)
{
    const uint8_t *next = *p == '[' ? class_end(p, end) : NULL;

    if (next) {
        return in_class(p, next, c) ? next : NULL;
    }
    return *p == '?' || *p == c ? p + 1 : NULL;
}

/* Only the latest star is ever tried again: any bytes that an earlier star
** could take in addition, the latest can take too.  So the work is at most the
** product of the lengths. */
bool pq_glob_match(PqSlice part, const char *name)
{
    const uint8_t *p = part.p, *end = p + part.n, *star = NULL;
    const uint8_t *s = (const uint8_t *)name, *again = NULL;

    if (*s == '.' && (p == end || *p != '.')) {
        return false;
    }
    for (;;) {
        const uint8_t *next = NULL;
        if (p < end && *p == '*') {
            star = ++p;
            again = s;
            continue;
        }
        if (!*s) {
            return p == end;
        }
        if (p < end) {
            next = match_one(p, end, *s);
        }
        if (next) {
            p = next;
            s++;
        } else if (star) {
            p = star;
            s = ++again;
        } else {
            return false;
        }
    }
}

static PqGlobKind kind_of(PqSlice part)
{
    const uint8_t *p = part.p, *end = p + part.n;

    if (pq_slice_is(part, "**")) {
        return PQ_GLOB_DEEP;
    }
    for (; p < end; p++) {
        if (*p == '*' || *p == '?' || (*p == '[' && class_end(p, end))) {
            return PQ_GLOB_WILD;
        }
    }
    return PQ_GLOB_NAME;
}

/* The first component of rest, which does not begin with a slash. */
static PqSlice component(const char *rest)
{
    return pq_slice(rest, strcspn(rest, "/"));
}

static const char *skip_slashes(const char *p)
{
    return p + strspn(p, "/");
}

/* The first component with a glob character, or the end. */
static const char *first_glob(const char *pattern)
{
    const char *p = skip_slashes(pattern);

    while (*p && kind_of(component(p)) == PQ_GLOB_NAME) {
        p = skip_slashes(p + component(p).n);
    }
    return p;
}

bool pq_glob_is(const char *pattern)
{
    return *first_glob(pattern) != 0;
}

void pq_glob_folder(const char *path, PqGlob *out)
{
    out->base = pq_slice_text(path);
    out->n_parts = 0;
    out->only_folders = false;
}

static PqRc add_part(PqGlob *g, PqSlice text, PqErr *e)
{
    PqGlobPart part = {text, kind_of(text)};
    uint32_t n = g->n_parts;

    if (pq_slice_is(text, ".")) {
        return PQ_OK;
    }
    if (pq_slice_is(text, "..")) {
        return pq_fail(e, PQ_USAGE,
                       "a glob cannot have .. after a glob character");
    }
    if (part.kind == PQ_GLOB_DEEP && n && g->part[n - 1].kind == part.kind) {
        return PQ_OK;                /* two in a row mean the same as one */
    }
    if (n == PQ_GLOB_PARTS) {
        return pq_fail(e, PQ_USAGE, "a glob of more than %d parts",
                       PQ_GLOB_PARTS);
    }
    g->part[g->n_parts++] = part;
    return PQ_OK;
}

PqRc pq_glob_parse(const char *pattern, PqGlob *out, PqErr *e)
{
    const char *p = first_glob(pattern);

    pq_glob_folder(pattern, out);
    out->base.n = (size_t)(p - pattern);
    while (*p) {
        PqSlice text = component(p);
        PQ_TRY(add_part(out, text, e));
        p += text.n;
        out->only_folders = *p || pq_slice_is(text, ".");
        p = skip_slashes(p);
    }
    if (out->n_parts && out->part[out->n_parts - 1].kind == PQ_GLOB_DEEP) {
        out->n_parts--;
        out->only_folders = true;
    }
    return PQ_OK;
}

/* Place i, and when part i is a ** also place i + 1, since ** may match no
** folder.  Part i + 1 is never a ** again. */
static PqGlobPlaces place(const PqGlob *g, uint32_t i)
{
    bool deep = i < g->n_parts && g->part[i].kind == PQ_GLOB_DEEP;

    return (PqGlobPlaces)(deep ? 3 : 1) << i;
}

PqGlobPlaces pq_glob_start(const PqGlob *g)
{
    return place(g, 0);
}

PqGlobPlaces pq_glob_unnamed(const PqGlob *g, PqGlobPlaces at)
{
    for (uint32_t i = 0; i < g->n_parts; i++) {
        if (g->part[i].kind == PQ_GLOB_NAME) {
            at &= ~((PqGlobPlaces)1 << i);
        }
    }
    return at;
}

/* The walk skips hidden folders.  A glob skips them too, unless its part begins
** with "_": "_*" matches _temporary, "*" does not. */
static bool may_walk(PqSlice last_part, const char *name)
{
    return last_part.p[0] == *name || !pq_folder_is_hidden(name);
}

static void step_part(const PqGlob *g, uint32_t i, const char *name,
                      PqGlobStep *step)
{
    const PqGlobPart *part = &g->part[i];

    if (part->kind == PQ_GLOB_DEEP) {
        step->deep |= !pq_folder_is_hidden(name) ? place(g, i) : 0;
    } else if (part->kind == PQ_GLOB_NAME
                   ? pq_slice_is(part->text, name)
                   : pq_glob_match(part->text, name)) {
        if (i + 1 < g->n_parts) {
            step->named |= place(g, i + 1);
        } else {
            step->named |= may_walk(part->text, name) ? place(g, i + 1) : 0;
            step->file = step->file || !g->only_folders;
        }
    }
}

PqGlobStep pq_glob_step(const PqGlob *g, PqGlobPlaces at, const char *name)
{
    PqGlobPlaces matched = (PqGlobPlaces)1 << g->n_parts;
    PqGlobStep step = {0, 0, false};

    for (uint32_t i = 0; i < g->n_parts; i++) {
        if (at >> i & 1) {
            step_part(g, i, name, &step);
        }
    }
    if (at & matched) {
        step.deep |= pq_folder_is_hidden(name) ? 0 : matched;
        step.file = step.file || (*name != '.' && *name != '_' &&
                                  pq_folder_is_parquet(pq_slice_text(name)));
    }
    return step;
}

bool pq_glob_leads_to_file(const PqGlob *g, PqGlobPlaces at, const char *path)
{
    char name[PATH_MAX];

    while (at) {
        size_t n;
        PqGlobStep step;

        path += strspn(path, "/");
        n = strcspn(path, "/");
        if (n >= sizeof name) {
            return false;
        }
        memcpy(name, path, n);
        name[n] = 0;
        step = pq_glob_step(g, at, name);
        path += n;
        if (!*path) {
            return step.file;
        }
        at = step.named | step.deep;
    }
    return false;
}
