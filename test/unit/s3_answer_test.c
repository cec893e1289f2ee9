/*
** s3_answer_test.c - answers as servers give them, and as they must not.
*/
#include "test/unit/test.h"

#include "core/remote/s3_answer.h"

#define LISTING "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
#define OBJECT(key, size) "<Contents><Key>" key "</Key><LastModified>x</LastModified>" \
    "<ETag>&quot;e&quot;</ETag><Size>" size "</Size><Owner><ID>7</ID>"               \
    "<Size>9</Size></Owner></Contents>"
#define END "</ListBucketResult>"

typedef struct Page {
    const char *key[4], *next;
    bool        is_folder[4];
    int         n;
} Page;

static PqRc see(void *page, const char *key, bool is_folder, PqErr *e)
{
    Page *p = page;

    if (p->n == 4) {
        return pq_fail(e, PQ_USAGE, "more than four");
    }
    p->is_folder[p->n] = is_folder;
    p->key[p->n++] = key;
    return PQ_OK;
}

static PqRc read_page(PqArena *a, PqSlice xml, Page *page, PqErr *e)
{
    *page = (Page){.n = 0};
    return pq_s3_page_read(a, xml, see, page, &page->next, e);
}

TEST(s3_answer, a_page_of_a_listing_is_read)
{
    static const char xml[] =
        "\xef\xbb\xbf<?xml version='1.0' encoding=\"UTF-8\"?>\r\n"
        LISTING "<Name a='/' b=\"/\">b</Name><Prefix>d=/</Prefix><KeyCount>2</KeyCount>"
        OBJECT("a%3D1/%C3%A9+%2B%20%25.parquet", " 9223372036 ") OBJECT("b", "0")
        "<CommonPrefixes><Prefix>d%3D1/</Prefix></CommonPrefixes>"
        "<CommonPrefixes><Prefix/></CommonPrefixes><EncodingType>url</EncodingType>"
        "<NextContinuationToken>1ue+G%20==</NextContinuationToken>"
        "<IsTruncated>true</IsTruncated>" END "trailing";
    Page page;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(read_page(&a, pq_slice_text(xml), &page, t->e));
    CHECK_INT(page.n, 4);
    CHECK_TEXT(page.key[0], "a=1/\xc3\xa9 + %.parquet");
    CHECK_TEXT(page.key[1], "b");
    CHECK(!page.is_folder[0] && !page.is_folder[1]);
    CHECK_TEXT(page.key[2], "d=1/");
    CHECK_TEXT(page.key[3], "");
    CHECK(page.is_folder[2] && page.is_folder[3]);
    CHECK_TEXT(page.next, "1ue+G%20==");
    pq_arena_free(&a);
}

TEST(s3_answer, a_server_that_does_not_encode_is_taken_at_its_word)
{
    static const char xml[] = LISTING OBJECT("a+b%20&amp;&#65;&#xe9;&lt;", "1")
        "<IsTruncated>false</IsTruncated><NextContinuationToken>x"
        "</NextContinuationToken>" END;
    Page page;
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_OK(read_page(&a, pq_slice_text(xml), &page, t->e));
    CHECK_TEXT(page.key[0], "a+b%20&A\xc3\xa9<");
    CHECK(!page.next);
    CHECK_OK(read_page(&a, pq_slice_text("<s:ListBucketResult xmlns:s='x'/>"), &page, t->e));
    CHECK_INT(page.n, 0);
    pq_arena_free(&a);
}

TEST(s3_answer, a_page_with_a_false_claim_is_refused)
{
    static const char *const cases[] = {
        "", "x", "<", "<>", "</>", "<a", "<a>", "<a></b>", "<a/", "<a b='>", "<!DOCTYPE a>",
        "<a/>", "<Error><Code>NoSuchBucket</Code></Error>", "{}", "</ListBucketResult>",
        LISTING, LISTING "</x>", LISTING OBJECT("a", "1"), "x" LISTING END,
        LISTING "<!DOCTYPE x>" END, LISTING "<!-- -->" END, LISTING "<?x?>" END, "<?x",
        LISTING OBJECT("<![CDATA[a]]>", "1") END, LISTING OBJECT("&x;", "1") END,
        LISTING OBJECT("&", "1") END,
        LISTING OBJECT("&#0;", "1") END, LISTING OBJECT("&#xd800;", "1") END,
        LISTING OBJECT("&#x110000;", "1") END, LISTING OBJECT("&#12", "1") END,
        LISTING OBJECT("&#99999999999999999999;", "1") END, LISTING OBJECT("&#a;", "1") END,
        LISTING "<IsTruncated>true</IsTruncated>" END,
        LISTING "<IsTruncated>true</IsTruncated><NextContinuationToken/>" END,
    };
    Page page;
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (size_t i = 0; i < PQ_COUNT(cases); i++) {
        if (read_page(&a, pq_slice_text(cases[i]), &page, t->e) != PQ_CORRUPT) {
            test_fail(t, __FILE__, __LINE__, "%s is taken", cases[i]);
        }
        pq_err_clear(t->e);
    }
    CHECK_FAILS(read_page(&a, pq_slice("<a>\0</a>", 8), &page, t->e), PQ_CORRUPT,
                "ends too early");
    CHECK(!pq_s3_element(&a, pq_slice("<a>\0</a>", 8), "/a", t->e));
    CHECK_INT(t->e->rc, PQ_CORRUPT);
    pq_err_clear(t->e);
    pq_arena_free(&a);
}

TEST(s3_answer, names_within_each_other_have_at_most_255_bytes)
{
    char xml[128 * 7 + 1] = "";
    PqArena a;

    pq_arena_init(&a, t->mem);
    for (int depth = 127; depth <= 128; depth++) {
        *xml = 0;
        for (int i = 0; i < 2 * depth; i++) {
            strcat(xml, i < depth ? "<a>" : "</a>");
        }
        CHECK((pq_s3_element(&a, pq_slice_text(xml), "/a", t->e) != NULL) == (depth == 127));
        CHECK_INT(t->e->rc, depth == 127 ? PQ_OK : PQ_CORRUPT);
    }
    pq_err_clear(t->e);
    pq_arena_free(&a);
}

static const char *trouble(PqArena *a, const char *xml, const char *element)
{
    PqErr ignored = PQ_NO_ERR;
    const char *text = pq_s3_element(a, pq_slice_text(xml), element, &ignored);

    return text ? text : "";
}

TEST(s3_answer, trouble_and_single_elements_are_found)
{
    static const char wrong_region[] =
        "<?xml version=\"1.0\"?>\n<Error><Code>AuthorizationHeaderMalformed</Code>"
        "<Message>the region &apos;x&apos; is wrong</Message><Region>eu-west-1</Region>"
        "<Details><Message>no</Message></Details><Endpoint>b.s3.org</Endpoint></Error>";
    static const char within[] = "<ErrorResponse><Error><Code>X</Code></Error>"
        "</ErrorResponse>";
    static const char upload[] = "<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k"
        "</Key><UploadId>a&amp;b</UploadId></InitiateMultipartUploadResult>";
    static const char completed[] = "   \n \n<?xml version=\"1.0\"?>\n"
        "<s3:CompleteMultipartUploadResult xmlns:s3=\"http://s3.amazonaws.com/doc/\">"
        "<ETag>&quot;1-2&quot;</ETag></s3:CompleteMultipartUploadResult>";
    static const char failed[] = "\n \n<Error><Code>InternalError</Code><Message>We "
        "encountered an internal error</Message></Error>";
    PqArena a;

    pq_arena_init(&a, t->mem);
    CHECK_TEXT(trouble(&a, wrong_region, "/Error/Code"), "AuthorizationHeaderMalformed");
    CHECK_TEXT(trouble(&a, wrong_region, "/Error/Message"), "the region 'x' is wrong");
    CHECK_TEXT(trouble(&a, wrong_region, "/Error/Region"), "eu-west-1");
    CHECK_TEXT(trouble(&a, within, "/Error/Code"), "X");
    CHECK_TEXT(trouble(&a, within, "/Error/Message"), "");
    CHECK_TEXT(trouble(&a, "<html><p>403</html>", "/Error/Code"), "");
    CHECK_TEXT(trouble(&a, upload, "/Error/Key"), "");
    CHECK_TEXT(trouble(&a, "", "/Error/Code"), "");
    CHECK_TEXT(pq_s3_element(&a, pq_slice_text(upload), "/UploadId", t->e), "a&b");
    CHECK(!pq_s3_element(&a, pq_slice_text(upload), "/ETag", t->e));
    /* A server that takes long sends blanks first. */
    CHECK(pq_s3_element(&a, pq_slice_text(completed), "/CompleteMultipartUploadResult", t->e));
    CHECK(!pq_s3_element(&a, pq_slice_text(failed), "/CompleteMultipartUploadResult", t->e));
    CHECK_TEXT(trouble(&a, failed, "/Error/Code"), "InternalError");
    CHECK_INT(t->e->rc, PQ_OK);
    pq_arena_free(&a);
}
