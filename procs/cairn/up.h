/* up.h - the parts of `cairn up`: preparing a run, showing it, summing it up. cmd_up.c puts them together. */
#ifndef CAIRN_PROCS_CAIRN_UP_H
#define CAIRN_PROCS_CAIRN_UP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/config/config.h"
#include "ipc/bus.h"

#define UP_COVERAGE_MAX 512

/* The topics a run is seen through. */
enum up_topic {
	UP_MISSION,
	UP_STAGES,
	UP_TRUTH,
	UP_VLM,
	UP_POSE,
	UP_FRONTIERS,
	UP_MOTION,
	UP_TIER,
	UP_HEALTH,
	UP_NAV,
	UP_DISCOVERIES,
	UP_TOPIC_COUNT
};

/* What is known about a run, filled from the bus. */
struct up_run {
	char run_dir[256];
	struct cairn_config cfg;
	int64_t start_ns; /* before anything was started */
	bool have_mission, have_stages, have_truth, have_vlm, have_pose, have_frontiers, have_motion,
	    have_tier, have_health, have_nav, have_discoveries;
	struct cairn_msg_mission mission;
	struct cairn_msg_stages stages;
	struct cairn_msg_sim_truth truth;
	struct cairn_msg_vlm_stats vlm;
	struct cairn_msg_pose pose;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_motion motion;
	struct cairn_msg_tier tier;
	struct cairn_msg_health health;
	struct cairn_msg_nav_status nav;
	struct cairn_msg_discoveries discoveries;
	int64_t stamp_ns[UP_TOPIC_COUNT]; /* of the newest message of each */
	double first_decision_s;          /* since start_ns; negative = none yet */
	double rss_mb_max;
	double cpu_s;                                /* of launchers that are gone */
	double cpu_span_s;                           /* and the time they lived */
	uint32_t launcher_restarts, restarts_before; /* the latter by launchers that are gone */
	double coverage[UP_COVERAGE_MAX];            /* truth, every coverage_step_s */
	int coverage_count;
	char fallback[160]; /* what the data plane falls back to; empty: as configured */
	char end_reason[160];
	bool as_asked; /* ended for a reason somebody wanted */
};

struct up_feed; /* subscriptions of a run */

struct up_options {
	const char *config_file, *world, *limit, *goal; /* NULL = not given */
	const char *const *sets;
	int set_count;
};

#define UP_COVERAGE_STEP_S 5.0

/* Merges the configuration, checks what can be checked before anything moves (world, port, key, memory, run
 * directory) and makes the run directory. run->run_dir is set by the caller. *ret_lock_fd keeps a second `up` out. False
 * with one line in err; *ret_status is the exit status. */
bool up_prepare(struct up_run *run, const struct up_options *options, int *ret_lock_fd, int *ret_status,
    struct cairn_error *err);
/* Removes sockets and links; what a person may want to read stays. */
void up_clean(const char *run_dir);

struct up_feed *up_feed_new(struct cairn_bus *bus, struct cairn_error *err);
void up_feed_destroy(struct up_feed **feed_p);
/* Takes what has come and updates run. */
void up_feed_pump(struct up_feed *feed, struct up_run *run, int64_t now_ns);
/* The launcher has gone: its figures are added up, the next one starts at zero. */
void up_fold_launcher(struct up_run *run);

/* The screen as text with line ends, at most `rows` lines of `cols` columns; colour by escape sequences. */
void up_view(const struct up_run *run, int64_t now_ns, int rows, int cols, bool colour, FILE *out);
/* One line for a log. */
void up_view_line(const struct up_run *run, int64_t now_ns, FILE *out);

/* The summary as one JSON object; for_people: as text. */
void up_summary_json(const struct up_run *run, int64_t now_ns, FILE *out);
void up_summary_text(const struct up_run *run, int64_t now_ns, FILE *out);
/* The map with the path driven, from the mapper's last checkpoint. False with err set when there is none. */
bool up_picture(const struct up_run *run, const char *path, struct cairn_error *err);
/* 0 or 1, as documented: ended as asked, and without a contact. */
int up_exit_status(const struct up_run *run);

#endif
