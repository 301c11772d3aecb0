#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/videodev2.h>

#include "common/device/v4l2_open.h"

#define CONTROLS_MAX 256 /* a driver that counts on without end is not followed */
#define NAME_MAX_CHARS 31

/* As v4l2-ctl writes it: "Exposure, Auto" is exposure_auto. */
static void plain_name(const char *name, char ret[NAME_MAX_CHARS + 1])
{
	size_t n = 0;
	bool gap = false;
	for (; *name != '\0' && n < NAME_MAX_CHARS; name++) {
		bool word = isalnum((unsigned char)*name);
		if (word && gap && n > 0 && n + 1 < NAME_MAX_CHARS)
			ret[n++] = '_';
		if (word)
			ret[n++] = (char)tolower((unsigned char)*name);
		gap = !word;
	}
	ret[n] = '\0';
}

/* 0: there is none of that name. */
static uint32_t id_of(struct cairn_v4l2_link *l, const char *name, struct v4l2_queryctrl *ret)
{
	char plain[NAME_MAX_CHARS + 1];
	uint32_t last = 0;
	for (int i = 0; i < CONTROLS_MAX; i++) {
		*ret = (struct v4l2_queryctrl){.id = last | V4L2_CTRL_FLAG_NEXT_CTRL};
		if (l->ops->control(l->ctx, l->fd, VIDIOC_QUERYCTRL, ret) < 0)
			return 0;
		plain_name((const char *)ret->name, plain);
		if (strcmp(plain, name) == 0)
			return ret->id;
		last = ret->id;
	}
	return 0;
}

static void set_one(struct cairn_v4l2_link *l, const char *name, const char *value)
{
	char *end;
	struct v4l2_queryctrl info;
	errno = 0;
	long number = strtol(value, &end, 10);
	struct v4l2_control c = {.id = id_of(l, name, &info), .value = (int32_t)number};
	if (end == value || *end != '\0' || errno != 0 || number != c.value)
		cairn_error_set(&l->controls, "%s: '%s' is no number", name, value);
	else if (c.id == 0)
		cairn_error_set(&l->controls, "%s: the camera has no such control", name);
	else if (number < info.minimum || number > info.maximum)
		cairn_error_set(
		    &l->controls, "%s: %ld is outside %d to %d", name, number, info.minimum, info.maximum);
	else if (l->ops->control(l->ctx, l->fd, VIDIOC_S_CTRL, &c) < 0)
		cairn_error_set(&l->controls, "%s: the camera refuses %ld", name, number);
}

void cairn_v4l2_set_controls(struct cairn_v4l2_link *l)
{
	char text[256], *rest = text, *item;
	snprintf(text, sizeof(text), "%s", l->want.controls);
	l->controls.text[0] = '\0';
	while ((item = strsep(&rest, ",")) != NULL) {
		while (*item == ' ')
			item++;
		char *value = strchr(item, '=');
		if (*item == '\0')
			continue;
		if (value == NULL) {
			cairn_error_set(&l->controls, "'%.40s' has no value: write name=number", item);
			continue;
		}
		*value++ = '\0';
		set_one(l, item, value);
	}
}
