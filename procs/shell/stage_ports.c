/* stage_ports.c - the ports of a core over the bus: what is received for it, and what it sends. */
#include <stdlib.h>
#include <string.h>

#include "common/external/external.h"
#include "procs/shell/stage_private.h"

/* All that waits; true when a row wants the stage to act at once. */
static bool drain(struct stage_input *in)
{
	struct cairn_header hdr;
	bool at_once = false;
	while (cairn_sub_recv(in->sub, in->stage->scratch, &hdr) == 1) {
		int64_t now_ns = cairn_now_ns();
		enum cairn_judgement j = cairn_in_judge(in->row, &hdr, now_ns);
		if (j == CAIRN_JUDGED_FIT)
			at_once |= in->row->take(in->core, in->stage->scratch, &hdr, now_ns);
		else if (j == CAIRN_JUDGED_UNFIT)
			cairn_stage_count_reject(in->stage);
	}
	return at_once;
}

static int on_input(void *ctx)
{
	struct stage_input *in = ctx;
	bool at_once = false;
	for (int i = in->row->accept == CAIRN_ACCEPT_ORDERED ? in->table_start : in->index; i <= in->index;
	     i++)
		at_once |= drain(&in->stage->inputs[i]);
	return at_once && in->at_once != NULL ? in->at_once(in->ctx) : 0;
}

/* At start-up only: later the memory may not move. */
static void make_room(struct cairn_stage *stage, size_t bytes)
{
	if (bytes <= stage->scratch_bytes)
		return;
	free(stage->scratch);
	stage->scratch = calloc(1, bytes);
	stage->scratch_bytes = bytes;
	if (stage->scratch == NULL)
		stage_give_up("inputs", &(struct cairn_error){"out of memory"});
}

/* in without its place among the inputs, from the socket of sub. */
static void add_input(struct cairn_stage *stage, struct stage_input in, struct cairn_sub *sub)
{
	if (stage->input_count == STAGE_INPUTS_MAX)
		stage_give_up("inputs", &(struct cairn_error){"too many of them"});
	make_room(stage, cairn_topics[in.row->topic].desc->size);
	in.stage = stage;
	in.sub = sub;
	in.index = stage->input_count++;
	stage->inputs[in.index] = in;
	cairn_stage_watch_socket(stage, cairn_sub_socket(sub), on_input, &stage->inputs[in.index]);
}

/* The rows of one topic, or all (CAIRN_TOPIC_COUNT), of the publishers that instance names. */
static bool add_rows(struct cairn_stage *stage, const struct stage_input *like, const struct cairn_in *rows,
    enum cairn_topic topic, const char *instance, struct cairn_error *err)
{
	struct stage_input in = *like;
	for (in.row = rows; in.row->take != NULL; in.row++) {
		if (topic != CAIRN_TOPIC_COUNT && in.row->topic != topic)
			continue;
		struct cairn_sub *sub = cairn_sub_new(stage->bus, in.row->topic, instance, err);
		if (sub == NULL)
			return false;
		add_input(stage, in, sub);
	}
	return true;
}

void cairn_stage_inputs(
    struct cairn_stage *stage, const struct cairn_in *rows, void *core, cairn_loop_fn *at_once, void *ctx)
{
	struct cairn_error err = {""};
	struct stage_input in = {
	    .core = core, .at_once = at_once, .ctx = ctx, .table_start = stage->input_count};
	if (!add_rows(stage, &in, rows, CAIRN_TOPIC_COUNT, NULL, &err))
		stage_give_up("inputs", &err);
}

bool cairn_stage_declared_inputs(struct cairn_stage *stage, const struct cairn_in *rows, void *core,
    cairn_loop_fn *at_once, void *ctx, struct cairn_error *err)
{
	struct cairn_external_topics topics;
	struct stage_input in = {
	    .core = core, .at_once = at_once, .ctx = ctx, .table_start = stage->input_count};
	if (!cairn_external_load(&topics, stage->cfg.external.topics, err))
		return false;
	for (uint32_t i = 0; i < topics.count; i++)
		if (!add_rows(stage, &in, rows, topics.rows[i].topic, topics.rows[i].name, err))
			return false;
	return true;
}

static void send_output(void *ctx, enum cairn_topic topic, const void *message, int64_t t_ns)
{
	struct cairn_stage *stage = ctx;
	(void)cairn_pub_send(stage->outputs[topic], message, t_ns, true);
}

struct cairn_outbox *cairn_stage_outputs(struct cairn_stage *stage, const struct cairn_out *rows)
{
	stage->outbox = (struct cairn_outbox){.rows = rows, .send = send_output, .ctx = stage};
	for (; rows->topic != CAIRN_TOPIC_COUNT; rows++)
		stage->outputs[rows->topic] = cairn_stage_publish(stage, rows->topic);
	return &stage->outbox;
}

/* ---- rows of a program ---- */

static void *core_of(const struct cairn_port *port, void *app)
{
	void *core = (char *)app + port->at;
	if (port->by_pointer)
		memcpy(&core, core, sizeof(core));
	return core;
}

bool cairn_port_in(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	struct stage_input in = {
	    .core = core_of(port, app), .at_once = port->fn, .ctx = app, .table_start = stage->input_count};
	return add_rows(stage, &in, port->rows, CAIRN_TOPIC_COUNT, port->instance, err);
}

bool cairn_port_declared_in(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	return cairn_stage_declared_inputs(stage, port->rows, core_of(port, app), port->fn, app, err);
}

bool cairn_port_out(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	(void)app, (void)err;
	(void)cairn_stage_outputs(stage, port->rows);
	return true;
}

/* The value of a key that a row names. */
static double number(const struct cairn_stage *stage, size_t key)
{
	double value;
	memcpy(&value, (const char *)&stage->cfg + key - 1, sizeof(value));
	return value;
}

bool cairn_port_every(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	double period_ms = port->id;
	(void)err;
	if (port->period_s != 0)
		period_ms = 1e3 * number(stage, port->period_s);
	if (port->rate_hz != 0)
		period_ms = 1e3 / number(stage, port->rate_hz);
	cairn_stage_every(stage, (int)period_ms, port->fn, app);
	return true;
}

bool cairn_port_serve(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	(void)err;
	cairn_stage_serve(stage, (enum cairn_service)port->id, port->command, app);
	return true;
}

bool cairn_port_ask(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	struct cairn_client *client = cairn_client_new(stage->bus, (enum cairn_service)port->id, err);
	memcpy((char *)app + port->at, &client, sizeof(client));
	if (client != NULL)
		cairn_stage_watch_socket(stage, cairn_client_socket(client), port->fn, app);
	return client != NULL;
}
