#include "common/notify/notify.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "ipc/messages.h"

#define AGAIN_S 2.0 /* after the first failure; twice as long after each that follows, */
#define AGAIN_MAX_S 60.0

void cairn_notify_init(struct cairn_notify *c, const struct cairn_config *cfg)
{
	*c = (struct cairn_notify){.cfg = cfg};
}

_Static_assert((int)CAIRN_CHOICE_NOTIFY_LEAST_NEWS == (int)CAIRN_URGENCY_NEWS &&
		   (int)CAIRN_CHOICE_NOTIFY_LEAST_ANSWER == (int)CAIRN_URGENCY_ANSWER &&
		   (int)CAIRN_CHOICE_NOTIFY_LEAST_WARNING == (int)CAIRN_URGENCY_WARNING,
    "notify.least are the urgencies");

/* ---- what waits ---- */

static void drop(struct cairn_notify *c, uint32_t at)
{
	c->count--;
	memmove(&c->items[at], &c->items[at + 1], (c->count - at) * sizeof(c->items[0]));
	c->told.lost++;
}

/* Room for one: the oldest goes that is no warning and not being told just now. */
static bool make_room(struct cairn_notify *c, enum cairn_urgency urgency)
{
	uint32_t at = c->under_way;
	if (c->count < CAIRN_NOTICES_MAX)
		return true;
	while (at < c->count && c->items[at].urgency == CAIRN_URGENCY_WARNING)
		at++;
	if (at == c->count && urgency == CAIRN_URGENCY_WARNING)
		at = c->under_way; /* warnings alone: the oldest */
	if (at >= c->count)
		return false;
	drop(c, at);
	return true;
}

static void add(struct cairn_notify *c, const struct cairn_msg_say *say, int64_t now_ns)
{
	if ((int)say->urgency < (int)c->cfg->notify.least)
		return;
	if (!make_room(c, say->urgency)) {
		c->told.lost++;
		return;
	}
	struct cairn_notice *n = &c->items[c->count++];
	*n = (struct cairn_notice){.urgency = say->urgency, .waits = say->waits, .t_ns = now_ns};
	snprintf(n->text, sizeof(n->text), "%s", say->text);
}

static void take_news(struct cairn_notify *c, int64_t now_ns)
{
	struct cairn_msg_say say;
	int64_t keep_ns = (int64_t)(c->cfg->notify.keep_s * 1e9);
	while (cairn_news_take(&c->news, &say))
		add(c, &say, now_ns);
	while (c->under_way == 0 && c->count > 0 && now_ns - c->items[0].t_ns > keep_ns)
		drop(c, 0);
}

/* ---- telling ---- */

static void put_time(int64_t unix_ns, char *ret, size_t bytes)
{
	time_t t = (time_t)(unix_ns / CAIRN_NS_PER_S);
	struct tm tm;
	gmtime_r(&t, &tm);
	strftime(ret, bytes, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static json_t *notice_json(const struct cairn_notice *n, int64_t unix_less_mono_ns)
{
	char when[32];
	put_time(n->t_ns + unix_less_mono_ns, when, sizeof(when));
	return json_pack("{s:s, s:s, s:b, s:s}", "time", when, "urgency",
	    cairn_enum_text(&cairn_enum_urgency, (int)n->urgency), "waits", n->waits, "text", n->text);
}

static size_t write_json(const struct cairn_notify *c, const char *lines, int64_t unix_less_mono_ns,
    char body[CAIRN_NOTIFY_BODY_MAX])
{
	json_t *list = json_array();
	for (uint32_t i = 0; i < c->under_way; i++)
		json_array_append_new(list, notice_json(&c->items[i], unix_less_mono_ns));
	json_t *j = json_pack("{s:s, s:s, s:o}", "text", lines, "robot", c->cfg->robot.name, "notices", list);
	size_t n = j != NULL ? json_dumpb(j, body, CAIRN_NOTIFY_BODY_MAX, JSON_COMPACT) : 0;
	json_decref(j);
	return n <= CAIRN_NOTIFY_BODY_MAX ? n : 0;
}

/* "rosmaster-a1: I am there." and so on, as many as have room. */
static size_t write_lines(struct cairn_notify *c, char *buf, size_t bytes)
{
	size_t n = 0;
	c->under_way = 0;
	while (c->under_way < c->count) {
		const char *text = c->items[c->under_way].text;
		size_t need = strlen(c->cfg->robot.name) + strlen(text) + 4;
		if (n + need > bytes)
			break;
		n += (size_t)snprintf(
		    buf + n, bytes - n, "%s%s: %s", n > 0 ? "\n" : "", c->cfg->robot.name, text);
		c->under_way++;
	}
	return n;
}

size_t cairn_notify_begin(
    struct cairn_notify *c, int64_t now_ns, int64_t unix_less_mono_ns, char body[CAIRN_NOTIFY_BODY_MAX])
{
	char lines[CAIRN_NOTIFY_BODY_MAX /
		   4]; /* escaped, and each once more in its notice, it still has room */
	take_news(c, now_ns);
	c->told.waiting = c->count;
	if (c->under_way > 0 || c->count == 0 || now_ns < c->t_next_ns)
		return 0;
	size_t n = write_lines(c, lines, sizeof(lines));
	if (c->cfg->notify.format == CAIRN_CHOICE_NOTIFY_FORMAT_TEXT)
		memcpy(body, lines, n);
	else
		n = write_json(c, lines, unix_less_mono_ns, body);
	if (n == 0) { /* text that is no UTF-8 */
		while (c->under_way > 0) {
			c->under_way--;
			drop(c, 0);
		}
	}
	return n;
}

static bool for_good(int status)
{
	return status >= 400 && status < 500 && status != 408 && status != 425 && status != 429;
}

void cairn_notify_ended(struct cairn_notify *c, int status, const char *why, int64_t now_ns)
{
	bool ok = status >= 200 && status < 300;
	uint32_t ended = c->under_way;
	c->under_way = 0;
	if (!ok)
		snprintf(c->told.trouble, sizeof(c->told.trouble), "%.120s", why);
	if (ok || for_good(status)) {
		c->count -= ended;
		memmove(&c->items[0], &c->items[ended], c->count * sizeof(c->items[0]));
		*(ok ? &c->told.told : &c->told.lost) += ended;
	}
	if (ok)
		c->told.trouble[0] = '\0';
	double again_s = AGAIN_S;
	c->failures = ok ? 0 : c->failures + 1;
	for (uint32_t i = 1; i < c->failures && again_s < AGAIN_MAX_S; i++)
		again_s *= 2.0;
	again_s = ok ? c->cfg->notify.gap_s : fmax(fmin(again_s, AGAIN_MAX_S), c->cfg->notify.gap_s);
	c->t_next_ns = now_ns + (int64_t)(again_s * 1e9);
	c->told.waiting = c->count;
}
