/*
** chunk_read.h - the pages of one column chunk, in order or by number.
**
**   chunk := [dictionary page] data page*         index pages are passed over
**   page  := header (thrift) | body
**   body  := v1: compressed( [n rep levels] [n def levels] values )
**            v2: rep levels, def levels, compressed( values )
**
** A chunk ends when all its values have been seen.  It must not have more
** values, and a page that begins after the end of the chunk does not belong to
** it: otherwise a reader that passed a damaged header would go on in the next
** column.
** QUIRK: parquet-mr and parquet-cpp before 1.3 leave the dictionary page's
** header out of total_compressed_size (PARQUET-816).
** Test: the_header_of_an_old_dictionary_is_not_in_the_size.
**
** Bytes come through a window: one read brings a header and as many small
** pages as fit.  The rest of a large body is read directly to its destination.
** pq_chunk_next parses the header of a page; then the body is either taken or
** passed.
**
** In an encrypted chunk header and body are modules (module.h), and the body's
** size is its sealed size.  A header is opened into a buffer of its own,
** because the window may be asked for it again.  A body is opened in place.
*/
#ifndef PQ_CHUNK_READ_H
#define PQ_CHUNK_READ_H

#include "core/column/read_ctx.h"
#include "core/meta/footer.h"
#include "core/meta/page_index.h"

/* A page whose body is in memory, decompressed. */
typedef struct PqPage {
    struct PqPage *next;             /* in a list of its keeper             */
    PqBuf          bytes;            /* has room for one byte after the end */
    bool           v2;
    int            encoding, rep_encoding, def_encoding;
    uint32_t       n_slots;          /* values, nulls included              */
    int64_t        n_rows;           /* -1: the header does not say         */
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
    bool          dict_bare;         /* QUIRK of the size above             */
    bool          v2_packed;         /* QUIRK of parquet-cpp below          */
    bool          zero_crc_is_none;  /* QUIRK of Parquet.jl below           */
    bool          written_here;      /* by PQ_WRITER_HERE                   */
    uint64_t      begin, at, end;    /* file offsets                        */
    uint64_t      ahead_end;         /* nothing after it is read ahead      */
    uint64_t      at_data;           /* of the first data page, 0: unknown  */
    int64_t       slots_seen;        /* in the pages before `at`            */
    int32_t       page;              /* ordinal of the next data page       */
    PqBuf         window;
    uint64_t      window_at;
    PqBuf         opened;            /* a sealed header, opened             */
    size_t        read_ahead;        /* bytes to read with a header         */
    /* The page whose header was parsed last. */
    PqPageHeader  header;
    uint64_t      body_at;
} PqChunkReader;

/* How the body of a page lies in the file. */
typedef struct PqPageBody {
    size_t n;                        /* bytes in the file                   */
    size_t n_plain;                  /* the same, opened                    */
    bool   packed;                   /* compressed, except for the levels   */
    size_t n_levels;                 /* bytes of levels in front (v2)       */
    size_t n_out;                    /* bytes after these, uncompressed     */
    PqModule module;
} PqPageBody;

void pq_chunk_init(PqChunkReader *r, PqReadCtx *ctx);
void pq_chunk_reset(PqChunkReader *r);

/* The caller has parsed r->chunk into r->arena (pq_footer_chunk).  in is the
** file of the chunk, written by created_by.
** QUIRK: parquet-cpp before Arrow 3.0 wrote is_compressed=false into v2 pages
** that it had compressed (ARROW-10353); its v2 pages are always compressed.
** QUIRK: Parquet.jl (0.8.6, which calls itself 0.7.0, and all before) writes a
** checksum of 0 into every page instead of leaving it out.
** Test: a-checksum-of-0-by-Parquet.jl-is-none. */
PqRc pq_chunk_open(PqChunkReader *r, PqInput *in, const PqLeaf *leaf,
                   int row_group, int64_t group_rows, PqSlice created_by,
                   PqErr *e);

/* Parses the next page header into r->header; index pages are passed over.
** *more is false at the end of the chunk.  After pq_chunk_seek, each page is
** where the offset index says, and has as many values as the index says rows.
** Only its levels tell how many values a page of a repeated leaf has. */
PqRc pq_chunk_next(PqChunkReader *r, bool *more, PqErr *e);

/* Does the chunk end here, although values are missing? */
bool pq_chunk_ends_early(const PqChunkReader *r);

/* Rows of a page by the offset index, which was loaded. */
int64_t pq_chunk_rows_by_index(const PqChunkReader *r, int32_t page);

/* Takes the body of that page into *page, whose buffer is reused. */
PqRc pq_chunk_take(PqChunkReader *r, PqPage *page, PqErr *e);

/* The two halves of pq_chunk_take, for lazy_page.h, which takes a page in
** parts.  The first copies what the header says. */
PqRc pq_chunk_describe(PqChunkReader *r, PqPage *page, PqPageBody *body,
                       PqErr *e);

/* The second moves on to the end of the page. */
void pq_chunk_taken(PqChunkReader *r);

/* Opens a sealed body in place; raw is its n bytes in the file.  A plain body
** is left as it is.  *plain has n_plain bytes: levels, and values.
** QUIRK: parquet-mr seals only the values of a v2 page, not its levels, which
** come first.  Test: encrypted.levels_in_the_clear_before_sealed_values. */
PqRc pq_chunk_open_body(const PqPageBody *body, uint8_t *raw, PqSlice *plain,
                        PqErr *e);

/* The whole body, opened but not decompressed, after its checksum was verified.
** It lies in the window or in the context.  Like the next function, it leaves
** the reader where it is. */
PqRc pq_chunk_body(PqChunkReader *r, const PqPageBody *body, PqSlice *plain,
                   PqErr *e);

/* The part of the body that was read along with its header. */
PqSlice pq_chunk_windowed(const PqChunkReader *r);

/* Frees the window if no page is left, and with it what r->header points to. */
void pq_chunk_drop_window(PqChunkReader *r);

/* Goes to the end of the page without reading its body. */
void pq_chunk_pass(PqChunkReader *r);

/* The same for callers that only look at headers: it is not counted. */
void pq_chunk_step(PqChunkReader *r);

/* only: reads only a few bytes with each header, until it is called with
** false. */
void pq_chunk_headers_only(PqChunkReader *r, bool only);

/* Slots of the data page whose header was parsed last. */
uint32_t pq_chunk_slots(const PqChunkReader *r);

/* Loads the offset index, once.  An invalid one is ignored.  *n_pages is its
** number of pages; 0: there is none. */
PqRc pq_chunk_load_index(PqChunkReader *r, uint32_t *n_pages, PqErr *e);

/* Goes to a data page by its number in the offset index. */
void pq_chunk_seek(PqChunkReader *r, uint32_t page);

/* Back to the beginning. */
void pq_chunk_rewind(PqChunkReader *r);

/* Sets the place in e to this chunk; pq_chunk_leave clears it. */
void pq_chunk_enter(const PqChunkReader *r, PqErr *e);
void pq_chunk_leave(PqErr *e);

#endif
