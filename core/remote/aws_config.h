/*
** aws_config.h - keys and settings as AWS's own tools find them.
**
**   environment           AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN,
**                         AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3,
**                         AWS_ENDPOINT_URL, AWS_PROFILE
**   ~/.aws/credentials    [name]           or AWS_SHARED_CREDENTIALS_FILE
**   ~/.aws/config         [profile name]   or AWS_CONFIG_FILE
**
** The first that has something wins, in this order.  The three parts of a key come
** from one place.  Only keys that are written there are found: a profile that would
** have to ask somebody (sso_session, role_arn, credential_process) is an error that
** says so.
*/
#ifndef PQ_AWS_CONFIG_H
#define PQ_AWS_CONFIG_H

#include "core/remote/access.h"

/* Sets the key, and region and endpoint where they are "".  No text has a control character,
** and the endpoint has a scheme.  profile: "" is the one that the environment names, whose
** keys go before it.  A profile that is given here goes before those.  All that is read goes
** into the arena, so its memory is for secrets (pq_mem_new_secret). */
PqRc pq_aws_config_find(PqArena *a, const char *profile, PqSecret *out, PqErr *e);

/* What the texts of the two files have. */
typedef struct PqAwsFiles {
    PqSlice credentials, config;
} PqAwsFiles;

PqRc pq_aws_config_find_in(PqArena *a, const PqAwsFiles *files, const char *profile,
                           PqSecret *out, PqErr *e);

#endif
