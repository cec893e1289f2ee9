/*
** sealed_scratch.h - a temporary file that holds no plain bytes.
**
** A copy that is encrypted puts rows and pages aside in a file without a name.
** Its blocks stay on the disk after it is closed, and may be read there.  So
** they are enciphered with a key that is made for this file, is never shown to
** anybody, and is gone when the file is closed.
**
** They are not authenticated: whoever can change them while the copy runs can
** change the process as well.
*/
#ifndef PQ_SEALED_SCRATCH_H
#define PQ_SEALED_SCRATCH_H

#include "core/base/sink.h"

/* pq_sink_scratch, enciphered. */
PqRc pq_sealed_scratch(PqMem *mem, const char *folder, PqSink **out, PqErr *e);

#endif
