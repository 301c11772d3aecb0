/* tool_place.c - places and spots of the picture as a model writes them in an argument, read and written. */
#include "common/vlm/tool_place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ipc/messages.h"

#define PLACE_MAX_M 500.0

const char *const cairn_tool_goal_words[] = {
    "frontier", "coordinates", "retrace", "candidate", "start", "explore", NULL};

void cairn_tool_write_place(struct cairn_text *out, const struct cairn_tool_place *place)
{
	switch ((enum cairn_goal_kind)place->kind) {
	case CAIRN_GOAL_KIND_FRONTIER:
		cairn_text_addf(out, "\"F%.0f\"", place->id);
		break;
	case CAIRN_GOAL_KIND_CANDIDATE:
		cairn_text_addf(out, "\"C%.0f\"", place->id);
		break;
	case CAIRN_GOAL_KIND_COORDINATES:
		cairn_text_addf(out, "\"%.10g,%.10g\"", place->x_m, place->y_m);
		break;
	case CAIRN_GOAL_KIND_RETRACE:
	case CAIRN_GOAL_KIND_START:
	case CAIRN_GOAL_KIND_EXPLORE:
	case CAIRN_GOAL_KIND_COUNT:
		cairn_text_json_string(out, cairn_tool_goal_words[place->kind % CAIRN_GOAL_KIND_COUNT]);
		break;
	}
}

void cairn_tool_write_spot(struct cairn_text *out, const struct cairn_tool_spot *s)
{
	cairn_text_addf(out, "\"%.6g,%.6g", 1000.0 * s->left, 1000.0 * s->top);
	if (s->right > s->left || s->bottom > s->top)
		cairn_text_addf(out, ",%.6g,%.6g", 1000.0 * s->right, 1000.0 * s->bottom);
	cairn_text_add(out, "\"");
}

/* "F3", "C7", "f3", "frontier 3", and "r1" and "w1" for candidates that are a recovery or a waypoint, as some models
 * write them. False: it is no id. */
static bool read_id(const char *text, struct cairn_tool_place *ret)
{
	static const struct {
		const char *lead;
		enum cairn_goal_kind kind;
	} leads[] = {{"f", CAIRN_GOAL_KIND_FRONTIER}, {"c", CAIRN_GOAL_KIND_CANDIDATE},
	    {"r", CAIRN_GOAL_KIND_CANDIDATE}, {"w", CAIRN_GOAL_KIND_CANDIDATE},
	    {"frontier", CAIRN_GOAL_KIND_FRONTIER}, {"candidate", CAIRN_GOAL_KIND_CANDIDATE},
	    {"recovery", CAIRN_GOAL_KIND_CANDIDATE}, {"waypoint", CAIRN_GOAL_KIND_CANDIDATE}};
	size_t n = strcspn(text, "0123456789"), digits = strspn(text + n, "0123456789"), lead = n;
	while (lead > 0 && strchr(" _#", text[lead - 1]) != NULL)
		lead--;
	if (digits == 0 || digits > 9 || text[n + digits] != '\0')
		return false; /* sscanf would take a sign, and more than fits */
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		if (strlen(leads[i].lead) != lead || strncasecmp(leads[i].lead, text, lead) != 0)
			continue;
		ret->kind = leads[i].kind;
		ret->id = strtod(text + n, NULL);
		return true;
	}
	return false;
}

/* "1.5,-2", "(1.5, -2)" and "[1.5, -2]", and the same as a list of two numbers. */
bool cairn_tool_point(const json_t *value, double *x_m, double *y_m)
{
	char open[2], close[2], end;
	const char *text = json_string_value(value);
	if (json_is_array(value)) {
		const json_t *x = json_array_get(value, 0), *y = json_array_get(value, 1);
		*x_m = json_number_value(x);
		*y_m = json_number_value(y);
		return json_array_size(value) == 2 && json_is_number(x) && json_is_number(y);
	}
	if (text == NULL)
		return false;
	if (sscanf(text, " %1[([] %lf , %lf %1[])] %c", open, x_m, y_m, close, &end) == 4)
		return true;
	return sscanf(text, " %lf , %lf %c", x_m, y_m, &end) == 2;
}

/* "F3", "C7", "explore", "retrace", "start" (or "home"), and a point. */
bool cairn_tool_read_place(const struct cairn_tool_param *p, const json_t *value,
    struct cairn_tool_place *ret, struct cairn_error *err)
{
	char text[64] = "";
	double x_m, y_m;
	if (json_is_string(value))
		cairn_text_clean(text, sizeof(text), json_string_value(value), json_string_length(value));
	int word = strcasecmp(text, "home") == 0 ? CAIRN_GOAL_KIND_START
						 : cairn_tool_word(cairn_tool_goal_words, text);
	*ret = (struct cairn_tool_place){0};
	if (read_id(text, ret))
		return true;
	if (cairn_tool_point(value, &x_m, &y_m) && fabs(x_m) <= PLACE_MAX_M && fabs(y_m) <= PLACE_MAX_M) {
		*ret = (struct cairn_tool_place){CAIRN_GOAL_KIND_COORDINATES, 0.0, x_m, y_m};
		return true;
	}
	if (word == CAIRN_GOAL_KIND_RETRACE || word == CAIRN_GOAL_KIND_START ||
	    word == CAIRN_GOAL_KIND_EXPLORE) {
		ret->kind = word;
		return true;
	}
	cairn_error_set(err,
	    "%s '%.40s' is no place: F3, C7, 1.5,-2 (within %g m), explore, retrace or start", p->name, text,
	    PLACE_MAX_M);
	return false;
}

/* "500,420", "(500, 420)", "480,300,560,520", and the same as lists of numbers. */
bool cairn_tool_read_spot(const struct cairn_tool_param *p, const json_t *value, struct cairn_tool_spot *ret,
    struct cairn_error *err)
{
	double v[4];
	int n = 0;
	if (json_is_array(value)) {
		for (size_t i = 0; i < json_array_size(value) && n < 4; i++)
			if (json_is_number(json_array_get(value, i)))
				v[n++] = json_number_value(json_array_get(value, i));
		n = json_array_size(value) == (size_t)n ? n : 0;
	} else if (json_is_string(value)) {
		const char *at = json_string_value(value);
		for (at += strspn(at, " (["); n < 4 && *at != '\0'; n++) {
			char *end;
			v[n] = strtod(at, &end);
			if (end == at)
				break;
			at = end + strspn(end, " ,");
		}
		if (at[strspn(at, " )]")] != '\0')
			n = 0;
	}
	bool ok = n == 2 || n == 4;
	for (int i = 0; i < n; i++)
		ok = ok && v[i] >= 0.0 && v[i] <= 1000.0;
	if (!ok || (n == 4 && !(v[2] >= v[0] && v[3] >= v[1]))) {
		cairn_error_set(err, "%s is neither x,y nor left,top,right,bottom, each 0 to 1000", p->name);
		return false;
	}
	*ret = (struct cairn_tool_spot){
	    0.001 * v[0], 0.001 * v[1], 0.001 * v[n == 4 ? 2 : 0], 0.001 * v[n == 4 ? 3 : 1]};
	return true;
}
