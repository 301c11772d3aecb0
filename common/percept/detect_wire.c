#include "common/percept/detect_wire.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t cairn_detect_lines_take(
    struct cairn_detect_lines *l, const char *bytes, size_t count, const char **ret_line, size_t *ret_len)
{
	const char *end = memchr(bytes, '\n', count);
	size_t n = end != NULL ? (size_t)(end - bytes) : count;
	*ret_line = NULL;
	if (!l->skipping && l->len + n > CAIRN_DETECT_LINE_MAX) {
		l->skipping = true;
		l->too_long++;
		l->len = 0;
	}
	if (!l->skipping) {
		memcpy(l->line + l->len, bytes, n);
		l->len += n;
	}
	if (end == NULL)
		return n;
	if (!l->skipping) {
		l->line[l->len] = '\0';
		*ret_line = l->line;
		*ret_len = l->len;
	}
	l->skipping = false;
	l->len = 0;
	return n + 1;
}

/* ---- questions ---- */

size_t cairn_detect_write_look(uint64_t look, int64_t t_ns, const char *labels, const char *goal,
    const char *task, char *buf, size_t bytes)
{
	json_t *list = json_array(), *o = json_object();
	for (const char *p = labels; *p != '\0';) {
		size_t n = strcspn(p, ","), lead = strspn(p, " ");
		lead = lead < n ? lead : n;
		if (n > lead && json_array_size(list) < CAIRN_DETECT_LABELS_MAX)
			json_array_append_new(list, json_stringn(p + lead, n - lead));
		p += n + (p[n] == ',');
	}
	json_object_set_new(o, "look", json_integer((json_int_t)look));
	json_object_set_new(o, "t_ns", json_integer(t_ns));
	json_object_set_new(o, "labels", list);
	if (goal[0] != '\0')
		json_object_set_new(o, "goal", json_string(goal));
	if (task[0] != '\0')
		json_object_set_new(o, "task", json_string(task));
	size_t n = json_dumpb(o, buf, bytes, JSON_COMPACT);
	json_decref(o);
	if (n == 0 || n + 1 >= bytes)
		return 0;
	buf[n++] = '\n';
	return n;
}

static json_t *load(const char *line, size_t len, struct cairn_error *err)
{
	json_error_t why;
	json_t *o = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);
	if (o == NULL)
		cairn_error_set(err, "no JSON: %.100s", why.text);
	else if (!json_is_object(o)) {
		cairn_error_set(err, "not a JSON object");
		json_decref(o);
		o = NULL;
	}
	return o;
}

static bool integer(
    const json_t *o, const char *key, int64_t least, int64_t most, int64_t *ret, struct cairn_error *err)
{
	const json_t *v = json_object_get(o, key);
	if (!json_is_integer(v) || json_integer_value(v) < least || json_integer_value(v) > most) {
		cairn_error_set(err, "'%s' is no whole number from %lld on", key, (long long)least);
		return false;
	}
	*ret = json_integer_value(v);
	return true;
}

bool cairn_detect_read_look(
    const char *line, size_t len, uint64_t *ret_look, int64_t *ret_t_ns, struct cairn_error *err)
{
	int64_t look = 0;
	json_t *o = load(line, len, err);
	bool ok = o != NULL && integer(o, "look", 1, INT64_MAX, &look, err) &&
		  integer(o, "t_ns", 0, INT64_MAX, ret_t_ns, err);
	*ret_look = (uint64_t)look;
	json_decref(o);
	return ok;
}

/* ---- answers ---- */

static bool numbers(const json_t *list, size_t count, float *ret)
{
	if (!json_is_array(list) || json_array_size(list) != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const json_t *v = json_array_get(list, i);
		double x = json_is_number(v) ? json_number_value(v) : NAN;
		if (!(fabs(x) < 1e6))
			return false;
		ret[i] = (float)x;
	}
	return true;
}

static bool text(const json_t *v, char *ret, size_t cap)
{
	size_t n = json_is_string(v) ? json_string_length(v) : 0;
	if (!json_is_string(v) || n >= cap)
		n = n < cap ? n : cap - 1; /* cut; what is cut in a character is cleaned later */
	memcpy(ret, json_is_string(v) ? json_string_value(v) : "", n);
	ret[n] = '\0';
	return json_is_string(v);
}

static bool read_thing(const json_t *o, struct cairn_detected *ret)
{
	const json_t *points = json_object_get(o, "points"), *colour = json_object_get(o, "colour"),
		     *state = json_object_get(o, "state"), *score = json_object_get(o, "score"),
		     *track = json_object_get(o, "track");
	float p[3];
	*ret = (struct cairn_detected){.label = ""};
	if (!json_is_object(o) || !text(json_object_get(o, "label"), ret->label, sizeof(ret->label)) ||
	    !json_is_number(score) || !numbers(json_object_get(o, "box"), 4, ret->px))
		return false;
	ret->confidence = (float)json_number_value(score);
	if (track != NULL) {
		if (!json_is_integer(track) || json_integer_value(track) < 0 ||
		    json_integer_value(track) > UINT32_MAX)
			return false;
		ret->track = (uint32_t)json_integer_value(track);
	}
	if ((colour != NULL && !text(colour, ret->colour, sizeof(ret->colour))) ||
	    (state != NULL && !text(state, ret->state, sizeof(ret->state))))
		return false;
	if (points == NULL)
		return true;
	if (!json_is_array(points) || json_array_size(points) > CAIRN_DETECT_POINTS)
		return false;
	for (size_t i = 0; i < json_array_size(points); i++) {
		if (!numbers(json_array_get(points, i), 3, p))
			return false;
		ret->points[ret->point_count++] = (struct cairn_detect_point){p[0], p[1], p[2]};
	}
	return true;
}

bool cairn_detect_read_answer(
    const char *line, size_t len, struct cairn_detected_list *ret, struct cairn_error *err)
{
	int64_t look = 0, width = 0, height = 0;
	*ret = (struct cairn_detected_list){0};
	json_t *o = load(line, len, err);
	bool ok = o != NULL && integer(o, "look", 1, INT64_MAX, &look, err) &&
		  integer(o, "t_ns", 0, INT64_MAX, &ret->t_ns, err) &&
		  integer(o, "width", 1, 16384, &width, err) && integer(o, "height", 1, 16384, &height, err);
	const json_t *things = ok ? json_object_get(o, "things") : NULL,
		     *nearest = ok ? json_object_get(o, "nearest_m") : NULL;
	if (ok && !json_is_array(things)) {
		cairn_error_set(err, "'things' is no list");
		ok = false;
	}
	if (ok && nearest != NULL && !numbers(nearest, CAIRN_DETECT_TILES, ret->nearest_m)) {
		cairn_error_set(err, "'nearest_m' is no list of %d numbers", CAIRN_DETECT_TILES);
		ok = false;
	}
	ret->look = (uint64_t)look;
	ret->width_px = (uint32_t)width;
	ret->height_px = (uint32_t)height;
	for (size_t i = 0; ok && i < json_array_size(things); i++) {
		if (ret->count < CAIRN_DETECT_ITEMS &&
		    read_thing(json_array_get(things, i), &ret->items[ret->count]))
			ret->count++;
		else
			ret->left_out++;
	}
	json_decref(o);
	return ok;
}

/* Millimetres and hundredths are enough, and make short lines. */
static json_t *rounded(float x, double scale)
{
	return json_real(round((double)x * scale) / scale);
}

char *cairn_detect_write_answer(const struct cairn_detected_list *l, size_t *ret_len)
{
	json_t *o = json_object(), *things = json_array(), *nearest = json_array();
	for (uint32_t i = 0; i < l->count; i++) {
		const struct cairn_detected *t = &l->items[i];
		json_t *one = json_object(), *box = json_array(), *points = json_array();
		for (int k = 0; k < 4; k++)
			json_array_append_new(box, rounded(t->px[k], 10.0));
		for (uint32_t k = 0; k < t->point_count; k++) {
			json_t *p = json_array();
			json_array_append_new(p, rounded(t->points[k].right_m, 1000.0));
			json_array_append_new(p, rounded(t->points[k].down_m, 1000.0));
			json_array_append_new(p, rounded(t->points[k].ahead_m, 1000.0));
			json_array_append_new(points, p);
		}
		json_object_set_new(
		    one, "label", json_stringn(t->label, strnlen(t->label, sizeof(t->label))));
		json_object_set_new(one, "score", rounded(t->confidence, 1000.0));
		json_object_set_new(
		    one, "colour", json_stringn(t->colour, strnlen(t->colour, sizeof(t->colour))));
		if (t->state[0] != '\0')
			json_object_set_new(
			    one, "state", json_stringn(t->state, strnlen(t->state, sizeof(t->state))));
		if (t->track != 0)
			json_object_set_new(one, "track", json_integer((json_int_t)t->track));
		json_object_set_new(one, "box", box);
		json_object_set_new(one, "points", points);
		json_array_append_new(things, one);
	}
	for (int i = 0; i < CAIRN_DETECT_TILES; i++)
		json_array_append_new(nearest, rounded(l->nearest_m[i], 100.0));
	json_object_set_new(o, "look", json_integer((json_int_t)l->look));
	json_object_set_new(o, "t_ns", json_integer(l->t_ns));
	json_object_set_new(o, "width", json_integer(l->width_px));
	json_object_set_new(o, "height", json_integer(l->height_px));
	json_object_set_new(o, "things", things);
	json_object_set_new(o, "nearest_m", nearest);
	char *line = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(7));
	json_decref(o);
	char *more = line != NULL ? realloc(line, strlen(line) + 2) : NULL;
	if (more == NULL) {
		free(line);
		return NULL;
	}
	*ret_len = strlen(more);
	memcpy(more + *ret_len, "\n", 2);
	(*ret_len)++;
	return more;
}
