/* helper_port.h - a detector helper's end of its socket (docs/detector.md): listens, takes questions, sends answers. One client at a
 * time: a new one takes the place of the old, which may be a dead process's. Nothing waits for a client. */
#ifndef CAIRN_PROCS_SHELL_HELPER_PORT_H
#define CAIRN_PROCS_SHELL_HELPER_PORT_H

#include "common/percept/detect_wire.h"
#include "procs/shell/stage.h"

struct helper_port;

/* A question has come; of several that wait the last. */
typedef void helper_look_fn(void *ctx, uint64_t look);

/* Listens at path (below the run directory unless absolute; its folder is made). NULL with err set. */
struct helper_port *helper_port_new(
    struct cairn_stage *stage, const char *path, helper_look_fn *on_look, void *ctx, struct cairn_error *err);
void helper_port_destroy(struct helper_port **port_p);

/* The answer to the question just taken. A client that does not read is dropped. */
void helper_port_answer(struct helper_port *port, const struct cairn_detected_list *list);

#endif
