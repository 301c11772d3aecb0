#include "common/web/request.h"

#include <math.h>
#include <string.h>

#include <jansson.h>

static const char *const op_names[] = {[CAIRN_WEB_OP_SUBSCRIBE] = "subscribe",
    [CAIRN_WEB_OP_UNSUBSCRIBE] = "unsubscribe",
    [CAIRN_WEB_OP_SUBSCRIBE_LOGS] = "subscribe_logs",
    [CAIRN_WEB_OP_COMMAND] = "command",
    [CAIRN_WEB_OP_TELEOP] = "teleop"};
#define OPS ((int)(sizeof(op_names) / sizeof(op_names[0])))

static json_t *load(const char *text, size_t bytes, struct cairn_error *err)
{
	json_error_t why;
	if (bytes > CAIRN_WEB_REQUEST_MAX) {
		cairn_error_set(err, "%zu bytes; at most %d", bytes, CAIRN_WEB_REQUEST_MAX);
		return NULL;
	}
	json_t *root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &why);
	if (root == NULL) {
		cairn_error_set(err, "not JSON: %.80s (line %d, column %d)", why.text, why.line, why.column);
	} else if (!json_is_object(root)) {
		cairn_error_set(err, "must be a JSON object");
		json_decref(root);
		root = NULL;
	}
	return root;
}

/* A text of an object; a missing one is empty. */
static bool take_text(
    const json_t *root, const char *field, char *buf, size_t buf_bytes, struct cairn_error *err)
{
	const json_t *value = json_object_get(root, field);
	buf[0] = '\0';
	if (value == NULL)
		return true;
	if (!json_is_string(value)) {
		cairn_error_set(err, "\"%s\" must be a text", field);
		return false;
	}
	if (json_string_length(value) >= buf_bytes) {
		cairn_error_set(err, "\"%s\" is longer than %zu bytes", field, buf_bytes - 1);
		return false;
	}
	memcpy(buf, json_string_value(value), json_string_length(value) + 1);
	return true;
}

static bool take_number(const json_t *root, const char *field, double *ret, struct cairn_error *err)
{
	const json_t *value = json_object_get(root, field);
	if (!json_is_number(value) || !isfinite(json_number_value(value))) {
		cairn_error_set(err, "\"%s\" must be a number", field);
		return false;
	}
	*ret = json_number_value(value);
	return true;
}

static bool take_topics(const json_t *root, struct cairn_web_request *r, struct cairn_error *err)
{
	const json_t *list = json_object_get(root, "topics"), *item;
	size_t i;
	if (!json_is_array(list) || json_array_size(list) > CAIRN_WEB_TOPICS_MAX) {
		cairn_error_set(err, "\"topics\" must be a list of at most %d names", CAIRN_WEB_TOPICS_MAX);
		return false;
	}
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item) || json_string_length(item) >= CAIRN_WEB_NAME_MAX) {
			cairn_error_set(err, "\"topics\" must be a list of names");
			return false;
		}
		memcpy(r->topics[i], json_string_value(item), json_string_length(item) + 1);
	}
	r->topic_count = (int)json_array_size(list);
	r->hz = CAIRN_WEB_HZ_DEFAULT;
	if (json_object_get(root, "hz") == NULL)
		return true;
	if (!take_number(root, "hz", &r->hz, err))
		return false;
	if (r->hz <= 0.0 || r->hz > CAIRN_WEB_HZ_MAX) {
		cairn_error_set(err, "\"hz\" must be above 0 and at most %g", CAIRN_WEB_HZ_MAX);
		return false;
	}
	return true;
}

static bool take_command(const json_t *root, struct cairn_web_request *r, struct cairn_error *err)
{
	const json_t *id = json_object_get(root, "id");
	if (!json_is_integer(id)) {
		cairn_error_set(err, "\"id\" must be a whole number; the reply bears it");
		return false;
	}
	r->id = json_integer_value(id);
	return take_text(root, "name", r->name, sizeof(r->name), err) &&
	       take_text(root, "args", r->args, sizeof(r->args), err);
}

static bool take(const json_t *root, struct cairn_web_request *r, struct cairn_error *err)
{
	char op[CAIRN_WEB_NAME_MAX];
	int i = 0;
	if (!take_text(root, "op", op, sizeof(op), err))
		return false;
	while (i < OPS && strcmp(op_names[i], op) != 0)
		i++;
	r->op = (enum cairn_web_op)i;
	switch (r->op) {
	case CAIRN_WEB_OP_SUBSCRIBE:
	case CAIRN_WEB_OP_UNSUBSCRIBE:
		return take_topics(root, r, err);
	case CAIRN_WEB_OP_SUBSCRIBE_LOGS:
		r->on = json_is_true(json_object_get(root, "on"));
		return true;
	case CAIRN_WEB_OP_COMMAND:
		return take_command(root, r, err);
	case CAIRN_WEB_OP_TELEOP:
		return take_number(root, "v_mps", &r->v_mps, err) &&
		       take_number(root, "steer_rad", &r->steer_rad, err);
	}
	cairn_error_set(err, "\"op\" must be subscribe, unsubscribe, subscribe_logs, command or teleop");
	return false;
}

bool cairn_web_request_parse(
    const char *text, size_t bytes, struct cairn_web_request *ret, struct cairn_error *err)
{
	struct cairn_web_request r = {.topic_count = 0};
	json_t *root = load(text, bytes, err);
	bool ok = root != NULL && take(root, &r, err);
	json_decref(root);
	if (ok)
		*ret = r;
	return ok;
}

bool cairn_web_body_text(
    const char *text, size_t bytes, const char *field, char *buf, size_t buf_bytes, struct cairn_error *err)
{
	buf[0] = '\0';
	if (bytes == 0)
		return true;
	json_t *root = load(text, bytes, err);
	bool ok = root != NULL && take_text(root, field, buf, buf_bytes, err);
	json_decref(root);
	return ok;
}
