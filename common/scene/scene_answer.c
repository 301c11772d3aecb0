#include "common/scene/scene_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/scene/find.h"
#include "common/scene/scene_private.h"

/* ---- questions ---- */

static bool number(const json_t *v, double least, double *ret)
{
	double x = json_is_number(v) ? json_number_value(v) : NAN;
	if (!(x >= least && x < 1e9))
		return false;
	*ret = x;
	return true;
}

static bool take_key(
    const char *key, const json_t *v, double now_unix_s, struct cairn_scene_query *q, uint32_t *limit)
{
	double x, y;
	if (strcmp(key, "text") == 0 && json_is_string(v))
		q->text = json_string_value(v);
	else if (strcmp(key, "room") == 0 && json_is_string(v))
		q->room = json_string_value(v);
	else if (strcmp(key, "on") == 0 && json_is_string(v))
		q->on = json_string_value(v);
	else if (strcmp(key, "in") == 0 && json_is_string(v))
		q->in = json_string_value(v);
	else if (strcmp(key, "near") == 0 && json_array_size(v) == 2 &&
		 number(json_array_get(v, 0), -1e6, &x) && number(json_array_get(v, 1), -1e6, &y)) {
		q->has_near = true;
		q->near_at = (struct cairn_vec2){x, y};
	} else if (strcmp(key, "within_m") == 0 && number(v, 0.0, &x))
		q->near_m = x;
	else if (strcmp(key, "seen_since_s") == 0 && number(v, 0.0, &x))
		q->since_unix_s = now_unix_s - x;
	else if (strcmp(key, "stale") == 0 && json_is_boolean(v))
		q->with_stale = json_is_true(v);
	else if (strcmp(key, "limit") == 0 && number(v, 1.0, &x))
		*limit = x < CAIRN_SCENE_ANSWER_MATCHES ? (uint32_t)x : CAIRN_SCENE_ANSWER_MATCHES;
	else
		return false;
	return true;
}

bool cairn_scene_read_query(const char *text, double now_unix_s, struct cairn_scene_query *ret,
    uint32_t *ret_limit, json_t **ret_json, struct cairn_error *err)
{
	const char *key;
	json_t *v;
	*ret = (struct cairn_scene_query){.text = text, .with_stale = true};
	*ret_limit = CAIRN_SCENE_ANSWER_MATCHES;
	*ret_json = NULL;
	if (text[strspn(text, " \t")] != '{')
		return true;
	json_error_t why;
	json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	if (o == NULL) {
		cairn_error_set(err, "no JSON: %.100s", why.text);
		return false;
	}
	ret->text = "";
	ret->with_stale = false;
	json_object_foreach(o, key, v)
	{
		if (take_key(key, v, now_unix_s, ret, ret_limit))
			continue;
		cairn_error_set(err,
		    "'%.40s': the keys are text, room, on, in, near [x_m, y_m], within_m, seen_since_s, "
		    "stale, limit",
		    key);
		json_decref(o);
		return false;
	}
	*ret_json = o;
	return true;
}

/* ---- answers ---- */

static json_t *rounded(double x)
{
	return json_real(round(x * 1000.0) / 1000.0);
}

static void add_view(json_t *o, const struct cairn_scene_view *v, bool known)
{
	bool blocked = !known || v->blocked;
	json_t *at = blocked ? json_null() : json_object();
	json_object_set_new(o, "blocked", json_boolean(blocked));
	json_object_set_new(o, "why",
	    !known       ? json_string("it is not known where the robot is")
	    : v->blocked ? json_string(v->why)
			 : json_null());
	if (!blocked) {
		json_object_set_new(at, "x_m", rounded(v->at.x_m));
		json_object_set_new(at, "y_m", rounded(v->at.y_m));
		json_object_set_new(at, "yaw_rad", rounded(v->at.yaw_rad));
		json_object_set_new(at, "standoff_m", rounded(v->standoff_m));
	}
	json_object_set_new(o, "approach", at);
}

static json_t *name_or_null(const struct cairn_scene_object *o)
{
	return o != NULL ? json_string(o->id) : json_null();
}

static json_t *match_json(const struct cairn_scene *s, const struct cairn_scene_match *m, bool with_view)
{
	const struct cairn_scene_object *o = m->object;
	const struct cairn_scene_room *room = cairn_scene_room_by_number(s, o->room);
	json_t *j = json_object();
	json_object_set_new(j, "id", json_string(o->id));
	json_object_set_new(j, "label", json_string(o->votes[0].label));
	json_object_set_new(j, "colour", json_string(o->colour));
	json_object_set_new(j, "state", json_string(o->state));
	json_object_set_new(j, "x_m", rounded(cairn_scene_box_middle(&o->box, 0)));
	json_object_set_new(j, "y_m", rounded(cairn_scene_box_middle(&o->box, 1)));
	json_object_set_new(j, "z_m", rounded(cairn_scene_box_middle(&o->box, 2)));
	json_object_set_new(j, "score", rounded(m->score));
	json_object_set_new(j, "seen", json_integer(o->seen));
	json_object_set_new(j, "last_unix_s", rounded(o->last_unix_s));
	json_object_set_new(j, "stale", json_boolean(o->stale));
	json_object_set_new(j, "room", room != NULL ? json_string(room->id) : json_null());
	json_object_set_new(j, "inside", name_or_null(m->inside));
	json_object_set_new(j, "on", name_or_null(m->inside == NULL ? cairn_scene_support(s, o) : NULL));
	json_object_set_new(
	    j, "picture", o->picture != 0 ? json_integer((json_int_t)o->picture) : json_null());
	add_view(j, &m->view, with_view);
	return j;
}

json_t *cairn_scene_recall_json(
    const struct cairn_scene *s, const struct cairn_scene_query *q, uint32_t limit)
{
	struct cairn_scene_match m[CAIRN_SCENE_ANSWER_MATCHES];
	uint32_t n = cairn_scene_recall(
	    s, q, m, limit < CAIRN_SCENE_ANSWER_MATCHES ? limit : CAIRN_SCENE_ANSWER_MATCHES);
	json_t *o = json_object(), *matches = json_array();
	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(matches, match_json(s, &m[i], q->robot != NULL));
	json_object_set_new(o, "found", json_boolean(n > 0));
	json_object_set_new(o, "matches", matches);
	return o;
}

json_t *cairn_scene_resolve_json(const struct cairn_scene *s, const char *reference, struct cairn_pose2 from)
{
	struct cairn_scene_resolved r;
	bool found = cairn_scene_resolve(s, reference, from, &r);
	json_t *o = json_object(), *path = json_array();
	json_object_set_new(o, "found", json_boolean(found));
	if (found) {
		json_object_set_new(o, "id", json_string(r.id));
		json_object_set_new(
		    o, "kind", json_string(cairn_enum_text(&cairn_enum_scene_kind, (int)r.kind)));
		add_view(o, &r.view, true);
	}
	for (uint32_t i = 0; i < r.path_count; i++)
		json_array_append_new(path, json_string(r.path[i]));
	json_object_set_new(o, "path", path);
	return o;
}

json_t *cairn_scene_find_json(const struct cairn_scene *s, const char *what, struct cairn_pose2 robot,
    double now_unix_s, char *text, size_t text_bytes)
{
	struct cairn_found f;
	struct cairn_msg_scene *m = malloc(sizeof(*m));
	json_t *o = m != NULL ? json_object() : NULL;
	if (o != NULL) {
		cairn_scene_message(s, robot, m);
		bool found = cairn_find_in_scene(s->cfg, m, what, robot, now_unix_s, &f);
		cairn_found_text(&f, what, text, text_bytes);
		json_object_set_new(o, "found", json_boolean(found));
		if (found) {
			json_object_set_new(o, "id", json_string(f.id));
			json_object_set_new(o, "label", json_string(f.label));
			json_object_set_new(o, "distance_m", rounded(f.distance_m));
			json_object_set_new(o, "bearing_deg", rounded(f.bearing_rad * 180.0 / M_PI));
			json_object_set_new(o, "at_m",
			    json_pack("[o,o,o]", rounded(f.at_m[0]), rounded(f.at_m[1]), rounded(f.at_m[2])));
			json_object_set_new(o, "age_s", rounded(f.age_s));
			json_object_set_new(o, "stale", json_boolean(f.stale));
			json_object_set_new(
			    o, "picture", f.picture != 0 ? json_integer((json_int_t)f.picture) : json_null());
		}
	}
	free(m);
	return o;
}

/* ---- the service ---- */

static void answer(json_t *o, const char *what, struct cairn_msg_reply *reply)
{
	bool found = o != NULL && json_is_true(json_object_get(o, "found"));
	json_t *matches = o != NULL ? json_object_get(o, "matches") : NULL;
	/* Those that fit: the worst go first. */
	size_t n = o != NULL ? json_dumpb(o, NULL, 0, JSON_COMPACT) : 0;
	while (n >= sizeof(reply->data) && json_array_size(matches) > 1) {
		json_array_remove(matches, json_array_size(matches) - 1);
		n = json_dumpb(o, NULL, 0, JSON_COMPACT);
	}
	if (o == NULL || n == 0 || n >= sizeof(reply->data)) {
		snprintf(reply->text, sizeof(reply->text), "the answer does not fit");
	} else {
		(void)json_dumpb(o, reply->data, sizeof(reply->data), JSON_COMPACT);
		reply->data[n] = '\0';
		reply->ok = found;
		snprintf(reply->text, sizeof(reply->text), found ? "%s" : "not in memory", what);
	}
	json_decref(o);
}

/* "NAME at X Y": the name goes to name, the point to *ret. 1 with a point, 0 without one, -1 where it is half of one. */
static int split_call(const char *arg, char *name, size_t bytes, struct cairn_vec2 *ret)
{
	const char *at = NULL;
	for (const char *p = arg; (p = strstr(p, " at ")) != NULL; p++)
		at = p;
	char *end = NULL, *last = NULL;
	double x = at != NULL ? strtod(at + 4, &end) : NAN;
	bool named = at == NULL || end == at + 4; /* "desk at the window" is a name */
	snprintf(name, bytes, "%.*s", named ? (int)strlen(arg) : (int)(at - arg), arg);
	if (named)
		return 0;
	double y = strtod(end, &last);
	if (last == end || last[strspn(last, " ")] != '\0' || !(fabs(x) < 1e6) || !(fabs(y) < 1e6))
		return -1;
	*ret = (struct cairn_vec2){x, y};
	return 1;
}

static void call_room(
    struct cairn_scene *s, const char *arg, const struct cairn_pose2 *robot, struct cairn_msg_reply *reply)
{
	char name[sizeof(((struct cairn_msg_command *)0)->arg)];
	struct cairn_vec2 at =
	    robot != NULL ? (struct cairn_vec2){robot->x_m, robot->y_m} : (struct cairn_vec2){0};
	struct cairn_error err = {""};
	int point = split_call(arg, name, sizeof(name), &at);
	if (point < 0)
		cairn_error_set(&err, "it is 'call NAME at X Y', in metres of the map frame");
	else if (point == 0 && robot == NULL)
		cairn_error_set(&err, "it is not known where the robot is: say 'call NAME at X Y'");
	else
		reply->ok = cairn_scene_call(s, name, at, &err);
	if (!reply->ok) {
		snprintf(reply->text, sizeof(reply->text), "%.200s", err.text);
		return;
	}
	const struct cairn_scene_room *r = cairn_scene_room_at(s, at);
	snprintf(reply->text, sizeof(reply->text), "the room at %.2f %.2f is called %s now", r->at.x_m,
	    r->at.y_m, r->name[0] != '\0' ? r->name : r->id);
	json_t *o = json_pack("{s:s,s:s}", "id", r->id, "name", r->name);
	size_t n = json_dumpb(o, reply->data, sizeof(reply->data) - 1, JSON_COMPACT);
	reply->data[n < sizeof(reply->data) ? n : 0] = '\0';
	json_decref(o);
}

void cairn_scene_command(struct cairn_scene *s, const struct cairn_msg_command *c,
    const struct cairn_pose2 *robot, double now_unix_s, struct cairn_msg_reply *reply)
{
	struct cairn_scene_query q;
	struct cairn_error err = {""};
	json_t *question = NULL;
	uint32_t limit;
	bool finds = strcmp(c->verb, "find") == 0;
	if (strcmp(c->verb, "call") == 0) {
		call_room(s, c->arg, robot, reply);
		return;
	}
	if (finds || strcmp(c->verb, "resolve") == 0) {
		char words[sizeof(reply->text)] = "resolved";
		if (robot == NULL)
			snprintf(reply->text, sizeof(reply->text), "it is not known where the robot is");
		else if (finds)
			answer(cairn_scene_find_json(s, c->arg, *robot, now_unix_s, words, sizeof(words)),
			    words, reply);
		else
			answer(cairn_scene_resolve_json(s, c->arg, *robot), words, reply);
		return;
	}
	if (!cairn_scene_read_query(c->arg, now_unix_s, &q, &limit, &question, &err)) {
		snprintf(reply->text, sizeof(reply->text), "%s", err.text);
		return;
	}
	q.robot = robot;
	if (robot != NULL && !q.has_near) {
		q.has_near = true;
		q.near_at = (struct cairn_vec2){robot->x_m, robot->y_m};
	}
	answer(cairn_scene_recall_json(s, &q, limit), "recalled", reply);
	json_decref(question);
}
