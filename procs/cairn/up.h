/* up.h - the parts of `cairn up`: preparing a run, showing it, summing it up. cmd_up.c puts them together. */
#ifndef CAIRN_PROCS_CAIRN_UP_H
#define CAIRN_PROCS_CAIRN_UP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

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
	UP_SCAN,
	UP_DECISION,
	UP_RESULT,
	UP_TOPIC_COUNT
};

/* What has happened in a run at any time, for its verdict: the newest messages may tell of none of it any more. */
struct up_seen {
	uint64_t scans;       /* valid ones that were heard; a reader hears not all */
	uint64_t decisions;   /* executed */
	uint64_t answers;     /* of the model, of use */
	bool mission, wanted; /* there was a mission; it wanted a decision of the model */
	bool estop, paused;   /* a person held it */
	bool budget;          /* the budget allowed no call */
	bool ended;           /* it is being taken down */
	uint64_t failures;    /* of the model, when error was noted last */
	uint32_t stages_up;   /* bit i: row i of the stage table has been up */
	char dying[160];      /* the stage that kept dying when the run was ended, and why; empty: none */
	char error[200];      /* the last error of model, device or stage, and whose; empty: none */
};

#define UP_DECISIONS 8

/* A decision as the table shows it. */
struct up_decision {
	uint64_t id;
	double t_s; /* since the start of the run */
	char what[96], why[160];
	char became[224]; /* outcome and its reason; empty: not yet known */
};

/* What is known about a run, filled from the bus. */
struct up_run {
	char run_dir[256];
	char page[128]; /* its address; empty: not known yet, or not served */
	struct cairn_config cfg;
	int64_t start_ns; /* before anything was started */
	bool have_mission, have_stages, have_truth, have_vlm, have_pose, have_frontiers, have_motion,
	    have_tier, have_health, have_nav, have_discoveries, have_scan, have_decision, have_result;
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
	struct cairn_msg_scan scan;
	struct cairn_msg_decision decision;
	struct cairn_msg_result result;
	struct up_decision decisions[UP_DECISIONS]; /* a ring, by decision_count */
	uint64_t decision_count;
	struct up_seen seen;
	int64_t stamp_ns[UP_TOPIC_COUNT]; /* of the newest message of each */
	double first_decision_s;          /* since start_ns; negative = none yet */
	double rss_mb_max;
	double cpu_s;                                /* of launchers that are gone */
	double cpu_span_s;                           /* and the time they lived */
	uint32_t launcher_restarts, restarts_before; /* the latter by launchers that are gone */
	double coverage[UP_COVERAGE_MAX];            /* truth, every coverage_step_s */
	int coverage_count;
	char warnings[1200]; /* lines of what the checks warn of, each with its newline */
	char fallback[160];  /* what the data plane falls back to; empty: as configured */
	char said_home[700]; /* what became of what was learned before; empty: there was nothing */
	int state_lock_fd;   /* of launcher.state_dir; -1: none */
	char end_reason[256];
	bool as_asked; /* ended for a reason somebody wanted */
};

struct up_feed; /* subscriptions of a run */

struct up_options {
	struct cairn_config_layers layers; /* share_dir is found by up_config() */
	const char *world, *limit, *goal;  /* NULL = not given */
	bool record;                       /* record.enabled */
	bool fresh;                        /* what was learned before is set aside */
	bool real; /* devices are asked: a simulated robot is meant to be a serial one */
};

#define UP_COVERAGE_STEP_S 5.0

/* The configuration as a run would take it. share: room for the folder that holds config/. */
bool up_config(struct cairn_config *cfg, const struct up_options *options, char *share, size_t bytes,
    struct cairn_error *err);
/* In the run directory, for 'cairn down' and whoever asks whether a stack runs there. */
void up_note_launcher(const char *run_dir, pid_t pid);
/* Could this be the run directory? Makes and removes nothing. False with the reason. */
bool up_run_dir_fits(const char *run_dir, struct cairn_error *err);
/* Merges the configuration, goes through the checks of checks.def and makes the run directory. run->run_dir is set by the caller. *ret_lock_fd keeps a second `up` out. False
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

struct up_keys;
struct up_map_picture;

/* What the screen shows beside the run. */
struct up_screen {
	int rows, cols;
	bool colour;
	const struct up_keys *keys;       /* NULL: there are none */
	const struct up_map_picture *map; /* NULL: none is shown */
};

/* The screen as text with line ends, at most rows lines of cols columns; colour by escape sequences. */
void up_view(const struct up_run *run, int64_t now_ns, const struct up_screen *screen, FILE *out);
/* The rows that it leaves for a map, with the processes or without. */
int up_view_map_rows(int rows, bool processes);
/* One line for a log. */
void up_view_line(const struct up_run *run, int64_t now_ns, FILE *out);

/* The summary as one JSON object; for_people: as text. */
void up_summary_json(const struct up_run *run, int64_t now_ns, FILE *out);
void up_summary_text(const struct up_run *run, int64_t now_ns, FILE *out);
/* The map with the path driven, from the mapper's last checkpoint. False with err set when there is none. */
bool up_picture(const struct up_run *run, const char *path, struct cairn_error *err);

/* To be called once, when the run is ended and before anything is taken down: which stage keeps dying. */
void up_mark_end(struct up_run *run, int64_t now_ns);
/* What is wrong now, most serious first: health, a stage that is not up, the wheels, the model. Empty: nothing. */
void up_trouble(const struct up_run *run, char *text, size_t bytes);
/* Keeps the last trouble, and the last failure of the model, in run->seen.error; what is not there yet while the stack
 * comes up is no error. */
void up_note_error(struct up_run *run);
/* Passed: ended as asked, nothing was touched, scans came, decisions were executed and the model gave usable answers (or
 * there is an allowed reason why not), no stage kept dying. why: the reason why not, or the allowed reason, or empty. */
bool up_passed(const struct up_run *run, char *why, size_t bytes);
/* 0 or 1: passed or not. */
int up_exit_status(const struct up_run *run);

#endif
