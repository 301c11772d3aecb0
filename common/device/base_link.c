#include "common/device/base_link_private.h"

#include <string.h>

#include "common/base/geom.h"

#define OPEN_FAST_NS (100 * CAIRN_NS_PER_MS)
#define OPEN_SLOW_NS (500 * CAIRN_NS_PER_MS)
#define OPENS_FAST 100
#define SILENT_NS (1000 * CAIRN_NS_PER_MS)

static const struct base_model *const models[] = {
    [CAIRN_CHOICE_BASE_MODEL_ROSMASTER] = &base_rosmaster,
    [CAIRN_CHOICE_BASE_MODEL_DIFFDRIVE_SERIAL] = &base_diffdrive,
};

void cairn_base_link_init(struct cairn_base_link *l, const struct cairn_config_robot *robot, int64_t now_ns)
{
	memset(l, 0, sizeof(*l));
	l->model = robot->base_model;
	l->car_type = robot->car_type;
	l->wheel_separation_m = robot->wheel_separation_m;
	l->open_at_ns = now_ns;
	cairn_rosmaster_parser_init(&l->parser);
	cairn_diffdrive_parser_init(&l->lines);
}

int cairn_base_link_baud(const struct cairn_base_link *l)
{
	return models[l->model]->baud;
}

bool cairn_base_link_wants_open(const struct cairn_base_link *l, int64_t now_ns)
{
	return !l->open && now_ns >= l->open_at_ns;
}

void cairn_base_link_opened(struct cairn_base_link *l, int64_t now_ns)
{
	l->open = true;
	l->ask_at_ns = l->opened_ns = l->last_report_ns = now_ns;
	models[l->model]->opened(l);
}

void cairn_base_link_lost(struct cairn_base_link *l, int64_t now_ns)
{
	if (l->open)
		l->losses++;
	l->open = l->type_known = l->type_good = l->identity_known = l->identity_good = false;
	l->failed_opens++;
	l->open_at_ns = now_ns + (l->failed_opens <= OPENS_FAST ? OPEN_FAST_NS : OPEN_SLOW_NS);
}

size_t cairn_base_link_feed(struct cairn_base_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    struct cairn_base_report *ret_report, bool *ret_some)
{
	size_t used = models[l->model]->feed(l, data, len, now_ns, ret_report, ret_some);
	if (!*ret_some)
		return used;
	l->last_report_ns = now_ns;
	if (models[l->model]->fault(l, now_ns) == NULL)
		l->failed_opens = 0; /* in service */
	return used;
}

size_t cairn_base_link_poll(struct cairn_base_link *l, int64_t now_ns, uint8_t out[CAIRN_BASE_FRAME_MAX])
{
	return l->open && now_ns >= l->ask_at_ns ? models[l->model]->poll(l, now_ns, out) : 0;
}

size_t cairn_base_link_motion(
    const struct cairn_base_link *l, double v_mps, double w_radps, uint8_t out[CAIRN_BASE_FRAME_MAX])
{
	return models[l->model]->motion(l, v_mps, w_radps, out);
}

size_t cairn_base_stop_frame(enum cairn_choice_base_model model, uint8_t out[CAIRN_BASE_FRAME_MAX])
{
	return models[model]->stop(out);
}

/* NULL: in service. */
static const char *trouble(const struct cairn_base_link *l, int64_t now_ns)
{
	if (!l->open)
		return "nothing at its device";
	if (now_ns - l->last_report_ns > BASE_REPORT_MISSING_NS)
		return "silent";
	return models[l->model]->fault(l, now_ns);
}

bool cairn_base_link_in_service(const struct cairn_base_link *l, int64_t now_ns)
{
	return trouble(l, now_ns) == NULL;
}

bool cairn_base_link_silent(const struct cairn_base_link *l, int64_t now_ns)
{
	return l->open && now_ns - l->last_report_ns > SILENT_NS;
}

const char *cairn_base_link_note(const struct cairn_base_link *l, int64_t now_ns)
{
	const char *why = trouble(l, now_ns);
	return why != NULL ? why : "in service";
}
