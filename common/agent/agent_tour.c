/* agent_tour.c - openings looked into one after the other, by one choice of the model: of those that it finds promising always the one that
 * shows most for the way to it from where the robot is by then, and what has opened beside them; then of those that it named for later.
 * What has closed meanwhile is passed over. A drive is broken off when what is looked for comes in sight, or when its floor has been seen
 * on the way. */
#include <math.h>
#include <stdio.h>

#include "common/agent/agent_private.h"

#define BEHIND_M 3.0  /* of an opening that was told: what has opened so near counts as that one does */
#define FAILED_MAX 3  /* in a row: the model is asked again */
#define TURNING_M 1.0 /* what turning on the spot counts as: metres driven */
#define GRAPHS 1
#define LOOK_MAX_S 5.0

#define VISITS_MAX 2 /* of one opening: one that stays open shows no more */

enum { NOT_CHOSEN, LATER, PROMISING };

static uint32_t times(
    const struct cairn_agent_opening *list, uint32_t count, const struct cairn_agent_opening *o)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++)
		n += cairn_agent_same_opening(&list[i], o);
	return n;
}

static bool worth(const struct agent_tour *t, const struct cairn_agent_opening *o)
{
	return times(t->visits, t->visit_count, o) < VISITS_MAX;
}

/* What the model has said of an opening, or of the nearest one that it was told of; what has come to light elsewhere is promising. */
static int rank_of(const struct agent_tour *t, const struct cairn_agent_opening *o)
{
	double best_m = BEHIND_M;
	int rank = PROMISING;
	for (uint32_t i = 0; i < t->told_count; i++) {
		const struct cairn_agent_opening *k = &t->told[i];
		double m = cairn_agent_same_opening(k, o) ? 0.0 : hypot(k->x_m - o->x_m, k->y_m - o->y_m);
		if (m < best_m) {
			best_m = m;
			rank = t->ranks[i];
		}
	}
	return rank == NOT_CHOSEN && t->until == CAIRN_AGENT_UNTIL_ALL ? LATER : rank;
}

/* Of the openings of now. NULL: none. */
static const struct cairn_agent_opening *pick(const struct cairn_agent *a)
{
	const struct agent_tour *t = &a->tour;
	const struct cairn_agent_opening *best = NULL;
	int best_rank = NOT_CHOSEN;
	double best_score = 0.0;
	for (uint32_t i = 0; i < a->world.opening_count; i++) {
		const struct cairn_agent_opening *o = &a->world.openings[i];
		int rank = worth(t, o) ? rank_of(t, o) : NOT_CHOSEN;
		/* Where all of it is to be seen, what lies near is not left for later. */
		double gain_m2 = t->until == CAIRN_AGENT_UNTIL_ALL ? 1.0 : o->gain_m2;
		double score = gain_m2 / (TURNING_M + o->distance_m);
		if (rank == NOT_CHOSEN || rank < best_rank || (rank == best_rank && score <= best_score))
			continue;
		best = o;
		best_rank = rank;
		best_score = score;
	}
	return best;
}

static const char room_named[] = "a room has got its name";

/* Why the model is asked again now; NULL: it is not. */
static const char *stops(const struct cairn_agent *a)
{
	const struct agent_tour *t = &a->tour;
	if (t->until != CAIRN_AGENT_UNTIL_ALL &&
	    cairn_agent_labelled(&a->world, &a->memory.labels) > t->labelled)
		return "a thing with one of the labels was seen";
	if (t->until == CAIRN_AGENT_UNTIL_ROOM && cairn_agent_named_rooms(&a->world) > t->named_rooms)
		return room_named;
	if (t->visit_count >= AGENT_TOUR_VISITS)
		return "that is much for one step";
	return t->failed_in_row >= FAILED_MAX ? "several in a row could not be driven to" : NULL;
}

/* A room that has got its name may change what is promising, and nothing else: that is asked at once. */
static void end(struct cairn_agent *a, const char *why)
{
	struct agent_tour *t = &a->tour;
	bool news = cairn_agent_labelled(&a->world, &a->memory.labels) != t->labelled ||
		    cairn_agent_named_rooms(&a->world) != t->named_rooms;
	t->on = false;
	cairn_agent_log_add(&a->memory.actions, "%.60s: %u openings looked into, %u in vain; then %s",
	    a->step, t->looked_into, t->failed, why);
	cairn_agent_letter_openings(&a->world);
	bool named = why == room_named && a->world.opening_count > 0;
	agent_ask_next(a, named  ? CAIRN_AGENT_QUERY_EXPLORE
			  : news ? CAIRN_AGENT_QUERY_REMEMBER
				 : CAIRN_AGENT_QUERY_NEXT);
}

static void go_on(struct cairn_agent *a, int64_t now_ns)
{
	const char *why = stops(a);
	if (why != NULL) {
		end(a, why);
		return;
	}
	/* What shows from where the robot stands needs no way at all: that comes first, once, where pictures are searched. */
	if (!a->looked_round && a->look_ns[0] != 0) {
		a->looked_round = true;
		if (agent_begin_round(a, now_ns))
			return;
	}
	cairn_agent_letter_openings(&a->world);
	const struct cairn_agent_opening *next = pick(a);
	if (next == NULL) {
		end(a, a->world.opening_count > 0 ? "none of those that were chosen is left"
						  : "no opening is left");
		return;
	}
	struct cairn_agent_opening copy = *next;
	if (!agent_begin_opening(a, &copy, now_ns)) {
		end(a, "the robot does not know where it is");
		return;
	}
}

static uint32_t choose(struct cairn_agent *a, const struct cairn_agent_ids *letters, int rank)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < letters->count; i++) {
		const struct cairn_agent_opening *o = cairn_agent_opening_by(&a->world, letters->items[i]);
		if (o != NULL)
			a->tour.ranks[o - a->world.openings] = rank;
		n += o != NULL;
	}
	return n;
}

bool agent_begin_tour(struct cairn_agent *a, int64_t now_ns, struct cairn_error *why)
{
	struct agent_tour *t = &a->tour;
	*t = (struct agent_tour){.on = true,
	    .until = (enum cairn_agent_until)a->call.until,
	    .labelled = cairn_agent_labelled(&a->world, &a->memory.labels),
	    .named_rooms = cairn_agent_named_rooms(&a->world)};
	t->told_count = a->world.opening_count;
	for (uint32_t i = 0; i < t->told_count; i++)
		t->told[i] = a->world.openings[i];
	uint32_t chosen = choose(a, &a->call.ids2, LATER);
	chosen += choose(a, &a->call.ids, PROMISING);
	if (chosen == 0 || !a->world.has_pose) {
		t->on = false;
		cairn_error_set(why, "%s",
		    chosen == 0 ? "choose_opening needs letters of the list of openings"
				: "the robot does not know where it is");
		return false;
	}
	go_on(a, now_ns);
	return true;
}

static void note(struct cairn_agent *a)
{
	struct agent_tour *t = &a->tour;
	t->failed_in_row = a->act.ok ? 0 : t->failed_in_row + 1;
	t->looked_into += a->act.ok;
	t->failed += !a->act.ok;
	for (int i = 0; i < (a->act.ok ? 1 : VISITS_MAX) && t->visit_count < AGENT_TOUR_VISITS; i++)
		t->visits[t->visit_count++] = t->now;
	if (!a->act.ok)
		cairn_agent_log_add(&a->memory.actions, "%s: %s", a->act.what, a->act.outcome);
}

/* What the robot came for has got into the graph, if pictures are searched at all. */
static bool has_looked(const struct cairn_agent *a, int64_t now_ns)
{
	const struct agent_act *act = &a->act;
	bool graphs = act->scenes_from != UINT64_MAX && a->scenes >= act->scenes_from + GRAPHS;
	return a->look_ns[0] == 0 || !act->ok || act->cut == AGENT_CUT_FOUND || graphs ||
	       (double)(now_ns - act->since_ns) * 1e-9 > LOOK_MAX_S;
}

void agent_tour_next(struct cairn_agent *a, int64_t now_ns)
{
	if (a->act.scenes_from == UINT64_MAX && agent_looked_since(a, a->act.t_over_ns))
		a->act.scenes_from = a->scenes;
	if (!has_looked(a, now_ns))
		return;
	/* A person had the robot, or it was called off for what it has found: that says nothing about the opening. */
	if (!a->act.held && a->act.cut != AGENT_CUT_FOUND && a->act.opening != NULL)
		note(a);
	go_on(a, now_ns);
}

enum agent_cut agent_tour_cut(const struct cairn_agent *a)
{
	const struct agent_tour *t = &a->tour;
	if (t->until != CAIRN_AGENT_UNTIL_ALL &&
	    cairn_agent_labelled(&a->world, &a->memory.labels) > t->labelled)
		return AGENT_CUT_FOUND;
	bool seen = a->act.at == 0 && a->act.count > 1 && a->act.opening != NULL && a->act.opening->unseen &&
		    a->world.coverage != NULL &&
		    !cairn_coverage_is_unseen(a->world.coverage, &a->act.opening->floor);
	return seen ? AGENT_CUT_SEEN : AGENT_CUT_NOT;
}
