/* message_json.c - structs to one line of JSON, for people and their tools. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/short_float.h"
#include "common/base/text.h"
#include "ipc/messages_private.h"

struct sink {
	char *buf;
	size_t used, cap;
};

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

static void put_json_code(struct sink *s, uint32_t code)
{
	if (code < 0x10000)
		putf(s, "\\u%04x", code);
	else
		putf(s, "\\u%04x\\u%04x", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF));
}

/* What nobody sees and what is no UTF-8 is escaped, so that a terminal shows it and does not obey it. */
static void put_json_text(struct sink *s, const char *text, size_t len)
{
	put(s, "\"", 1);
	for (size_t i = 0; i < len;) {
		unsigned char c = (unsigned char)text[i];
		int n = cairn_utf8_length(text + i, len - i);
		uint32_t code = n > 0 ? cairn_utf8_code(text + i, n) : 0xFFFD;
		if (c == '"' || c == '\\')
			putf(s, "\\%c", c);
		else if (n == 0 || code < 0x20 || code == 0x7f || (n > 1 && cairn_text_invisible(code)))
			put_json_code(s, code);
		else
			put(s, text + i, (size_t)n);
		i += n > 0 ? (size_t)n : 1;
	}
	put(s, "\"", 1);
}

static void put_json_double(struct sink *s, double d)
{
	if (isfinite(d))
		putf(s, "%.9g", d);
	else
		put(s, "null", 4); /* JSON has no NaN */
}

static void put_json_float(struct sink *s, float value)
{
	char text[CAIRN_SHORT_FLOAT_BYTES];
	if (isfinite(value))
		put(s, text, cairn_short_float(value, text));
	else
		put(s, "null", 4);
}

static void put_json_msg(struct sink *s, const struct cairn_msg_desc *desc, const void *msg);

static void put_json_value(struct sink *s, const struct cairn_field *f, const void *at)
{
	switch (f->kind) {
	case CAIRN_FIELD_F64:
		put_json_double(s, *(const double *)at);
		break;
	case CAIRN_FIELD_F32:
		put_json_float(s, *(const float *)at);
		break;
	case CAIRN_FIELD_I64:
		putf(s, "\"%" PRId64 "\"", *(const int64_t *)at);
		break;
	case CAIRN_FIELD_U64:
		putf(s, "\"%" PRIu64 "\"", *(const uint64_t *)at);
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
		uint32_t n = cairn_field_count(f, msg);
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

int cairn_msg_to_json(const struct cairn_msg_desc *desc, const struct cairn_header *hdr, const void *msg,
    char *buf, size_t buf_bytes)
{
	struct sink s = {buf, 0, buf_bytes};
	if (buf_bytes == 0)
		return -ENOBUFS;
	if (hdr != NULL) {
		putf(&s, "{\"seq\":\"%" PRIu64 "\",\"epoch\":\"%" PRIu64 "\"", hdr->seq, hdr->epoch);
		putf(&s, ",\"t_ns\":\"%" PRId64 "\",\"valid\":%s,\"data\":", hdr->t_ns,
		    hdr->valid ? "true" : "false");
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
