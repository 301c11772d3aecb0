/* dialog_strong.c - which decisions are hard, and whether a strong model may be paid for them (vlm.strong_provider).
 *
 * Hard are: a robot that is stuck or was held back lately, an answer that could not be used, a mission with a goal, and a house of
 * many rooms. What the strong model costs comes out of the same purse as everything; in an hour it may take vlm.strong_share of
 * that hour's limit, and beyond it the usual provider is asked for hard decisions, too. */
#include "common/vlm/dialog_private.h"

#include <math.h>

bool dialog_is_hard(const struct cairn_dialog *d, int64_t now_ns)
{
	bool trouble =
	    d->in.trouble_ns != 0 && (double)(now_ns - d->in.trouble_ns) * 1e-9 <= d->cfg.skip_trouble_s;
	bool stuck =
	    trouble || d->answer.bad_streak > 0 || (d->in.candidates_ns != 0 && d->in.candidates.stuck);
	bool goal = d->in.mission.goal[0] != '\0' || d->in.mission.goal_known;
	bool rooms = d->cfg.strong_rooms > 0 && d->memory.rooms_count >= (uint32_t)d->cfg.strong_rooms;
	return stuck || goal || rooms;
}

bool dialog_strong_due(const struct cairn_dialog *d, int64_t now_ns)
{
	double hour_usd = cairn_spending_hour_usd(&d->who.strong_spent, now_ns / CAIRN_NS_PER_S);
	return d->who.strong != 0 && dialog_is_hard(d, now_ns) &&
	       cairn_failover_usable(&d->who.route, (int)d->who.strong, now_ns) &&
	       hour_usd + d->who.strong_dearest_usd <= d->cfg.strong_share * d->cfg.limit_usd_per_hour;
}

void dialog_strong_spend(struct cairn_dialog *d, double usd, int64_t now_ns)
{
	if (d->call.decider != CAIRN_DECIDER_STRONG_MODEL || d->who.peer != d->who.strong)
		return;
	d->tally.strong_usd += fmax(usd, 0.0);
	d->who.strong_dearest_usd = fmax(d->who.strong_dearest_usd, usd);
	cairn_spending_add(&d->who.strong_spent, now_ns / CAIRN_NS_PER_S, usd);
}
