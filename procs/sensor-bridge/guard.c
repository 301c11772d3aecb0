/* guard.c - bumpers and cliff sensors on GPIO lines, as topic guard. A touch is told at once. Lines that cannot be read are
 * not told of: the motor stage stands for what it does not hear (safety.guard). */
#include <stdlib.h>

#include "common/base/geom.h"
#include "common/base/retry.h"
#include "common/device/guard_lines.h"
#include "procs/gpio/gpio.h"
#include "procs/sensor-bridge/bridge.h"

#define TICK_MS 10
#define REPEAT_NS (50 * CAIRN_NS_PER_MS)

struct app {
	struct cairn_stage *stage;
	const struct cairn_config *cfg;
	struct cairn_gpio_lines lines;
	struct gpio_lines *gpio; /* NULL = closed */
	struct cairn_retry opening;
	struct cairn_pub *pub;
	struct cairn_msg_guard told;
	int64_t told_ns;
};

static void tried(struct app *app, const char *trouble)
{
	cairn_stage_tried(app->stage, "read bumpers and cliff sensors", trouble);
	cairn_stage_note(app->stage, trouble != NULL ? trouble : "in service");
}

static bool opened(struct app *app, int64_t now_ns)
{
	struct cairn_error err = {""};
	if (app->gpio != NULL)
		return true;
	if (!cairn_retry_due(&app->opening, now_ns))
		return false;
	app->gpio = gpio_open(app->cfg->robot.guard_chip, &app->lines, &err);
	cairn_retry_tried(&app->opening, app->gpio != NULL, now_ns);
	tried(app, app->gpio != NULL ? NULL : err.text);
	return app->gpio != NULL;
}

static int on_tick(void *ctx)
{
	struct app *app = ctx;
	bool level[CAIRN_GPIO_LINES_MAX];
	struct cairn_error err = {""};
	int64_t now_ns = cairn_now_ns();
	if (!opened(app, now_ns))
		return 0;
	if (!gpio_read(app->gpio, level, &err)) {
		tried(app, err.text);
		gpio_close(&app->gpio);
		cairn_retry_tried(&app->opening, false, now_ns);
		return 0;
	}
	struct cairn_msg_guard m = cairn_guard_lines_message(&app->lines, level);
	bool news = m.bumper != app->told.bumper || m.bumper_rear != app->told.bumper_rear ||
		    m.floor_m != app->told.floor_m;
	if (news || now_ns - app->told_ns >= REPEAT_NS) {
		cairn_pub_send(app->pub, &m, now_ns, true);
		app->told = m;
		app->told_ns = now_ns;
	}
	return 0;
}

int cairn_bridge_guard(struct cairn_stage *stage)
{
	struct cairn_error err = {""};
	struct app *app = calloc(1, sizeof(*app));
	if (app == NULL)
		return 1;
	app->stage = stage;
	app->cfg = cairn_stage_config(stage);
	(void)cairn_guard_lines_parse(
	    &app->lines, app->cfg->robot.guard_lines, &err); /* checked by the rules */
	app->pub = cairn_stage_publish(stage, CAIRN_TOPIC_GUARD);
	cairn_stage_every(stage, TICK_MS, on_tick, app);
	on_tick(app);
	cairn_stage_ready(stage);
	int status = cairn_stage_run(stage);
	gpio_close(&app->gpio);
	free(app);
	return status;
}
