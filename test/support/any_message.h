/* any_message.h - a valid message of any type with every field set: for tests that hand all topics to a reader. */
#ifndef CAIRN_TEST_SUPPORT_ANY_MESSAGE_H
#define CAIRN_TEST_SUPPORT_ANY_MESSAGE_H

#include <stdio.h>

#include "common/base/rng.h"
#include "ipc/messages.h"

static inline void any_message(struct cairn_rng *rng, const struct cairn_msg_desc *desc, uint32_t list_min,
    uint32_t list_max, void *msg);

static inline void any_value(
    struct cairn_rng *rng, const struct cairn_field *f, uint32_t list_min, uint32_t list_max, void *at)
{
	switch (f->kind) {
	case CAIRN_FIELD_F64:
		*(double *)at = (int32_t)cairn_rng_u32(rng) % 100000 * 0.125;
		break;
	case CAIRN_FIELD_F32:
		*(float *)at = (float)((int32_t)cairn_rng_u32(rng) % 1000) * 0.5f;
		break;
	case CAIRN_FIELD_I64:
	case CAIRN_FIELD_U64:
		*(uint64_t *)at = (uint64_t)cairn_rng_u32(rng) << 31 | 1;
		break;
	case CAIRN_FIELD_I32:
	case CAIRN_FIELD_U32:
		*(uint32_t *)at = cairn_rng_u32(rng);
		break;
	case CAIRN_FIELD_BOOL:
		*(bool *)at = cairn_rng_u32(rng) % 2 == 1;
		break;
	case CAIRN_FIELD_STR:
		snprintf(at, f->capacity, "t\"\xC3\xA4\\%u", cairn_rng_u32(rng) % 100);
		break;
	case CAIRN_FIELD_ENUM:
		*(unsigned *)at = cairn_rng_u32(rng) % (unsigned)f->enum_of->count;
		break;
	case CAIRN_FIELD_MSG:
		any_message(rng, f->msg_of, list_min, list_max, at);
		break;
	}
}

/* Lists of list_min to list_max elements, or as many as there is room for; numbers that JSON's digits hold; texts with what JSON
 * must escape. msg: desc->size bytes, zeroed. */
static inline void any_message(
    struct cairn_rng *rng, const struct cairn_msg_desc *desc, uint32_t list_min, uint32_t list_max, void *msg)
{
	for (int i = 0; i < desc->field_count; i++) {
		const struct cairn_field *f = &desc->fields[i];
		uint32_t n = 1;
		if (f->repeated) {
			n = list_min + cairn_rng_u32(rng) % (list_max - list_min + 1);
			n = n < f->capacity ? n : f->capacity;
			*(uint32_t *)((char *)msg + f->count_offset) = n;
		}
		for (uint32_t k = 0; k < n; k++)
			any_value(rng, f, list_min, list_max, (char *)msg + f->offset + k * f->stride);
	}
}

#endif
