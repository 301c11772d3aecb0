#include "common/sequencer/zone_text.h"

#include <stdio.h>
#include <string.h>

#include "common/base/polygon.h"

#define LIST_MAX (sizeof(((struct cairn_msg_zones *)0)->items) / sizeof(struct cairn_msg_zone))
#define TEXT_MAX 256

static bool read_kind(struct cairn_msg_zone *z, const char *word)
{
	for (int k = 0; k < CAIRN_ZONE_KIND_COUNT; k++) {
		if (strcmp(word, cairn_enum_text(&cairn_enum_zone_kind, k)) != 0)
			continue;
		z->kind = (enum cairn_zone_kind)k;
		return true;
	}
	return false;
}

bool cairn_zone_parse(struct cairn_msg_zone *ret, const char *text, struct cairn_error *err)
{
	struct cairn_msg_zone z = {0};
	struct cairn_vec2 corners[CAIRN_POLYGON_CORNERS_MAX];
	char kind[16];
	int used = 0;
	if (sscanf(text, " %15s %31s %n", kind, z.name, &used) < 2 || used == 0 || !read_kind(&z, kind)) {
		cairn_error_set(err, "'%.60s' does not begin with keepout or slowdown and a name", text);
		return false;
	}
	const char *at = text + used;
	while (*at != '\0' && z.corners_count < CAIRN_POLYGON_CORNERS_MAX) {
		struct cairn_vec2 *c = &corners[z.corners_count];
		if (sscanf(at, "%lf,%lf %n", &c->x_m, &c->y_m, &used) != 2)
			break;
		z.corners[z.corners_count++] = (struct cairn_msg_zone_point){(float)c->x_m, (float)c->y_m};
		at += used;
	}
	if (*at != '\0' || !cairn_polygon_valid(corners, z.corners_count)) {
		cairn_error_set(err,
		    "zone '%.31s' has no outline of three to 64 corners 'x,y' that holds an area", z.name);
		return false;
	}
	*ret = z;
	return true;
}

bool cairn_zones_parse(struct cairn_msg_zones *ret, const char *text, struct cairn_error *err)
{
	ret->items_count = 0;
	while (*text != '\0') {
		char one[TEXT_MAX];
		size_t bytes = strcspn(text, ";");
		bool blank = strspn(text, " ") >= bytes;
		if (!blank && (bytes >= sizeof(one) || ret->items_count == LIST_MAX)) {
			cairn_error_set(err, "more than %zu zones, or a text that is too long", LIST_MAX);
			return false;
		}
		if (!blank) {
			memcpy(one, text, bytes);
			one[bytes] = '\0';
			if (!cairn_zone_parse(&ret->items[ret->items_count], one, err))
				return false;
			ret->items_count++;
		}
		text += bytes + (text[bytes] == ';');
	}
	return true;
}
