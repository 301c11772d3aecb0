#include "common/record/json_message.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8

/* A whole number: as a number, or as a text where 64 bits are meant. */
static bool take_number(const json_t *v, bool is_signed, uint64_t *ret)
{
	if (json_is_integer(v)) {
		json_int_t n = json_integer_value(v);
		*ret = (uint64_t)n;
		return is_signed || n >= 0;
	}
	const char *text = json_string_value(v);
	char *end = NULL;
	if (text == NULL || text[0] == '\0' || (!is_signed && text[0] == '-'))
		return false;
	errno = 0;
	*ret = is_signed ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
	return errno == 0 && *end == '\0';
}

static bool take_real(const json_t *v, double *ret)
{
	*ret = json_is_null(v) ? (double)NAN : json_number_value(v);
	return json_is_null(v) || json_is_number(v);
}

static bool take_text(const struct cairn_field *f, const json_t *v, char *at)
{
	size_t bytes = json_string_length(v);
	if (!json_is_string(v) || bytes >= f->capacity || memchr(json_string_value(v), '\0', bytes) != NULL)
		return false;
	memcpy(at, json_string_value(v), bytes);
	return true;
}

static bool take_message(const struct cairn_msg_desc *desc, const json_t *object, void *msg, int depth,
    const struct cairn_field **ret_bad);

static bool take_value(
    const struct cairn_field *f, const json_t *v, void *at, int depth, const struct cairn_field **ret_bad)
{
	uint64_t n = 0;
	double real = 0.0;
	int named;
	bool ok;
	switch (f->kind) {
	case CAIRN_FIELD_F64:
		ok = take_real(v, &real);
		*(double *)at = real;
		return ok;
	case CAIRN_FIELD_F32:
		ok = take_real(v, &real);
		*(float *)at = (float)real;
		return ok;
	case CAIRN_FIELD_I64:
		ok = take_number(v, true, &n);
		*(int64_t *)at = (int64_t)n;
		return ok;
	case CAIRN_FIELD_U64:
		ok = take_number(v, false, &n);
		*(uint64_t *)at = n;
		return ok;
	case CAIRN_FIELD_I32:
		ok = take_number(v, true, &n) && (int64_t)n >= INT32_MIN && (int64_t)n <= INT32_MAX;
		*(int32_t *)at = ok ? (int32_t)(int64_t)n : 0;
		return ok;
	case CAIRN_FIELD_U32:
		ok = take_number(v, false, &n) && n <= UINT32_MAX;
		*(uint32_t *)at = ok ? (uint32_t)n : 0;
		return ok;
	case CAIRN_FIELD_BOOL:
		*(bool *)at = json_is_true(v);
		return json_is_boolean(v);
	case CAIRN_FIELD_STR:
		return take_text(f, v, at);
	case CAIRN_FIELD_ENUM:
		named = json_is_string(v) ? cairn_enum_parse(f->enum_of, json_string_value(v)) : -1;
		*(unsigned *)at = named >= 0 ? (unsigned)named : 0;
		return named >= 0;
	case CAIRN_FIELD_MSG:
		return take_message(f->msg_of, v, at, depth + 1, ret_bad);
	}
	return false;
}

static bool take_field(
    const struct cairn_field *f, const json_t *v, void *msg, int depth, const struct cairn_field **ret_bad)
{
	if (!f->repeated)
		return take_value(f, v, (char *)msg + f->offset, depth, ret_bad);
	size_t count = json_array_size(v);
	if (!json_is_array(v) || count > f->capacity)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!take_value(
			f, json_array_get(v, i), (char *)msg + f->offset + i * f->stride, depth, ret_bad))
			return false;
	}
	*(uint32_t *)((char *)msg + f->count_offset) = (uint32_t)count;
	return true;
}

static bool take_message(const struct cairn_msg_desc *desc, const json_t *object, void *msg, int depth,
    const struct cairn_field **ret_bad)
{
	if (!json_is_object(object) || depth > DEPTH_MAX)
		return false;
	for (int i = 0; i < desc->field_count; i++) {
		const json_t *v = json_object_get(object, desc->fields[i].name);
		if (v != NULL && !take_field(&desc->fields[i], v, msg, depth, ret_bad)) {
			*ret_bad = *ret_bad != NULL ? *ret_bad : &desc->fields[i];
			return false;
		}
	}
	return true;
}

bool cairn_msg_from_json(const struct cairn_msg_desc *desc, const void *json, size_t bytes,
    struct cairn_header *hdr, void *msg, struct cairn_error *err)
{
	json_error_t why;
	const struct cairn_field *bad = NULL;
	uint64_t t_ns = 0;
	memset(msg, 0, desc->size);
	*hdr = (struct cairn_header){.version = CAIRN_SCHEMA_VERSION};
	json_t *root = json_loadb(json, bytes, JSON_REJECT_DUPLICATES, &why);
	if (root == NULL) {
		cairn_error_set(err, "%s: no JSON: %.80s", desc->name, why.text);
		return false;
	}
	bool ok = take_number(json_object_get(root, "seq"), false, &hdr->seq) &&
		  take_number(json_object_get(root, "epoch"), false, &hdr->epoch) &&
		  take_number(json_object_get(root, "t_ns"), true, &t_ns) &&
		  json_is_boolean(json_object_get(root, "valid"));
	hdr->t_ns = (int64_t)t_ns;
	hdr->valid = json_is_true(json_object_get(root, "valid"));
	if (!ok)
		cairn_error_set(err, "%s: its header is missing or damaged", desc->name);
	else if (!take_message(desc, json_object_get(root, "data"), msg, 0, &bad)) {
		cairn_error_set(err, "%s: %s is missing, too long or of another kind", desc->name,
		    bad != NULL ? bad->name : "data");
		ok = false;
	}
	json_decref(root);
	return ok;
}

void cairn_msg_map_stamps(const struct cairn_msg_desc *desc, void *msg, cairn_stamp_fn *fn, const void *ctx)
{
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		uint32_t n = f->repeated ? *(const uint32_t *)((char *)msg + f->count_offset) : 1;
		for (uint32_t k = 0; k < n; k++) {
			void *at = (char *)msg + f->offset + k * f->stride;
			if (f->kind == CAIRN_FIELD_MSG)
				cairn_msg_map_stamps(f->msg_of, at, fn, ctx);
			else if (f->kind == CAIRN_FIELD_I64 && *(int64_t *)at != 0)
				*(int64_t *)at = fn(ctx, *(int64_t *)at);
		}
	}
}
