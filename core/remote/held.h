/*
** held.h - the secret of a prefix, as it is kept after a JSON object was read.  For
** access.c.
**
** It does not change once it is kept.  Requests on other threads hold it while they
** are signed, also after it was replaced or forgotten; the last holder wipes it.
*/
#ifndef PQ_HELD_H
#define PQ_HELD_H

#include "core/remote/access.h"

#include <stdatomic.h>

typedef struct PqHeld PqHeld;

struct PqHeld {
    _Atomic uint32_t holders;
    PqArena     a;                   /* of secret memory: all texts              */
    PqUrl       prefix;
    bool        allows;              /* a prefix that is allowed, not a secret   */
    PqSecret    s;
    const char *provider, *profile;
    bool        env;                 /* s lacks what the environment has         */
};

#define PQ_NO_SECRET                                                             \
    ((PqSecret){.key_id = "", .secret = "", .session_token = "", .region = "",   \
                .endpoint = "", .url_style = "", .ssl = true,                    \
                .bearer_token = "", .user = "", .password = "", .ca_file = "",   \
                .proxy = ""})

/* secrets: a budget of pq_mem_new_secret. */
PqRc pq_held_new(PqMem *mem, PqMem *secrets, const char *prefix, PqHeld **out, PqErr *e);
void pq_held_release(PqHeld *h);                         /* h may be NULL */

/* The prefix says which members there are. */
PqRc pq_held_read(PqHeld *h, PqSlice json, PqErr *e);

/* PQ_USAGE: it has a control character.  name: of the member that it comes from. */
PqRc pq_held_check_text(const char *name, PqSlice s, PqErr *e);

#endif
