/* completion.c - is there nothing left to explore, and what is looked at once more before that is believed: an end cannot be
 * taken back. */
#include "common/sequencer/sequencer_private.h"

#include <math.h>

#define LOOK_GROWTH_M2 1.0
#define LOOK_START_M 0.5 /* so near to where it stands, or to its start, is no other place to look from */
#define LOOK_AWAY_M 1.0  /* so far away is elsewhere */
#define WAYS_OUT_MAX 3   /* in vain, one after another */

/* Sets out to look into the widest of the openings that no way leads to, each once. False: none is worth a look. */
static bool look_from_near(struct cairn_sequencer *seq)
{
	const struct cairn_msg_frontiers *f = &seq->offers.frontiers;
	for (;;) {
		int i = cairn_frontier_blacklist_approach(&seq->mission.record.explore, f, &seq->looks.done);
		if (i < 0)
			return false;
		const struct cairn_msg_frontier *to = &f->items[i];
		if (!cairn_frontier_looked_add(&seq->looks.done, to))
			return false;
		if (hypot(to->goal_x_m - seq->inputs.pose.x_m, to->goal_y_m - seq->inputs.pose.y_m) <
		    LOOK_START_M)
			continue; /* where the robot stands it has looked already */
		seq->looks.next = (struct seq_look){true, false, SEQ_LOOK_PLACE, to->goal_x_m, to->goal_y_m};
		return true;
	}
}

static bool fresh(const struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct seq_offers *o = &seq->offers;
	return o->t_frontiers_ns != 0 && seq_seconds(o->t_frontiers_ns, now_ns) <= SEQ_FRONTIERS_TIMEOUT_S &&
	       o->frontiers.free_m2 > 0.0 && seq->inputs.now.pose_ok &&
	       seq->inputs.pose.tracking >= CAIRN_TRACKING_WEAK;
}

/* No floor that the robot fits on leads back to the start: somebody stands in the way, or walls in the map have grown
 * thicker than they are. What is out of reach then is so from here only. */
static bool cut_off(const struct cairn_sequencer *seq)
{
	return seq->offers.frontiers.home_m < 0.0 && seq_home_m(seq) > LOOK_START_M;
}

/* Sets out for the start, which the planner backs out to when it must. */
static bool look_out(struct cairn_sequencer *seq)
{
	if (!cut_off(seq) || seq->looks.ways_out >= WAYS_OUT_MAX)
		return false;
	seq->looks.ways_out++;
	seq->looks.next = (struct seq_look){.due = true, .from = SEQ_LOOK_OUT};
	return true;
}

/* It is out: what can be reached from here is thought over at once. */
static void end_way_out(struct cairn_sequencer *seq, int64_t now_ns)
{
	const struct seq_look *l = &seq->looks.next;
	if (!l->due && l->from == SEQ_LOOK_OUT && seq->task.kind == SEQ_NAV && !cut_off(seq))
		seq_task_end(seq, CAIRN_OUTCOME_SUCCESS, now_ns, "the way to the start is known again");
}

/* Before it ends with something left that no way led to the robot goes elsewhere and looks again: where it stands may be all
 * that is wrong, and the end cannot be taken back. */
static bool look_again(struct cairn_sequencer *seq)
{
	const struct cairn_msg_frontiers *f = &seq->offers.frontiers;
	bool grown =
	    f->free_m2 >= seq->looks.looked_m2 +
			      LOOK_GROWTH_M2; /* what cannot be reached is not gone to for nothing again */
	if (look_out(seq))
		return true;
	if (cairn_frontier_blacklist_last_chance(&seq->mission.record.explore, f) > 0) {
		seq->looks.next = (struct seq_look){.due = true, .from = SEQ_LOOK_ROOM};
		seq->mission.changed = true;
		return true;
	}
	seq->looks.done.count = grown ? 0 : seq->looks.done.count;
	if (look_from_near(seq)) {
		seq->looks.looked_m2 = f->free_m2;
		return true;
	}
	if (!grown || seq_home_m(seq) > LOOK_START_M ||
	    !cairn_frontier_blacklist_cut_off(
		&seq->mission.record.explore, f, seq->cfg->mission.frontier_min_width_m))
		return false;
	seq->looks.next = (struct seq_look){.due = true, .from = SEQ_LOOK_BESIDE};
	seq->looks.looked_m2 = f->free_m2;
	return true;
}

bool seq_nothing_left(struct cairn_sequencer *seq, int64_t now_ns)
{
	const bool known = fresh(seq, now_ns);
	if (seq->looks.next.due || (seq->task.kind != SEQ_NONE && seq->task.looks)) {
		seq->mission.t_nothing_ns =
		    now_ns; /* what it sees on the way is thought over when it is there */
		if (known)
			end_way_out(seq, now_ns);
		return false;
	}
	if (known && !cut_off(seq))
		seq->looks.ways_out = 0;
	if (seq_backs_out(seq, now_ns)) { /* nothing is judged from a place that is being left */
		seq->mission.t_nothing_ns = 0;
		return false;
	}
	if (!known || cairn_frontier_blacklist_left(&seq->mission.record.explore, &seq->offers.frontiers,
			  seq->cfg->mission.frontier_min_width_m) > 0) {
		seq->mission.t_nothing_ns = 0;
		seq->mission.claimed_complete = false;
		return false;
	}
	if (seq->mission.t_nothing_ns == 0)
		seq->mission.t_nothing_ns = now_ns;
	if (!seq->mission.claimed_complete &&
	    seq_seconds(seq->mission.t_nothing_ns, now_ns) < seq->cfg->mission.settle_s)
		return false;
	if (cairn_frontier_blacklist_retry(&seq->mission.record.explore, seq->offers.frontiers.free_m2) > 0) {
		seq->mission.changed = true; /* the map has grown: what was given up gets one more chance */
		seq->mission.t_nothing_ns = 0;
		return false;
	}
	/* On the way home for a model that is silent nobody looks anywhere. */
	return seq->mission.record.state != CAIRN_MISSION_STATE_EXPLORING || !look_again(seq);
}

/* A place with room, as the map has them for robots that are stuck; the start is one, too. False: it is not worth the way. */
static bool place_with_room(const struct cairn_sequencer *seq, struct cairn_vec2 *ret)
{
	const struct cairn_msg_candidates *c = &seq->offers.candidates;
	for (uint32_t i = 0; i < c->items_count; i++)
		if (c->items[i].kind == CAIRN_CANDIDATE_KIND_RECOVERY && c->items[i].path_m >= LOOK_AWAY_M) {
			*ret = (struct cairn_vec2){c->items[i].x_m, c->items[i].y_m};
			return true;
		}
	*ret = (struct cairn_vec2){0.0, 0.0};
	return seq_home_m(seq) >= LOOK_AWAY_M;
}

/* First off where no way led from, then to where it looks again from. */
void seq_next_look(struct cairn_sequencer *seq, int64_t now_ns)
{
	struct seq_look *l = &seq->looks.next;
	struct cairn_vec2 at = {l->x_m, l->y_m};
	l->due = false;
	if (l->from == SEQ_LOOK_ROOM && !l->off && seq_begin_recovery(seq, CAIRN_SOURCE_LOCAL, now_ns))
		l->due = l->off = true;
	else if (l->from == SEQ_LOOK_OUT)
		seq_begin_way(seq, CAIRN_SOURCE_LOCAL, 0.0, 0.0, seq->cfg->nav.goal_tolerance_m,
		    "out of where no known way leads back", now_ns);
	else if (l->from == SEQ_LOOK_PLACE || (l->from == SEQ_LOOK_ROOM && place_with_room(seq, &at)))
		seq_begin_way(seq, CAIRN_SOURCE_LOCAL, at.x_m, at.y_m, seq->cfg->nav.goal_tolerance_m,
		    "to look again from elsewhere", now_ns);
	else if (!seq_begin_reaction(seq, now_ns) && !seq_begin_recovery(seq, CAIRN_SOURCE_LOCAL, now_ns))
		return;
	seq->task.insists = seq->task.looks = true;
}
