/* Orders, instant actions and zone sets of a fleet, one message a line, in both versions: whatever comes, the robot is given no other command
 * than those of master control, with places that are numbers; all that it tells is JSON; and what it keeps can be read again. The
 * first byte chooses the version and the rights. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/fleet/fleet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look_at_commands(struct cairn_fleet *f, int64_t now_ns)
{
	struct cairn_fleet_command c;
	while (cairn_fleet_next_command(f, &c)) {
		must(c.command == CAIRN_COMMAND_GOTO || c.command == CAIRN_COMMAND_STOP ||
		     c.command == CAIRN_COMMAND_PAUSE || c.command == CAIRN_COMMAND_RESUME ||
		     c.command == CAIRN_COMMAND_ZONE);
		must(isfinite(c.request.x_m) && isfinite(c.request.y_m));
		cairn_fleet_replied(f, c.tag, now_ns % 3 != 0, "as it may be", now_ns);
	}
}

static void look_at_messages(struct cairn_fleet *f)
{
	struct cairn_fleet_message m;
	while (cairn_fleet_next_message(f, &m)) {
		json_t *j = json_loads(m.json, JSON_REJECT_DUPLICATES, NULL);
		must(json_is_object(j));
		json_decref(j);
		free(m.json);
	}
}

/* A process that is started anew has the same order. */
static void look_at_record(struct cairn_fleet *f, const struct cairn_config *cfg)
{
	struct cairn_error err = {""};
	char *record = cairn_fleet_save(f);
	must(record != NULL);
	struct cairn_fleet *again = cairn_fleet_new(cfg, record, &err);
	must(again != NULL);
	must(strcmp(cairn_fleet_order_of(again)->id, cairn_fleet_order_of(f)->id) == 0);
	must(cairn_fleet_order_active(cairn_fleet_order_of(again)) ==
	     cairn_fleet_order_active(cairn_fleet_order_of(f)));
	cairn_fleet_destroy(&again);
	free(record);
}

static void tell_pose(struct cairn_fleet *f, int64_t now_ns)
{
	struct cairn_msg_pose pose = {.tracking = CAIRN_TRACKING_GOOD, .quality = 1.0};
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_IDLE};
	struct cairn_header hdr = {
	    .version = CAIRN_SCHEMA_VERSION, .seq = 1, .epoch = 1, .t_ns = now_ns, .valid = true};
	(void)cairn_in_deliver(cairn_fleet_in, f, CAIRN_TOPIC_POSE, &pose, &hdr, now_ns);
	(void)cairn_in_deliver(cairn_fleet_in, f, CAIRN_TOPIC_MISSION, &mission, &hdr, now_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	static struct cairn_config cfg;
	struct cairn_error err = {""};
	int64_t now_ns = 100 * CAIRN_NS_PER_S;
	if (count == 0)
		return 0;
	cairn_config_defaults(&cfg);
	cfg.fleet.version = data[0] & 1 ? CAIRN_CHOICE_FLEET_VERSION_V3_0 : CAIRN_CHOICE_FLEET_VERSION_V2_1;
	snprintf(cfg.fleet.rights, sizeof(cfg.fleet.rights), "%s", data[0] & 2 ? "drive,configure" : "drive");
	snprintf(cfg.fleet.serial, sizeof(cfg.fleet.serial), "r1");
	struct cairn_fleet *f = cairn_fleet_new(&cfg, NULL, &err);
	must(f != NULL);
	cairn_fleet_connected(f, true, now_ns);
	for (const uint8_t *line = data + 1, *end = data + count; line < end; now_ns += 400000000) {
		const uint8_t *stop = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((stop != NULL ? stop : end) - line);
		tell_pose(f, now_ns);
		cairn_fleet_step(f, now_ns);
		if (n > 0)
			cairn_fleet_receive(f, (enum cairn_vda_topic)(CAIRN_VDA_ORDER + line[0] % 3),
			    line + 1, n - 1, now_ns);
		look_at_commands(f, now_ns);
		look_at_messages(f);
		look_at_record(f, &cfg);
		line += n + 1;
	}
	cairn_fleet_destroy(&f);
	return 0;
}
