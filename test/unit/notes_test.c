/*
** notes_test.c - each note of a scan is kept once, within the room for notes.
*/
#include "core/files/engine.h"
#include "test/unit/test.h"

TEST(notes, stand_one_after_the_other_and_each_once)
{
    PqScanNotes n = {{0}};

    pq_notes_add(&n, "a file was left out");
    pq_notes_add(&n, "");
    pq_notes_add(&n, "a file");
    pq_notes_add(&n, "a file was left out");
    pq_notes_add(&n, "left out");
    pq_notes_add(&n, "a file");
    CHECK_TEXT(n.text, "a file was left out; a file; left out");
}

TEST(notes, that_do_not_fit_are_announced_once)
{
    PqScanNotes n = {{0}};
    char note[32];
    size_t full;

    for (int i = 0; i < 1000; i++) {
        snprintf(note, sizeof note, "note number %d", i);
        pq_notes_add(&n, note);
    }
    full = strlen(n.text);
    CHECK(full < sizeof n.text);
    CHECK(strstr(n.text, "note number 40; note number 41") != NULL);
    CHECK_TEXT(n.text + full - 10, "; and more");
    CHECK(strstr(n.text, "; and more") == n.text + full - 10);
}

TEST(notes, that_are_too_long_lose_whole_characters)
{
    PqScanNotes n = {{0}};
    char note[3 * PQ_NOTES_ROOM + 1];

    for (int i = 0; i < 3 * PQ_NOTES_ROOM; i += 3) {
        memcpy(note + i, "\xe2\x82\xac", 3);
    }
    note[3 * PQ_NOTES_ROOM] = 0;
    pq_notes_add(&n, note);
    pq_notes_add(&n, "another");
    CHECK((strlen(n.text) - 10) % 3 == 0);
    CHECK(strlen(n.text) > sizeof n.text - 16 && strlen(n.text) < sizeof n.text);
    CHECK_TEXT(n.text + strlen(n.text) - 10, "; and more");
}
