/* message_decode.c - msgpack to structs.
 *
 * A cursor over the bytes that fills the struct in place: no allocation, no trust in any length, bounded
 * depth. (The library's unpacker allocates whatever an array header claims, before it has seen one element.)
 */
#include <errno.h>
#include <string.h>

#include "common/base/text.h"
#include "ipc/messages_private.h"

struct source {
	const uint8_t *at, *end;
};

enum token_kind {
	TOKEN_UINT,
	TOKEN_INT,
	TOKEN_REAL,
	TOKEN_BOOL,
	TOKEN_NIL,
	TOKEN_STR,
	TOKEN_BIN,
	TOKEN_ARRAY,
	TOKEN_MAP
};

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
	return kind == TOKEN_ARRAY || kind == TOKEN_MAP ? take_count(s, t, kind, n)
							: take_body(s, t, kind, n);
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

/* Text is UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) without NUL, so that
 * whatever prints it later, JSON for one, need not ask. */
static bool utf8_valid(const char *text, size_t len)
{
	const uint8_t *c = (const uint8_t *)text, *end = c + len;
	while (c < end) {
		if (*c != 0 && *c < 0x80) {
			c++;
			continue;
		}
		int more = *c >= 0xc2 && *c <= 0xdf   ? 1
			   : (*c & 0xf0) == 0xe0      ? 2
			   : *c >= 0xf0 && *c <= 0xf4 ? 3
						      : 0;
		if (more == 0 || end - c <= more)
			return false;
		/* the first continuation byte rules out overlong forms and what lies outside */
		uint8_t lo = *c == 0xe0 ? 0xa0 : *c == 0xf0 ? 0x90 : 0x80;
		uint8_t hi = *c == 0xed ? 0x9f : *c == 0xf4 ? 0x8f : 0xbf;
		if (c[1] < lo || c[1] > hi)
			return false;
		for (int i = 2; i <= more; i++) {
			if ((c[i] & 0xc0) != 0x80)
				return false;
		}
		c += more + 1;
	}
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

static bool take_value(struct source *s, const struct cairn_msg_desc *desc, const struct cairn_field *f,
    void *at, struct cairn_error *err)
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
		if (t.kind != TOKEN_STR || !utf8_valid(t.text, t.n))
			break;
		size_t n = utf8_prefix(t.text, t.n, f->capacity - 1);
		memcpy(at, t.text, n);
		memset((char *)at + n, 0, f->capacity - n);
		cairn_text_plain(at); /* it will be logged, kept and shown */
		memset((char *)at + strlen(at), 0, f->capacity - strlen(at));
		return true;
	}
	case CAIRN_FIELD_ENUM: {
		int v = t.kind == TOKEN_STR ? cairn_enum_find(f->enum_of, t.text, t.n) : -1;
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

static bool take_field(struct source *s, const struct cairn_msg_desc *desc, const struct cairn_field *f,
    void *msg, struct cairn_error *err)
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
static const struct cairn_field *find_field(
    const struct cairn_msg_desc *desc, const struct token *key, int *hint)
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

static bool speaks(const struct cairn_msg_desc *desc, const struct cairn_header *h, struct cairn_error *err)
{
	if (h->version == CAIRN_SCHEMA_VERSION)
		return true;
	cairn_error_set(err, "%s: schema version %u, this program speaks %d", desc->name, h->version,
	    CAIRN_SCHEMA_VERSION);
	return false;
}

int cairn_msg_decode(const struct cairn_msg_desc *desc, const void *buf, size_t bytes,
    struct cairn_header *hdr, void *msg, struct cairn_error *err)
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
			if (!speaks(desc, &h, err))
				return -EPROTO;
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
	if (!speaks(desc, &h, err)) /* the same key may have come once more, behind the data */
		return -EPROTO;
	*hdr = h;
	return 0;
}
