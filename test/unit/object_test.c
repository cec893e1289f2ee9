/*
** object_test.c - what is asked about objects of a server that misleads.
*/
#include "core/remote/object.h"
#include "test/unit/http_server.h"

TEST(object, what_deletes_is_not_led_elsewhere)
{
    HttpServer *server = http_server_start();
    PqObject there = {0};
    PqRemote *r = NULL;
    PqArena a;
    PqUrl u;

    pq_arena_init(&a, t->mem);
    CHECK_OK(pq_remote_new(&r, t->e));
    CHECK_OK(pq_url_parse(&a, http_server_url(server, "/redirect"), &u, t->e));
    CHECK_OK(pq_object_look(r, &u, NULL, &there, t->e));
    CHECK(there.is_there && there.size == 5);
    CHECK_FAILS(pq_objects_delete(r, &u, 1, false, t->e), PQ_IO, "answers 302");
    pq_remote_free(r);
    pq_arena_free(&a);
    http_server_stop(server);
}
