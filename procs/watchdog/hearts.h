/* hearts.h - the heartbeats of all stages, one endpoint a stage, on their way to the watchdog's core. */
#ifndef CAIRN_PROCS_WATCHDOG_HEARTS_H
#define CAIRN_PROCS_WATCHDOG_HEARTS_H

#include "common/safety/watchdog.h"
#include "procs/shell/stage.h"

enum {
#define STAGE(id, name, program, iceoryx, when, without, doc) HEART_##id,
#include "procs/launcher/stages.def"
	HEARTS
};
extern const char *const heart_names[HEARTS];

struct hearts {
	struct cairn_sub *subs[HEARTS]; /* NULL: not listened to */
	uint64_t steps;
};

/* All but the stage's own, which is the launcher's business. False with the reason. */
bool hearts_open(struct hearts *h, struct cairn_stage *stage, struct cairn_error *err);
/* At every step of the core. */
void hearts_take(struct hearts *h, struct cairn_watchdog *core);

#endif
