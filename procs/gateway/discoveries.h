/* discoveries.h - what the model reports, on its way to people: topic discoveries, the picture each was seen on, and a
 * word about what had to make room. */
#ifndef CAIRN_PROCS_GATEWAY_DISCOVERIES_H
#define CAIRN_PROCS_GATEWAY_DISCOVERIES_H

#include "common/vlm/dialog.h"
#include "procs/shell/stage.h"

struct discoveries;

/* Pictures go to RUN/state/pictures; the folder is made when the first one comes. NULL: no memory. The dialog tells of its reports
 * from now on. */
struct discoveries *discoveries_new(struct cairn_stage *stage, struct cairn_dialog *dialog);
void discoveries_destroy(struct discoveries **found_p);
void discoveries_publish(struct discoveries *found, int64_t now_ns);

#endif
