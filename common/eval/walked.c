#include "common/eval/walked.h"

#include <math.h>

#define TURNED_RAD (0.75 * M_PI)

/* The next part that fits the world, from a part on; count: there is none. */
static uint32_t next_fit(const struct cairn_instruction *in, uint32_t from)
{
	while (from < in->count && in->parts[from].unfit)
		from++;
	return from;
}

/* The door that is passed with a step, and which way round; -1: none. */
static int passed(const struct cairn_instruction_house *h, struct cairn_pose2 from, struct cairn_pose2 to,
    bool *ret_against)
{
	for (uint32_t i = 0; i < h->rooms.door_count; i++) {
		const struct cairn_true_door *d = &h->rooms.doors[i];
		int way = d->wide ? 0
				  : cairn_true_door_passed(d, (struct cairn_vec2){from.x_m, from.y_m},
					(struct cairn_vec2){to.x_m, to.y_m});
		*ret_against = way < 0;
		if (way != 0)
			return (int)i;
	}
	return -1;
}

struct cairn_walked cairn_walked_judge(const struct cairn_instruction_house *h,
    const struct cairn_instruction *in, const struct cairn_pose2 *track, uint32_t count)
{
	struct cairn_walked r = {.parts = 0};
	for (uint32_t i = next_fit(in, 0); i < in->count; i = next_fit(in, i + 1))
		r.fit++;
	uint32_t at = next_fit(in, 0);
	for (uint32_t k = 0; k < count; k++) {
		bool against = false;
		int door = k > 0 ? passed(h, track[k - 1], track[k], &against) : -1;
		struct cairn_vec2 here = {track[k].x_m, track[k].y_m};
		const struct cairn_instruction_part *p = at < in->count ? &in->parts[at] : NULL;
		bool turned = p != NULL && p->kind == CAIRN_INSTRUCTION_TURN &&
			      fabs(cairn_wrap_rad(track[k].yaw_rad - in->start.yaw_rad)) >= TURNED_RAD;
		bool through = p != NULL && p->kind == CAIRN_INSTRUCTION_DOOR && door == (int)p->door &&
			       against == p->against;
		bool beside = p != NULL && p->kind == CAIRN_INSTRUCTION_PASS &&
			      cairn_instruction_near(h, p, here, CAIRN_INSTRUCTION_PASS_M);
		bool last = p != NULL && p->kind == CAIRN_INSTRUCTION_STOP && k + 1 == count &&
			    cairn_instruction_near(h, p, here, CAIRN_INSTRUCTION_STOP_M);
		r.strays += door >= 0 && !through;
		if (turned || through || beside || last) {
			r.parts++;
			at = next_fit(in, at + 1);
		}
	}
	const struct cairn_instruction_part *stop = in->count > 0 ? &in->parts[in->count - 1] : NULL;
	r.end =
	    stop != NULL && count > 0 &&
	    cairn_instruction_near(h, stop, (struct cairn_vec2){track[count - 1].x_m, track[count - 1].y_m},
		CAIRN_INSTRUCTION_STOP_M);
	r.followed = r.end && r.parts == r.fit;
	return r;
}
