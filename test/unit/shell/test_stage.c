/* A program of rows: what its state holds before it is opened, and which of its ports are opened, in which order. */
#include <stdlib.h>
#include <string.h>

#include "procs/shell/stage.h"
#include "test/support/run_dir.h"
#include "test/support/runner.h"

struct core {
	double x_m;
};

struct app {
	CAIRN_STAGE_STATE;
	struct core *there; /* by pointer */
	struct core part;
	double self_x_m;
};

static char dir[CAIRN_RUN_DIR_BYTES];
static struct app seen; /* as it was when it was closed */
static double there_x_m;
static int never;
static char order[8];

static void note(char c)
{
	size_t n = strlen(order);
	ck_assert_uint_lt(n + 1, sizeof(order));
	order[n] = c;
	order[n + 1] = '\0';
}

static bool take_core(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)hdr, (void)now_ns;
	((struct core *)core)->x_m = ((const struct cairn_msg_pose *)m)->x_m;
	return false;
}

static bool take_state(void *core, const void *m, const struct cairn_header *hdr, int64_t now_ns)
{
	(void)hdr, (void)now_ns;
	((struct app *)core)->self_x_m = ((const struct cairn_msg_pose *)m)->x_m;
	return false;
}

static const struct cairn_in core_in[] = {{CAIRN_TOPIC_POSE, CAIRN_ACCEPT_FRESH, take_core}, {.take = NULL}};
static const struct cairn_in state_in[] = {
    {CAIRN_TOPIC_POSE, CAIRN_ACCEPT_FRESH, take_state}, {.take = NULL}};
static const struct cairn_out outputs[] = {{CAIRN_TOPIC_POSE, 0}, {CAIRN_TOPIC_COUNT, 0}};

/* Until all three have the pose: the runner's own limit ends a program that never does. */
static int on_tick(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_pose pose = {.x_m = 2.5};
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_POSE, &pose, true, cairn_now_ns());
	return app->there->x_m != 0.0 && app->part.x_m != 0.0 && app->self_x_m != 0.0 ? -1 : 0;
}

static int on_never(void *ctx)
{
	(void)ctx;
	return ++never;
}

static bool open_core(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	(void)err;
	note('o');
	ck_assert_ptr_eq(app->stage, stage);
	ck_assert_ptr_eq(app->cfg, cairn_stage_config(stage));
	app->there = calloc(1, sizeof(*app->there));
	return app->there != NULL;
}

static void begin(void *ctx)
{
	(void)ctx;
	note('b');
}

static void ended(void *ctx)
{
	(void)ctx;
	note('e');
}

static void close_core(void *ctx)
{
	struct app *app = ctx;
	note('c');
	seen = *app;
	there_x_m = app->there != NULL ? app->there->x_m : 0.0;
	free(app->there);
}

static int play(const struct cairn_port *ports)
{
	static struct cairn_config cfg;
	struct cairn_error err = {""};
	char path[CAIRN_RUN_DIR_BYTES + 16], name[] = "x", run[] = "--run", as[] = "--stage",
					     mapper[] = "mapper",
					     *argv[] = {name, run, dir, as, mapper, NULL};
	const struct cairn_stage_program program = {.name = name,
	    .purpose = "is a test",
	    .bytes = sizeof(struct app),
	    .open = open_core,
	    .ports = ports,
	    .begin = begin,
	    .ended = ended,
	    .close = close_core};
	cairn_run_dir_make(dir, "stage");
	cairn_config_defaults(&cfg);
	cfg.vlm.shadow = false;
	cfg.local.enabled = true;
	cfg.local.rate_hz = 5.0;
	cfg.local.checkpoint_s = 60.0;
	order[0] = '\0';
	never = 0;
	snprintf(path, sizeof(path), "%s/config.yaml", dir);
	ck_assert_msg(cairn_config_save(&cfg, path, &err), "%s", err.text);
	int status = cairn_stage_main(&program, 5, argv);
	cairn_run_dir_remove(dir);
	return status;
}

START_TEST(ports_hand_what_comes_to_a_core_by_pointer_to_a_part_and_to_the_state)
{
	static const struct cairn_port ports[] = {
	    {CAIRN_PORT_OUT(outputs)},
	    {CAIRN_PORT_IN(core_in, struct app, there)},
	    {CAIRN_PORT_IN_PART(core_in, struct app, part)},
	    {CAIRN_PORT_IN_STATE(state_in), .when = CAIRN_WHEN(local.enabled)},
	    {CAIRN_PORT_EVERY(1, on_tick)},
	    {CAIRN_PORT_EVERY(1, on_never), .when = CAIRN_WHEN(vlm.shadow)},
	    {.open = NULL},
	};
	ck_assert_int_eq(play(ports), 1); /* as on_tick has ended the loop */
	ck_assert_double_eq(there_x_m, 2.5);
	ck_assert_double_eq(seen.part.x_m, 2.5);
	ck_assert_double_eq(seen.self_x_m, 2.5);
	ck_assert_int_eq(never, 0);
	ck_assert_str_eq(order, "obec");
}
END_TEST

static int on_end(void *ctx)
{
	(void)ctx;
	return -1;
}

/* 5 Hz are 200 ms: before a second, and before the other key's minute. What is due at once is done in the order of the rows. */
START_TEST(a_period_may_be_told_by_a_key)
{
	static const struct cairn_port ports[] = {
	    {CAIRN_PORT_EVERY_HZ(local.rate_hz, on_end)},
	    {CAIRN_PORT_EVERY(1000, on_never)},
	    {CAIRN_PORT_EVERY_S(local.checkpoint_s, on_never)},
	    {.open = NULL},
	};
	ck_assert_int_eq(play(ports), 1);
	ck_assert_int_eq(never, 0);
}
END_TEST

static bool refuse(
    const struct cairn_port *port, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	(void)port, (void)stage, (void)app;
	cairn_error_set(err, "not today");
	return false;
}

START_TEST(a_port_that_cannot_be_opened_ends_the_program_before_it_begins)
{
	static const struct cairn_port ports[] = {{.open = refuse}, {.open = NULL}};
	ck_assert_int_eq(play(ports), 1);
	ck_assert_str_eq(order, "oc");
}
END_TEST

CAIRN_TEST_MAIN("stage", ports_hand_what_comes_to_a_core_by_pointer_to_a_part_and_to_the_state,
    a_period_may_be_told_by_a_key, a_port_that_cannot_be_opened_ends_the_program_before_it_begins)
