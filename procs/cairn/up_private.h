/* up_private.h - the state of `cairn up` while it runs, shared by cmd_up.c and up_launcher.c. */
#ifndef CAIRN_PROCS_CAIRN_UP_PRIVATE_H
#define CAIRN_PROCS_CAIRN_UP_PRIVATE_H

#include "procs/cairn/up.h"
#include "procs/cairn/up_keys.h"
#include "procs/cairn/up_map.h"
#include "procs/cairn/up_notify.h"
#include "procs/cli/cli.h"
#include "procs/launcher/logfile.h"
#include "procs/launcher/spawn.h"

#define UP_DEATHS_KEPT 64 /* of the launcher */

struct up {
	struct up_run run;
	const struct cli *cli;
	struct cairn_bus *bus;
	struct up_feed *feed;
	struct cairn_child launcher;      /* pid 0 = none */
	int64_t heard_ns, heard_stamp_ns; /* when the launcher's newest report came, and its stamp */
	int64_t loop_ns;
	struct up_notify notify;
	struct up_keys keys; /* of the table */
	struct up_map map;
	struct cairn_logfile log;
	int signal_fd, deaths;
	int64_t deaths_ns[UP_DEATHS_KEPT];
	int64_t draw_due_ns, line_due_ns;
	bool headless, stay, ending;
	int interrupts;
	bool by_operator; /* one of them was a Ctrl-C */
};

/* Ends the run, unless it is ending already. */
void up_end_with(struct up *u, bool as_asked, const char *reason);
void up_on_signal(struct up *u, uint32_t signo);

/* ---- up_launcher.c ---- */
bool up_launcher_start(struct up *u);
void up_launcher_drain_log(struct up *u);
/* It has ended: what it wrote last is kept. */
void up_launcher_forget(struct up *u);
/* What a dead launcher leaves behind got SIGTERM when it died; it is killed if that is not enough. */
void up_launcher_wait_for_orphans(struct up *u);
/* After SIGCHLD: whoever has ended is waited for; a launcher that died is started again, unless it died too often. */
void up_launcher_reap(struct up *u);

#endif
