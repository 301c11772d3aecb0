/* up_view.c - a run as a person sees it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/base/geom.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/narrow.h"
#include "procs/cairn/up.h"
#include "procs/cairn/up_keys.h"
#include "procs/cairn/up_map.h"

#define LABEL 11
#define DECISIONS_SHOWN 4
#define ROWS_ABOVE 21 /* of the map, at most, with its own last line */
#define ROWS_OF_PROCESSES 19
#define MAP_ROWS_MIN 6

struct screen {
	FILE *out;
	int rows, cols, used;
	bool colour;
};

enum tint { PLAIN, DIM, BOLD, GOOD, WARN, BAD };
static const char *const tints[] = {"", "\033[2m", "\033[1m", "\033[32m", "\033[33m", "\033[31m"};

/* Columns a text takes: its UTF-8 characters (all ours are one column wide). */
static int columns(const char *text, size_t len)
{
	int n = 0;
	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

static size_t fit(const char *text, int cols)
{
	size_t len = strlen(text);
	while (columns(text, len) > cols) {
		do
			len--;
		while (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80);
	}
	return len;
}

/* One line: a label, then text, cut to the width. Text from outside cannot move the cursor. */
__attribute__((format(printf, 4, 5))) static void line(
    struct screen *s, enum tint tint, const char *label, const char *fmt, ...)
{
	if (s->used >= s->rows)
		return;
	char text[640];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (char *c = text; *c != '\0'; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	}
	int room = s->cols - (label[0] != '\0' ? LABEL : 0);
	size_t len = fit(text, room > 0 ? room : 0);
	if (label[0] != '\0')
		fprintf(s->out, "%s%-*s%s", s->colour ? tints[DIM] : "", LABEL, label,
		    s->colour ? "\033[0m" : "");
	fprintf(s->out, "%s%.*s%s%s\n", s->colour ? tints[tint] : "", (int)len, text,
	    s->colour ? "\033[0m" : "", s->colour ? "\033[K" : "");
	s->used++;
}

static void view_head(struct screen *s, const struct up_run *run, int64_t now_ns)
{
	char elapsed[32], limit[40] = "";
	const char *slash = strrchr(run->cfg.sim.world, '/');
	bool simulated = run->cfg.robot.drive == CAIRN_CHOICE_DRIVE_SIMULATED;
	cli_clock_text((double)(now_ns - run->start_ns) * 1e-9, elapsed, sizeof(elapsed));
	if (run->cfg.mission.limit_s > 0.0) {
		memcpy(limit, " of ", 5);
		cli_clock_text(run->cfg.mission.limit_s, limit + 4, sizeof(limit) - 4);
	}
	line(s, BOLD, "", "cairn %s   %s   %s%s   %s", CAIRN_VERSION,
	    simulated ? (slash != NULL ? slash + 1 : run->cfg.sim.world) : run->cfg.robot.name, elapsed,
	    limit, run->run_dir);
	if (run->page[0] != '\0')
		line(s, PLAIN, "page", "%s", run->page);
}

static void view_mission(struct screen *s, const struct up_run *run)
{
	if (!run->have_mission) {
		line(s, DIM, "mission", "coming up ...");
		return;
	}
	const struct cairn_msg_mission *m = &run->mission;
	line(s, m->state == CAIRN_MISSION_STATE_EXPLORING ? GOOD : PLAIN, "mission", "%s%s%s",
	    cairn_enum_text(&cairn_enum_mission_state, (int)m->state), m->reason[0] != '\0' ? ": " : "",
	    m->reason);
	line(s, PLAIN, "doing", "%s%s%s%s", m->activity[0] != '\0' ? m->activity : "-",
	    m->decision_id != 0 ? "   by " : "",
	    m->decision_id != 0 ? cairn_enum_text(&cairn_enum_source, (int)m->decision_source) : "",
	    m->wants_decision ? "   (waits for a decision)" : "");
	if (run->have_tier && run->tier.tier != CAIRN_TIER_NORMAL && run->tier.reason[0] != '\0')
		line(s, WARN, "tier", "%s: %s", cairn_enum_text(&cairn_enum_tier, (int)run->tier.tier),
		    run->tier.reason);
	else
		line(s, PLAIN, "tier", "%s",
		    run->have_tier ? cairn_enum_text(&cairn_enum_tier, (int)run->tier.tier) : "-");
}

/* With the words of an operator, who has stopped it, which its reason does not have. */
static const char *motor_note(const struct up_run *run)
{
	for (uint32_t i = 0; run->have_stages && i < run->stages.items_count; i++)
		if (strcmp(run->stages.items[i].name, "motor") == 0)
			return run->stages.items[i].note;
	return "";
}

static void view_robot(struct screen *s, const struct up_run *run)
{
	const struct cairn_msg_pose *p = &run->pose;
	if (run->have_pose) {
		double deg = cairn_compass_deg(p->yaw_rad);
		line(s, p->tracking == CAIRN_TRACKING_GOOD ? PLAIN : WARN, "pose",
		    "x %+.2f  y %+.2f m  %3d° %s   tracking %s %.0f %%   %.1f m driven   %.2f m/s", p->x_m,
		    p->y_m, cairn_compass_whole_deg(p->yaw_rad), cairn_compass_point(deg),
		    cairn_enum_text(&cairn_enum_tracking, (int)p->tracking), 100.0 * p->quality,
		    p->distance_m, p->v_mps);
	}
	const char *note = motor_note(run);
	if (run->have_motion && run->motion.state == CAIRN_MOTOR_STATE_ESTOP && note[0] != '\0')
		line(s, BAD, "wheels", "%s", note);
	else if (run->have_motion)
		line(s,
		    run->motion.state == CAIRN_MOTOR_STATE_DRIVING ||
			    run->motion.state == CAIRN_MOTOR_STATE_IDLE
			? PLAIN
			: WARN,
		    "wheels", "%s%s%s   nearest %.2f m",
		    cairn_enum_text(&cairn_enum_motor_state, (int)run->motion.state),
		    run->motion.reason[0] != '\0' ? ": " : "", run->motion.reason, run->motion.nearest_m);
	if (run->have_frontiers)
		line(s, PLAIN, "map",
		    "%.1f m2 free, %.1f x %.1f m   %u frontiers (%u within reach, %u gaps too narrow)   "
		    "coverage "
		    "%.0f %%",
		    run->frontiers.free_m2, run->frontiers.map_width_m, run->frontiers.map_height_m,
		    run->frontiers.total, run->frontiers.reachable, narrow_count(&run->frontiers),
		    100.0 * run->frontiers.coverage);
}

static void view_model(struct screen *s, const struct up_run *run)
{
	const struct cairn_msg_mission *m = &run->mission;
	if (run->have_vlm)
		line(s, run->vlm.net_tier == CAIRN_NET_TIER_NORMAL ? PLAIN : WARN, "model",
		    "%s   %" PRIu64 " calls, %" PRIu64 " failed   %.2f s   %.4f USD   %s", run->vlm.model,
		    run->vlm.calls, run->vlm.failures, run->vlm.latency_mean_s, run->vlm.cost_usd,
		    cairn_enum_text(&cairn_enum_net_tier, (int)run->vlm.net_tier));
	line(s, PLAIN, "decisions", "%" PRIu64 " driven, %" PRIu64 " refused, %" PRIu64 " overridden",
	    m->decisions, m->refused, m->overrides);
	if (run->have_vlm && run->vlm.last_error[0] != '\0')
		line(s, WARN, "error", "%s", run->vlm.last_error);
	if (run->have_truth)
		line(s, run->truth.contacts > 0 ? BAD : GOOD, "truth",
		    "%u contacts   clearance %.2f m   %.1f %% of the house seen   %.2f m from the start   %s",
		    run->truth.contacts, run->truth.clearance_m, 100.0 * run->truth.coverage,
		    run->truth.home_m, run->truth.room);
}

static enum tint stage_tint(const struct cairn_msg_stage *st)
{
	if (st->state == CAIRN_STAGE_STATE_UP)
		return st->heartbeat_age_s > 3.0 ? WARN : PLAIN;
	return st->state == CAIRN_STAGE_STATE_FAILED ? BAD : WARN;
}

static void view_stages(struct screen *s, const struct up_run *run)
{
	if (!run->have_stages)
		return;
	line(s, DIM, "", "%-15s %-9s %7s %8s %8s %7s %6s %6s", "stage", "state", "pid", "restarts", "up",
	    "beat", "cpu", "MB");
	for (uint32_t i = 0; i < run->stages.items_count; i++) {
		const struct cairn_msg_stage *st = &run->stages.items[i];
		char up[32], beat[16] = "-";
		cli_clock_text(st->uptime_s, up, sizeof(up));
		if (st->heartbeat_age_s >= 0.0)
			snprintf(beat, sizeof(beat), "%.1f s", st->heartbeat_age_s);
		line(s, stage_tint(st), "", "%-15s %-9s %7d %8u %8s %7s %5.1f%% %6.1f  %s", st->name,
		    cairn_enum_text(&cairn_enum_stage_state, (int)st->state), st->pid, st->restarts, up, beat,
		    100.0 * st->cpu_cores, st->rss_mb, st->note);
	}
	line(s, DIM, "", "%-15s %-9s %7s %8u %8s %7s %5.1f%% %6.1f", "together", "", "", run->stages.restarts,
	    "", "", 100.0 * run->stages.cpu_cores_mean, run->stages.rss_mb);
}

/* ---- decisions, map, keys ---- */

static void view_decisions(struct screen *s, const struct up_run *run, int most)
{
	uint64_t count = run->decision_count < UP_DECISIONS ? run->decision_count : UP_DECISIONS;
	if (count > (uint64_t)most)
		count = (uint64_t)most;
	for (uint64_t i = 0; i < count; i++) {
		const struct up_decision *d = &run->decisions[(run->decision_count - 1 - i) % UP_DECISIONS];
		char when[32];
		cli_clock_text(d->t_s, when, sizeof(when));
		line(s, PLAIN, i == 0 ? "decided" : " ", "%s  [%s] %s%s%s", when,
		    d->became[0] != '\0' ? d->became : "under way", d->what,
		    d->why[0] != '\0' ? " because: " : "", d->why);
	}
}

static char heading_mark(double yaw_rad)
{
	double deg = cairn_rad_to_deg(cairn_wrap_rad(yaw_rad)); /* x to the right, y up */
	return fabs(deg) <= 45.0 ? '>' : fabs(deg) >= 135.0 ? '<' : deg > 0.0 ? '^' : 'v';
}

static void put_mark(struct up_map_picture *p, double x_m, double y_m, char mark)
{
	int col, row;
	if (up_map_place(p, x_m, y_m, &col, &row))
		p->cells[row][col] = mark;
}

static void view_map(struct screen *s, const struct up_run *run, const struct up_map_picture *map)
{
	struct up_map_picture p;
	if (map == NULL || map->cols == 0 || s->rows - s->used < map->rows)
		return;
	p = *map;
	for (uint32_t i = 0; run->have_frontiers && i < run->frontiers.items_count; i++)
		put_mark(&p, run->frontiers.items[i].x_m, run->frontiers.items[i].y_m, '?');
	for (uint32_t i = 0; run->have_frontiers && i < run->frontiers.items_count; i++)
		if (run->frontiers.items[i].gap_m > 0.0)
			put_mark(&p, run->frontiers.items[i].gap_x_m, run->frontiers.items[i].gap_y_m, '!');
	put_mark(&p, 0.0, 0.0, 'o');
	if (run->have_pose)
		put_mark(&p, run->pose.x_m, run->pose.y_m, heading_mark(run->pose.yaw_rad));
	for (int row = 0; row < p.rows; row++)
		line(s, PLAIN, "", "%.*s", p.cols < s->cols ? p.cols : s->cols, p.cells[row]);
}

static void view_help(struct screen *s)
{
	line(s, BOLD, "",
	    "space  emergency stop, latched: 'cairn release' in another terminal lets it drive again");
	line(s, PLAIN, "", "q      end the run; an emergency stop holds over to the next one");
	line(s, PLAIN, "", "p      the processes, or not");
	line(s, PLAIN, "", "?      this, or not");
	line(s, DIM, "",
	    "map    # something stands there   . free   ? a frontier   ! a gap too narrow   o the start   "
	    "< > ^ v the robot; x to the right");
}

int up_view_map_rows(int rows, bool processes)
{
	int left = rows - ROWS_ABOVE - (processes ? ROWS_OF_PROCESSES : 0);
	return left >= MAP_ROWS_MIN ? left : 0;
}

void up_view(const struct up_run *run, int64_t now_ns, const struct up_screen *screen, FILE *out)
{
	const struct up_keys *keys = screen->keys;
	struct screen s = {out, screen->rows, screen->cols, 0, screen->colour};
	s.rows -= keys != NULL; /* the last one is of the keys */
	view_head(&s, run, now_ns);
	view_mission(&s, run);
	view_robot(&s, run);
	view_model(&s, run);
	char trouble[200];
	up_trouble(run, trouble, sizeof(trouble));
	if (trouble[0] != '\0')
		line(&s, BAD, "trouble", "%s", trouble);
	if (keys != NULL && keys->said[0] != '\0')
		line(&s, keys->failed ? BAD : WARN, "", "%s", keys->said);
	if (keys != NULL && keys->help)
		view_help(&s);
	view_decisions(&s, run, screen->rows >= ROWS_ABOVE ? DECISIONS_SHOWN : 1);
	line(&s, PLAIN, "", "%s", "");
	if (keys == NULL || keys->processes)
		view_stages(&s, run);
	view_map(&s, run, screen->map);
	if (keys == NULL)
		return;
	while (s.used < s.rows)
		line(&s, PLAIN, "", "%s", "");
	s.rows++;
	line(&s, DIM, "", "space: EMERGENCY STOP   q: end   p: processes   ?: help");
}

void up_view_line(const struct up_run *run, int64_t now_ns, FILE *out)
{
	char elapsed[32];
	cli_clock_text((double)(now_ns - run->start_ns) * 1e-9, elapsed, sizeof(elapsed));
	fprintf(out, "%s  %-10s %3" PRIu64 " decisions  %5.1f m  ", elapsed,
	    run->have_mission ? cairn_enum_text(&cairn_enum_mission_state, (int)run->mission.state)
			      : "starting",
	    run->mission.decisions, run->pose.distance_m);
	if (run->have_truth)
		fprintf(
		    out, "%5.1f %% seen  %u contacts  ", 100.0 * run->truth.coverage, run->truth.contacts);
	char trouble[200];
	up_trouble(run, trouble, sizeof(trouble));
	fprintf(out, "%u frontiers  %.4f USD  %s%s%s\n", run->frontiers.reachable, run->vlm.cost_usd,
	    run->mission.activity, trouble[0] != '\0' ? "  TROUBLE: " : "", trouble);
	fflush(out);
}
