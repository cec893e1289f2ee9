/*
** folder_tree.h - a new folder for a test, and its contents as one text:
**
**   "a=1/f.parquet:old e/ x:1"       files with their contents, sorted; empty
**                                    folders end with a slash
*/
#ifndef FOLDER_TREE_H
#define FOLDER_TREE_H

enum { TREE_TEXT = 1 << 16 };

typedef struct FolderTree {
    char root[256];
    int  before;                     /* the working directory */
} FolderTree;

/* The new folder is the working directory until the end. */
void tree_begin(FolderTree *t, const char *files);
void tree_end(FolderTree *t);

/* Makes the files and folders of a text as above. */
void tree_make(const char *files);

/* Removes everything in the working directory. */
void tree_clear(void);

/* The contents of the folder as a text; valid until the next call. */
const char *tree_text(const char *folder);

#endif
