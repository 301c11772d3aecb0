#include "common/local/view_memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#define HEAD "cairn-local-views 1\n"
#define FAR_M 1e5

bool cairn_view_memory_init(struct cairn_view_memory *m, uint32_t cap)
{
	*m = (struct cairn_view_memory){.cap = cap};
	m->views = calloc(cap, sizeof(*m->views));
	return m->views != NULL;
}

void cairn_view_memory_free(struct cairn_view_memory *m)
{
	free(m->views);
	*m = (struct cairn_view_memory){.views = NULL};
}

struct cairn_view_match cairn_view_memory_find(
    const struct cairn_view_memory *m, const struct cairn_view_descriptor *looks, double before_s)
{
	struct cairn_view_match best = {.view = NULL};
	for (uint32_t i = 0; i < m->count; i++) {
		if (!(m->views[i].first_s < before_s))
			continue;
		double s = cairn_view_similarity(&m->views[i].looks, looks);
		if (best.view == NULL || s > best.similarity)
			best = (struct cairn_view_match){s, &m->views[i]};
	}
	return best;
}

bool cairn_view_memory_add(struct cairn_view_memory *m, const struct cairn_view_descriptor *looks,
    struct cairn_pose2 from, double known_similarity, double now_s)
{
	struct cairn_view_match match = cairn_view_memory_find(m, looks, INFINITY);
	if (match.view != NULL && match.similarity >= known_similarity) {
		struct cairn_remembered_view *known = &m->views[match.view - m->views];
		known->last_s = now_s;
		known->seen += known->seen < UINT32_MAX;
		return false;
	}
	uint32_t slot = m->count;
	if (m->count == m->cap) {
		slot = 0;
		for (uint32_t i = 1; i < m->count; i++)
			if (m->views[i].last_s < m->views[slot].last_s)
				slot = i;
		m->forgotten++;
	} else {
		m->count++;
	}
	m->views[slot] = (struct cairn_remembered_view){
	    .looks = *looks, .from = from, .seen = 1, .first_s = now_s, .last_s = now_s};
	m->version++;
	return true;
}

double cairn_view_memory_in_room(struct cairn_view_memory *m, uint64_t room, double now_s)
{
	uint32_t slot = 0;
	for (uint32_t i = 0; i < m->room_count; i++) {
		if (m->rooms[i].id == room) {
			m->rooms[i].last_s = now_s;
			return m->rooms[i].first_s;
		}
		if (m->rooms[i].last_s < m->rooms[slot].last_s)
			slot = i;
	}
	if (m->room_count < CAIRN_VIEW_MEMORY_ROOMS)
		slot = m->room_count++;
	m->rooms[slot].id = room;
	m->rooms[slot].first_s = m->rooms[slot].last_s = now_s;
	m->version++;
	return now_s;
}

/* ---- the file ---- */

void cairn_view_memory_write(const struct cairn_view_memory *m, struct cairn_text *out)
{
	static const char digits[] = "0123456789abcdef";
	cairn_text_clear(out);
	cairn_text_add(out, HEAD);
	for (uint32_t i = 0; i < m->room_count; i++)
		cairn_text_addf(out, "room %016" PRIx64 "\n", m->rooms[i].id);
	for (uint32_t i = 0; i < m->count; i++) {
		const struct cairn_remembered_view *v = &m->views[i];
		char hex[2 * CAIRN_VIEW_BYTES + 1];
		const uint8_t *bytes = (const uint8_t *)&v->looks;
		for (size_t k = 0; k < CAIRN_VIEW_BYTES; k++) {
			hex[2 * k] = digits[bytes[k] >> 4];
			hex[2 * k + 1] = digits[bytes[k] & 15];
		}
		hex[2 * CAIRN_VIEW_BYTES] = '\0';
		cairn_text_addf(out, "view %.3f %.3f %.4f %u %s\n", v->from.x_m, v->from.y_m, v->from.yaw_rad,
		    v->seen, hex);
	}
	if (!out->failed)
		cairn_text_addf(
		    out, "sum %016" PRIx64 "\n", cairn_hash_bytes(CAIRN_HASH_START, out->data, out->len));
}

static bool read_hex(const char *hex, struct cairn_view_descriptor *ret)
{
	uint8_t *bytes = (uint8_t *)ret;
	if (strlen(hex) != 2 * CAIRN_VIEW_BYTES || strspn(hex, "0123456789abcdef") != 2 * CAIRN_VIEW_BYTES)
		return false;
	for (size_t k = 0; k < CAIRN_VIEW_BYTES; k++) {
		char pair[3] = {hex[2 * k], hex[2 * k + 1], '\0'};
		bytes[k] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return true;
}

static bool read_view(const char *line, struct cairn_remembered_view *ret)
{
	char hex[2 * CAIRN_VIEW_BYTES + 2];
	int used = 0;
	_Static_assert(2 * CAIRN_VIEW_BYTES == 336, "the width in the format below");
	if (sscanf(line, "view %lf %lf %lf %u %337s%n", &ret->from.x_m, &ret->from.y_m, &ret->from.yaw_rad,
		&ret->seen, hex, &used) != 5 ||
	    line[used] != '\0' || !read_hex(hex, &ret->looks))
		return false;
	ret->first_s = ret->last_s = CAIRN_VIEW_MEMORY_OLD;
	return fabs(ret->from.x_m) < FAR_M && fabs(ret->from.y_m) < FAR_M && fabs(ret->from.yaw_rad) < 10.0;
}

static bool refuse(struct cairn_error *err, int line, const char *why)
{
	cairn_error_set(err, "line %d: %s", line, why);
	return false;
}

/* Into a memory that is empty. */
static bool read_lines(struct cairn_view_memory *m, const char *text, size_t count, struct cairn_error *err)
{
	int number = 0;
	char line[2 * CAIRN_VIEW_BYTES + 128];
	for (size_t at = 0; at < count; number++) {
		const char *end = memchr(text + at, '\n', count - at);
		size_t n = end != NULL ? (size_t)(end - text) - at : count - at;
		struct cairn_remembered_view view;
		uint64_t id;
		if (end == NULL || n >= sizeof(line))
			return refuse(err, number + 1, "is cut off, or too long");
		memcpy(line, text + at, n);
		line[n] = '\0';
		if (number == 0) {
			if (strcmp(line, "cairn-local-views 1") != 0)
				return refuse(err, 1, "'cairn-local-views 1' is wanted");
		} else if (sscanf(line, "sum %" SCNx64, &id) == 1) {
			if (id != cairn_hash_bytes(CAIRN_HASH_START, text, at))
				return refuse(
				    err, number + 1, "the sum is another one: the file was changed");
			return at + n + 1 == count || refuse(err, number + 2, "something follows the sum");
		} else if (sscanf(line, "room %" SCNx64, &id) == 1) {
			(void)cairn_view_memory_in_room(m, id, CAIRN_VIEW_MEMORY_OLD);
		} else if (read_view(line, &view)) {
			if (m->count < m->cap)
				m->count++;
			else /* the last ones of the file */
				memmove(&m->views[0], &m->views[1], (m->cap - 1) * sizeof(m->views[0]));
			m->views[m->count - 1] = view;
		} else {
			return refuse(err, number + 1, "is neither a room nor a view");
		}
		at += n + 1;
	}
	return refuse(err, number + 1, "the sum is missing: the file is cut off");
}

bool cairn_view_memory_read(
    struct cairn_view_memory *m, const char *text, size_t count, struct cairn_error *err)
{
	struct cairn_view_memory fresh;
	if (!cairn_view_memory_init(&fresh, m->cap)) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	if (!read_lines(&fresh, text, count, err)) {
		cairn_view_memory_free(&fresh);
		return false;
	}
	free(m->views);
	*m = fresh;
	m->version = 0;
	return true;
}
