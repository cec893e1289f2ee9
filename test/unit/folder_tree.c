/*
** folder_tree.c - making, listing and removing folders for tests.
*/
#define _GNU_SOURCE
#include "test/unit/folder_tree.h"

#include <fcntl.h>
#include <ftw.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(bool ok, const char *what)
{
    if (!ok) {
        perror(what);
        abort();
    }
}

void tree_begin(FolderTree *t, const char *files)
{
    const char *tmp = getenv("TMPDIR");

    if (!tmp && access("/dev/shm", W_OK) == 0) {
        tmp = "/dev/shm";            /* where fsync costs nothing */
    }
    snprintf(t->root, sizeof t->root, "%s/folder_tree.XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    must(mkdtemp(t->root) != NULL, t->root);
    t->before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(t->before >= 0 && chdir(t->root) == 0, t->root);
    tree_make(files);
}

static int remove_one(const char *path, const struct stat *st, int type,
                      struct FTW *ftw)
{
    return ftw->level ? remove(path) : 0;
}

void tree_clear(void)
{
    must(nftw(".", remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, "clear");
}

void tree_end(FolderTree *t)
{
    tree_clear();
    must(fchdir(t->before) == 0, "working directory");
    close(t->before);
    must(rmdir(t->root) == 0, t->root);
}

static void make_one(const char *path, const char *content)
{
    char part[512];
    FILE *f;

    for (size_t i = 0; path[i]; i++) {
        part[i] = path[i];
        part[i + 1] = 0;
        if (path[i] == '/') {
            must(mkdir(part, 0777) == 0 || access(part, F_OK) == 0, part);
        }
    }
    if (path[strlen(path) - 1] != '/') {
        f = fopen(path, "we");
        must(f && fputs(content, f) >= 0 && fclose(f) == 0, path);
    }
}

void tree_make(const char *files)
{
    char one[512], *colon;
    size_t n;

    for (; *files; files += n + (files[n] == ' ')) {
        n = strcspn(files, " ");
        snprintf(one, sizeof one, "%.*s", (int)n, files);
        colon = strchr(one, ':');
        if (colon) {
            *colon = 0;
        }
        make_one(one, colon ? colon + 1 : "");
    }
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add_file(const char *path, char *out)
{
    size_t n = strlen(out);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;

    n += (size_t)snprintf(out + n, TREE_TEXT - n, "%s:", path + 2);
    must(fd >= 0, path);
    while ((got = read(fd, out + n, TREE_TEXT - 2 - n)) > 0) {
        n += (size_t)got;
    }
    close(fd);
    out[n] = ' ';
    out[n + 1] = 0;
}

static void add_folder(const char *path, char *out)
{
    struct dirent **entry;
    char inner[512];
    struct stat st;
    int n = scandir(path, &entry, NULL, by_name);

    must(n >= 0, path);
    if (n == 2) {
        strcat(out, path[1] ? path + 2 : "");
        strcat(out, "/ ");
    }
    for (int i = 0; i < n; i++) {
        const char *name = entry[i]->d_name;
        snprintf(inner, sizeof inner, "%s/%s", path, name);
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            must(lstat(inner, &st) == 0, inner);
            if (S_ISDIR(st.st_mode)) {
                add_folder(inner, out);
            } else if (S_ISREG(st.st_mode)) {
                add_file(inner, out);
            } else {
                strcat(out, inner + 2);
                strcat(out, "@ ");
            }
        }
        free(entry[i]);
    }
    free(entry);
}

const char *tree_text(const char *folder)
{
    static char out[TREE_TEXT];
    struct stat st;
    int at;

    out[0] = 0;
    if (lstat(folder, &st) != 0) {
        return "";
    }
    at = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(at >= 0 && chdir(folder) == 0, folder);
    add_folder(".", out);
    must(fchdir(at) == 0, "back");
    close(at);
    if (out[0]) {
        out[strlen(out) - 1] = 0;
    }
    return out;
}
