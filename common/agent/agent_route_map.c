/* agent_route_map.c - what a route is to the map: the room that a leg is in, its doorways, and places to stand. */
#include "common/agent/agent_route_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ON_M 3.0     /* further along the leg, where doors are missing */
#define ON_MIN_M 0.6 /* less is not worth the way */
#define ON_BESIDE_M 0.7
#define ON_LEG_MIN 0.5 /* cosine of the angle to the leg */
#define ON_CLEAR_M 0.3
#define FREE_MAX 49      /* of a cell of the map */
#define SIGHT_GAP_M 0.15 /* of a thing: its own edge on the map */
#define STAND_MIN_M 0.35 /* from the edge of a thing */
#define STAND_MAX_M 0.9
#define ROOM_M 0.5 /* of the middle of a room, as the graph tells it */
#define GAPS_MAX 48
#define GAP_TOGETHER_M 1.0
#define GAP_MIN_M 0.5 /* as wide as a door, about: the mapper has seen no jambs there */
#define GAP_MAX_M 1.3
#define GAP_KNOWN_M 0.6 /* from a doorway: it is that one */
#define SIDE_M 0.4      /* to either side of a doorway: which room is there? */

_Static_assert(AGENT_DOORS_MAX >= sizeof(((struct cairn_agent *)0)->doorways) /
				      sizeof(((struct cairn_agent *)0)->doorways[0]),
    "all doorways of the map fit");

double agent_box_off_m(const struct cairn_msg_scene_node *n, struct cairn_vec2 at)
{
	if (n->box_m_count != 6)
		return hypot(n->x_m - at.x_m, n->y_m - at.y_m);
	return hypot(fmax(0.0, fmax((double)n->box_m[0] - at.x_m, at.x_m - (double)n->box_m[3])),
	    fmax(0.0, fmax((double)n->box_m[1] - at.y_m, at.y_m - (double)n->box_m[4])));
}

static bool cell_of(const struct cairn_rooms *f, struct cairn_vec2 at, size_t *ret)
{
	int32_t x = (int32_t)floor(at.x_m / f->cell_m) - f->cx0,
		y = (int32_t)floor(at.y_m / f->cell_m) - f->cy0;
	*ret = (size_t)y * (size_t)f->width + (size_t)x;
	return x >= 0 && y >= 0 && x < f->width && y < f->height;
}

/* Steps of floor from one room of the map into another, of one opening. */
struct gap {
	uint8_t rooms[2];
	double n, x_m, y_m, dx, dy; /* sums */
};

static void note_step(struct gap *gaps, uint32_t *count, struct gap step)
{
	uint32_t i = 0;
	while (i < *count && (gaps[i].rooms[0] != step.rooms[0] || gaps[i].rooms[1] != step.rooms[1] ||
				 hypot(gaps[i].x_m / gaps[i].n - step.x_m,
				     gaps[i].y_m / gaps[i].n - step.y_m) > GAP_TOGETHER_M))
		i++;
	if (i == GAPS_MAX)
		return;
	if (i == *count)
		gaps[(*count)++] = (struct gap){.rooms = {step.rooms[0], step.rooms[1]}};
	gaps[i].n += 1.0;
	gaps[i].x_m += step.x_m;
	gaps[i].y_m += step.y_m;
	gaps[i].dx += step.dx;
	gaps[i].dy += step.dy;
}

static uint32_t find_gaps(const struct cairn_rooms *f, struct gap *ret)
{
	uint32_t count = 0;
	for (int32_t y = 0; y + 1 < f->height; y++)
		for (int32_t x = 0; x + 1 < f->width; x++)
			for (int up = 0; up < 2; up++) {
				uint8_t
				    a = f->label[(size_t)y * (size_t)f->width + (size_t)x],
				    b = f->label[(size_t)(y + up) * (size_t)f->width + (size_t)(x + 1 - up)];
				if (a == 0 || b == 0 || a == b)
					continue;
				double sign = a < b ? 1.0 : -1.0;
				note_step(ret, &count,
				    (struct gap){{a < b ? a : b, a < b ? b : a}, 1.0,
					(f->cx0 + x + (up ? 0.5 : 1.0)) * f->cell_m,
					(f->cy0 + y + (up ? 1.0 : 0.5)) * f->cell_m, up ? 0.0 : sign,
					up ? sign : 0.0});
			}
	return count;
}

void agent_find_doors(const struct cairn_agent *a, bool with_gaps, struct agent_doors *ret)
{
	struct gap gaps[GAPS_MAX];
	const struct cairn_rooms *f = cairn_scene_floor(a->mirror);
	ret->count = a->doorway_count;
	memcpy(ret->items, a->doorways, a->doorway_count * sizeof(ret->items[0]));
	uint32_t count = with_gaps ? find_gaps(f, gaps) : 0;
	for (uint32_t i = 0; i < count && ret->count < AGENT_DOORS_MAX; i++) {
		const struct gap *g = &gaps[i];
		double x = g->x_m / g->n, y = g->y_m / g->n,
		       width = fmax(fabs(g->dx), fabs(g->dy)) * f->cell_m;
		bool known = width < GAP_MIN_M || width > GAP_MAX_M;
		for (uint32_t k = 0; k < ret->count && !known; k++)
			known = hypot(ret->items[k].x_m - x, ret->items[k].y_m - y) < GAP_KNOWN_M;
		if (!known)
			ret->items[ret->count++] = (struct cairn_msg_doorway){
			    .x_m = x, .y_m = y, .width_m = width, .yaw_rad = atan2(g->dy, g->dx)};
	}
}

/* Doorways are shut: lines that are too thick to be stepped over. */
static void shut(struct agent_region *g, const struct cairn_msg_doorway *d)
{
	double c = cos(d->yaw_rad), s = sin(d->yaw_rad), wide = 0.5 * d->width_m + g->floor->cell_m;
	for (double u = -g->floor->cell_m; u <= g->floor->cell_m; u += 0.5 * g->floor->cell_m)
		for (double v = -wide; v <= wide; v += 0.5 * g->floor->cell_m) {
			size_t cell;
			struct cairn_vec2 at = {d->x_m + u * c - v * s, d->y_m + u * s + v * c};
			if (cell_of(g->floor, at, &cell))
				g->in[cell] = 2;
		}
}

/* A narrow place on the way itself, between a wall and a cabinet, say: the way goes on behind it. */
static bool is_on_leg(const struct cairn_msg_doorway *d, struct cairn_pose2 leg)
{
	struct cairn_vec2 at = cairn_pose_apply(cairn_pose_inverse(leg), (struct cairn_vec2){d->x_m, d->y_m});
	return fabs(cos(d->yaw_rad - leg.yaw_rad)) > ON_LEG_MIN && fabs(at.y_m) < d->width_m;
}

bool agent_find_region(const struct cairn_agent *a, const struct agent_doors *doors, struct cairn_vec2 from,
    struct agent_region *g)
{
	const struct cairn_rooms *f = g->floor = cairn_scene_floor(a->mirror);
	size_t cells = (size_t)f->width * (size_t)f->height, n = 0, at, width = (size_t)f->width;
	size_t *stack = malloc((cells + 1) * sizeof(*stack));
	g->in = calloc(cells + 1, 1);
	bool ok = g->in != NULL && stack != NULL && cells > 0 && cell_of(f, from, &at);
	for (uint32_t i = 0; i < doors->count && ok; i++)
		if (!is_on_leg(&doors->items[i], a->route.leg))
			shut(g, &doors->items[i]);
	if (ok) {
		g->in[at] = 1;
		stack[n++] = at;
	}
	while (n > 0) {
		size_t c = stack[--n], x = c % width;
		size_t beside[4] = {x > 0 ? c - 1 : c, x + 1 < width ? c + 1 : c, c >= width ? c - width : c,
		    c + width < cells ? c + width : c};
		for (int k = 0; k < 4; k++)
			if (g->in[beside[k]] == 0 && f->cells[beside[k]] <= FREE_MAX) {
				g->in[beside[k]] = 1;
				stack[n++] = beside[k];
			}
	}
	free(stack);
	return ok;
}

static bool agent_is_in(const struct agent_region *g, struct cairn_vec2 at)
{
	size_t cell;
	return cell_of(g->floor, at, &cell) && g->in[cell] == 1;
}

bool agent_touches(const struct agent_region *g, const struct cairn_msg_doorway *d)
{
	double x = SIDE_M * cos(d->yaw_rad), y = SIDE_M * sin(d->yaw_rad);
	return agent_is_in(g, (struct cairn_vec2){d->x_m + x, d->y_m + y}) ||
	       agent_is_in(g, (struct cairn_vec2){d->x_m - x, d->y_m - y});
}

/* Nothing on the map stands between a place and the nearest edge of a thing. */
static bool sees(const struct cairn_rooms *f, struct cairn_vec2 from, const struct cairn_msg_scene_node *n)
{
	double x = fmin(fmax(from.x_m, (double)n->box_m[0]), (double)n->box_m[3]),
	       y = fmin(fmax(from.y_m, (double)n->box_m[1]), (double)n->box_m[4]),
	       m = hypot(x - from.x_m, y - from.y_m);
	for (double d = 0.0; d < m - SIGHT_GAP_M; d += f->cell_m)
		if (cairn_rooms_occupied(
			f, from.x_m + (x - from.x_m) * d / m, from.y_m + (y - from.y_m) * d / m))
			return false;
	return true;
}

int32_t agent_room_of(const struct cairn_agent *a, const struct cairn_msg_scene_node *n)
{
	const struct cairn_msg_scene_node *room =
	    n->room[0] != '\0' ? cairn_agent_node(&a->world, n->room) : NULL;
	return room != NULL ? cairn_rooms_near(cairn_scene_floor(a->mirror), room->x_m, room->y_m, ROOM_M)
			    : -1;
}

bool agent_is_beside(
    const struct cairn_agent *a, struct cairn_vec2 at, int32_t room, const struct cairn_msg_scene_node *n)
{
	const struct cairn_rooms *f = cairn_scene_floor(a->mirror);
	return (room >= 0 && cairn_rooms_at(f, at.x_m, at.y_m) == room) || sees(f, at, n);
}

bool agent_find_stand(const struct cairn_agent *a, const struct cairn_msg_scene_node *n, bool next_to_it,
    struct cairn_vec2 *ret)
{
	const struct cairn_rooms *f = cairn_scene_floor(a->mirror);
	double best_m = INFINITY;
	int32_t room = agent_room_of(a, n);
	for (int32_t y = 0; y < f->height; y++)
		for (int32_t x = 0; x < f->width; x++) {
			struct cairn_vec2 at = {
			    (f->cx0 + x + 0.5) * f->cell_m, (f->cy0 + y + 0.5) * f->cell_m};
			double off = agent_box_off_m(n, at),
			       way_m = hypot(at.x_m - a->world.robot.x_m, at.y_m - a->world.robot.y_m);
			if (off < STAND_MIN_M || off > STAND_MAX_M || (next_to_it ? off : way_m) >= best_m ||
			    f->cells[(size_t)y * (size_t)f->width + (size_t)x] > FREE_MAX ||
			    cairn_rooms_clear_m(f, at.x_m, at.y_m) < ON_CLEAR_M ||
			    !agent_is_beside(a, at, room, n))
				continue;
			best_m = next_to_it ? off : way_m;
			*ret = at;
		}
	return isfinite(best_m);
}

bool agent_find_on(const struct cairn_agent *a, const struct agent_region *g, struct cairn_vec2 *ret)
{
	const struct cairn_rooms *f = g->floor;
	struct cairn_pose2 back = cairn_pose_inverse(a->route.leg);
	double now_m =
		   cairn_pose_apply(back, (struct cairn_vec2){a->world.robot.x_m, a->world.robot.y_m}).x_m,
	       best_m = now_m + ON_MIN_M;
	bool found = false;
	for (int32_t y = 0; y < f->height; y++)
		for (int32_t x = 0; x < f->width; x++) {
			struct cairn_vec2 at = {
			    (f->cx0 + x + 0.5) * f->cell_m, (f->cy0 + y + 0.5) * f->cell_m};
			struct cairn_vec2 by_leg = cairn_pose_apply(back, at);
			if (by_leg.x_m <= best_m || by_leg.x_m > now_m + ON_M ||
			    fabs(by_leg.y_m) > ON_BESIDE_M || !agent_is_in(g, at) ||
			    cairn_rooms_clear_m(f, at.x_m, at.y_m) < ON_CLEAR_M)
				continue;
			best_m = by_leg.x_m;
			*ret = at;
			found = true;
		}
	return found;
}
