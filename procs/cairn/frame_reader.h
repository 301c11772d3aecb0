/* frame_reader.h - frames of a running stack for the commands that show them. */
#ifndef CAIRN_PROCS_CAIRN_FRAME_READER_H
#define CAIRN_PROCS_CAIRN_FRAME_READER_H

#include "common/base/text.h"
#include "ipc/frames.h"
#include "procs/cli/cli.h"

/* False ends the reading. hdr and payload are valid during the call only. */
typedef bool cli_frame_fn(void *ctx, const struct cairn_frame_header *hdr, const void *payload);

/* Calls fn with each frame until it says so, a signal comes or no frame has come for timeout_s. Runs fn in a child process
 * inside the stack's mount namespace: files must be open before, and what fn changes is not seen by the caller. An
 * enum cli_exit. */
int cli_read_frames(
    const struct cli *cli, enum cairn_frame_topic topic, double timeout_s, cli_frame_fn *fn, void *ctx);

/* The payload of the next frame, of at most bytes_max bytes; to be freed by cairn_text_free. An enum cli_exit. */
int cli_read_frame(const struct cli *cli, enum cairn_frame_topic topic, double timeout_s, size_t bytes_max,
    struct cairn_text *payload);

/* A name for a reader. The data plane knows its readers by name, and a second one of a name takes the place of the first: so each takes
 * a free name and holds the lock of it that is returned. -1 when all are taken. */
int cli_frame_reader_name(const char *run_dir, char *name, size_t name_bytes);

#endif
