#include "common/voice/speech_queue.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "common/base/geom.h"

static bool read_minute(const char **p, int *ret)
{
	int h = 0, m = 0, n = 0;
	if (sscanf(*p, "%2d:%2d%n", &h, &m, &n) != 2 || h < 0 || h > 23 || m < 0 || m > 59)
		return false;
	*p += n;
	*ret = h * 60 + m;
	return true;
}

bool cairn_speech_queue_init(
    struct cairn_speech_queue *q, const struct cairn_config_voice *cfg, struct cairn_error *err)
{
	const char *p = cfg->quiet_hours;
	memset(q, 0, sizeof(*q));
	q->cfg = cfg;
	if (*p == '\0')
		return true;
	if (read_minute(&p, &q->quiet_from_min) && *p++ == '-' && read_minute(&p, &q->quiet_to_min) &&
	    *p == '\0')
		return true;
	cairn_error_set(err, "voice.quiet_hours: '%.40s' is no time like 22:00-07:00", cfg->quiet_hours);
	return false;
}

void cairn_speech_harmless(char *text)
{
	static const char *const words[] = {"stop", "halt"};
	static const char hold[] = "hold";
	for (char *p = text; *p != '\0'; p++) {
		if (p > text && isalpha((unsigned char)p[-1]))
			continue;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (strncasecmp(p, words[i], 4) != 0)
				continue;
			size_t end = 4;
			while (isalpha((unsigned char)p[end]))
				end++;
			memcpy(p, hold, 4);
			memmove(p + 4, p + end, strlen(p + end) + 1);
		}
	}
}

static void leave_out(struct cairn_speech_queue *q, const struct cairn_speech_item *item, const char *why)
{
	struct cairn_msg_spoken *s = &q->spoken;
	s->id++;
	memcpy(s->text, item->text, sizeof(s->text));
	s->urgency = item->urgency;
	s->state = CAIRN_SPOKEN_STATE_LEFT_OUT;
	snprintf(s->reason, sizeof(s->reason), "%s", why);
	s->t_end_ns = 0;
	s->waiting = q->count;
}

static void remove_at(struct cairn_speech_queue *q, uint32_t i)
{
	q->count--;
	memmove(&q->items[i], &q->items[i + 1], (q->count - i) * sizeof(q->items[0]));
}

static bool same_soon(const struct cairn_speech_queue *q, const struct cairn_speech_item *item)
{
	for (uint32_t i = 0; i < q->count; i++)
		if (strcmp(q->items[i].text, item->text) == 0)
			return true;
	return strcmp(q->last.text, item->text) == 0 &&
	       (double)(item->t_ns - q->last.t_ns) < CAIRN_SPEECH_SAME_S * CAIRN_NS_PER_S;
}

bool cairn_speech_queue_add(
    struct cairn_speech_queue *q, const struct cairn_msg_say *say, int64_t now_ns, bool *ret_cut)
{
	struct cairn_speech_item item = {.urgency = say->urgency, .t_ns = now_ns};
	*ret_cut = q->speaking && (say->hush || (say->urgency == CAIRN_URGENCY_WARNING &&
						    q->speaking_urgency != CAIRN_URGENCY_WARNING));
	if (say->hush)
		q->count = 0;
	memcpy(item.text, say->text, sizeof(item.text));
	cairn_speech_harmless(item.text);
	if (item.text[0] == '\0')
		return false;
	if (item.urgency != CAIRN_URGENCY_ANSWER && same_soon(q, &item)) {
		leave_out(q, &item, "said a moment ago");
		return true;
	}
	uint32_t at = q->count;
	while (at > 0 && q->items[at - 1].urgency < item.urgency)
		at--;
	bool full = q->count == CAIRN_SPEECH_QUEUE;
	if (full && at == q->count) {
		leave_out(q, &item, "too much waits");
		return true;
	}
	struct cairn_speech_item dropped = q->items[CAIRN_SPEECH_QUEUE - 1];
	if (full)
		q->count--;
	memmove(&q->items[at + 1], &q->items[at], (q->count - at) * sizeof(q->items[0]));
	q->items[at] = item;
	q->count++;
	if (full)
		leave_out(q, &dropped, "made room for something more urgent");
	return full;
}

static bool is_quiet(const struct cairn_speech_queue *q, int minute)
{
	int from = q->quiet_from_min, to = q->quiet_to_min;
	return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}

/* Why the first item is not said at all; NULL: it is, now or later. */
static const char *no_more(const struct cairn_speech_queue *q, int minute, int64_t now_ns)
{
	const struct cairn_speech_item *i = &q->items[0];
	if (i->urgency != CAIRN_URGENCY_NEWS)
		return NULL;
	if (is_quiet(q, minute))
		return "quiet hours";
	if ((double)(now_ns - i->t_ns) > CAIRN_SPEECH_NEWS_S * CAIRN_NS_PER_S)
		return "old by the time it could be said";
	return NULL;
}

bool cairn_speech_queue_next(struct cairn_speech_queue *q, int minute, int64_t now_ns, bool *ret_told)
{
	*ret_told = false;
	if (q->speaking || q->count == 0)
		return false;
	struct cairn_speech_item item = q->items[0];
	const char *why = no_more(q, minute, now_ns);
	if (why != NULL) {
		remove_at(q, 0);
		leave_out(q, &item, why);
		*ret_told = true;
		return false;
	}
	if (item.urgency == CAIRN_URGENCY_NEWS && q->t_said_ns != 0 &&
	    (double)(now_ns - q->t_said_ns) < q->cfg->gap_s * CAIRN_NS_PER_S)
		return false;
	remove_at(q, 0);
	q->last = item;
	q->last.t_ns = now_ns;
	q->speaking = true;
	q->speaking_urgency = item.urgency;
	q->spoken = (struct cairn_msg_spoken){.id = q->spoken.id + 1,
	    .urgency = item.urgency,
	    .state = CAIRN_SPOKEN_STATE_SPEAKING,
	    .waiting = q->count};
	memcpy(q->spoken.text, item.text, sizeof(item.text));
	return true;
}

void cairn_speech_queue_ended(struct cairn_speech_queue *q, const char *cut, int64_t now_ns)
{
	q->speaking = false;
	q->t_said_ns = now_ns;
	q->spoken.state = cut != NULL ? CAIRN_SPOKEN_STATE_CUT : CAIRN_SPOKEN_STATE_DONE;
	q->spoken.waiting = q->count;
	memcpy(q->spoken.text, q->last.text, sizeof(q->spoken.text));
	q->spoken.urgency = q->last.urgency;
	snprintf(q->spoken.reason, sizeof(q->spoken.reason), "%s", cut != NULL ? cut : "");
}
