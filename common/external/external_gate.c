/* external_gate.c - one message from outside: size, rate, form, age, content. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "common/external/external.h"

#define BURST_S 1.0 /* what a program may save up of its rate */

__attribute__((format(printf, 2, 3))) static bool refuse(
    struct cairn_external_gate *gate, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(gate->reason, sizeof(gate->reason), fmt, args);
	va_end(args);
	cairn_text_plain(gate->reason);
	gate->refused++;
	return false;
}

static void clean(char *text, size_t cap)
{
	char copy[512];
	size_t n = strnlen(text, cap < sizeof(copy) ? cap : sizeof(copy) - 1);
	memcpy(copy, text, n);
	cairn_text_clean(text, cap, copy, n);
}

static bool good_note(struct cairn_external_gate *gate, struct cairn_msg_note *m)
{
	clean(m->text, sizeof(m->text));
	return m->text[0] != '\0' || refuse(gate, "a note without text");
}

static bool finite_all(const float *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!isfinite(values[i]))
			return false;
	return true;
}

static bool good_detection(struct cairn_external_gate *gate, uint32_t i, struct cairn_msg_detection *d)
{
	clean(d->label, sizeof(d->label));
	clean(d->colour, sizeof(d->colour));
	if (d->label[0] == '\0')
		return refuse(gate, "items[%u] has no label", i);
	if (!(d->confidence >= 0.0f && d->confidence <= 1.0f))
		return refuse(gate, "items[%u]: confidence is not 0 to 1", i);
	if (d->box_m_count != 6 || !finite_all(d->box_m, 6) || !isfinite(d->x_m) || !isfinite(d->y_m) ||
	    !isfinite(d->z_m))
		return refuse(
		    gate, "items[%u]: six finite numbers in box_m and a finite place are expected", i);
	for (int k = 0; k < 3; k++)
		if (d->box_m[k] > d->box_m[k + 3])
			return refuse(gate, "items[%u]: box_m has its least corner last", i);
	return true;
}

/* What somebody outside has not seen proves nothing: the depths behind which things would be missed are left out. Who has seen it
 * is what the topic is called, whatever the message says. */
static bool good_detections(struct cairn_external_gate *gate, struct cairn_msg_detections *m)
{
	const double view[] = {
	    m->x_m, m->y_m, m->z_m, m->yaw_rad, m->pitch_rad, m->roll_rad, m->hfov_rad, m->vfov_rad};
	for (size_t i = 0; i < sizeof(view) / sizeof(view[0]); i++)
		if (!isfinite(view[i]))
			return refuse(gate, "the camera's place is not finite");
	if (m->items_count == 0)
		return refuse(gate, "detections without items");
	for (uint32_t i = 0; i < m->items_count; i++)
		if (!good_detection(gate, i, &m->items[i]))
			return false;
	m->nearest_m_count = 0;
	snprintf(m->source, sizeof(m->source), "%.16s", gate->row->name);
	return true;
}

/* 'n' a number, 't' a text, 0 not declared. */
static char declared(const char *fields, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = fields; *p != '\0';) {
		size_t word = strcspn(p, " ");
		if (word == n && memcmp(p, name, n) == 0)
			return 'n';
		if (word == n + 5 && memcmp(p, name, n) == 0 && memcmp(p + n, ":text", 5) == 0)
			return 't';
		p += word + strspn(p + word, " ");
	}
	return 0;
}

static bool good_readings(struct cairn_external_gate *gate, struct cairn_msg_readings *m)
{
	if (m->items_count == 0)
		return refuse(gate, "readings without items");
	for (uint32_t i = 0; i < m->items_count; i++) {
		struct cairn_msg_reading *item = &m->items[i];
		clean(item->name, sizeof(item->name));
		clean(item->text, sizeof(item->text));
		if (item->name[0] == '\0')
			return refuse(gate, "items[%u] has no name", i);
		bool text = item->text[0] != '\0';
		char kind = gate->row->fields[0] == '\0' ? (text ? 't' : 'n')
							 : declared(gate->row->fields, item->name);
		if (kind == 0)
			return refuse(gate, "'%s' is not among the declared fields", item->name);
		if (text != (kind == 't'))
			return refuse(
			    gate, "'%s' is declared as a %s", item->name, kind == 't' ? "text" : "number");
		if (!isfinite(item->value))
			return refuse(gate, "'%s' is not finite", item->name);
	}
	return true;
}

/* Who moves the arm is what the topic is called. */
static bool good_skills(struct cairn_external_gate *gate, struct cairn_msg_skills *m)
{
	clean(m->held, sizeof(m->held));
	for (uint32_t i = 0; i < m->items_count; i++)
		if (m->items[i].verb == CAIRN_SKILL_VERB_NONE ||
		    !(m->items[i].usual_s >= 0.0 && isfinite(m->items[i].usual_s)))
			return refuse(gate, "items[%u]: a verb and a finite time are expected", i);
	snprintf(m->driver, sizeof(m->driver), "%.16s", gate->row->name);
	return true;
}

static bool good_skill_result(struct cairn_external_gate *gate, struct cairn_msg_skill_result *m)
{
	clean(m->target, sizeof(m->target));
	clean(m->reason, sizeof(m->reason));
	clean(m->suggestion, sizeof(m->suggestion));
	clean(m->held, sizeof(m->held));
	if (m->id == 0 || !isfinite(m->duration_s))
		return refuse(gate, "the id of a request and a finite duration are expected");
	return (m->outcome == CAIRN_OUTCOME_SUCCESS || m->outcome == CAIRN_OUTCOME_FAILED) ||
	       refuse(gate, "outcome: success or failed is expected");
}

static bool good_content(struct cairn_external_gate *gate, void *msg)
{
	switch (gate->row->topic) {
	case CAIRN_TOPIC_NOTE:
		return good_note(gate, msg);
	case CAIRN_TOPIC_DETECTED:
		return good_detections(gate, msg);
	case CAIRN_TOPIC_ARM:
		return good_skills(gate, msg);
	case CAIRN_TOPIC_ARM_DONE:
		return good_skill_result(gate, msg);
	default:
		return good_readings(gate, msg);
	}
}

bool cairn_external_take(struct cairn_external_gate *gate, const void *data, size_t bytes, size_t bytes_there,
    int64_t now_ns, void *msg, int64_t *t_ns)
{
	const struct cairn_external_topic *row = gate->row;
	struct cairn_header hdr;
	struct cairn_error err = {""};
	if (bytes > (size_t)row->max_bytes || bytes_there < bytes)
		return refuse(gate, "%zu bytes; at most %d (max_bytes)", bytes, row->max_bytes);
	if (!cairn_token_bucket_take(&gate->bucket, row->rate_hz, BURST_S, now_ns))
		return refuse(gate, "more than %g a second (rate_hz)", row->rate_hz);
	if (cairn_msg_decode(cairn_topics[row->topic].desc, data, bytes, &hdr, msg, &err) != 0)
		return refuse(gate, "%s", err.text);
	if (!hdr.valid)
		return refuse(gate, "its sender calls it not valid");
	if (!cairn_stamp_plausible(hdr.t_ns, now_ns))
		return refuse(gate, "no stamp, or one of the future (t_ns is CLOCK_MONOTONIC)");
	double age_s = (double)(now_ns - hdr.t_ns) / (double)CAIRN_NS_PER_S;
	if (age_s > row->max_age_s)
		return refuse(gate, "%.1f s old; at most %g s (max_age_s)", age_s, row->max_age_s);
	if (!good_content(gate, msg))
		return false;
	gate->taken++;
	gate->t_taken_ns = now_ns;
	*t_ns = hdr.t_ns;
	return true;
}
