#include "common/device/mjpeg_stream.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ROOM_FIRST ((size_t)64 << 10)

static bool broken(struct cairn_mjpeg_stream *s, const char *why)
{
	cairn_error_set(&s->problem, "%s", why);
	s->phase = CAIRN_MJPEG_ENDED;
	return false;
}

/* ---- the answer's own header ---- */

static bool take_boundary(struct cairn_mjpeg_stream *s, const char *name)
{
	bool quoted = *name == '"';
	name += quoted;
	while (*name == '-') /* some servers name it with the dashes of its line */
		name++;
	size_t n = strcspn(name, quoted ? "\"" : "; \t");
	if (n == 0 || n > CAIRN_MJPEG_BOUNDARY_MAX)
		return broken(s, "a stream without a boundary");
	snprintf(s->boundary, sizeof(s->boundary), "--%.*s", (int)n, name);
	s->boundary_bytes = n + 2;
	return true;
}

bool cairn_mjpeg_begin(struct cairn_mjpeg_stream *s, const char *content_type)
{
	static const char wanted[] = "multipart/";
	s->phase = CAIRN_MJPEG_BOUNDARY;
	s->line_bytes = s->between = s->length = s->picture_bytes = 0;
	s->taken = false;
	s->problem.text[0] = '\0';
	if (content_type == NULL || strncasecmp(content_type, wanted, sizeof(wanted) - 1) != 0) {
		cairn_error_set(&s->problem,
		    "it sends %.60s: no stream of pictures (multipart/x-mixed-replace)",
		    content_type != NULL ? content_type : "no type");
		s->phase = CAIRN_MJPEG_ENDED;
		return false;
	}
	for (const char *at = strchr(content_type, ';'); at != NULL; at = strchr(at, ';')) {
		at += 1 + strspn(at + 1, " \t");
		if (strncasecmp(at, "boundary=", 9) == 0)
			return take_boundary(s, at + 9);
	}
	return broken(s, "a stream without a boundary");
}

void cairn_mjpeg_free(struct cairn_mjpeg_stream *s)
{
	free(s->picture);
	s->picture = NULL;
	s->room = 0;
}

/* ---- lines between the pictures ---- */

static bool begin_part(struct cairn_mjpeg_stream *s)
{
	s->picture_bytes = 0;
	s->phase = s->length > 0 ? CAIRN_MJPEG_SIZED : CAIRN_MJPEG_UNSIZED;
	return true;
}

static bool take_header(struct cairn_mjpeg_stream *s)
{
	static const char name[] = "content-length:";
	if (strncasecmp(s->line, name, sizeof(name) - 1) != 0)
		return true;
	char *at = s->line + sizeof(name) - 1, *end;
	at += strspn(at, " \t");
	unsigned long long n = strtoull(at, &end, 10);
	if (!isdigit((unsigned char)*at) || *(end + strspn(end, " \t")) != '\0')
		return broken(s, "a Content-Length that is no number");
	if (n > CAIRN_MJPEG_PICTURE_MAX)
		return broken(s, "a picture of more than 8 MB");
	s->length = (size_t)n;
	return true;
}

/* A whole line, without its end. */
static bool take_line(struct cairn_mjpeg_stream *s)
{
	s->line[s->line_bytes] = '\0';
	if (s->line_bytes > 0 && s->line[s->line_bytes - 1] == '\r')
		s->line[--s->line_bytes] = '\0';
	bool empty = s->line_bytes == 0;
	s->line_bytes = 0;
	if (s->phase == CAIRN_MJPEG_HEADERS)
		return empty ? begin_part(s) : take_header(s);
	const char *at = strstr(s->line, s->boundary);
	if (at == NULL)
		return true; /* what is before it is nothing */
	if (strncmp(at + s->boundary_bytes, "--", 2) == 0)
		return broken(s, "the stream has ended");
	s->phase = CAIRN_MJPEG_HEADERS;
	s->length = 0;
	return true;
}

static size_t feed_lines(struct cairn_mjpeg_stream *s, const uint8_t *data, size_t len)
{
	size_t used = 0;
	while (used < len && (s->phase == CAIRN_MJPEG_BOUNDARY || s->phase == CAIRN_MJPEG_HEADERS)) {
		char c = (char)data[used++];
		if (++s->between > CAIRN_MJPEG_BETWEEN_MAX) {
			broken(s, "no boundary where a picture has ended");
		} else if (c == '\n') {
			take_line(s);
		} else if (s->line_bytes + 1 == sizeof(s->line)) {
			broken(s, "a header line of more than 1024 bytes");
		} else if (c != '\0') {
			s->line[s->line_bytes++] = c;
		}
	}
	return used;
}

/* ---- pictures ---- */

static bool add(struct cairn_mjpeg_stream *s, const uint8_t *data, size_t n)
{
	if (s->picture_bytes + n > s->room) {
		size_t room = s->room > 0 ? s->room : ROOM_FIRST;
		while (room < s->picture_bytes + n)
			room *= 2;
		uint8_t *grown = realloc(s->picture, room);
		if (grown == NULL)
			return broken(s, "no memory for a picture");
		s->picture = grown;
		s->room = room;
	}
	memcpy(s->picture + s->picture_bytes, data, n);
	s->picture_bytes += n;
	return true;
}

static size_t feed_sized(struct cairn_mjpeg_stream *s, const uint8_t *data, size_t len)
{
	size_t left = s->length - s->picture_bytes, n = len < left ? len : left;
	if (add(s, data, n) && s->picture_bytes == s->length) {
		s->phase = CAIRN_MJPEG_BOUNDARY;
		s->taken = true;
	}
	return n;
}

/* Behind the boundary's name comes the rest of its line, and in front of it a line end that is none of the picture's. */
static void end_unsized(struct cairn_mjpeg_stream *s)
{
	s->picture_bytes -= s->boundary_bytes;
	const uint8_t *p = s->picture;
	while (s->picture_bytes > 0 && p[s->picture_bytes - 1] == '-')
		s->picture_bytes--;
	if (s->picture_bytes > 0 && p[s->picture_bytes - 1] == '\n')
		s->picture_bytes--;
	if (s->picture_bytes > 0 && p[s->picture_bytes - 1] == '\r')
		s->picture_bytes--;
	memcpy(s->line, s->boundary, s->boundary_bytes);
	s->line_bytes = s->boundary_bytes;
	s->phase = CAIRN_MJPEG_BOUNDARY;
	s->taken = s->picture_bytes > 0;
}

static size_t feed_unsized(struct cairn_mjpeg_stream *s, const uint8_t *data, size_t len)
{
	uint8_t last = (uint8_t)s->boundary[s->boundary_bytes - 1];
	size_t used = 0;
	while (used < len && s->phase == CAIRN_MJPEG_UNSIZED) {
		const uint8_t *hit = memchr(data + used, last, len - used);
		size_t n = (hit != NULL ? (size_t)(hit - data) + 1 : len) - used;
		if (s->picture_bytes + n > CAIRN_MJPEG_PICTURE_MAX) {
			broken(s, "a picture of more than 8 MB");
			return used;
		}
		if (!add(s, data + used, n))
			return used;
		used += n;
		if (hit != NULL && s->picture_bytes >= s->boundary_bytes &&
		    memcmp(s->picture + s->picture_bytes - s->boundary_bytes, s->boundary,
			s->boundary_bytes) == 0)
			end_unsized(s);
	}
	return used;
}

size_t cairn_mjpeg_feed(
    struct cairn_mjpeg_stream *s, const uint8_t *data, size_t len, enum cairn_mjpeg_event *ret_event)
{
	size_t used = 0;
	*ret_event = CAIRN_MJPEG_NONE;
	while (used < len && s->phase != CAIRN_MJPEG_ENDED && !s->taken) {
		const uint8_t *at = data + used;
		if (s->phase == CAIRN_MJPEG_SIZED)
			used += feed_sized(s, at, len - used);
		else if (s->phase == CAIRN_MJPEG_UNSIZED)
			used += feed_unsized(s, at, len - used);
		else
			used += feed_lines(s, at, len - used);
	}
	if (s->taken) {
		s->taken = false;
		s->between = 0;
		*ret_event = CAIRN_MJPEG_PICTURE;
	} else if (s->phase == CAIRN_MJPEG_ENDED) {
		*ret_event = CAIRN_MJPEG_BROKEN;
		used = len;
	}
	return used;
}
