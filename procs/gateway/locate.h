/* locate.h - where the thing is that the model points to or asks for: the depth picture of the snapshot that it was asked about, and
 * what is known of the house. What it points to goes out on the topic "sightings". */
#ifndef CAIRN_PROCS_GATEWAY_LOCATE_H
#define CAIRN_PROCS_GATEWAY_LOCATE_H

#include "common/vlm/dialog.h"
#include "ipc/frames.h"
#include "procs/shell/stage.h"

struct locator;

/* Answers for the dialog from now on; outbox is where sightings go. Both are borrowed. NULL with the reason. */
struct locator *locator_new(struct cairn_stage *stage, struct cairn_dialog *dialog,
    struct cairn_outbox *outbox, struct cairn_error *err);
void locator_destroy(struct locator **locator_p);

/* A snapshot has been taken: the depth of that moment is kept. */
void locator_on_snapshot(struct locator *locator);
/* What is known of the house; copied. */
void locator_on_scene(struct locator *locator, const struct cairn_msg_scene *scene);

#endif
