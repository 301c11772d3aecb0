/* message_number.c - a number of a message by its name, as "v_mps", "gyro_radps[2]" or "items[0].x_m". */
#include "ipc/message_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ipc/messages_private.h"

static double number_at(const struct cairn_field *f, const void *at)
{
	switch (f->kind) {
	case CAIRN_FIELD_F64:
		return *(const double *)at;
	case CAIRN_FIELD_F32:
		return (double)*(const float *)at;
	case CAIRN_FIELD_I64:
		return (double)*(const int64_t *)at;
	case CAIRN_FIELD_U64:
		return (double)*(const uint64_t *)at;
	case CAIRN_FIELD_I32:
		return *(const int32_t *)at;
	case CAIRN_FIELD_U32:
	case CAIRN_FIELD_ENUM:
		return *(const uint32_t *)at;
	case CAIRN_FIELD_BOOL:
		return *(const bool *)at ? 1.0 : 0.0;
	case CAIRN_FIELD_STR:
	case CAIRN_FIELD_MSG:
		break;
	}
	return 0.0;
}

static const struct cairn_field *find(const struct cairn_msg_desc *desc, const char *name, size_t len)
{
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		if (strlen(f->name) == len && memcmp(f->name, name, len) == 0)
			return f;
	}
	return NULL;
}

static void tell_fields(
    const struct cairn_msg_desc *desc, const char *name, size_t len, struct cairn_error *err)
{
	char list[200] = "";
	size_t n = 0;
	for (int i = 0; i < desc->field_count && n < sizeof(list) - 1; i++)
		n += (size_t)snprintf(
		    list + n, sizeof(list) - n, "%s%s", i > 0 ? ", " : "", desc->fields[i].name);
	cairn_error_set(err, "%s has no field '%.*s'; it has %s%s", desc->name, (int)len, name, list,
	    n >= sizeof(list) ? "..." : "");
}

bool cairn_msg_number_find(const struct cairn_msg_desc *desc, const char *path, struct cairn_msg_number *ret,
    struct cairn_error *err)
{
	const char *whole = path;
	struct cairn_msg_number n = {.depth = 0};
	for (;;) {
		size_t len = strcspn(path, ".[");
		const struct cairn_field *f = find(desc, path, len);
		if (f == NULL) {
			tell_fields(desc, path, len, err);
			return false;
		}
		if (n.depth == CAIRN_MSG_NUMBER_DEPTH)
			break;
		unsigned long index = 0;
		path += len;
		if (*path == '[') {
			char *end = NULL;
			index = strtoul(path + 1, &end, 10);
			if (path[1] < '0' || path[1] > '9' || *end != ']' || !f->repeated ||
			    index >= f->capacity) {
				cairn_error_set(err, "%s: %s", f->name,
				    f->repeated
					? "the place in the list must be a number in brackets, below its size"
					: "is no list");
				return false;
			}
			path = end + 1;
		} else if (f->repeated) {
			cairn_error_set(
			    err, "%s is a list: name a place in it, as in %s[0]", f->name, f->name);
			return false;
		}
		n.steps[n.depth].field = f;
		n.steps[n.depth++].index = (uint32_t)index;
		if (f->kind == CAIRN_FIELD_MSG && *path == '.') {
			desc = f->msg_of;
			path++;
			continue;
		}
		if (f->kind == CAIRN_FIELD_MSG || f->kind == CAIRN_FIELD_STR || *path != '\0')
			break;
		*ret = n;
		return true;
	}
	cairn_error_set(err, "'%s' names no number", whole);
	return false;
}

bool cairn_msg_number_get(const struct cairn_msg_number *n, const void *msg, double *ret)
{
	for (int i = 0; i < n->depth; i++) {
		const struct cairn_field *f = n->steps[i].field;
		if (n->steps[i].index >= cairn_field_count(f, msg))
			return false;
		msg = (const char *)msg + f->offset + n->steps[i].index * f->stride;
	}
	*ret = number_at(n->steps[n->depth - 1].field, msg);
	return true;
}
