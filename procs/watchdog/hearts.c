#include "procs/watchdog/hearts.h"

#include <string.h>

const char *const heart_names[HEARTS] = {
#define STAGE(id, name, program, iceoryx, when, without, doc) name,
#include "procs/launcher/stages.def"
};
_Static_assert(HEARTS <= CAIRN_WATCHDOG_STAGES_MAX, "room for every stage");

bool hearts_open(struct hearts *h, struct cairn_stage *stage, struct cairn_error *err)
{
	for (int i = 0; i < HEARTS; i++) {
		struct cairn_error why = {""};
		if (strcmp(heart_names[i], cairn_stage_name(stage)) == 0)
			continue; /* its own heart is the launcher's business */
		h->subs[i] =
		    cairn_sub_new(cairn_stage_bus(stage), CAIRN_TOPIC_HEARTBEAT, heart_names[i], &why);
		if (h->subs[i] == NULL) {
			cairn_error_set(err, "heartbeat of %s: %s", heart_names[i], why.text);
			return false;
		}
	}
	return true;
}

/* Once a second each: looked at with every fourth step instead of waking for each of them. */
void hearts_take(struct hearts *h, struct cairn_watchdog *core)
{
	struct cairn_msg_heartbeat beat;
	struct cairn_header hdr;
	if (h->steps++ % 4 != 0)
		return;
	for (int i = 0; i < HEARTS; i++) {
		while (h->subs[i] != NULL && cairn_sub_recv(h->subs[i], &beat, &hdr) == 1) {
			cairn_watchdog_on_heartbeat(core, i, hdr.t_ns, cairn_now_ns());
			cairn_watchdog_on_trouble(core, i, beat.trouble);
		}
	}
}
