/* mapper - scan and odometry in; pose, frontiers, candidates and the occupancy grid out. What it knows is
 * saved while it changes, so that a mapper that is killed goes on where it was. */
#include <errno.h>

#include "common/base/geom.h"
#include "common/explore/explorer_ports.h"
#include "procs/mapper/mapper_stage.h"

static void on_command(void *ctx, const struct cairn_msg_command *cmd, struct cairn_msg_reply *reply)
{
	struct mapper_stage *s = ctx;
	cairn_mapper_command(&s->ports, cmd, reply);
	said_hint(s); /* a second try of the same fate is told as well */
}

static int on_input(void *ctx)
{
	map_frame_follow_epoch(ctx);
	said_input(ctx);
	return 0;
}

static int report(void *ctx)
{
	struct mapper_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	map_frame_send(s, now_ns);
	if (!cairn_mapper_report(&s->ports, (uint32_t)s->grid_seq, now_ns)) {
		cairn_log_error("no memory to look for frontiers");
		return -ENOMEM;
	}
	if (s->ports.unranked)
		cairn_log_warn("no memory to order the frontiers: the nearest comes first");
	said_candidates(s);
	return 0;
}

static int report_features(void *ctx)
{
	struct mapper_stage *s = ctx;
	int64_t now_ns = cairn_now_ns();
	if (!cairn_mapper_report_features(&s->ports, (uint32_t)s->grid_seq, now_ns)) {
		cairn_log_error("no memory to look for doorways");
		return -ENOMEM;
	}
	said_kept(s);
	cairn_mapper_report_claims(&s->ports, now_ns);
	return 0;
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct mapper_stage *s = ctx;
	s->grid_pub = cairn_stage_frame_pub(stage, CAIRN_FRAME_MAP_GRID, err);
	s->ports.box = s->outbox;
	/* Milliseconds since boot rise over restarts, as one set a report is far less than that. */
	return s->grid_pub != NULL &&
	       cairn_mapper_ports_open(
		   &s->ports, s->cfg, (uint64_t)(cairn_now_ns() / CAIRN_NS_PER_MS), err) &&
	       map_file_open(s, err);
}

static void close_all(void *ctx)
{
	struct mapper_stage *s = ctx;
	cairn_mapper_ports_close(&s->ports);
}

static const struct cairn_port ports[] = {
    {CAIRN_PORT_OUT(cairn_mapper_out)},
    {CAIRN_PORT_IN(cairn_explorer_in, struct mapper_stage, ports.explorer)},
    {CAIRN_PORT_IN_PART(cairn_mapper_in, struct mapper_stage, ports), .fn = on_input},
    {CAIRN_PORT_SERVE(CAIRN_SERVICE_MAPPER_CTL, on_command)},
    {CAIRN_PORT_EVERY(500, report)},
    {CAIRN_PORT_EVERY(1000, report_features)},
    {CAIRN_PORT_EVERY(100, map_file_checkpoint)},
    {.open = NULL},
};

CAIRN_STAGE_MAIN("cairn-mapper", "matches scans, keeps the map, finds frontiers", struct mapper_stage,
    .open = open_all, .ports = ports, .ended = said_at_end, .close = close_all)
