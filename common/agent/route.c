#include "common/agent/route.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AHEAD_M 0.3
#define BESIDE_M 0.2
#define ALONG_MAX 0.5 /* cosine of the angle between the way and the way through a door on its side */
#define SPARE_M 0.15  /* beside the jambs: the map's cells, and the pose */

static const char done_word[] = " (done", out_word[] = " (left out";

/* ---- lines ---- */

/* Behind "2. ", "1.2 ", "- ". */
static const char *skip_number(const char *p)
{
	while (isdigit((unsigned char)*p) || *p == '.' || *p == '-' || *p == ' ' || *p == ')')
		p++;
	return p;
}

/* Behind a word; NULL: it does not begin with it. */
static const char *behind(const char *p, const char *word)
{
	size_t n = strlen(word);
	return strncasecmp(p, word, n) == 0 ? p + n : NULL;
}

static bool read_thing(const char *p, char ret[40])
{
	const char *the = behind(p, "the ");
	snprintf(ret, 40, "%.39s", the != NULL ? the : p);
	size_t n = strlen(ret);
	while (n > 0 && (ret[n - 1] == '.' || ret[n - 1] == ' '))
		ret[--n] = '\0';
	return n > 0;
}

static bool read_door(const char *p, struct cairn_route_part *ret)
{
	char *end;
	long nth = strtol(p, &end, 10);
	end += strspn(end, " ");
	ret->left = strncasecmp(end, "left", 4) == 0;
	ret->nth = nth >= 1 && nth <= CAIRN_ROUTE_NTH_MAX ? (uint32_t)nth : 0;
	return ret->nth > 0 && (ret->left || strncasecmp(end, "right", 5) == 0);
}

static bool read_part(const char *line, struct cairn_route_part *ret)
{
	char words[CAIRN_AGENT_LINE_CAP];
	const char *p, *note;
	*ret = (struct cairn_route_part){.state = CAIRN_ROUTE_OPEN};
	snprintf(words, sizeof(words), "%s", skip_number(line));
	char *tail = strstr(words, done_word);
	ret->state = tail != NULL ? CAIRN_ROUTE_DONE : CAIRN_ROUTE_OPEN;
	if (tail == NULL && (tail = strstr(words, out_word)) != NULL)
		ret->state = CAIRN_ROUTE_LEFT_OUT;
	if (tail != NULL) {
		note = strstr(tail, ": ");
		if (note != NULL)
			snprintf(ret->note, sizeof(ret->note), "%.*s", (int)strcspn(note + 2, ")"), note + 2);
		*tail = '\0';
	}
	if (behind(words, "turn round") != NULL || behind(words, "turn around") != NULL) {
		ret->kind = CAIRN_ROUTE_TURN;
		return true;
	}
	if ((p = behind(words, "door ")) != NULL) {
		ret->kind = CAIRN_ROUTE_DOOR;
		return read_door(p, ret);
	}
	if ((p = behind(words, "pass ")) != NULL) {
		ret->kind = CAIRN_ROUTE_PASS;
		return read_thing(p, ret->thing);
	}
	ret->kind = CAIRN_ROUTE_STOP;
	return (p = behind(words, "stop at ")) != NULL && read_thing(p, ret->thing);
}

bool cairn_route_read(const struct cairn_agent_lines *lines, struct cairn_route *ret, struct cairn_error *why)
{
	struct cairn_route r = {.count = 0};
	for (uint32_t i = 0; i < lines->count; i++) {
		if (r.count < CAIRN_ROUTE_PARTS_MAX && read_part(lines->items[i], &r.parts[r.count])) {
			r.count++;
			continue;
		}
		cairn_error_set(why,
		    "'%.60s' is no part of a route: turn round, door N left, door N right, pass THING, or "
		    "stop at "
		    "THING; at most %d",
		    lines->items[i], CAIRN_ROUTE_PARTS_MAX);
		return false;
	}
	*ret = r;
	return true;
}

static bool same(const struct cairn_route_part *a, const struct cairn_route_part *b)
{
	return a->kind == b->kind && a->nth == b->nth && a->left == b->left &&
	       strcasecmp(a->thing, b->thing) == 0;
}

/* An open part among them that is equal. */
static bool has(const struct cairn_route *r, const struct cairn_route_part *part)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (r->parts[i].state == CAIRN_ROUTE_OPEN && same(&r->parts[i], part))
			return true;
	return false;
}

bool cairn_route_revise(struct cairn_route *r, const struct cairn_agent_lines *lines, struct cairn_error *why)
{
	struct cairn_route other, all = {.count = 0};
	if (!cairn_route_read(lines, &other, why))
		return false;
	for (uint32_t i = 0; i < r->count; i++) {
		struct cairn_route_part p = r->parts[i];
		if (p.state == CAIRN_ROUTE_OPEN && has(&other, &p))
			continue;
		if (p.state == CAIRN_ROUTE_OPEN) {
			p.state = CAIRN_ROUTE_LEFT_OUT;
			snprintf(p.note, sizeof(p.note), "it does not fit");
		}
		all.parts[all.count++] = p;
	}
	for (uint32_t i = 0; i < other.count; i++) {
		if (other.parts[i].state != CAIRN_ROUTE_OPEN)
			continue;
		if (all.count == CAIRN_ROUTE_PARTS_MAX) {
			cairn_error_set(why, "a route has at most %d parts, those that are done included",
			    CAIRN_ROUTE_PARTS_MAX);
			return false;
		}
		all.parts[all.count++] = other.parts[i];
	}
	*r = all;
	return true;
}

void cairn_route_tell(const struct cairn_route *r, struct cairn_agent_lines *ret)
{
	ret->count = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		const struct cairn_route_part *p = &r->parts[i];
		char words[64], note[128] = "";
		if (p->kind == CAIRN_ROUTE_TURN)
			snprintf(words, sizeof(words), "turn round");
		else if (p->kind == CAIRN_ROUTE_DOOR)
			snprintf(words, sizeof(words), "door %u %s", p->nth, p->left ? "left" : "right");
		else
			snprintf(words, sizeof(words), "%s %s",
			    p->kind == CAIRN_ROUTE_PASS ? "pass" : "stop at", p->thing);
		if (p->state != CAIRN_ROUTE_OPEN)
			snprintf(note, sizeof(note), "%s: %s)",
			    p->state == CAIRN_ROUTE_DONE ? done_word : out_word, p->note);
		snprintf(ret->items[ret->count++], CAIRN_AGENT_LINE_CAP, "%u. %s%s", i + 1, words, note);
	}
}

uint32_t cairn_route_at(const struct cairn_route *r)
{
	uint32_t i = 0;
	while (i < r->count && r->parts[i].state != CAIRN_ROUTE_OPEN)
		i++;
	return i;
}

/* ---- doorways ---- */

static double dot(struct cairn_vec2 a, struct cairn_vec2 b)
{
	return a.x_m * b.x_m + a.y_m * b.y_m;
}

static struct cairn_vec2 unit(double yaw_rad)
{
	return (struct cairn_vec2){cos(yaw_rad), sin(yaw_rad)};
}

int cairn_route_door(const struct cairn_route_part *part, const struct cairn_msg_doorway *doors,
    uint32_t count, const uint8_t *here, struct cairn_pose2 leg, uint32_t *ret_found)
{
	struct cairn_vec2 ahead = unit(leg.yaw_rad), side = {-ahead.y_m, ahead.x_m};
	double along[64];
	int order[64];
	uint32_t n = 0;
	for (uint32_t i = 0; i < count && n < 64; i++) {
		struct cairn_vec2 to = {doors[i].x_m - leg.x_m, doors[i].y_m - leg.y_m};
		double t = dot(to, ahead), s = dot(to, side) * (part->left ? 1.0 : -1.0);
		if (!here[i] || t < AHEAD_M || s < BESIDE_M ||
		    fabs(dot(unit(doors[i].yaw_rad), ahead)) > ALONG_MAX)
			continue;
		uint32_t k = n++;
		for (; k > 0 && along[k - 1] > t; k--) {
			along[k] = along[k - 1];
			order[k] = order[k - 1];
		}
		along[k] = t;
		order[k] = (int)i;
	}
	*ret_found = n;
	return part->nth >= 1 && part->nth <= n ? order[part->nth - 1] : -1;
}

struct cairn_vec2 cairn_route_through(
    const struct cairn_route_part *part, const struct cairn_msg_doorway *door, struct cairn_pose2 leg)
{
	struct cairn_vec2 way = unit(door->yaw_rad), ahead = unit(leg.yaw_rad),
			  side = {-ahead.y_m, ahead.x_m};
	double out = dot(way, side) * (part->left ? 1.0 : -1.0) >= 0.0 ? 1.0 : -1.0;
	return (struct cairn_vec2){out * way.x_m, out * way.y_m};
}

bool cairn_route_passed(const struct cairn_msg_doorway *d, struct cairn_vec2 from, struct cairn_vec2 to)
{
	struct cairn_vec2 way = unit(d->yaw_rad), a = {from.x_m - d->x_m, from.y_m - d->y_m},
			  b = {to.x_m - d->x_m, to.y_m - d->y_m};
	double u = dot(a, way), v = dot(b, way);
	if ((u < 0.0) == (v < 0.0))
		return false;
	double share = u / (u - v);
	struct cairn_vec2 at = {a.x_m + share * (b.x_m - a.x_m), a.y_m + share * (b.y_m - a.y_m)};
	return fabs(at.y_m * way.x_m - at.x_m * way.y_m) <= 0.5 * d->width_m + SPARE_M;
}
