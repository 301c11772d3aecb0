/* external - the door for programs outside: takes what they hand in, checks it, and publishes what is good.
 *
 * Nothing is read as fast as it may come: each topic is looked at twenty times a second, and so much waits with its sender. A
 * program that floods holds up itself; one that dies leaves nothing behind but the age of its last message. */
#include <stdio.h>
#include <string.h>

#include "common/external/external.h"
#include "procs/shell/stage.h"

#define TURN_MS 50
#define TURN_MESSAGES 16 /* of each topic: what is refused has a bounded cost, too */
#define REPORT_MS 1000

struct door {
	struct cairn_external_gate gate;
	struct cairn_intake *intake;
	struct cairn_pub *pub;
	char logged[sizeof(((struct cairn_external_gate *)0)->reason)];
};

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_external_topics topics;
	struct door doors[CAIRN_EXTERNAL_TOPICS_MAX];
	const struct cairn_external_gate *refused; /* the newest refusal's; NULL: none yet */
	struct cairn_msg_external report;
	union {
		struct cairn_msg_note note;
		struct cairn_msg_detections detections;
		struct cairn_msg_readings readings;
		struct cairn_msg_skills skills;
		struct cairn_msg_skill_result skill_result;
	} msg;
	uint8_t buf[65536];
};

/* Each reason is logged when it is new, not with each message. */
static void refused(struct app *app, struct door *door)
{
	app->refused = &door->gate;
	cairn_stage_count_reject(app->stage);
	if (strcmp(door->logged, door->gate.reason) == 0)
		return;
	snprintf(door->logged, sizeof(door->logged), "%s", door->gate.reason);
	cairn_log_warn("%s: refused: %s", door->gate.row->wire, door->gate.reason);
}

static bool take_one(struct app *app, struct door *door)
{
	int64_t t_ns;
	long n = cairn_intake_recv(door->intake, app->buf, sizeof(app->buf));
	if (n < 0)
		return false;
	size_t bytes = (size_t)n, there = bytes < sizeof(app->buf) ? bytes : sizeof(app->buf);
	if (cairn_external_take(&door->gate, app->buf, bytes, there, cairn_now_ns(), &app->msg, &t_ns))
		(void)cairn_pub_send(door->pub, &app->msg, t_ns, true);
	else
		refused(app, door);
	return true;
}

static int on_turn(void *ctx)
{
	struct app *app = ctx;
	for (uint32_t i = 0; i < app->topics.count; i++)
		for (int k = 0; k < TURN_MESSAGES && take_one(app, &app->doors[i]); k++)
			;
	return 0;
}

static int on_report(void *ctx)
{
	struct app *app = ctx;
	uint64_t taken = 0, refusals = 0;
	int64_t now_ns = cairn_now_ns();
	app->report.items_count = app->topics.count;
	for (uint32_t i = 0; i < app->topics.count; i++) {
		const struct cairn_external_gate *gate = &app->doors[i].gate;
		struct cairn_msg_external_topic *m = &app->report.items[i];
		snprintf(m->name, sizeof(m->name), "%.31s", gate->row->wire);
		snprintf(m->reason, sizeof(m->reason), "%s", gate->reason);
		m->taken = gate->taken;
		m->refused = gate->refused;
		m->age_s = gate->taken > 0 ? (double)(now_ns - gate->t_taken_ns) * 1e-9 : -1.0;
		taken += m->taken;
		refusals += m->refused;
	}
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_EXTERNAL, &app->report, true, now_ns);
	const struct cairn_external_gate *r = app->refused;
	cairn_stage_notef(app->stage, "%llu taken, %llu refused%s%s%s%s", (unsigned long long)taken,
	    (unsigned long long)refusals, r != NULL ? "; " : "", r != NULL ? r->row->wire : "",
	    r != NULL ? ": " : "", r != NULL ? r->reason : "");
	return 0;
}

static bool open_doors(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	if (!cairn_external_load(&app->topics, app->cfg->external.topics, err))
		return false;
	for (uint32_t i = 0; i < app->topics.count; i++) {
		const struct cairn_external_topic *row = &app->topics.rows[i];
		struct door *door = &app->doors[i];
		door->gate.row = row;
		door->pub = cairn_pub_new(cairn_stage_bus(stage), row->topic, row->name, err);
		door->intake =
		    door->pub != NULL ? cairn_intake_new(cairn_stage_bus(stage), row->name, err) : NULL;
		if (door->intake == NULL)
			return false;
	}
	return true;
}

static const struct cairn_out outputs[] = {{CAIRN_TOPIC_EXTERNAL, 0}, {CAIRN_TOPIC_COUNT, 0}};

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(outputs)},
    {CAIRN_PORT_EVERY(TURN_MS, on_turn)},
    {CAIRN_PORT_EVERY(REPORT_MS, on_report)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-external", "checks what programs outside publish, and puts it on the bus", struct app,
    .open = open_doors, .ports = ports)
