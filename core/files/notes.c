/*
** notes.c - collects the remarks of a scan in one text (engine.h).
**
**   "first note; second note; and more"
**
** Room is always kept for the last words, so that a reader sees that something
** is missing.  A first note that is longer than the whole room is cut.
*/
#include "core/files/engine.h"

static const char between[] = "; ", last_words[] = "; and more";

/* Is the note already in text? */
static bool is_there(const char *text, const char *note)
{
    size_t n = strlen(note);

    for (const char *at = text; (at = strstr(at, note)) != NULL; at++) {
        bool begins = at == text ||
                      (at - text >= 2 && memcmp(at - 2, between, 2) == 0);

        if (begins && (!at[n] || memcmp(at + n, between, 2) == 0)) {
            return true;
        }
    }
    return false;
}

static bool is_full(const char *text, size_t n)
{
    size_t last = sizeof last_words - 1;

    return n >= last && strcmp(text + n - last, last_words) == 0;
}

/* How many of the first n bytes are whole characters. */
static size_t whole_characters(const char *text, size_t n)
{
    while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) {
        n--;
    }
    return n;
}

void pq_notes_add(PqScanNotes *notes, const char *note)
{
    size_t n = strlen(notes->text), more = strlen(note);
    size_t comma = n > 0 ? sizeof between - 1 : 0;
    size_t room = sizeof notes->text - sizeof last_words - n;

    if (more == 0 || is_full(notes->text, n) || is_there(notes->text, note)) {
        return;
    }
    if (comma + more <= room) {
        memcpy(notes->text + n, between, comma);
        memcpy(notes->text + n + comma, note, more + 1);
        return;
    }
    if (n == 0) {
        n = whole_characters(note, room);
        memcpy(notes->text, note, n);
    }
    memcpy(notes->text + n, last_words, sizeof last_words);
}
