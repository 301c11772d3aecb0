/* messages.h - the structs of ipc/messages.def, their descriptions, and the codec between them and msgpack.
 *
 * A struct is plain data of fixed size; cores take and return them. Encoding never fails for a struct that fits
 * the limits; decoding trusts nothing: every length, type and enum name is checked, unknown fields are skipped,
 * missing ones are zero. Nothing here opens a socket or reads a clock. */
#ifndef CAIRN_IPC_MESSAGES_H
#define CAIRN_IPC_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

#define CAIRN_SCHEMA_VERSION 1

/* ---- enums ---- */
#define ENUM_BEGIN(name, doc)                                                                                \
	enum cairn_##name                                                                                    \
	{
#define E(NAME, ident, wire, doc) CAIRN_##NAME##_##ident,
#define ENUM_END(name, NAME)                                                                                 \
	CAIRN_##NAME##_COUNT                                                                                 \
	}                                                                                                    \
	;
#include "ipc/enums.def"

struct cairn_enum_value {
	const char *name; /* on the wire */
	const char *doc;
};

struct cairn_enum_desc {
	const char *name;
	const char *doc;
	const struct cairn_enum_value *values; /* indexed by the value */
	int count;
};

#define ENUM_BEGIN(name, doc) extern const struct cairn_enum_desc cairn_enum_##name;
#include "ipc/enums.def"

/* Wire name of a value: cairn_enum_text(&cairn_enum_tool, CAIRN_TOOL_ROTATE) is "rotate"; "?" out of range. */
const char *cairn_enum_text(const struct cairn_enum_desc *desc, int value);

/* The value of a wire name, or -1. */
int cairn_enum_parse(const struct cairn_enum_desc *desc, const char *text);

/* ---- structs ---- */
#define CAIRN_CTYPE_F64 double
#define CAIRN_CTYPE_F32 float
#define CAIRN_CTYPE_I64 int64_t
#define CAIRN_CTYPE_U64 uint64_t
#define CAIRN_CTYPE_I32 int32_t
#define CAIRN_CTYPE_U32 uint32_t
#define CAIRN_CTYPE_BOOL bool

#define MSG_BEGIN(id, doc) struct cairn_msg_##id {
#define NUM(id, kind, name, doc) CAIRN_CTYPE_##kind name;
#define STR(id, name, cap, doc) char name[cap];
#define ENUM(id, etype, name, doc) enum cairn_##etype name;
#define ARR(id, kind, name, cap, doc)                                                                        \
	uint32_t name##_count;                                                                               \
	CAIRN_CTYPE_##kind name[cap];
#define LIST(id, sub, name, cap, doc)                                                                        \
	uint32_t name##_count;                                                                               \
	struct cairn_msg_##sub name[cap];
#define MSG_END(id)                                                                                          \
	}                                                                                                    \
	;
#include "ipc/messages.def"

/* ---- descriptions ---- */
enum cairn_field_kind {
	CAIRN_FIELD_F64,
	CAIRN_FIELD_F32,
	CAIRN_FIELD_I64,
	CAIRN_FIELD_U64,
	CAIRN_FIELD_I32,
	CAIRN_FIELD_U32,
	CAIRN_FIELD_BOOL,
	CAIRN_FIELD_STR,
	CAIRN_FIELD_ENUM,
	CAIRN_FIELD_MSG
};

struct cairn_msg_desc;

struct cairn_field {
	const char *name;
	enum cairn_field_kind kind;
	size_t offset;                         /* of the value or of the first element */
	bool repeated;                         /* array or list */
	size_t count_offset;                   /* of the uint32_t count, where repeated */
	uint32_t capacity;                     /* elements, or bytes of a text with its NUL */
	size_t stride;                         /* bytes of one element */
	const struct cairn_enum_desc *enum_of; /* CAIRN_FIELD_ENUM */
	const struct cairn_msg_desc *msg_of;   /* CAIRN_FIELD_MSG */
	const char *doc;
};

struct cairn_msg_desc {
	const char *name;
	const char *doc;
	const struct cairn_field *fields;
	int field_count;
	size_t size; /* of the struct */
};

#define MSG_BEGIN(id, doc) extern const struct cairn_msg_desc cairn_desc_##id;
#include "ipc/messages.def"

/* ---- on the wire ---- */

/* Who says it and when. Age is now minus t_ns, never the time of arrival. */
struct cairn_header {
	uint32_t version;
	uint64_t seq;   /* rises by one with each message of a publisher */
	uint64_t epoch; /* random per start of the publisher, so that a restart is seen; never 0 */
	int64_t t_ns;   /* CLOCK_MONOTONIC of what the message is about */
	bool valid;     /* the sender's own word; false unless it said so */
};

/* Encodes into buf; the number of bytes, or -ENOBUFS. One message is one msgpack map:
 * {v, topic, seq, epoch, t_ns, valid, data: {...}}. */
int cairn_msg_encode(const struct cairn_msg_desc *desc, const char *topic, const struct cairn_header *hdr,
    const void *msg, void *buf, size_t buf_bytes);

/* Decodes; on failure -EBADMSG (or -EPROTO for another schema version), the reason in err, and *hdr and *msg as
 * they were before only if nothing had been read: callers decode into scratch and copy. */
int cairn_msg_decode(const struct cairn_msg_desc *desc, const void *buf, size_t bytes,
    struct cairn_header *hdr, void *msg, struct cairn_error *err);

/* The message as one line of JSON into buf (always NUL-terminated); bytes written, or -ENOBUFS. hdr may be NULL. Integers
 * of 64 bits are strings: most readers of JSON keep numbers as doubles, which would change an epoch or a hash. */
int cairn_msg_to_json(const struct cairn_msg_desc *desc, const struct cairn_header *hdr, const void *msg,
    char *buf, size_t buf_bytes);

/* The JSON Schema (draft 2020-12) of cairn_msg_to_json()'s line with its header, NUL-terminated; bytes written, -ENOBUFS, or
 * -ENOMEM. */
int cairn_msg_json_schema(const struct cairn_msg_desc *desc, char *buf, size_t buf_bytes);

#endif
