#include "ipc/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <msgpack.h>
#include <stdio.h>
#include <string.h>

/* ---- tables ---- */

#define ENUM_BEGIN(ename, edoc) static const struct cairn_enum_value ename##_values[] = {
#define E(NAME, ident, wire, vdoc) {wire, vdoc},
#define ENUM_END(ename, NAME)                                                                                \
	}                                                                                                    \
	;                                                                                                    \
	_Static_assert(sizeof(ename##_values) / sizeof(ename##_values[0]) == CAIRN_##NAME##_COUNT, #ename);
#include "ipc/enums.def"
#undef ENUM_BEGIN
#undef E
#undef ENUM_END

#define ENUM_BEGIN(ename, edoc)                                                                              \
	const struct cairn_enum_desc cairn_enum_##ename = {                                                  \
	    #ename, edoc, ename##_values, sizeof(ename##_values) / sizeof(ename##_values[0])};
#define E(NAME, ident, wire, vdoc)
#define ENUM_END(ename, NAME)
#include "ipc/enums.def"
#undef ENUM_BEGIN
#undef E
#undef ENUM_END

#define AT(id, name) offsetof(struct cairn_msg_##id, name)
#define WIDTH(id, name) sizeof(((struct cairn_msg_##id *)0)->name)
#define MSG_BEGIN(id, mdoc) static const struct cairn_field id##_fields[] = {
#define NUM(id, kind_, fname, fdoc)                                                                          \
	{.name = #fname, .kind = CAIRN_FIELD_##kind_, .offset = AT(id, fname), .capacity = 1,                \
	    .stride = WIDTH(id, fname), .doc = fdoc},
#define STR(id, fname, cap, fdoc)                                                                            \
	{.name = #fname, .kind = CAIRN_FIELD_STR, .offset = AT(id, fname), .capacity = cap, .stride = cap,   \
	    .doc = fdoc},
#define ENUM(id, etype, fname, fdoc)                                                                         \
	{.name = #fname, .kind = CAIRN_FIELD_ENUM, .offset = AT(id, fname), .capacity = 1,                   \
	    .stride = WIDTH(id, fname), .enum_of = &cairn_enum_##etype, .doc = fdoc},
#define ARR(id, kind_, fname, cap, fdoc)                                                                     \
	{.name = #fname, .kind = CAIRN_FIELD_##kind_, .offset = AT(id, fname), .repeated = true,             \
	    .count_offset = AT(id, fname##_count), .capacity = cap, .stride = WIDTH(id, fname[0]), .doc = fdoc},
#define LIST(id, sub, fname, cap, fdoc)                                                                      \
	{.name = #fname, .kind = CAIRN_FIELD_MSG, .offset = AT(id, fname), .repeated = true,                 \
	    .count_offset = AT(id, fname##_count), .capacity = cap, .stride = WIDTH(id, fname[0]),           \
	    .msg_of = &cairn_desc_##sub, .doc = fdoc},
#define MSG_END(id)                                                                                          \
	}                                                                                                    \
	;
#include "ipc/messages.def"
#undef MSG_BEGIN
#undef NUM
#undef STR
#undef ENUM
#undef ARR
#undef LIST
#undef MSG_END

#define MSG_BEGIN(id, mdoc)                                                                                  \
	const struct cairn_msg_desc cairn_desc_##id = {                                                      \
	    #id, mdoc, id##_fields, sizeof(id##_fields) / sizeof(id##_fields[0]), sizeof(struct cairn_msg_##id)};
#define NUM(id, kind, fname, fdoc)
#define STR(id, fname, cap, fdoc)
#define ENUM(id, etype, fname, fdoc)
#define ARR(id, kind, fname, cap, fdoc)
#define LIST(id, sub, fname, cap, fdoc)
#define MSG_END(id)
#include "ipc/messages.def"
#undef MSG_BEGIN
#undef NUM
#undef STR
#undef ENUM
#undef ARR
#undef LIST
#undef MSG_END

const char *cairn_enum_text(const struct cairn_enum_desc *desc, int value)
{
	return value >= 0 && value < desc->count ? desc->values[value].name : "?";
}

static int enum_find(const struct cairn_enum_desc *desc, const char *text, size_t len)
{
	for (int i = 0; i < desc->count; i++) {
		if (strlen(desc->values[i].name) == len && memcmp(desc->values[i].name, text, len) == 0)
			return i;
	}
	return -1;
}

int cairn_enum_parse(const struct cairn_enum_desc *desc, const char *text)
{
	return enum_find(desc, text, strlen(text));
}

/* Elements in use: a wrong count in a struct is our own bug, but must not become a read past the end. */
static uint32_t field_count(const struct cairn_field *f, const void *msg)
{
	if (!f->repeated)
		return 1;
	uint32_t n;
	memcpy(&n, (const char *)msg + f->count_offset, sizeof(n));
	return n < f->capacity ? n : f->capacity;
}

/* ---- encoding ---- */

struct sink {
	char *buf;
	size_t used, cap;
};

static int sink_write(void *ctx, const char *data, size_t len)
{
	struct sink *s = ctx;
	if (len > s->cap - s->used)
		return -1;
	memcpy(s->buf + s->used, data, len);
	s->used += len;
	return 0;
}

static int pack_text(msgpack_packer *pk, const char *text, size_t len)
{
	int r = msgpack_pack_str(pk, len);
	return r != 0 ? r : msgpack_pack_str_body(pk, text, len);
}

static int pack_msg(msgpack_packer *pk, const struct cairn_msg_desc *desc, const void *msg);

static int pack_value(msgpack_packer *pk, const struct cairn_field *f, const void *at)
{
	switch (f->kind) {
	case CAIRN_FIELD_F64:
		return msgpack_pack_double(pk, *(const double *)at);
	case CAIRN_FIELD_F32:
		return msgpack_pack_float(pk, *(const float *)at);
	case CAIRN_FIELD_I64:
		return msgpack_pack_int64(pk, *(const int64_t *)at);
	case CAIRN_FIELD_U64:
		return msgpack_pack_uint64(pk, *(const uint64_t *)at);
	case CAIRN_FIELD_I32:
		return msgpack_pack_int32(pk, *(const int32_t *)at);
	case CAIRN_FIELD_U32:
		return msgpack_pack_uint32(pk, *(const uint32_t *)at);
	case CAIRN_FIELD_BOOL:
		return *(const bool *)at ? msgpack_pack_true(pk) : msgpack_pack_false(pk);
	case CAIRN_FIELD_STR:
		return pack_text(pk, at, strnlen(at, f->capacity));
	case CAIRN_FIELD_ENUM: {
		const char *name = cairn_enum_text(f->enum_of, (int)*(const unsigned *)at);
		return pack_text(pk, name, strlen(name));
	}
	case CAIRN_FIELD_MSG:
		return pack_msg(pk, f->msg_of, at);
	}
	return -1;
}

static int pack_msg(msgpack_packer *pk, const struct cairn_msg_desc *desc, const void *msg)
{
	if (msgpack_pack_map(pk, (size_t)desc->field_count) != 0)
		return -1;
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		uint32_t n = field_count(f, msg);
		if (pack_text(pk, f->name, strlen(f->name)) != 0)
			return -1;
		if (f->repeated && msgpack_pack_array(pk, n) != 0)
			return -1;
		for (uint32_t k = 0; k < n; k++) {
			if (pack_value(pk, f, (const char *)msg + f->offset + k * f->stride) != 0)
				return -1;
		}
	}
	return 0;
}

int cairn_msg_encode(const struct cairn_msg_desc *desc, const char *topic, const struct cairn_header *hdr,
    const void *msg, void *buf, size_t buf_bytes)
{
	struct sink sink = {buf, 0, buf_bytes};
	msgpack_packer pk;
	msgpack_packer_init(&pk, &sink, sink_write);
	int r = msgpack_pack_map(&pk, 7);
	r |= pack_text(&pk, "v", 1) | msgpack_pack_uint32(&pk, hdr->version);
	r |= pack_text(&pk, "topic", 5) | pack_text(&pk, topic, strlen(topic));
	r |= pack_text(&pk, "seq", 3) | msgpack_pack_uint64(&pk, hdr->seq);
	r |= pack_text(&pk, "epoch", 5) | msgpack_pack_uint64(&pk, hdr->epoch);
	r |= pack_text(&pk, "t_ns", 4) | msgpack_pack_int64(&pk, hdr->t_ns);
	r |= pack_text(&pk, "valid", 5) | (hdr->valid ? msgpack_pack_true(&pk) : msgpack_pack_false(&pk));
	r |= pack_text(&pk, "data", 4) | pack_msg(&pk, desc, msg);
	return r != 0 ? -ENOBUFS : (int)sink.used;
}

/* ---- decoding ----
 *
 * A cursor over the bytes that fills the struct in place: no allocation, no trust in any length, bounded depth.
 * (The library's unpacker allocates whatever an array header claims, before it has seen one element.) */

struct source {
	const uint8_t *at, *end;
};

enum token_kind { TOKEN_UINT, TOKEN_INT, TOKEN_REAL, TOKEN_BOOL, TOKEN_NIL, TOKEN_STR, TOKEN_BIN, TOKEN_ARRAY, TOKEN_MAP };

struct token {
	enum token_kind kind;
	union {
		uint64_t u;
		int64_t i;
		double d;
		bool b;
		uint32_t n; /* bytes, elements or pairs */
	};
	const char *text; /* TOKEN_STR, TOKEN_BIN */
};

static bool take_be(struct source *s, unsigned bytes, uint64_t *ret)
{
	if ((size_t)(s->end - s->at) < bytes)
		return false;
	uint64_t v = 0;
	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | *s->at++;
	*ret = v;
	return true;
}

static bool take_body(struct source *s, struct token *t, enum token_kind kind, uint64_t len)
{
	if ((uint64_t)(s->end - s->at) < len)
		return false;
	t->kind = kind;
	t->n = (uint32_t)len;
	t->text = (const char *)s->at;
	s->at += len;
	return true;
}

/* Every element takes at least one byte, so a count beyond the rest of the message is a lie. */
static bool take_count(struct source *s, struct token *t, enum token_kind kind, uint64_t n)
{
	if (n * (kind == TOKEN_MAP ? 2u : 1u) > (uint64_t)(s->end - s->at))
		return false;
	t->kind = kind;
	t->n = (uint32_t)n;
	return true;
}

static bool take_real(struct source *s, struct token *t, unsigned bytes)
{
	uint64_t v;
	if (!take_be(s, bytes, &v))
		return false;
	t->kind = TOKEN_REAL;
	if (bytes == 4) {
		uint32_t w = (uint32_t)v;
		float f;
		memcpy(&f, &w, sizeof(f));
		t->d = (double)f;
	} else {
		memcpy(&t->d, &v, sizeof(t->d));
	}
	return true;
}

static bool take_int(struct source *s, struct token *t, unsigned bytes, bool is_signed)
{
	uint64_t v;
	if (!take_be(s, bytes, &v))
		return false;
	if (is_signed) {
		unsigned shift = 64 - 8 * bytes;
		t->kind = TOKEN_INT;
		t->i = (int64_t)(v << shift) >> shift;
	} else {
		t->kind = TOKEN_UINT;
		t->u = v;
	}
	return true;
}

static bool take_sized(struct source *s, struct token *t, enum token_kind kind, unsigned len_bytes)
{
	uint64_t n;
	if (!take_be(s, len_bytes, &n))
		return false;
	return kind == TOKEN_ARRAY || kind == TOKEN_MAP ? take_count(s, t, kind, n) : take_body(s, t, kind, n);
}

static bool take_token(struct source *s, struct token *t)
{
	if (s->at >= s->end)
		return false;
	uint8_t c = *s->at++;
	if (c <= 0x7f) {
		*t = (struct token){.kind = TOKEN_UINT, .u = c};
		return true;
	}
	if (c >= 0xe0) {
		*t = (struct token){.kind = TOKEN_INT, .i = (int8_t)c};
		return true;
	}
	if (c <= 0x8f)
		return take_count(s, t, TOKEN_MAP, c & 0x0f);
	if (c <= 0x9f)
		return take_count(s, t, TOKEN_ARRAY, c & 0x0f);
	if (c <= 0xbf)
		return take_body(s, t, TOKEN_STR, c & 0x1f);
	switch (c) {
	case 0xc0:
		*t = (struct token){.kind = TOKEN_NIL};
		return true;
	case 0xc2:
	case 0xc3:
		*t = (struct token){.kind = TOKEN_BOOL, .b = c == 0xc3};
		return true;
	case 0xc4:
	case 0xc5:
	case 0xc6:
		return take_sized(s, t, TOKEN_BIN, 1u << (c - 0xc4));
	case 0xca:
		return take_real(s, t, 4);
	case 0xcb:
		return take_real(s, t, 8);
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
		return take_int(s, t, 1u << (c - 0xcc), false);
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		return take_int(s, t, 1u << (c - 0xd0), true);
	case 0xd9:
	case 0xda:
	case 0xdb:
		return take_sized(s, t, TOKEN_STR, 1u << (c - 0xd9));
	case 0xdc:
	case 0xdd:
		return take_sized(s, t, TOKEN_ARRAY, 2u << (c - 0xdc));
	case 0xde:
	case 0xdf:
		return take_sized(s, t, TOKEN_MAP, 2u << (c - 0xde));
	default:
		return false; /* extension types: nobody here sends them */
	}
}

/* Steps over one value of whatever nesting, without recursion: pending counts the values still to come. */
static bool skip_value(struct source *s)
{
	uint64_t pending = 1;
	while (pending > 0) {
		struct token t;
		if (!take_token(s, &t))
			return false;
		pending--;
		if (t.kind == TOKEN_ARRAY)
			pending += t.n;
		else if (t.kind == TOKEN_MAP)
			pending += 2 * (uint64_t)t.n;
	}
	return true;
}

static bool token_real(const struct token *t, double *ret)
{
	switch (t->kind) {
	case TOKEN_REAL:
		*ret = t->d;
		return true;
	case TOKEN_UINT:
		*ret = (double)t->u;
		return true;
	case TOKEN_INT:
		*ret = (double)t->i;
		return true;
	default:
		return false;
	}
}

static bool token_i64(const struct token *t, int64_t lo, int64_t hi, int64_t *ret)
{
	int64_t v;
	if (t->kind == TOKEN_INT)
		v = t->i;
	else if (t->kind == TOKEN_UINT && t->u <= INT64_MAX)
		v = (int64_t)t->u;
	else
		return false;
	if (v < lo || v > hi)
		return false;
	*ret = v;
	return true;
}

static bool token_u64(const struct token *t, uint64_t *ret)
{
	if (t->kind == TOKEN_UINT)
		*ret = t->u;
	else if (t->kind == TOKEN_INT && t->i >= 0)
		*ret = (uint64_t)t->i;
	else
		return false;
	return true;
}

/* Longest prefix of at most max bytes that does not cut a UTF-8 character. */
static size_t utf8_prefix(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	while (max > 0 && ((uint8_t)text[max] & 0xc0) == 0x80)
		max--;
	return max;
}

static bool take_msg(struct source *s, const struct cairn_msg_desc *desc, void *msg, struct cairn_error *err);

static bool bad_field(const struct cairn_msg_desc *desc, const struct cairn_field *f, struct cairn_error *err)
{
	cairn_error_set(err, "%s.%s: wrong type or value out of range", desc->name, f->name);
	return false;
}

static bool take_value(struct source *s, const struct cairn_msg_desc *desc, const struct cairn_field *f, void *at,
    struct cairn_error *err)
{
	if (f->kind == CAIRN_FIELD_MSG)
		return take_msg(s, f->msg_of, at, err);
	struct token t;
	double d;
	int64_t i;
	uint64_t u;
	if (!take_token(s, &t))
		return bad_field(desc, f, err);
	switch (f->kind) {
	case CAIRN_FIELD_F64:
		if (!token_real(&t, &d))
			break;
		*(double *)at = d;
		return true;
	case CAIRN_FIELD_F32:
		if (!token_real(&t, &d))
			break;
		*(float *)at = (float)d;
		return true;
	case CAIRN_FIELD_I64:
		if (!token_i64(&t, INT64_MIN, INT64_MAX, &i))
			break;
		*(int64_t *)at = i;
		return true;
	case CAIRN_FIELD_I32:
		if (!token_i64(&t, INT32_MIN, INT32_MAX, &i))
			break;
		*(int32_t *)at = (int32_t)i;
		return true;
	case CAIRN_FIELD_U64:
		if (!token_u64(&t, &u))
			break;
		*(uint64_t *)at = u;
		return true;
	case CAIRN_FIELD_U32:
		if (!token_u64(&t, &u) || u > UINT32_MAX)
			break;
		*(uint32_t *)at = (uint32_t)u;
		return true;
	case CAIRN_FIELD_BOOL:
		if (t.kind != TOKEN_BOOL)
			break;
		*(bool *)at = t.b;
		return true;
	case CAIRN_FIELD_STR: {
		if (t.kind != TOKEN_STR || memchr(t.text, 0, t.n) != NULL)
			break;
		size_t n = utf8_prefix(t.text, t.n, f->capacity - 1);
		memcpy(at, t.text, n);
		memset((char *)at + n, 0, f->capacity - n);
		return true;
	}
	case CAIRN_FIELD_ENUM: {
		int v = t.kind == TOKEN_STR ? enum_find(f->enum_of, t.text, t.n) : -1;
		if (v < 0)
			break;
		*(unsigned *)at = (unsigned)v;
		return true;
	}
	case CAIRN_FIELD_MSG:
		break;
	}
	return bad_field(desc, f, err);
}

static bool take_field(struct source *s, const struct cairn_msg_desc *desc, const struct cairn_field *f, void *msg,
    struct cairn_error *err)
{
	uint32_t n = 1;
	if (f->repeated) {
		struct token t;
		if (!take_token(s, &t) || t.kind != TOKEN_ARRAY || t.n > f->capacity)
			return bad_field(desc, f, err);
		n = t.n;
	}
	for (uint32_t k = 0; k < n; k++) {
		if (!take_value(s, desc, f, (char *)msg + f->offset + k * f->stride, err))
			return false;
	}
	if (f->repeated)
		memcpy((char *)msg + f->count_offset, &n, sizeof(n));
	return true;
}

/* The field of that name, looked for from where the last one was found: senders of our own keep the order. */
static const struct cairn_field *find_field(const struct cairn_msg_desc *desc, const struct token *key, int *hint)
{
	for (int i = 0; i < desc->field_count; i++) {
		int k = *hint + i < desc->field_count ? *hint + i : *hint + i - desc->field_count;
		const char *name = desc->fields[k].name;
		if (strlen(name) == key->n && memcmp(name, key->text, key->n) == 0) {
			*hint = k + 1 < desc->field_count ? k + 1 : 0;
			return &desc->fields[k];
		}
	}
	return NULL;
}

static bool take_msg(struct source *s, const struct cairn_msg_desc *desc, void *msg, struct cairn_error *err)
{
	struct token map, key;
	if (!take_token(s, &map) || map.kind != TOKEN_MAP) {
		cairn_error_set(err, "%s: not a map", desc->name);
		return false;
	}
	/* Zero what is missing; of arrays the count is enough (a scan has room for 8192 points). */
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		if (f->repeated)
			memset((char *)msg + f->count_offset, 0, sizeof(uint32_t));
		else
			memset((char *)msg + f->offset, 0, f->stride);
	}
	int hint = 0;
	for (uint32_t i = 0; i < map.n; i++) {
		if (!take_token(s, &key) || key.kind != TOKEN_STR) {
			cairn_error_set(err, "%s: a key is not text", desc->name);
			return false;
		}
		const struct cairn_field *f = find_field(desc, &key, &hint);
		if (f != NULL ? !take_field(s, desc, f, msg, err) : !skip_value(s)) {
			if (f == NULL)
				cairn_error_set(err, "%s: cut off", desc->name);
			return false;
		}
	}
	return true;
}

static bool key_is(const struct token *key, const char *name)
{
	return key->kind == TOKEN_STR && strlen(name) == key->n && memcmp(key->text, name, key->n) == 0;
}

/* One entry of the outer map. Returns 1, 0 for an unknown key, -1 for a wrong type. */
static int take_header_entry(struct source *s, const struct token *key, struct cairn_header *h)
{
	struct token t;
	uint64_t u;
	bool known = key_is(key, "v") || key_is(key, "seq") || key_is(key, "epoch") || key_is(key, "t_ns") ||
	             key_is(key, "valid");
	if (!known)
		return 0;
	if (!take_token(s, &t))
		return -1;
	if (key_is(key, "valid")) {
		h->valid = t.kind == TOKEN_BOOL && t.b;
		return t.kind == TOKEN_BOOL ? 1 : -1;
	}
	if (key_is(key, "t_ns"))
		return token_i64(&t, INT64_MIN, INT64_MAX, &h->t_ns) ? 1 : -1;
	if (!token_u64(&t, &u))
		return -1;
	if (key_is(key, "seq"))
		h->seq = u;
	else if (key_is(key, "epoch"))
		h->epoch = u;
	else
		h->version = u > UINT32_MAX ? UINT32_MAX : (uint32_t)u;
	return 1;
}

int cairn_msg_decode(const struct cairn_msg_desc *desc, const void *buf, size_t bytes, struct cairn_header *hdr,
    void *msg, struct cairn_error *err)
{
	struct source s = {buf, (const uint8_t *)buf + bytes};
	struct token map, key;
	struct cairn_header h = {0};
	bool have_data = false;
	if (!take_token(&s, &map) || map.kind != TOKEN_MAP) {
		cairn_error_set(err, "%s: not a msgpack map", desc->name);
		return -EBADMSG;
	}
	for (uint32_t i = 0; i < map.n; i++) {
		if (!take_token(&s, &key)) {
			cairn_error_set(err, "%s: cut off", desc->name);
			return -EBADMSG;
		}
		if (key_is(&key, "data")) {
			if (h.version != CAIRN_SCHEMA_VERSION) {
				cairn_error_set(err, "%s: schema version %u, this program speaks %d", desc->name,
				    h.version, CAIRN_SCHEMA_VERSION);
				return -EPROTO;
			}
			if (!take_msg(&s, desc, msg, err))
				return -EBADMSG;
			have_data = true;
			continue;
		}
		int r = take_header_entry(&s, &key, &h);
		if (r < 0 || (r == 0 && !skip_value(&s))) {
			cairn_error_set(err, "%s: header: wrong type or cut off", desc->name);
			return -EBADMSG;
		}
	}
	if (!have_data || h.epoch == 0) {
		cairn_error_set(err, "%s: no data or no epoch", desc->name);
		return -EBADMSG;
	}
	*hdr = h;
	return 0;
}

/* ---- JSON ---- */

static void put(struct sink *s, const char *text, size_t len)
{
	size_t room = s->cap - s->used;
	if (len >= room) {
		s->used = s->cap; /* full: everything from here on is dropped, the caller sees it */
		return;
	}
	memcpy(s->buf + s->used, text, len);
	s->used += len;
}

__attribute__((format(printf, 2, 3))) static void putf(struct sink *s, const char *fmt, ...)
{
	char tmp[64];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(tmp, sizeof(tmp), fmt, ap);
	va_end(ap);
	put(s, tmp, (size_t)n < sizeof(tmp) ? (size_t)n : sizeof(tmp) - 1);
}

static void put_json_text(struct sink *s, const char *text, size_t len)
{
	put(s, "\"", 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '"' || c == '\\')
			putf(s, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			putf(s, "\\u%04x", c);
		else
			put(s, text + i, 1);
	}
	put(s, "\"", 1);
}

static void put_json_real(struct sink *s, double d, int digits)
{
	if (isfinite(d))
		putf(s, "%.*g", digits, d);
	else
		put(s, "null", 4); /* JSON has no NaN */
}

static void put_json_msg(struct sink *s, const struct cairn_msg_desc *desc, const void *msg);

static void put_json_value(struct sink *s, const struct cairn_field *f, const void *at)
{
	switch (f->kind) {
	case CAIRN_FIELD_F64:
		put_json_real(s, *(const double *)at, 9);
		break;
	case CAIRN_FIELD_F32:
		put_json_real(s, (double)*(const float *)at, 6);
		break;
	case CAIRN_FIELD_I64:
		putf(s, "%" PRId64, *(const int64_t *)at);
		break;
	case CAIRN_FIELD_U64:
		putf(s, "%" PRIu64, *(const uint64_t *)at);
		break;
	case CAIRN_FIELD_I32:
		putf(s, "%" PRId32, *(const int32_t *)at);
		break;
	case CAIRN_FIELD_U32:
		putf(s, "%" PRIu32, *(const uint32_t *)at);
		break;
	case CAIRN_FIELD_BOOL:
		putf(s, "%s", *(const bool *)at ? "true" : "false");
		break;
	case CAIRN_FIELD_STR:
		put_json_text(s, at, strnlen(at, f->capacity));
		break;
	case CAIRN_FIELD_ENUM: {
		const char *name = cairn_enum_text(f->enum_of, (int)*(const unsigned *)at);
		put_json_text(s, name, strlen(name));
		break;
	}
	case CAIRN_FIELD_MSG:
		put_json_msg(s, f->msg_of, at);
		break;
	}
}

static void put_json_msg(struct sink *s, const struct cairn_msg_desc *desc, const void *msg)
{
	put(s, "{", 1);
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		uint32_t n = field_count(f, msg);
		putf(s, "%s\"%s\":%s", i > 0 ? "," : "", f->name, f->repeated ? "[" : "");
		for (uint32_t k = 0; k < n; k++) {
			if (k > 0)
				put(s, ",", 1);
			put_json_value(s, f, (const char *)msg + f->offset + k * f->stride);
		}
		if (f->repeated)
			put(s, "]", 1);
	}
	put(s, "}", 1);
}

int cairn_msg_to_json(const struct cairn_msg_desc *desc, const struct cairn_header *hdr, const void *msg, char *buf,
    size_t buf_bytes)
{
	struct sink s = {buf, 0, buf_bytes};
	if (buf_bytes == 0)
		return -ENOBUFS;
	if (hdr != NULL) {
		putf(&s, "{\"seq\":%" PRIu64 ",\"epoch\":%" PRIu64, hdr->seq, hdr->epoch);
		putf(&s, ",\"t_ns\":%" PRId64 ",\"valid\":%s,\"data\":", hdr->t_ns, hdr->valid ? "true" : "false");
	}
	put_json_msg(&s, desc, msg);
	if (hdr != NULL)
		put(&s, "}", 1);
	if (s.used >= buf_bytes) {
		buf[buf_bytes - 1] = '\0';
		return -ENOBUFS;
	}
	buf[s.used] = '\0';
	return (int)s.used;
}
