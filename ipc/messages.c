/* messages.c - the tables made from enums.def and messages.def. */
#include "ipc/messages.h"

#include <string.h>

#include "ipc/messages_private.h"

#define ENUM_BEGIN(ename, edoc) static const struct cairn_enum_value ename##_values[] = {
#define E(NAME, ident, wire, vdoc) {wire, vdoc},
#define ENUM_END(ename, NAME)                                                                                \
	}                                                                                                    \
	;                                                                                                    \
	_Static_assert(sizeof(ename##_values) / sizeof(ename##_values[0]) == CAIRN_##NAME##_COUNT, #ename);
#include "ipc/enums.def"

#define ENUM_BEGIN(ename, edoc)                                                                              \
	const struct cairn_enum_desc cairn_enum_##ename = {                                                  \
	    #ename, edoc, ename##_values, sizeof(ename##_values) / sizeof(ename##_values[0])};
#include "ipc/enums.def"

#define AT(id, name) offsetof(struct cairn_msg_##id, name)
#define WIDTH(id, name) sizeof(((struct cairn_msg_##id *)0)->name)
#define MSG_BEGIN(id, mdoc) static const struct cairn_field id##_fields[] = {
#define NUM(id, kind_, fname, fdoc)                                                                          \
	{.name = #fname,                                                                                     \
	    .kind = CAIRN_FIELD_##kind_,                                                                     \
	    .offset = AT(id, fname),                                                                         \
	    .capacity = 1,                                                                                   \
	    .stride = WIDTH(id, fname),                                                                      \
	    .doc = fdoc},
#define STR(id, fname, cap, fdoc)                                                                            \
	{.name = #fname,                                                                                     \
	    .kind = CAIRN_FIELD_STR,                                                                         \
	    .offset = AT(id, fname),                                                                         \
	    .capacity = cap,                                                                                 \
	    .stride = cap,                                                                                   \
	    .doc = fdoc},
#define ENUM(id, etype, fname, fdoc)                                                                         \
	{.name = #fname,                                                                                     \
	    .kind = CAIRN_FIELD_ENUM,                                                                        \
	    .offset = AT(id, fname),                                                                         \
	    .capacity = 1,                                                                                   \
	    .stride = WIDTH(id, fname),                                                                      \
	    .enum_of = &cairn_enum_##etype,                                                                  \
	    .doc = fdoc},
#define ARR(id, kind_, fname, cap, fdoc)                                                                     \
	{.name = #fname,                                                                                     \
	    .kind = CAIRN_FIELD_##kind_,                                                                     \
	    .offset = AT(id, fname),                                                                         \
	    .repeated = true,                                                                                \
	    .count_offset = AT(id, fname##_count),                                                           \
	    .capacity = cap,                                                                                 \
	    .stride = WIDTH(id, fname[0]),                                                                   \
	    .doc = fdoc},
#define LIST(id, sub, fname, cap, fdoc)                                                                      \
	{.name = #fname,                                                                                     \
	    .kind = CAIRN_FIELD_MSG,                                                                         \
	    .offset = AT(id, fname),                                                                         \
	    .repeated = true,                                                                                \
	    .count_offset = AT(id, fname##_count),                                                           \
	    .capacity = cap,                                                                                 \
	    .stride = WIDTH(id, fname[0]),                                                                   \
	    .msg_of = &cairn_desc_##sub,                                                                     \
	    .doc = fdoc},
#define MSG_END(id)                                                                                          \
	}                                                                                                    \
	;
#include "ipc/messages.def"

#define MSG_BEGIN(id, mdoc)                                                                                  \
	const struct cairn_msg_desc cairn_desc_##id = {#id, mdoc, id##_fields,                               \
	    sizeof(id##_fields) / sizeof(id##_fields[0]), sizeof(struct cairn_msg_##id)};
#include "ipc/messages.def"

const char *cairn_enum_text(const struct cairn_enum_desc *desc, int value)
{
	return value >= 0 && value < desc->count ? desc->values[value].name : "?";
}

int cairn_enum_find(const struct cairn_enum_desc *desc, const char *text, size_t len)
{
	for (int i = 0; i < desc->count; i++) {
		if (strlen(desc->values[i].name) == len && memcmp(desc->values[i].name, text, len) == 0)
			return i;
	}
	return -1;
}

int cairn_enum_parse(const struct cairn_enum_desc *desc, const char *text)
{
	return cairn_enum_find(desc, text, strlen(text));
}
