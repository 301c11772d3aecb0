#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/explore/exploration_context.h"

#define FAR_M 1000.0

/* The last word of text[0..*n) as a number; *n shrinks to what is before it. */
static bool last_number(const char *text, size_t *n, double *ret)
{
	size_t end = *n;
	while (end > 0 && isspace((unsigned char)text[end - 1]))
		end--;
	size_t start = end;
	while (start > 0 && !isspace((unsigned char)text[start - 1]))
		start--;
	char word[32], *stop;
	if (start == end || end - start >= sizeof(word))
		return false;
	memcpy(word, text + start, end - start);
	word[end - start] = '\0';
	*ret = strtod(word, &stop);
	*n = start;
	return *stop == '\0' && fabs(*ret) <= FAR_M; /* false for not a number */
}

static bool parse_one(const char *text, size_t n, struct cairn_msg_place *ret)
{
	struct cairn_msg_place p = {.name = ""};
	if (!last_number(text, &n, &p.y_m) || !last_number(text, &n, &p.x_m))
		return false;
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	while (n > 0 && isspace((unsigned char)*text)) {
		text++;
		n--;
	}
	if (n == 0 || n >= sizeof(p.name))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (iscntrl((unsigned char)text[i]) || text[i] == '"')
			return false;
	}
	memcpy(p.name, text, n);
	*ret = p;
	return true;
}

int cairn_places_parse(
    const char *text, struct cairn_msg_place places[CAIRN_PLACES_MAX], struct cairn_error *err)
{
	int count = 0;
	while (text[strspn(text, "; \t")] != '\0') {
		text += strspn(text, "; \t");
		size_t n = strcspn(text, ";");
		if (count == CAIRN_PLACES_MAX) {
			cairn_error_set(err, "more than %d waypoints", CAIRN_PLACES_MAX);
			return -1;
		}
		if (!parse_one(text, n, &places[count++])) {
			cairn_error_set(err, "waypoint '%.*s' is not NAME X Y", (int)(n < 60 ? n : 60), text);
			return -1;
		}
		text += n;
	}
	return count;
}
