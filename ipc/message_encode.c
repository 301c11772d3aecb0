/* message_encode.c - structs to msgpack, driven by their descriptions. */
#include <errno.h>
#include <msgpack.h>
#include <string.h>

#include "ipc/messages_private.h"

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
		uint32_t n = cairn_field_count(f, msg);
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
