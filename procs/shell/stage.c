#include "procs/shell/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/rules/config_check.h"
#include "procs/shell/stage_private.h"

#define TROUBLE_CHARS 55

int64_t cairn_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

int64_t cairn_unix_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

double cairn_unix_s(void)
{
	return (double)cairn_unix_ns() * 1e-9;
}

/* ---- starting ---- */

static void usage(FILE *out, const char *program, const char *purpose)
{
	fprintf(out,
	    "%s - %s\n\n"
	    "usage: %s --run DIR --stage NAME [--ready-fd N]\n\n"
	    "  --run DIR       run directory of the stack; holds config.yaml, bus/, dev/, state/\n"
	    "  --stage NAME    row of the stage table this process plays\n"
	    "  --ready-fd N    a newline is written there once the stage is ready\n"
	    "  --help, --version\n\n"
	    "The launcher starts this program; by hand it joins the stack that runs in DIR.\n"
	    "Exit status: 0 ended as asked, 1 failed, 2 wrong usage or configuration.\n",
	    program, purpose, program);
}

/* 1: go on; 0 or 2: exit with that status. */
static int parse_options(
    struct cairn_stage *stage, const char *program, const char *purpose, int argc, char **argv)
{
	enum { OPT_RUN = 1, OPT_STAGE, OPT_READY, OPT_HELP, OPT_VERSION };
	static const struct option options[] = {{"run", required_argument, NULL, OPT_RUN},
	    {"stage", required_argument, NULL, OPT_STAGE}, {"ready-fd", required_argument, NULL, OPT_READY},
	    {"help", no_argument, NULL, OPT_HELP}, {"version", no_argument, NULL, OPT_VERSION}, {0}};
	int c;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case OPT_RUN:
			snprintf(stage->run_dir, sizeof(stage->run_dir), "%s", optarg);
			break;
		case OPT_STAGE:
			snprintf(stage->name, sizeof(stage->name), "%s", optarg);
			break;
		case OPT_READY:
			stage->ready_fd = atoi(optarg);
			break;
		case OPT_HELP:
			usage(stdout, program, purpose);
			return 0;
		case OPT_VERSION:
			printf("%s %s\n", program, CAIRN_VERSION);
			return 0;
		default:
			usage(stderr, program, purpose);
			return 2;
		}
	}
	if (stage->run_dir[0] == '\0' || stage->name[0] == '\0' || optind < argc) {
		usage(stderr, program, purpose);
		return 2;
	}
	return 1;
}

/* Signals arrive as data in the loop, so that none interrupts a publish half way. */
static int block_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int on_signal(void *ctx)
{
	struct cairn_stage *stage = ctx;
	struct signalfd_siginfo info;
	while (read(stage->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (!stage->ending)
			cairn_log_info("ending: signal %u", info.ssi_signo);
		stage->ending = true;
	}
	return 0;
}

static int on_timer(void *ctx)
{
	struct cairn_stage *stage = ctx;
	uint64_t times;
	ssize_t n = read(stage->timer_fd, &times, sizeof(times));
	(void)n; /* nothing to read: set anew since */
	return 0;
}

struct cairn_stage *cairn_stage_start(
    const char *program, const char *purpose, int argc, char **argv, int *ret_status)
{
	struct cairn_stage *stage = calloc(1, sizeof(*stage));
	if (stage == NULL) {
		*ret_status = 1;
		return NULL;
	}
	stage->ready_fd = stage->poller.epoll_fd = -1;
	int r = parse_options(stage, program, purpose, argc, argv);
	if (r != 1) {
		free(stage);
		*ret_status = r;
		return NULL;
	}
	/* The launcher's end is our end; asked for before anything could hang, and checked for the gap before
	 * it. */
	pid_t parent = getppid();
	if (stage->ready_fd >= 0)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	cairn_log_init(stage->name, CAIRN_LOG_INFO);

	char path[300];
	struct cairn_error err = {""};
	snprintf(path, sizeof(path), "%s/config.yaml", stage->run_dir);
	cairn_config_defaults(&stage->cfg);
	*ret_status = 2;
	if (!cairn_config_load(&stage->cfg, path, &err) || !cairn_config_check(&stage->cfg, &err)) {
		cairn_log_error("%s", err.text);
		free(stage);
		return NULL;
	}
	_Static_assert((int)CAIRN_CHOICE_LOG_LEVEL_DEBUG == (int)CAIRN_LOG_DEBUG, "the same order");
	cairn_log_init(stage->name, (enum cairn_log_level)stage->cfg.log.level);

	*ret_status = 1;
	stage->signal_fd = block_signals();
	stage->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	stage->bus = cairn_bus_new(stage->run_dir, &err);
	if (stage->bus != NULL)
		stage->beat_pub = cairn_pub_new(stage->bus, CAIRN_TOPIC_HEARTBEAT, stage->name, &err);
	if (stage->signal_fd < 0 || stage->timer_fd < 0 || cairn_poller_open(&stage->poller) < 0 ||
	    stage->beat_pub == NULL) {
		cairn_log_error("cannot start: %s", err.text[0] != '\0' ? err.text : strerror(errno));
		cairn_bus_destroy(&stage->bus);
		free(stage);
		return NULL;
	}
	cairn_stage_watch_fd(stage, stage->signal_fd, POLLIN, on_signal, stage);
	cairn_stage_watch_fd(stage, stage->timer_fd, POLLIN, on_timer, stage);
	if (stage->ready_fd >= 0 && getppid() != parent)
		stage->ending = true;
	cairn_log_info("%s %s starting, pid %d", program, CAIRN_VERSION, (int)getpid());
	return stage;
}

const struct cairn_config *cairn_stage_config(const struct cairn_stage *stage)
{
	return &stage->cfg;
}

const char *cairn_stage_name(const struct cairn_stage *stage)
{
	return stage->name;
}

const char *cairn_stage_run_dir(const struct cairn_stage *stage)
{
	return stage->run_dir;
}

void cairn_stage_state_path(const struct cairn_stage *stage, const char *name, char *out, size_t bytes)
{
	snprintf(out, bytes, "%s/state", stage->run_dir);
	if (mkdir(out, 0755) != 0 && errno != EEXIST)
		cairn_log_warn("cannot make %s: %s", out, strerror(errno));
	snprintf(out, bytes, "%s/state/%s", stage->run_dir, name);
}

struct cairn_bus *cairn_stage_bus(struct cairn_stage *stage)
{
	return stage->bus;
}

_Noreturn void stage_give_up(const char *what, const struct cairn_error *err)
{
	cairn_log_error("%s: %s", what, err->text);
	exit(1);
}

struct cairn_pub *cairn_stage_publish(struct cairn_stage *stage, enum cairn_topic topic)
{
	struct cairn_error err = {""};
	struct cairn_pub *pub = cairn_pub_new(stage->bus, topic, NULL, &err);
	if (pub == NULL)
		stage_give_up(cairn_topics[topic].name, &err);
	return pub;
}

struct cairn_sub *cairn_stage_subscribe(
    struct cairn_stage *stage, enum cairn_topic topic, cairn_loop_fn *fn, void *ctx)
{
	struct cairn_error err = {""};
	struct cairn_sub *sub = cairn_sub_new(stage->bus, topic, NULL, &err);
	if (sub == NULL)
		stage_give_up(cairn_topics[topic].name, &err);
	if (fn != NULL)
		cairn_stage_watch_socket(stage, cairn_sub_socket(sub), fn, ctx);
	return sub;
}

void cairn_stage_commanded(struct cairn_stage *stage, const struct cairn_msg_commanded *done)
{
	uint64_t id = stage->commanded.id + 1;
	stage->commanded = *done;
	stage->commanded.id = id; /* one count a stage, however many services it has */
	stage->commanded_ns = cairn_now_ns();
	cairn_pub_send(stage->commanded_pub, &stage->commanded, stage->commanded_ns, true);
	cairn_log_info("%s by %s: %s%s%s: %s", done->ok ? "command" : "command refused", done->who,
	    done->verb, done->arg[0] != '\0' ? " " : "", done->arg, done->text);
}

static void on_commanded(void *ctx, const struct cairn_msg_commanded *done)
{
	cairn_stage_commanded(ctx, done);
}

void cairn_stage_tell_commands(struct cairn_stage *stage)
{
	struct cairn_error err = {""};
	if (stage->commanded_pub == NULL)
		stage->commanded_pub = cairn_pub_new(stage->bus, CAIRN_TOPIC_COMMANDED, stage->name, &err);
	if (stage->commanded_pub == NULL)
		stage_give_up(cairn_topics[CAIRN_TOPIC_COMMANDED].name, &err);
}

void cairn_stage_serve(struct cairn_stage *stage, enum cairn_service service, cairn_command_fn *fn, void *ctx)
{
	struct cairn_error err = {""};
	struct cairn_server *server = cairn_server_new(stage->bus, service, fn, ctx, &err);
	if (server == NULL)
		stage_give_up(cairn_services[service].name, &err);
	cairn_stage_tell_commands(stage);
	cairn_server_on_done(server, on_commanded, stage);
	stage_watch_server(stage, server);
}

bool cairn_stage_note(struct cairn_stage *stage, const char *note)
{
	if (strncmp(stage->note, note, sizeof(stage->note) - 1) == 0)
		return false;
	snprintf(stage->note, sizeof(stage->note), "%s", note);
	stage->beat_due_ns = 0;
	return true;
}

bool cairn_stage_notef(struct cairn_stage *stage, const char *fmt, ...)
{
	char note[sizeof(stage->note)];
	va_list ap;
	va_start(ap, fmt);
	(void)vsnprintf(note, sizeof(note), fmt, ap);
	va_end(ap);
	return cairn_stage_note(stage, note);
}

void cairn_stage_tried(struct cairn_stage *stage, const char *what, const char *why)
{
	struct stage_trouble *known = NULL, *room = NULL;
	why = why != NULL && why[0] != '\0' ? why : NULL;
	for (int i = 0; i < STAGE_TROUBLES_MAX; i++) {
		struct stage_trouble *t = &stage->troubles[i];
		if (strcmp(t->what, what) == 0)
			known = t;
		else if (t->what[0] == '\0' && room == NULL)
			room = t;
	}
	stage->failures += why != NULL;
	if (why == NULL && known != NULL) {
		cairn_log_info("can %s again", what);
		known->what[0] = '\0';
	}
	if (why == NULL || known != NULL || room == NULL)
		return;
	snprintf(room->what, sizeof(room->what), "%s", what);
	size_t len =
	    strlen(why); /* of one that is too long the end counts: there is the cause, in front a path */
	snprintf(room->text, sizeof(room->text), "cannot %.24s: %s%s", what, len > TROUBLE_CHARS ? "..." : "",
	    why + (len > TROUBLE_CHARS ? len - TROUBLE_CHARS : 0));
	cairn_log_error("cannot %s: %s", what, why);
	stage->beat_due_ns = 0;
}

void cairn_stage_put_aside(const char *path, const char *why, const char *begins)
{
	char aside[1024];
	bool names_it = strstr(why, path) != NULL;
	snprintf(aside, sizeof(aside), "%s.damaged", path);
	cairn_log_warn("%s%s%s; kept as %s, beginning with %s", names_it ? "" : path, names_it ? "" : ": ",
	    why, aside, begins);
	if (rename(path, aside) != 0)
		cairn_log_warn("%s: %s", aside, strerror(errno));
}

void cairn_stage_count_reject(struct cairn_stage *stage)
{
	stage->rejects++;
}

void cairn_stage_core_rejects(struct cairn_stage *stage, uint64_t total)
{
	stage->core_rejects = total;
}

/* On fault: what has been touched stays; 8 MB of stack for every thread of the library would not be worth it.
 */
static void lock_memory(const struct cairn_stage *stage)
{
	struct rlimit limit;
	if (!stage->cfg.launcher.lock_memory)
		return;
	bool may =
	    geteuid() == 0 || (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY);
	if (!may || mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) != 0)
		cairn_log_info(
		    "memory is not locked: %s", may ? strerror(errno) : "RLIMIT_MEMLOCK is not unlimited");
}

void cairn_stage_urgent(struct cairn_stage *stage)
{
	prctl(PR_SET_TIMERSLACK, 1UL);
	lock_memory(stage);
}

void cairn_stage_ready(struct cairn_stage *stage)
{
	if (stage->ready_fd >= 0) {
		ssize_t n = write(stage->ready_fd, "\n", 1);
		(void)n; /* a launcher that does not listen has its own deadline */
		close(stage->ready_fd);
		stage->ready_fd = -1;
	}
	cairn_log_info("ready");
}

bool cairn_stage_ending(const struct cairn_stage *stage)
{
	return stage->ending;
}

int cairn_stage_finish(struct cairn_stage **stage_p, int status)
{
	struct cairn_stage *stage = *stage_p;
	if (stage == NULL)
		return status;
	if (stage->frames != NULL)
		stage->leave_frames(stage);
	cairn_log_info("ended, status %d", status < 0 ? 1 : status);
	cairn_bus_destroy(&stage->bus);
	close(stage->signal_fd);
	close(stage->timer_fd);
	cairn_poller_close(&stage->poller);
	free(stage->scratch);
	free(stage);
	*stage_p = NULL;
	return status < 0 ? 1 : status;
}
