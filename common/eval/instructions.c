#include "common/eval/instructions.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/eval/question_facts.h"
#include "common/eval/start_draw.h"
#include "common/sim/detector/detect.h"

#define TRIES 400 /* drafts for each instruction */
#define THINGS_MAX 256
#define EASY_EVERY 12 /* of easy drafts one in so many is told */
#define NTH_MOST 6
#define DOORS_MOST 2      /* of one instruction */
#define UNFIT_EVERY 6     /* one in so many has a part that does not fit */
#define PASS_AHEAD_M 0.8  /* a thing to pass is so far ahead ... */
#define PASS_BESIDE_M 2.0 /* ... and at most so far to a side */
#define STOP_FROM_M 1.5   /* at least, from where the last leg begins to the thing to stop at */
#define WAY_MIN_M 2.0
#define INTO_M 0.5 /* behind a door the next leg begins */

/* A thing that is told ways by. */
struct mark {
	char label[40];
	double low[3], high[3];
	struct cairn_vec2 middle;
	int room;
};

struct draft {
	struct cairn_instruction_house *h;
	const struct mark *marks;
	uint32_t mark_count;
	struct cairn_rng *rng;
	struct cairn_instruction *ret;
	struct cairn_pose2 leg;
	int room;
};

bool cairn_instruction_house_init(struct cairn_instruction_house *h, const struct cairn_config *cfg,
    const struct cairn_world *w, struct cairn_pose2 start)
{
	*h = (struct cairn_instruction_house){.cfg = cfg, .world = w};
	return cairn_lattice_init(&h->floor, cfg, w, start) && cairn_true_rooms_init(&h->rooms, w, &h->floor);
}

void cairn_instruction_house_free(struct cairn_instruction_house *h)
{
	cairn_lattice_free(&h->floor);
	cairn_true_rooms_free(&h->rooms);
}

static int room_at(const struct cairn_instruction_house *h, struct cairn_vec2 at)
{
	uint32_t cell = cairn_lattice_cell(&h->floor, at);
	return cell != UINT32_MAX ? h->rooms.room[cell] : -1;
}

bool cairn_instruction_near(const struct cairn_instruction_house *h, const struct cairn_instruction_part *p,
    struct cairn_vec2 at, double within_m)
{
	double dx = fmax(0.0, fmax(p->low[0] - at.x_m, at.x_m - p->high[0])),
	       dy = fmax(0.0, fmax(p->low[1] - at.y_m, at.y_m - p->high[1]));
	return hypot(dx, dy) <= within_m && room_at(h, at) == p->room;
}

/* ---- the house ---- */

/* What is called after a way through is no mark: it would be taken for one. */
static bool is_way(const char *name)
{
	return strstr(name, "door") != NULL || strstr(name, "opening") != NULL ||
	       strstr(name, "archway") != NULL;
}

/* Things that stand alone of their name in a room, with floor in that room from which one has stopped at them. */
static uint32_t find_marks(const struct cairn_instruction_house *h, struct mark *ret)
{
	const struct cairn_world *w = h->world;
	static struct question_name names[THINGS_MAX];
	uint32_t name_count = 0, n = 0;
	char label[40];
	for (uint32_t i = 0; i < w->thing_count; i++) {
		uint32_t k = 0;
		if (!cairn_sim_thing_label(&w->things[i], label))
			continue;
		while (k < name_count && strcmp(names[k].label, label) != 0)
			k++;
		if (k == name_count && name_count < THINGS_MAX) {
			names[name_count++] = (struct question_name){.count = 0};
			snprintf(names[k].label, sizeof(names[k].label), "%s", label);
		}
		if (k < name_count)
			names[k].count++;
	}
	for (uint32_t i = 0; i < w->thing_count && n < THINGS_MAX; i++) {
		struct mark *m = &ret[n];
		uint32_t k = 0;
		if (!question_thing(w, i, m->label) || is_way(m->label) ||
		    !cairn_world_extent(w, i, m->low, m->high) ||
		    question_ambiguous(names, name_count, m->label))
			continue;
		while (k < name_count && strcmp(names[k].label, m->label) != 0)
			k++;
		m->middle =
		    (struct cairn_vec2){0.5 * (m->low[0] + m->high[0]), 0.5 * (m->low[1] + m->high[1])};
		const struct cairn_room *room = cairn_world_room_at(w, m->middle.x_m, m->middle.y_m);
		if (k == name_count || names[k].count != 1 || room == NULL)
			continue;
		m->room = (int)(room - w->rooms);
		n++;
	}
	return n;
}

/* ---- the shortest way ---- */

static bool is_at(
    const struct cairn_instruction_house *h, const struct cairn_instruction_part *p, struct cairn_vec2 at)
{
	if (p->kind != CAIRN_INSTRUCTION_DOOR)
		return cairn_instruction_near(h, p, at,
		    p->kind == CAIRN_INSTRUCTION_PASS ? CAIRN_INSTRUCTION_PASS_M : CAIRN_INSTRUCTION_STOP_M);
	const struct cairn_true_door *d = &h->rooms.doors[p->door];
	double dx = at.x_m - d->at.x_m, dy = at.y_m - d->at.y_m;
	return fabs(dx * d->across.x_m + dy * d->across.y_m) <= CAIRN_LATTICE_M &&
	       fabs(dy * d->across.x_m - dx * d->across.y_m) <= 0.5 * d->width_m;
}

/* Through the places of all parts that fit, one after the other. Negative: there is no such way. */
static double shortest_m(struct cairn_instruction_house *h, const struct cairn_instruction *in)
{
	struct cairn_lattice *l = &h->floor;
	uint32_t cells = cairn_lattice_cells(l),
		 from = cairn_lattice_cell(l, (struct cairn_vec2){in->start.x_m, in->start.y_m});
	float *so_far = malloc(cells * sizeof(*so_far)), best = INFINITY;
	if (so_far == NULL || from == UINT32_MAX) {
		free(so_far);
		return -1.0;
	}
	cairn_lattice_clear(l);
	cairn_lattice_seed(l, from, 0.0f);
	cairn_lattice_spread(l);
	for (uint32_t i = 0; i < in->count; i++) {
		const struct cairn_instruction_part *p = &in->parts[i];
		if (p->kind == CAIRN_INSTRUCTION_TURN || p->unfit)
			continue;
		memcpy(so_far, l->way_m, cells * sizeof(*so_far));
		cairn_lattice_clear(l);
		best = INFINITY;
		for (uint32_t c = 0; c < cells; c++) {
			if (!isfinite(so_far[c]) || !is_at(h, p, cairn_lattice_at(l, c)))
				continue;
			best = fminf(best, so_far[c]);
			cairn_lattice_seed(l, c, so_far[c]);
		}
		cairn_lattice_spread(l);
	}
	free(so_far);
	return isfinite(best) ? (double)best : -1.0;
}

/* ---- drafting ---- */

static uint32_t draw(struct draft *d, uint32_t n)
{
	return cairn_rng_u32(d->rng) % n;
}

static struct cairn_instruction_part *add(struct draft *d, enum cairn_instruction_kind kind)
{
	struct cairn_instruction_part *p = &d->ret->parts[d->ret->count++];
	*p = (struct cairn_instruction_part){.kind = kind, .room = d->room};
	return p;
}

/* How far ahead of the leg and to its left. */
static struct cairn_vec2 from_leg(const struct draft *d, struct cairn_vec2 at)
{
	return cairn_pose_apply(cairn_pose_inverse(d->leg), at);
}

static bool used(const struct draft *d, const char *label)
{
	for (uint32_t i = 0; i < d->ret->count; i++)
		if (strcmp(d->ret->parts[i].label, label) == 0)
			return true;
	return false;
}

static void add_mark(struct draft *d, enum cairn_instruction_kind kind, const struct mark *m)
{
	struct cairn_instruction_part *p = add(d, kind);
	memcpy(p->label, m->label, sizeof(p->label));
	memcpy(p->low, m->low, sizeof(p->low));
	memcpy(p->high, m->high, sizeof(p->high));
}

/* One that is drawn of those that fit: to pass, ahead and beside the way and before before_m; or to stop at. */
static bool add_drawn(struct draft *d, enum cairn_instruction_kind kind, double before_m)
{
	const struct mark *fit[THINGS_MAX];
	uint32_t n = 0;
	for (uint32_t i = 0; i < d->mark_count; i++) {
		const struct mark *m = &d->marks[i];
		struct cairn_vec2 at = from_leg(d, m->middle);
		bool pass = at.x_m > PASS_AHEAD_M && fabs(at.y_m) < PASS_BESIDE_M && at.x_m < before_m;
		bool stop = hypot(at.x_m, at.y_m) > STOP_FROM_M;
		if (m->room == d->room && !used(d, m->label) &&
		    (kind == CAIRN_INSTRUCTION_PASS ? pass : stop))
			fit[n++] = m;
	}
	if (n > 0)
		add_mark(d, kind, fit[draw(d, n)]);
	return n > 0;
}

/* A door that is drawn of those on a side that is drawn; before it, in one of two, a thing to pass. */
static bool add_door(struct draft *d)
{
	uint32_t doors[CAIRN_TRUE_DOORS_MAX];
	bool left = draw(d, 2) == 0;
	uint32_t n = cairn_true_doors_beside(&d->h->rooms, d->room, d->leg, left, doors);
	if (n == 0)
		return false;
	/* Were a door behind it, it would not be plain from where they are counted. */
	struct cairn_vec2 first = from_leg(d, d->h->rooms.doors[doors[0]].at);
	if (draw(d, 2) == 0)
		(void)add_drawn(d, CAIRN_INSTRUCTION_PASS, first.x_m - 0.3);
	uint32_t k = draw(d, n < NTH_MOST ? n : NTH_MOST);
	const struct cairn_true_door *door = &d->h->rooms.doors[doors[k]];
	struct cairn_instruction_part *p = add(d, CAIRN_INSTRUCTION_DOOR);
	p->left = left;
	p->nth = k + 1;
	p->door = doors[k];
	p->against = door->rooms[1] == d->room;
	double sign = p->against ? -1.0 : 1.0;
	d->room = door->rooms[p->against ? 0 : 1];
	d->leg = (struct cairn_pose2){door->at.x_m + INTO_M * sign * door->across.x_m,
	    door->at.y_m + INTO_M * sign * door->across.y_m,
	    atan2(sign * door->across.y_m, sign * door->across.x_m)};
	return true;
}

static bool add_unfit(struct draft *d, const char (*foreign)[40], uint32_t count)
{
	char label[40];
	for (int tries = 0; tries < 20 && count > 0; tries++) {
		const char *name = foreign[draw(d, count)];
		bool has = is_way(name);
		for (uint32_t i = 0; i < d->h->world->thing_count && !has; i++)
			has = cairn_sim_thing_label(&d->h->world->things[i], label) &&
			      (strstr(label, name) != NULL || strstr(name, label) != NULL);
		if (has)
			continue;
		struct cairn_instruction_part *p = add(d, CAIRN_INSTRUCTION_PASS);
		p->unfit = true;
		snprintf(p->label, sizeof(p->label), "%s", name);
		return true;
	}
	return false;
}

static bool draw_start(struct draft *d)
{
	const struct cairn_lattice *l = &d->h->floor;
	uint32_t cell = draw(d, cairn_lattice_cells(l));
	struct cairn_vec2 at = cairn_lattice_at(l, cell);
	struct cairn_pose2 start = {at.x_m, at.y_m, cairn_wrap_rad(0.5 * M_PI * draw(d, 4))};
	d->room = d->h->rooms.room[cell];
	if (d->room < 0 || !cairn_start_fits(d->h->cfg, d->h->world, start))
		return false;
	d->ret->start = d->leg = start;
	return true;
}

/* ---- words ---- */

static void say(struct cairn_instruction *in)
{
	static const char *const nth[] = {"", "first", "second", "third", "fourth", "fifth", "sixth"};
	size_t n = 0;
	for (uint32_t i = 0; i < in->count; i++) {
		const struct cairn_instruction_part *p = &in->parts[i];
		char words[80];
		if (p->kind == CAIRN_INSTRUCTION_TURN)
			snprintf(words, sizeof(words), "turn round");
		else if (p->kind == CAIRN_INSTRUCTION_DOOR)
			snprintf(words, sizeof(words), "take the %s door on the %s", nth[p->nth],
			    p->left ? "left" : "right");
		else
			snprintf(words, sizeof(words), "%s the %s",
			    p->kind == CAIRN_INSTRUCTION_PASS ? "pass" : "stop at", p->label);
		n += (size_t)snprintf(in->text + n, sizeof(in->text) - n, "%s%s%s", i > 0 ? ", " : "", words,
		    i + 1 == in->count ? "." : "");
	}
	in->text[0] = (char)toupper((unsigned char)in->text[0]);
}

/* One door, and the first: most drafts are so. */
static bool is_easy(const struct cairn_instruction *in)
{
	uint32_t doors = 0, most = 0;
	for (uint32_t i = 0; i < in->count; i++)
		if (in->parts[i].kind == CAIRN_INSTRUCTION_DOOR) {
			doors++;
			most = in->parts[i].nth > most ? in->parts[i].nth : most;
		}
	return doors < 2 && most < 2;
}

static bool draft(struct draft *d, const char (*foreign)[40], uint32_t foreign_count)
{
	struct cairn_instruction *in = d->ret;
	*in = (struct cairn_instruction){.count = 0};
	uint32_t doors = 1 + draw(d, DOORS_MOST);
	bool unfit = draw(d, UNFIT_EVERY) == 0, turns = draw(d, 2) == 0;
	if (!draw_start(d))
		return false;
	if (turns) {
		(void)add(d, CAIRN_INSTRUCTION_TURN);
		d->leg.yaw_rad = cairn_wrap_rad(d->leg.yaw_rad + M_PI);
	}
	if (unfit && !add_unfit(d, foreign, foreign_count))
		return false;
	for (uint32_t i = 0; i < doors; i++)
		if (!add_door(d) && i == 0)
			return false;
	if (!add_drawn(d, CAIRN_INSTRUCTION_STOP, 0.0))
		return false;
	if (is_easy(in) && draw(d, EASY_EVERY) > 0)
		return false;
	in->shortest_m = shortest_m(d->h, in);
	say(in);
	return in->shortest_m >= WAY_MIN_M;
}

uint32_t cairn_instructions_make(struct cairn_instruction_house *h, const char (*foreign)[40],
    uint32_t foreign_count, uint64_t seed, struct cairn_instruction *ret, uint32_t max,
    uint32_t *ret_rejected)
{
	struct mark *marks = calloc(THINGS_MAX, sizeof(*marks));
	struct cairn_rng rng;
	uint32_t n = 0;
	*ret_rejected = 0;
	if (marks == NULL)
		return 0;
	cairn_rng_seed(&rng, seed, 47);
	struct draft d = {.h = h, .marks = marks, .mark_count = find_marks(h, marks), .rng = &rng};
	for (uint32_t tries = 0; n < max && tries < TRIES * max; tries++) {
		d.ret = &ret[n];
		bool ok = draft(&d, foreign, foreign_count);
		for (uint32_t i = 0; i < n && ok; i++)
			ok = strcmp(ret[i].text, ret[n].text) != 0;
		n += ok;
		*ret_rejected += !ok;
	}
	free(marks);
	return n;
}
