#include "common/device/base_link.h"

#include <string.h>

#include "common/base/geom.h"

#define OPEN_FAST_NS (100 * CAIRN_NS_PER_MS)
#define OPEN_SLOW_NS (500 * CAIRN_NS_PER_MS)
#define OPENS_FAST 100
#define ASK_NS (150 * CAIRN_NS_PER_MS) /* a set type costs the board 100 ms of flash writing */
#define REPORT_MISSING_NS (200 * CAIRN_NS_PER_MS)
#define SILENT_NS (1000 * CAIRN_NS_PER_MS)
#define TYPE_WRITES_MAX 5 /* an opening: flash wears out */

void cairn_base_link_init(struct cairn_base_link *l, int car_type, int64_t now_ns)
{
	memset(l, 0, sizeof(*l));
	l->car_type = car_type;
	l->open_at_ns = now_ns;
	cairn_rosmaster_parser_init(&l->parser);
}

bool cairn_base_link_wants_open(const struct cairn_base_link *l, int64_t now_ns)
{
	return !l->open && now_ns >= l->open_at_ns;
}

void cairn_base_link_opened(struct cairn_base_link *l, int64_t now_ns)
{
	l->open = true;
	l->type_known = l->type_good = l->version_known = false;
	l->type_writes = 0;
	l->ask_at_ns = l->opened_ns = l->last_report_ns = now_ns;
	l->parser.have = 0;
}

void cairn_base_link_lost(struct cairn_base_link *l, int64_t now_ns)
{
	if (l->open)
		l->losses++;
	l->open = l->type_known = l->type_good = false;
	l->failed_opens++;
	l->open_at_ns = now_ns + (l->failed_opens <= OPENS_FAST ? OPEN_FAST_NS : OPEN_SLOW_NS);
}

size_t cairn_base_link_feed(struct cairn_base_link *l, const uint8_t *data, size_t len, int64_t now_ns,
    struct cairn_rosmaster_report *ret_report, bool *ret_some)
{
	size_t used = cairn_rosmaster_feed(&l->parser, data, len, ret_report, ret_some);
	if (!*ret_some)
		return used;
	if (now_ns - l->last_report_ns > REPORT_MISSING_NS)
		l->type_known = l->type_good = false; /* it may have been without power: ask again */
	l->last_report_ns = now_ns;
	if (ret_report->func == CAIRN_ROSMASTER_CAR_TYPE) {
		l->type_known = true;
		l->type_read = ret_report->car_type;
		l->type_good = ret_report->car_type == l->car_type;
		if (!l->type_good && l->type_writes == 0)
			l->ask_at_ns = now_ns; /* set it now; later times wait for the flash */
	} else if (ret_report->func == CAIRN_ROSMASTER_VERSION) {
		l->version_known = true;
		l->version_major = ret_report->version.major;
		l->version_minor = ret_report->version.minor;
	} else if (l->type_good) {
		l->failed_opens = 0; /* in service */
	}
	return used;
}

size_t cairn_base_link_poll(struct cairn_base_link *l, int64_t now_ns, uint8_t out[128])
{
	if (!l->open || l->type_good || now_ns < l->ask_at_ns)
		return 0;
	l->ask_at_ns = now_ns + ASK_NS;
	size_t n = 0;
	if (l->type_known && l->type_writes < TYPE_WRITES_MAX) {
		l->type_writes++;
		l->type_known = false;
		n += cairn_rosmaster_set_car_type(out, l->car_type);
	} else {
		n += cairn_rosmaster_auto_report(out, true);
	}
	if (!l->version_known)
		n += cairn_rosmaster_request(out + n, CAIRN_ROSMASTER_VERSION);
	n += cairn_rosmaster_request(out + n, CAIRN_ROSMASTER_CAR_TYPE);
	return n;
}

bool cairn_base_link_in_service(const struct cairn_base_link *l, int64_t now_ns)
{
	return l->open && l->type_good && now_ns - l->last_report_ns <= REPORT_MISSING_NS;
}

bool cairn_base_link_silent(const struct cairn_base_link *l, int64_t now_ns)
{
	return l->open && now_ns - l->last_report_ns > SILENT_NS;
}

const char *cairn_base_link_note(const struct cairn_base_link *l, int64_t now_ns)
{
	if (!l->open)
		return "nothing at its device";
	if (now_ns - l->last_report_ns > REPORT_MISSING_NS)
		return "silent";
	if (!l->type_known)
		return "has not told its car type";
	if (!l->type_good)
		return "keeps another car type";
	return "in service";
}
