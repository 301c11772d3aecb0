#include "common/scene/scene_file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/file.h"
#include "common/base/hash.h"
#include "common/scene/scene_private.h"
#include "common/base/text.h"

#define SCHEMA "0.1"
#define HEAD "{\"checksum\":\"%016" PRIx64 "\",\"scene\":"
#define HEAD_BYTES 39
#define TAIL "}\n"
#define RUN_MAX 65535

/* ---- writing ---- */

static json_t *string(const char *text)
{
	json_t *s = json_string(text);
	return s != NULL ? s : json_string("");
}

static json_t *millimetres(double m)
{
	return json_real(round(m * 1000.0) / 1000.0);
}

static json_t *write_object(const struct cairn_scene_object *o)
{
	json_t *j = json_object(), *box = json_array(), *votes = json_array(), *beside = json_array();
	for (int k = 0; k < 6; k++)
		json_array_append_new(box, millimetres(k < 3 ? o->box.min[k] : o->box.max[k - 3]));
	for (int k = 0; k < CAIRN_SCENE_VOTES && o->votes[k].count > 0; k++)
		json_array_append_new(
		    votes, json_pack("[o,I]", string(o->votes[k].label), (json_int_t)o->votes[k].count));
	for (uint32_t k = 0; k < o->beside_count; k++)
		json_array_append_new(beside, json_integer(o->beside[k].number));
	json_object_set_new(j, "number", json_integer(o->number));
	json_object_set_new(j, "node_id", string(o->id));
	json_object_set_new(j, "kind", string(o->kind == CAIRN_SCENE_KIND_AGENT ? "agent" : "object"));
	json_object_set_new(j, "label", string(o->votes[0].label));
	json_object_set_new(j, "votes", votes);
	json_object_set_new(j, "colour", string(o->colour));
	if (o->source[0] != '\0')
		json_object_set_new(j, "source", string(o->source));
	json_object_set_new(j, "box_m", box);
	json_object_set_new(j, "confidence", millimetres(o->confidence));
	json_object_set_new(j, "first_unix_s", millimetres(o->first_unix_s));
	json_object_set_new(j, "last_unix_s", millimetres(o->last_unix_s));
	json_object_set_new(j, "seen", json_integer(o->seen));
	json_object_set_new(j, "whole", json_integer(o->whole));
	json_object_set_new(j, "missed", json_integer(o->missed));
	json_object_set_new(j, "moves", json_integer(o->moves));
	json_object_set_new(j, "confirmed", json_boolean(o->confirmed));
	json_object_set_new(j, "stale", json_boolean(o->stale));
	json_object_set_new(j, "open", json_boolean(o->open));
	json_object_set_new(j, "state", string(o->state));
	json_object_set_new(j, "picture", json_integer((json_int_t)o->picture));
	json_object_set_new(j, "picture_worth", json_integer((json_int_t)o->picture_worth));
	json_object_set_new(j, "room", json_integer(o->room));
	json_object_set_new(j, "beside", beside);
	return j;
}

/* Rows of the floor as runs of [cx, cy, cells], so that rooms are found again by the floor they share. */
static json_t *write_floor(const struct cairn_rooms *f, uint32_t index)
{
	json_t *runs = json_array();
	for (int32_t y = 0; y < f->height; y++)
		for (int32_t x = 0; x < f->width;) {
			const uint8_t *row = &f->label[(size_t)y * (size_t)f->width];
			int32_t end = x + 1;
			while (end < f->width && row[end] == row[x])
				end++;
			if (row[x] == index + 1)
				json_array_append_new(
				    runs, json_pack("[i,i,i]", x + f->cx0, y + f->cy0, end - x));
			x = end;
		}
	return runs;
}

static json_t *write_room(const struct cairn_scene *s, const struct cairn_scene_room *r)
{
	json_t *j = json_object();
	json_object_set_new(j, "number", json_integer(r->number));
	json_object_set_new(j, "node_id", string(r->id));
	json_object_set_new(j, "label", string(r->name));
	if (r->model_word[0] != '\0')
		json_object_set_new(j, "model_word", string(r->model_word));
	json_object_set_new(j, "x_m", millimetres(r->at.x_m));
	json_object_set_new(j, "y_m", millimetres(r->at.y_m));
	json_object_set_new(j, "area_m2", millimetres(r->area_m2));
	for (uint32_t i = 0; s->floor.label != NULL && i < s->floor.count; i++)
		if (s->floor.items[i].number == r->number)
			json_object_set_new(j, "floor", write_floor(&s->floor, i));
	return j;
}

/* What people have called the rooms. */
static json_t *write_calls(const struct cairn_scene *s)
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < s->call_count; i++) {
		const struct cairn_scene_call *c = &s->calls[i];
		json_array_append_new(list, json_pack("{s:o,s:o,s:o,s:I,s:I}", "name", string(c->name), "x_m",
						millimetres(c->at.x_m), "y_m", millimetres(c->at.y_m), "room",
						(json_int_t)c->room, "next_room", (json_int_t)c->next_room));
	}
	return list;
}

char *cairn_scene_write(const struct cairn_scene *s, size_t *ret_bytes)
{
	json_t *j = json_object(), *objects = json_array(), *rooms = json_array();
	for (uint32_t i = 0; i < s->object_count; i++)
		if (s->objects[i].number != 0)
			json_array_append_new(objects, write_object(&s->objects[i]));
	for (uint32_t i = 0; i < s->room_count; i++)
		json_array_append_new(rooms, write_room(s, &s->rooms[i]));
	json_object_set_new(j, "schema_version", json_string(SCHEMA));
	json_object_set_new(j, "map_id", json_sprintf("%016" PRIx64, s->map_id));
	json_object_set_new(j, "next_number", json_integer(s->next_number));
	json_object_set_new(j, "next_room", json_integer(s->next_room));
	json_object_set_new(j, "cell_m", json_real(s->floor.cell_m));
	json_object_set_new(j, "objects", objects);
	json_object_set_new(j, "rooms", rooms);
	json_object_set_new(j, "called", write_calls(s));
	char *body = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(13)), *text = NULL;
	json_decref(j);
	size_t n = body != NULL ? strlen(body) : 0, cap = HEAD_BYTES + n + sizeof(TAIL) + 8;
	text = body != NULL ? malloc(cap) : NULL;
	if (text != NULL)
		*ret_bytes = (size_t)snprintf(
		    text, cap, HEAD "%s" TAIL, cairn_hash_bytes(CAIRN_HASH_START, body, n), body);
	free(body);
	return text;
}

/* ---- reading ---- */

struct reader {
	struct cairn_error *err;
	bool ok;
};

static void fail(struct reader *r, const char *what)
{
	if (r->ok)
		cairn_error_set(r->err, "%s", what);
	r->ok = false;
}

static double real(struct reader *r, const json_t *o, const char *key, double most)
{
	const json_t *v = json_object_get(o, key);
	double x = json_is_number(v) ? json_number_value(v) : NAN;
	if (!(fabs(x) <= most)) {
		fail(r, key);
		return 0.0;
	}
	return x;
}

static uint32_t whole(struct reader *r, const json_t *o, const char *key, uint32_t most)
{
	const json_t *v = json_object_get(o, key);
	if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) > (json_int_t)most) {
		fail(r, key);
		return 0;
	}
	return (uint32_t)json_integer_value(v);
}

static void text_of(struct reader *r, const json_t *v, char *ret, size_t cap)
{
	if (json_is_string(v))
		cairn_text_clean(ret, cap, json_string_value(v), json_string_length(v));
	else
		fail(r, "a text is missing");
}

static void read_votes(struct reader *r, const json_t *list, struct cairn_scene_object *o)
{
	if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > CAIRN_SCENE_VOTES)
		fail(r, "votes");
	for (size_t i = 0; r->ok && i < json_array_size(list); i++) {
		const json_t *v = json_array_get(list, i), *n = json_array_get(v, 1);
		char label[CAIRN_SCENE_LABEL_CAP];
		text_of(r, json_array_get(v, 0), label, sizeof(label));
		if (!json_is_integer(n) || json_integer_value(n) < 1 || json_integer_value(n) > INT32_MAX ||
		    !r->ok || label[0] == '\0')
			fail(r, "votes");
		else
			cairn_scene_vote(o, label, (uint32_t)json_integer_value(n));
	}
}

static void read_box(struct reader *r, const json_t *list, struct cairn_scene_box *b)
{
	if (!json_is_array(list) || json_array_size(list) != 6) {
		fail(r, "box_m");
		return;
	}
	for (size_t k = 0; k < 6; k++) {
		const json_t *v = json_array_get(list, k);
		double x = json_is_number(v) ? json_number_value(v) : NAN;
		if (!(fabs(x) < 1e4))
			fail(r, "box_m");
		*(k < 3 ? &b->min[k] : &b->max[k - 3]) = x;
	}
	for (int k = 0; k < 3; k++)
		if (!(b->min[k] <= b->max[k]))
			fail(r, "box_m");
}

static void read_object(struct reader *r, const json_t *j, struct cairn_scene *s)
{
	const json_t *beside = json_object_get(j, "beside");
	struct cairn_scene_object o = {.number = whole(r, j, "number", UINT32_MAX - 1)};
	text_of(r, json_object_get(j, "node_id"), o.id, sizeof(o.id));
	text_of(r, json_object_get(j, "colour"), o.colour, sizeof(o.colour));
	if (json_object_get(j, "source") != NULL)
		text_of(r, json_object_get(j, "source"), o.source, sizeof(o.source));
	read_votes(r, json_object_get(j, "votes"), &o);
	read_box(r, json_object_get(j, "box_m"), &o.box);
	o.got = o.box;
	o.confidence = real(r, j, "confidence", 1.0);
	o.first_unix_s = real(r, j, "first_unix_s", 1e11);
	o.last_unix_s = real(r, j, "last_unix_s", 1e11);
	o.seen = whole(r, j, "seen", UINT32_MAX);
	o.whole = whole(r, j, "whole", UINT32_MAX);
	o.missed = whole(r, j, "missed", UINT32_MAX);
	o.moves = whole(r, j, "moves", UINT32_MAX);
	o.room = whole(r, j, "room", UINT32_MAX);
	o.colour_votes = o.colour[0] != '\0';
	o.confirmed = json_is_true(json_object_get(j, "confirmed"));
	o.stale = json_is_true(json_object_get(j, "stale"));
	o.open = json_is_true(json_object_get(j, "open"));
	/* Files of before there were pictures and states have none. */
	if (json_object_get(j, "state") != NULL)
		text_of(r, json_object_get(j, "state"), o.state, sizeof(o.state));
	if (json_object_get(j, "picture") != NULL) {
		o.picture = whole(r, j, "picture", UINT32_MAX);
		o.picture_worth = (float)real(r, j, "picture_worth", 1e9);
	}
	for (size_t i = 0; json_is_array(beside) && i < json_array_size(beside) && i < CAIRN_SCENE_BESIDE;
	     i++)
		if (json_is_integer(json_array_get(beside, i)))
			o.beside[o.beside_count++] = (struct cairn_scene_beside){
			    (uint32_t)json_integer_value(json_array_get(beside, i)), INFINITY};
	if (o.number == 0 || o.number >= s->next_number || (o.confirmed && o.id[0] == '\0'))
		fail(r, "a thing without a number or an id");
	for (uint32_t i = 0; i < s->object_count && r->ok; i++)
		if (s->objects[i].number == o.number || (o.confirmed && strcmp(s->objects[i].id, o.id) == 0))
			fail(r, "two things with one id");
	if (r->ok && s->object_count < (uint32_t)s->cfg->scene.objects_max)
		s->objects[s->object_count++] = o;
}

/* The box that all runs of all rooms lie in. */
static bool floor_extent(struct reader *r, const json_t *rooms, struct cairn_rooms *f)
{
	int64_t low[2] = {INT32_MAX, INT32_MAX}, high[2] = {INT32_MIN, INT32_MIN};
	for (size_t i = 0; i < json_array_size(rooms); i++) {
		const json_t *runs = json_object_get(json_array_get(rooms, i), "floor");
		for (size_t k = 0; k < json_array_size(runs); k++) {
			const json_t *run = json_array_get(runs, k);
			int64_t v[3];
			for (size_t n = 0; n < 3; n++) {
				const json_t *x = json_array_get(run, n);
				v[n] = json_is_integer(x) ? json_integer_value(x) : INT64_MAX;
				if (v[n] < -100000 || v[n] > 100000)
					fail(r, "floor");
			}
			if (!r->ok || v[2] < 1 || v[2] > RUN_MAX) {
				fail(r, "floor");
				return false;
			}
			low[0] = v[0] < low[0] ? v[0] : low[0];
			low[1] = v[1] < low[1] ? v[1] : low[1];
			high[0] = v[0] + v[2] > high[0] ? v[0] + v[2] : high[0];
			high[1] = v[1] + 1 > high[1] ? v[1] + 1 : high[1];
		}
	}
	if (high[0] <= low[0])
		return false;
	if (high[0] - low[0] > CAIRN_ROOMS_SIDE_MAX || high[1] - low[1] > CAIRN_ROOMS_SIDE_MAX) {
		fail(r, "floor is too large");
		return false;
	}
	f->cx0 = (int32_t)low[0];
	f->cy0 = (int32_t)low[1];
	f->width = (int32_t)(high[0] - low[0]);
	f->height = (int32_t)(high[1] - low[1]);
	return true;
}

/* Labels alone: clearances come with the first map, until then nothing is near. */
static void read_floor(struct reader *r, const json_t *rooms, struct cairn_scene *s)
{
	struct cairn_rooms *f = &s->floor;
	if (!floor_extent(r, rooms, f))
		return;
	f->room = (size_t)f->width * (size_t)f->height;
	f->label = calloc(f->room, 1);
	f->clear_m = calloc(f->room, sizeof(*f->clear_m));
	f->cells = malloc(f->room);
	if (f->label == NULL || f->clear_m == NULL || f->cells == NULL) {
		fail(r, "out of memory");
		return;
	}
	memset(f->cells, 255, f->room);
	for (size_t i = 0; i < json_array_size(rooms) && i < CAIRN_ROOMS_MAX; i++) {
		const json_t *runs = json_object_get(json_array_get(rooms, i), "floor");
		f->items[i].number = s->rooms[i].number;
		f->items[i].at_cx = (int32_t)floor(s->rooms[i].at.x_m / f->cell_m);
		f->items[i].at_cy = (int32_t)floor(s->rooms[i].at.y_m / f->cell_m);
		for (size_t k = 0; k < json_array_size(runs); k++) {
			const json_t *run = json_array_get(runs, k);
			int32_t x = (int32_t)json_integer_value(json_array_get(run, 0)) - f->cx0,
				y = (int32_t)json_integer_value(json_array_get(run, 1)) - f->cy0,
				n = (int32_t)json_integer_value(json_array_get(run, 2));
			memset(&f->label[(size_t)y * (size_t)f->width + (size_t)x], (int)i + 1, (size_t)n);
			f->items[i].cells += (uint32_t)n;
		}
		f->count = (uint32_t)i + 1;
	}
}

static void read_rooms(struct reader *r, const json_t *list, struct cairn_scene *s)
{
	if (!json_is_array(list) || json_array_size(list) > CAIRN_SCENE_ROOMS) {
		fail(r, "rooms");
		return;
	}
	for (size_t i = 0; r->ok && i < json_array_size(list); i++) {
		const json_t *j = json_array_get(list, i);
		struct cairn_scene_room *room = &s->rooms[s->room_count];
		*room = (struct cairn_scene_room){.number = whole(r, j, "number", UINT32_MAX - 1)};
		text_of(r, json_object_get(j, "node_id"), room->id, sizeof(room->id));
		text_of(r, json_object_get(j, "label"), room->name, sizeof(room->name));
		/* Files of before people could name rooms say only that somebody had. */
		const json_t *word = json_object_get(j, "model_word");
		if (word != NULL)
			text_of(r, word, room->model_word, sizeof(room->model_word));
		else if (json_is_true(json_object_get(j, "named")))
			memcpy(room->model_word, room->name, sizeof(room->model_word));
		room->at.x_m = real(r, j, "x_m", 1e4);
		room->at.y_m = real(r, j, "y_m", 1e4);
		room->area_m2 = real(r, j, "area_m2", 1e7);
		if (room->number == 0 || room->number >= s->next_room)
			fail(r, "a room without a number");
		for (uint32_t k = 0; k < s->room_count; k++)
			if (s->rooms[k].number == room->number)
				fail(r, "two rooms with one number");
		s->room_count++;
	}
	if (r->ok && s->floor.cell_m > 0.0)
		read_floor(r, list, s);
}

static void read_calls(struct reader *r, const json_t *list, struct cairn_scene *s)
{
	if (json_array_size(list) > CAIRN_SCENE_ROOMS)
		fail(r, "called");
	for (size_t i = 0; r->ok && i < json_array_size(list); i++) {
		const json_t *j = json_array_get(list, i);
		struct cairn_scene_call *c = &s->calls[s->call_count];
		text_of(r, json_object_get(j, "name"), c->name, sizeof(c->name));
		c->at.x_m = real(r, j, "x_m", 1e4);
		c->at.y_m = real(r, j, "y_m", 1e4);
		c->room = whole(r, j, "room", s->next_room);
		c->next_room = whole(r, j, "next_room", s->next_room);
		if (c->name[0] == '\0')
			fail(r, "called");
		s->call_count++;
	}
}

static void read_scene(struct reader *r, const json_t *j, struct cairn_scene *s)
{
	const json_t *version = json_object_get(j, "schema_version"), *map_id = json_object_get(j, "map_id"),
		     *objects = json_object_get(j, "objects");
	if (!json_is_string(version) || strcmp(json_string_value(version), SCHEMA) != 0) {
		fail(r, "it is not of schema_version " SCHEMA);
		return;
	}
	s->map_id = json_is_string(map_id) ? strtoull(json_string_value(map_id), NULL, 16) : 0;
	s->next_number = whole(r, j, "next_number", UINT32_MAX - 1);
	s->next_room = whole(r, j, "next_room", UINT32_MAX - 1);
	s->floor.cell_m = real(r, j, "cell_m", 1.0);
	if (s->floor.cell_m < 0.0 || (s->floor.cell_m > 0.0 && s->floor.cell_m < 0.005))
		fail(r, "cell_m");
	if (s->next_number == 0 || s->next_room == 0 || !json_is_array(objects))
		fail(r, "objects");
	for (size_t i = 0; r->ok && i < json_array_size(objects); i++)
		read_object(r, json_array_get(objects, i), s);
	read_rooms(r, json_object_get(j, "rooms"), s);
	if (json_object_get(j, "called") != NULL)
		read_calls(r, json_object_get(j, "called"), s);
}

static void clear(struct cairn_scene *s)
{
	struct cairn_scene_object *objects = s->objects;
	const struct cairn_config *cfg = s->cfg;
	cairn_rooms_free(&s->floor);
	free(s->area);
	memset(objects, 0, (size_t)cfg->scene.objects_max * sizeof(*objects));
	*s = (struct cairn_scene){.cfg = cfg, .objects = objects, .next_number = 1, .next_room = 1};
}

bool cairn_scene_read(struct cairn_scene *s, const char *text, size_t bytes, struct cairn_error *err)
{
	struct reader r = {err, true};
	char head[HEAD_BYTES + 1];
	size_t tail = sizeof(TAIL) - 1;
	clear(s);
	if (bytes < HEAD_BYTES + tail + 2 || memcmp(text + bytes - tail, TAIL, tail) != 0) {
		cairn_error_set(err, "it is cut off, or no scene");
		return false;
	}
	const char *body = text + HEAD_BYTES;
	size_t body_bytes = bytes - HEAD_BYTES - tail;
	snprintf(head, sizeof(head), HEAD, cairn_hash_bytes(CAIRN_HASH_START, body, body_bytes));
	if (memcmp(head, text, HEAD_BYTES) != 0) {
		cairn_error_set(err, "its checksum does not fit: it was damaged or changed by hand");
		return false;
	}
	json_error_t why;
	json_t *j = json_loadb(body, body_bytes, JSON_REJECT_DUPLICATES, &why);
	if (j == NULL)
		cairn_error_set(err, "no JSON: %.100s", why.text);
	else
		read_scene(&r, j, s);
	bool ok = j != NULL && r.ok;
	if (j != NULL && !r.ok) {
		char what[128];
		snprintf(what, sizeof(what), "%.100s", err->text);
		cairn_error_set(err, "what it says makes no sense: %s", what);
	}
	json_decref(j);
	if (!ok)
		clear(s);
	s->version++;
	return ok;
}

bool cairn_scene_save(const struct cairn_scene *s, const char *path, struct cairn_error *err)
{
	size_t bytes = 0;
	char *text = cairn_scene_write(s, &bytes);
	if (text == NULL) {
		cairn_error_set(err, "%s: out of memory", path);
		return false;
	}
	bool ok = cairn_file_replace(path, CAIRN_FILE_OWN, 0644, text, bytes, err);
	free(text);
	return ok;
}

bool cairn_scene_load(struct cairn_scene *s, const char *path, bool *ret_damaged, struct cairn_error *err)
{
	struct cairn_error why = {""};
	size_t bytes = 0;
	*ret_damaged = false;
	clear(s);
	char *text = cairn_file_read(path, CAIRN_FILE_OWN, CAIRN_SCENE_FILE_MAX, &bytes, err);
	if (text == NULL) {
		*ret_damaged = errno == EFBIG;
		return errno == ENOENT;
	}
	bool ok = cairn_scene_read(s, text, bytes, &why);
	free(text);
	*ret_damaged = !ok;
	if (!ok)
		cairn_error_set(err, "%s: %.300s", path, why.text);
	return ok;
}
