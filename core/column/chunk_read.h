/*
** chunk_read.h - the pages of one column chunk, in order or by number.
**
**   chunk := [dictionary page] data page*         index pages are passed over
**   page  := header (thrift) | body
**   body  := v1: compressed( [n rep levels] [n def levels] values )
**            v2: rep levels, def levels, compressed( values )
**
** A chunk's metadata says where it begins and, unreliably, how long it is
** (QUIRK: parquet-mr and parquet-cpp before 1.3 leave the dictionary page's
** header out of total_compressed_size, PARQUET-816).  So the end is where all
** its values have been seen, and the length only sizes the reading ahead.
**
** Bytes come through a window: one read brings a header and as many small
** pages as fit; the rest of a large body is read straight to where it is
** wanted.  The header of a page is parsed by pq_chunk_next; then its body is
** either taken or passed.
*/
#ifndef PQ_CHUNK_READ_H
#define PQ_CHUNK_READ_H

#include "core/column/read_ctx.h"
#include "core/meta/footer.h"
#include "core/meta/page_index.h"

/* A page whose body is in memory, decompressed. */
typedef struct PqPage {
    struct PqPage *next;             /* in a list of its keeper             */
    PqBuf          bytes;            /* room for one byte behind the end    */
    bool           v2;
    int            encoding, rep_encoding, def_encoding;
    uint32_t       n_slots;          /* values, nulls included              */
    int64_t        n_rows;           /* -1: not said                        */
    size_t         rep_bytes, def_bytes;                  /* v2             */
    int32_t        number;           /* ordinal among the data pages        */
} PqPage;

typedef struct PqChunkReader {
    PqReadCtx    *ctx;
    PqInput      *in;
    const PqLeaf *leaf;
    int           row_group;
    int64_t       group_rows;
    PqColumnChunk chunk;
    PqArena       arena;             /* chunk metadata and page index       */
    PqOffsetIndex index;             /* n 0: none, or not loaded            */
    bool          index_tried;
    bool          by_index;          /* came here by pq_chunk_seek          */
    bool          v2_packed;         /* QUIRK below                         */
    bool          zero_crc_is_none;  /* ... and the other                   */
    uint64_t      begin, at, end;    /* file offsets; end is only a hint    */
    uint64_t      at_data;           /* of the first data page, 0: unknown  */
    int64_t       slots_seen;        /* in the pages before `at`            */
    int32_t       page;              /* ordinal of the next data page       */
    PqBuf         window;
    uint64_t      window_at;
    size_t        read_ahead;        /* bytes to read with a header         */
    /* The page whose header was parsed last. */
    PqPageHeader  header;
    uint64_t      body_at;
} PqChunkReader;

/* How the body of a page lies in the file. */
typedef struct PqPageBody {
    size_t n;                        /* bytes in the file                   */
    bool   packed;                   /* all of it but its levels is         */
    size_t n_levels;                 /* bytes in front that never are (v2)  */
    size_t n_out;                    /* and what comes behind, unpacked     */
    PqModule module;
} PqPageBody;

void pq_chunk_init(PqChunkReader *r, PqReadCtx *ctx);
void pq_chunk_reset(PqChunkReader *r);

/* chunk was parsed into r->arena by the caller (pq_footer_chunk), and in is
** the file it lies in, by the writer created_by.
** QUIRK: parquet-cpp before Arrow 3.0 wrote is_compressed=false into v2 pages
** that it had compressed (ARROW-10353); theirs always are.
** QUIRK: Parquet.jl (0.8.6, which calls itself 0.7.0, and all before) writes a
** checksum of 0 into every page instead of none.
** Test: a-checksum-of-0-by-Parquet.jl-is-none. */
PqRc pq_chunk_open(PqChunkReader *r, PqInput *in, const PqLeaf *leaf,
                   int row_group, int64_t group_rows, PqSlice created_by,
                   PqErr *e);

/* The next page header, index pages passed over, into r->header.  *more is
** false when the chunk is over. */
PqRc pq_chunk_next(PqChunkReader *r, bool *more, PqErr *e);

/* The body of that page, into *page (its buffer is reused). */
PqRc pq_chunk_take(PqChunkReader *r, PqPage *page, PqErr *e);

/* The two halves of it, for who takes a page otherwise (page_arrival.h): says
** what the header says, ... */
PqRc pq_chunk_describe(PqChunkReader *r, PqPage *page, PqPageBody *body,
                       PqErr *e);

/* ... and goes on behind the page. */
void pq_chunk_taken(PqChunkReader *r);

/* The header says a checksum, and its writer meant it. */
bool pq_chunk_says_crc(const PqChunkReader *r);

/* Is body, all of it, what the header's checksum says, if there is one and it
** is to be looked at? */
bool pq_chunk_has_crc(const PqChunkReader *r);
PqRc pq_chunk_check_crc(const PqChunkReader *r, PqSlice body, PqErr *e);

/* As much of the body as was read along with its header. */
PqSlice pq_chunk_windowed(const PqChunkReader *r);

/* Lets go of the bytes that were read for further pages when there are none,
** and with them of what the header points to. */
void pq_chunk_rest(PqChunkReader *r);

/* ... or not. */
void pq_chunk_pass(PqChunkReader *r);

/* The same for who only looks at headers: counted nowhere. */
void pq_chunk_step(PqChunkReader *r);

/* Whether only headers will be wanted, for now: little is read with each. */
void pq_chunk_headers_only(PqChunkReader *r, bool only);

/* Slots of the data page whose header was parsed last. */
uint32_t pq_chunk_slots(const PqChunkReader *r);

/* Loads the offset index if there is one that holds; a damaged one is as
** none.  Returns its number of pages. */
PqRc pq_chunk_load_index(PqChunkReader *r, uint32_t *n_pages, PqErr *e);

/* Goes to data page number page of the offset index. */
void pq_chunk_seek(PqChunkReader *r, uint32_t page);

/* Back to the beginning. */
void pq_chunk_rewind(PqChunkReader *r);

/* Sets the error's place to where the reader is, pq_chunk_leave takes it
** away. */
void pq_chunk_enter(const PqChunkReader *r, PqErr *e);
void pq_chunk_leave(PqErr *e);

#endif
