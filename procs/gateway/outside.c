#include "procs/gateway/outside.h"

#include <stdlib.h>

#include "common/external/notes.h"

struct outside {
	struct cairn_stage *stage;
	struct cairn_memory *memory;
	struct cairn_external_topics topics;
	struct cairn_sub *subs[CAIRN_EXTERNAL_TOPICS_MAX]; /* NULL: not of notes */
	struct cairn_notes notes;
};

void outside_tell(struct outside *o)
{
	cairn_notes_line(&o->notes, cairn_now_ns(), o->memory->notes_outside);
}

static int on_notes(void *ctx)
{
	struct outside *o = ctx;
	struct cairn_header hdr;
	struct cairn_msg_note note;
	for (uint32_t i = 0; i < o->topics.count; i++) {
		while (o->subs[i] != NULL && cairn_sub_recv(o->subs[i], &note, &hdr) == 1) {
			if (hdr.valid && cairn_stamp_plausible(hdr.t_ns, cairn_now_ns()))
				cairn_notes_take(&o->notes, &o->topics.rows[i], &note, hdr.t_ns);
			else
				cairn_stage_count_reject(o->stage);
		}
	}
	outside_tell(o);
	return 0;
}

struct outside *outside_new(struct cairn_stage *stage, struct cairn_memory *memory, struct cairn_error *err)
{
	struct outside *o = calloc(1, sizeof(*o));
	if (o == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	o->stage = stage;
	o->memory = memory;
	bool ok = cairn_external_load(&o->topics, cairn_stage_config(stage)->external.topics, err);
	for (uint32_t i = 0; ok && i < o->topics.count; i++) {
		if (o->topics.rows[i].topic != CAIRN_TOPIC_NOTE)
			continue;
		o->subs[i] =
		    cairn_sub_new(cairn_stage_bus(stage), CAIRN_TOPIC_NOTE, o->topics.rows[i].name, err);
		ok = o->subs[i] != NULL;
		if (ok)
			cairn_stage_watch_socket(stage, cairn_sub_socket(o->subs[i]), on_notes, o);
	}
	outside_tell(o); /* what an earlier run was told is over */
	if (!ok)
		outside_destroy(&o);
	return o;
}

void outside_destroy(struct outside **outside_p)
{
	free(*outside_p); /* the bus closes the subscriptions */
	*outside_p = NULL;
}
