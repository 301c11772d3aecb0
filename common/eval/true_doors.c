#include "common/eval/true_doors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAIRS_MIN 4     /* steps of floor over the border of two rooms: less is a crack */
#define TOGETHER_M 0.25 /* of one opening */
#define JAMBS_Z_M 0.2   /* as the LiDAR sees them */
#define JAMB_MAX_M 1.5
#define SHIFT_M 0.6 /* of a wall from the border of the rooms */
#define SHIFT_STEP_M 0.05
#define AHEAD_M 0.3 /* of the one who goes */
#define PLAIN_M 0.5 /* farther from that bound, and from each other, doors are told apart */
#define BESIDE_M 0.3
#define ALONG_MAX 0.5 /* cosine of the angle between the way and the way through a door on its side */

/* A step of floor from one room into another. */
struct step {
	struct cairn_vec2 at, dir;
	int rooms[2];
	bool used;
};

static double dot(struct cairn_vec2 a, struct cairn_vec2 b)
{
	return a.x_m * b.x_m + a.y_m * b.y_m;
}

static struct cairn_vec2 plus(struct cairn_vec2 a, struct cairn_vec2 b, double times)
{
	return (struct cairn_vec2){a.x_m + b.x_m * times, a.y_m + b.y_m * times};
}

static struct cairn_vec2 left_of(struct cairn_vec2 v)
{
	return (struct cairn_vec2){-v.y_m, v.x_m};
}

/* ---- rooms ---- */

/* Floor without a name that hangs together with a cell. */
static void fill(
    struct cairn_true_rooms *r, const struct cairn_lattice *l, uint32_t from, int8_t id, uint32_t *stack)
{
	uint32_t n = 0, nx = (uint32_t)l->nx, cells = cairn_lattice_cells(l);
	stack[n++] = from;
	r->room[from] = id;
	while (n > 0) {
		uint32_t c = stack[--n], x = c % nx;
		uint32_t beside[4] = {x > 0 ? c - 1 : c, x + 1 < nx ? c + 1 : c, c >= nx ? c - nx : c,
		    c + nx < cells ? c + nx : c};
		for (int k = 0; k < 4; k++)
			if (r->room[beside[k]] == INT8_MAX) {
				r->room[beside[k]] = id;
				stack[n++] = beside[k];
			}
	}
}

static bool find_rooms(
    struct cairn_true_rooms *r, const struct cairn_world *w, const struct cairn_lattice *l, uint32_t *stack)
{
	r->room_count = (int)w->room_count;
	if (r->room_count > CAIRN_TRUE_ROOMS_MAX)
		return false;
	for (uint32_t c = 0; c < cairn_lattice_cells(l); c++) {
		struct cairn_vec2 p = cairn_lattice_at(l, c);
		const struct cairn_room *room = l->free[c] ? cairn_world_room_at(w, p.x_m, p.y_m) : NULL;
		r->room[c] = (int8_t)(room != NULL ? room - w->rooms : l->free[c] ? INT8_MAX : -1);
	}
	for (uint32_t c = 0; c < cairn_lattice_cells(l); c++) {
		if (r->room[c] != INT8_MAX)
			continue;
		if (r->room_count >= CAIRN_TRUE_ROOMS_MAX)
			return false;
		fill(r, l, c, (int8_t)r->room_count++, stack);
	}
	return true;
}

/* ---- doors ---- */

static uint32_t find_steps(const struct cairn_true_rooms *r, const struct cairn_lattice *l, struct step *ret)
{
	uint32_t n = 0, nx = (uint32_t)l->nx, cells = cairn_lattice_cells(l);
	for (uint32_t c = 0; c < cells; c++)
		for (int up = 0; up < 2; up++) {
			uint32_t next = up ? c + nx : c + 1;
			if (next >= cells || (!up && next % nx == 0) || r->room[c] < 0 || r->room[next] < 0 ||
			    r->room[c] == r->room[next])
				continue;
			bool back = r->room[c] > r->room[next];
			double sign = back ? -1.0 : 1.0;
			struct cairn_vec2 a = cairn_lattice_at(l, c), b = cairn_lattice_at(l, next);
			ret[n++] = (struct step){.at = {0.5 * (a.x_m + b.x_m), 0.5 * (a.y_m + b.y_m)},
			    .dir = {up ? 0.0 : sign, up ? sign : 0.0},
			    .rooms = {r->room[back ? next : c], r->room[back ? c : next]}};
		}
	return n;
}

static double jamb_m(const struct cairn_world *w, struct cairn_vec2 from, struct cairn_vec2 dir)
{
	return cairn_world_cast(w, from.x_m, from.y_m, dir.x_m, dir.y_m, JAMBS_Z_M, JAMB_MAX_M).range_m;
}

/* To where it is narrowest: walls need not stand on the border of the rooms. */
static void centre(struct cairn_true_door *d, const struct cairn_world *w)
{
	struct cairn_vec2 side = left_of(d->across), middle = d->at;
	d->width_m = 2.0 * JAMB_MAX_M;
	for (double shift = -SHIFT_M; shift < SHIFT_M + 0.01; shift += SHIFT_STEP_M) {
		struct cairn_vec2 at = plus(middle, d->across, shift);
		double left = jamb_m(w, at, side),
		       right = jamb_m(w, at, plus((struct cairn_vec2){0}, side, -1.0));
		/* In the middle of a wall's thickness rather than at its edge: the nearest shift of those that are alike. */
		double less = d->width_m - left - right;
		bool nearer = fabs(shift) < fabs(dot(plus(d->at, middle, -1.0), d->across));
		if (less > 0.02 || (less > -0.02 && nearer)) {
			d->width_m = left + right;
			d->at = plus(at, side, 0.5 * (left - right));
		}
	}
	d->wide = d->width_m > CAIRN_TRUE_DOOR_MAX_M;
}

/* All steps that hang together with steps[from]. */
static uint32_t gather(struct step *steps, uint32_t n, uint32_t from, uint32_t *list)
{
	uint32_t count = 0;
	list[count++] = from;
	steps[from].used = true;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < n; k++) {
			const struct step *a = &steps[list[i]];
			struct step *b = &steps[k];
			if (b->used || b->rooms[0] != a->rooms[0] || b->rooms[1] != a->rooms[1] ||
			    hypot(a->at.x_m - b->at.x_m, a->at.y_m - b->at.y_m) > TOGETHER_M)
				continue;
			b->used = true;
			list[count++] = k;
		}
	return count;
}

static bool find_doors(
    struct cairn_true_rooms *r, const struct cairn_world *w, struct step *steps, uint32_t n, uint32_t *list)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t count = steps[i].used ? 0 : gather(steps, n, i, list);
		struct cairn_vec2 at = {0}, dir = {0};
		if (count < PAIRS_MIN)
			continue;
		if (r->door_count == CAIRN_TRUE_DOORS_MAX)
			return false;
		for (uint32_t k = 0; k < count; k++) {
			at = plus(at, steps[list[k]].at, 1.0 / count);
			dir = plus(dir, steps[list[k]].dir, 1.0);
		}
		bool flat = fabs(dir.x_m) >= fabs(dir.y_m);
		struct cairn_true_door *d = &r->doors[r->door_count++];
		*d = (struct cairn_true_door){.at = at,
		    .across = {flat ? copysign(1.0, dir.x_m) : 0.0, flat ? 0.0 : copysign(1.0, dir.y_m)},
		    .rooms = {steps[i].rooms[0], steps[i].rooms[1]}};
		centre(d, w);
	}
	return true;
}

bool cairn_true_rooms_init(
    struct cairn_true_rooms *r, const struct cairn_world *w, const struct cairn_lattice *l)
{
	uint32_t cells = cairn_lattice_cells(l);
	*r = (struct cairn_true_rooms){.room = malloc(cells)};
	struct step *steps = malloc(2 * (size_t)cells * sizeof(*steps));
	uint32_t *list = malloc(2 * (size_t)cells * sizeof(*list));
	bool ok = r->room != NULL && steps != NULL && list != NULL && find_rooms(r, w, l, list) &&
		  find_doors(r, w, steps, find_steps(r, l, steps), list);
	free(steps);
	free(list);
	return ok;
}

void cairn_true_rooms_free(struct cairn_true_rooms *r)
{
	free(r->room);
	*r = (struct cairn_true_rooms){.room = NULL};
}

/* ---- beside a way ---- */

/* The rooms that one gets to from a room by wide openings alone. */
static void open_plan(const struct cairn_true_rooms *r, int room, bool ret[CAIRN_TRUE_ROOMS_MAX])
{
	memset(ret, 0, CAIRN_TRUE_ROOMS_MAX * sizeof(ret[0]));
	ret[room] = true;
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < r->door_count; i++) {
			const int *rooms = r->doors[i].rooms;
			if (!r->doors[i].wide || ret[rooms[0]] == ret[rooms[1]])
				continue;
			ret[rooms[0]] = ret[rooms[1]] = more = true;
		}
	}
}

uint32_t cairn_true_doors_beside(const struct cairn_true_rooms *r, int room, struct cairn_pose2 leg,
    bool left, uint32_t ret[CAIRN_TRUE_DOORS_MAX])
{
	bool plan[CAIRN_TRUE_ROOMS_MAX];
	struct cairn_vec2 ahead = {cos(leg.yaw_rad), sin(leg.yaw_rad)};
	double along[CAIRN_TRUE_DOORS_MAX];
	uint32_t n = 0;
	open_plan(r, room, plan);
	for (uint32_t i = 0; i < r->door_count; i++) {
		const struct cairn_true_door *d = &r->doors[i];
		struct cairn_vec2 to = {d->at.x_m - leg.x_m, d->at.y_m - leg.y_m};
		double t = dot(to, ahead), s = dot(to, left_of(ahead)) * (left ? 1.0 : -1.0);
		bool here = d->rooms[0] == room || d->rooms[1] == room;
		if ((!plan[d->rooms[0]] && !plan[d->rooms[1]]) || fabs(dot(d->across, ahead)) > ALONG_MAX ||
		    s < BESIDE_M || t < AHEAD_M - PLAIN_M)
			continue;
		if (d->wide || !here || t < AHEAD_M + PLAIN_M)
			return 0;
		uint32_t k = n++;
		for (; k > 0 && along[k - 1] > t; k--) {
			along[k] = along[k - 1];
			ret[k] = ret[k - 1];
		}
		along[k] = t;
		ret[k] = i;
	}
	for (uint32_t k = 1; k < n; k++)
		if (along[k] - along[k - 1] < PLAIN_M)
			return 0;
	return n;
}

int cairn_true_door_passed(const struct cairn_true_door *d, struct cairn_vec2 from, struct cairn_vec2 to)
{
	double a = dot(plus(from, d->at, -1.0), d->across), b = dot(plus(to, d->at, -1.0), d->across);
	if ((a < 0.0) == (b < 0.0))
		return 0;
	struct cairn_vec2 at = plus(from, plus(to, from, -1.0), a / (a - b));
	double off = dot(plus(at, d->at, -1.0), left_of(d->across));
	return fabs(off) > 0.5 * d->width_m ? 0 : a < 0.0 ? 1 : -1;
}
