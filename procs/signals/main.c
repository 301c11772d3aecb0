/* signals - says what beeper and lights are to show, on topic signal for the motor stage, which has those of the board, and for
 * people; and drives those on GPIO lines. Nothing waits for it. */
#include <string.h>

#include "common/base/retry.h"
#include "common/signal/signal_lines.h"
#include "common/signal/signal_ports.h"
#include "procs/gpio/gpio.h"
#include "procs/shell/stage.h"

#define STEP_MS 20

struct app {
	CAIRN_STAGE_STATE;
	struct cairn_signals core;
	struct cairn_msg_signal told;
	int64_t since_ns; /* the signal is shown */
	struct cairn_gpio_lines lines;
	struct gpio_lines *gpio; /* NULL = closed */
	struct cairn_retry opening;
	bool level[CAIRN_GPIO_LINES_MAX];
};

static void tried(struct app *app, bool ok, const struct cairn_error *err, int64_t now_ns)
{
	cairn_retry_tried(&app->opening, ok, now_ns);
	cairn_stage_tried(app->stage, "set beeper and lights", ok ? NULL : err->text);
}

static void drive_lines(struct app *app, int64_t now_ns)
{
	bool level[CAIRN_GPIO_LINES_MAX];
	struct cairn_error err = {""};
	struct cairn_signal_look look = cairn_signal_look(app->told.signal, now_ns - app->since_ns);
	look.sounds = look.sounds && app->cfg->robot.signal_beeps;
	cairn_signal_lines_levels(&app->lines, look, level);
	bool changed = memcmp(level, app->level, app->lines.count * sizeof(level[0])) != 0;
	if (app->gpio == NULL && cairn_retry_due(&app->opening, now_ns)) {
		app->gpio = gpio_open_outputs(app->cfg->robot.signal_chip, &app->lines, level, &err);
		tried(app, app->gpio != NULL, &err, now_ns);
	} else if (app->gpio != NULL && changed && !gpio_write(app->gpio, level, &err)) {
		gpio_close(&app->gpio);
		tried(app, false, &err, now_ns);
	}
	memcpy(app->level, level, app->lines.count * sizeof(level[0]));
}

static int on_step(void *ctx)
{
	struct app *app = ctx;
	struct cairn_msg_signal m;
	int64_t now_ns = cairn_now_ns();
	cairn_signals_step(&app->core, now_ns, &m);
	bool is_new = m.signal != app->told.signal || strcmp(m.reason, app->told.reason) != 0;
	if (m.signal != app->told.signal) {
		app->since_ns = now_ns;
		cairn_stage_note(app->stage, cairn_enum_text(&cairn_enum_signal, (int)m.signal));
	}
	app->told = m;
	cairn_outbox_put(app->outbox, CAIRN_TOPIC_SIGNAL, &m, is_new, now_ns);
	if (app->lines.count > 0)
		drive_lines(app, now_ns);
	return 0;
}

static bool open_core(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct app *app = ctx;
	(void)stage;
	app->since_ns = cairn_now_ns();
	if (app->cfg->robot.drive != CAIRN_CHOICE_DRIVE_SIMULATED &&
	    !cairn_signal_lines_parse(&app->lines, app->cfg->robot.signal_lines, err))
		return false;
	cairn_signals_init(&app->core, app->cfg->robot.battery_warn_percent);
	return true;
}

static void close_all(void *ctx)
{
	struct app *app = ctx;
	bool level[CAIRN_GPIO_LINES_MAX];
	struct cairn_error err = {""};
	cairn_signal_lines_levels(&app->lines, (struct cairn_signal_look){0}, level);
	if (app->gpio != NULL)
		(void)gpio_write(app->gpio, level, &err); /* what is closed may keep its level */
	gpio_close(&app->gpio);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(cairn_signals_out)},
    {CAIRN_PORT_IN_PART(cairn_signals_in, struct app, core)},
    {CAIRN_PORT_EVERY(STEP_MS, on_step)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-signals", "beeper and lights for the robot's state", struct app, .open = open_core,
    .ports = ports, .close = close_all)
