/*
** fake_curl.h - a libcurl that never connects: its answers are bytes of a fuzz door.
**
** A program that is linked with --wrap=pq_curl_load asks it instead of the real one.
** --wrap=pq_remote_pause, too, ends every pause at once.
*/
#ifndef FAKE_CURL_H
#define FAKE_CURL_H

#include "test/fuzz/door.h"

/* The requests from now on take their answers from there, in the order in which they
** are made:
**
**   1  what of it is right: 1 status and headers, 2 body, 4 more headers follow
**      8 the transfer fails at its end, by the next byte
**   if the headers are not right, 1 of a status
**   if there are more, 1 how many bytes of headers, and these
**   if the body is not right, 2 how many bytes, and these
**      16 of a body that is right, and has several parts, the parts are twisted: 1 how many
**      bytes, and these, one for each part: the table of fake_curl.c
**
** What is right is of a file of `size` bytes, which fake_byte makes.  When the bytes
** have ended, all is right.  So are parts that are twisted without a lie: what is missing
** can be asked for again. */
void fake_curl_begin(PqSlice answers, uint64_t size);

/* Was all of it right so far? */
bool fake_curl_was_right(void);

uint8_t fake_byte(uint64_t at);

#endif
