#include "procs/shell/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "common/base/spread.h"

#define SOURCES_MAX 96
#define TIMERS_MAX 16
#define BEAT_NS CAIRN_NS_PER_S
#define TROUBLE_CHARS 55
#define TROUBLES_MAX 4 /* of different kinds at once */

struct source {
	void *socket; /* zmq, or NULL */
	int fd;
	short events;
	cairn_loop_fn *fn;
	void *ctx;
	struct cairn_server *server;
};

struct timer {
	int64_t period_ns, due_ns;
	cairn_loop_fn *fn;
	void *ctx;
};

struct cairn_stage {
	char name[32];
	char run_dir[256];
	int ready_fd;
	int signal_fd;
	int timer_fd; /* readable when the next timer is due */
	int64_t armed_ns;
	bool ending;
	struct cairn_config cfg;
	struct cairn_bus *bus;
	struct cairn_pub *beat_pub, *commanded_pub;
	struct cairn_msg_commanded commanded; /* the newest; id 0 = none yet */
	int64_t commanded_ns;
	struct source sources[SOURCES_MAX];
	int source_count;
	bool sources_changed;
	struct timer timers[TIMERS_MAX];
	int timer_count;
	uint64_t loops, rejects, overruns;
	int64_t beat_due_ns, turn_ns, late_ns; /* longest turn, latest timer since the last beat */
	struct cairn_spread late;
	char note[96];
	struct trouble {
		char what[32]; /* empty: none */
		char text[96];
	} troubles[TROUBLES_MAX];
	uint64_t failures;
};

int64_t cairn_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
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
	stage->ready_fd = -1;
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
	enum cairn_log_level level = CAIRN_LOG_INFO;
	cairn_log_level_parse(stage->cfg.log.level, &level);
	cairn_log_init(stage->name, level);

	*ret_status = 1;
	stage->signal_fd = block_signals();
	stage->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	stage->bus = cairn_bus_new(stage->run_dir, &err);
	if (stage->bus != NULL)
		stage->beat_pub = cairn_pub_new(stage->bus, CAIRN_TOPIC_HEARTBEAT, stage->name, &err);
	if (stage->signal_fd < 0 || stage->timer_fd < 0 || stage->beat_pub == NULL) {
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

struct cairn_bus *cairn_stage_bus(struct cairn_stage *stage)
{
	return stage->bus;
}

_Noreturn static void give_up(const char *what, const struct cairn_error *err)
{
	cairn_log_error("%s: %s", what, err->text);
	exit(1);
}

static struct source *add_source(struct cairn_stage *stage)
{
	if (stage->source_count == SOURCES_MAX) {
		cairn_log_error("more than %d inputs in one loop", SOURCES_MAX);
		exit(1);
	}
	stage->sources_changed = true;
	struct source *s = &stage->sources[stage->source_count++];
	*s = (struct source){.fd = -1};
	return s;
}

struct cairn_pub *cairn_stage_publish(struct cairn_stage *stage, enum cairn_topic topic)
{
	struct cairn_error err = {""};
	struct cairn_pub *pub = cairn_pub_new(stage->bus, topic, NULL, &err);
	if (pub == NULL)
		give_up(cairn_topics[topic].name, &err);
	return pub;
}

struct cairn_sub *cairn_stage_subscribe(
    struct cairn_stage *stage, enum cairn_topic topic, cairn_loop_fn *fn, void *ctx)
{
	struct cairn_error err = {""};
	struct cairn_sub *sub = cairn_sub_new(stage->bus, topic, NULL, &err);
	if (sub == NULL)
		give_up(cairn_topics[topic].name, &err);
	if (fn != NULL) {
		struct source *s = add_source(stage);
		s->socket = cairn_sub_socket(sub);
		s->events = ZMQ_POLLIN;
		s->fn = fn;
		s->ctx = ctx;
	}
	return sub;
}

void cairn_stage_commanded(struct cairn_stage *stage, const struct cairn_msg_commanded *done)
{
	uint64_t id = stage->commanded.id + 1;
	stage->commanded = *done;
	stage->commanded.id = id; /* one count a stage, however many services it has */
	stage->commanded_ns = cairn_now_ns();
	cairn_pub_send(stage->commanded_pub, &stage->commanded, stage->commanded_ns, true);
	cairn_log_info("%s by %s: %s%s%s: %s", done->ok ? "command" : "command refused", done->who, done->verb,
	    done->arg[0] != '\0' ? " " : "", done->arg, done->text);
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
		give_up(cairn_topics[CAIRN_TOPIC_COMMANDED].name, &err);
}

void cairn_stage_serve(struct cairn_stage *stage, enum cairn_service service, cairn_command_fn *fn, void *ctx)
{
	struct cairn_error err = {""};
	struct cairn_server *server = cairn_server_new(stage->bus, service, fn, ctx, &err);
	if (server == NULL)
		give_up(cairn_services[service].name, &err);
	cairn_stage_tell_commands(stage);
	cairn_server_on_done(server, on_commanded, stage);
	struct source *s = add_source(stage);
	s->socket = cairn_server_socket(server);
	s->events = ZMQ_POLLIN;
	s->server = server;
}

void cairn_stage_watch_socket(struct cairn_stage *stage, void *socket, cairn_loop_fn *fn, void *ctx)
{
	struct source *s = add_source(stage);
	s->socket = socket;
	s->events = ZMQ_POLLIN;
	s->fn = fn;
	s->ctx = ctx;
}

void cairn_stage_unwatch_socket(struct cairn_stage *stage, void *socket)
{
	for (int i = 0; i < stage->source_count; i++) {
		if (stage->sources[i].socket == socket) {
			stage->sources[i] = stage->sources[--stage->source_count];
			stage->sources_changed = true;
			return;
		}
	}
}

void cairn_stage_every(struct cairn_stage *stage, int period_ms, cairn_loop_fn *fn, void *ctx)
{
	if (stage->timer_count == TIMERS_MAX) {
		cairn_log_error("more than %d timers in one loop", TIMERS_MAX);
		exit(1);
	}
	int64_t period_ns = period_ms * CAIRN_NS_PER_MS;
	stage->timers[stage->timer_count++] = (struct timer){period_ns, cairn_now_ns() + period_ns, fn, ctx};
}

void cairn_stage_watch_fd(struct cairn_stage *stage, int fd, short events, cairn_loop_fn *fn, void *ctx)
{
	for (int i = 0; i < stage->source_count; i++) {
		if (stage->sources[i].socket == NULL && stage->sources[i].fd == fd) {
			stage->sources[i].events = events;
			stage->sources[i].fn = fn;
			stage->sources[i].ctx = ctx;
			stage->sources_changed = true;
			return;
		}
	}
	struct source *s = add_source(stage);
	s->fd = fd;
	s->events = events;
	s->fn = fn;
	s->ctx = ctx;
}

void cairn_stage_unwatch_fd(struct cairn_stage *stage, int fd)
{
	for (int i = 0; i < stage->source_count; i++) {
		if (stage->sources[i].socket == NULL && stage->sources[i].fd == fd) {
			stage->sources[i] = stage->sources[--stage->source_count];
			stage->sources_changed = true;
			return;
		}
	}
}

/* ---- running ---- */

void cairn_stage_note(struct cairn_stage *stage, const char *note)
{
	if (strncmp(stage->note, note, sizeof(stage->note) - 1) == 0)
		return;
	snprintf(stage->note, sizeof(stage->note), "%s", note);
	stage->beat_due_ns = 0;
}

void cairn_stage_tried(struct cairn_stage *stage, const char *what, const char *why)
{
	struct trouble *known = NULL, *room = NULL;
	for (int i = 0; i < TROUBLES_MAX; i++) {
		struct trouble *t = &stage->troubles[i];
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
	size_t len = strlen(why); /* of one that is too long the end counts: there is the cause, in front a path */
	snprintf(room->text, sizeof(room->text), "cannot %.24s: %s%s", what, len > TROUBLE_CHARS ? "..." : "",
	    why + (len > TROUBLE_CHARS ? len - TROUBLE_CHARS : 0));
	cairn_log_error("cannot %s: %s", what, why);
	stage->beat_due_ns = 0;
}

void cairn_stage_count_reject(struct cairn_stage *stage)
{
	stage->rejects++;
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

static void beat(struct cairn_stage *stage, int64_t now_ns)
{
	struct cairn_msg_heartbeat hb = {.loops = stage->loops,
	    .overrun_ms = (double)stage->turn_ns * 1e-6,
	    .ticks = stage->late.count,
	    .late_ms = (double)stage->late_ns * 1e-6,
	    .late_p99_ms = (double)cairn_spread_at_ns(&stage->late, 0.99) * 1e-6,
	    .overruns = stage->overruns,
	    .rejects = stage->rejects + cairn_bus_rejects(stage->bus)};
	snprintf(hb.stage, sizeof(hb.stage), "%s", stage->name);
	snprintf(hb.note, sizeof(hb.note), "%s", stage->note);
	hb.failures = stage->failures;
	for (int i = 0; i < TROUBLES_MAX && hb.trouble[0] == '\0'; i++) {
		if (stage->troubles[i].what[0] != '\0')
			snprintf(hb.trouble, sizeof(hb.trouble), "%s", stage->troubles[i].text);
	}
	cairn_pub_send(stage->beat_pub, &hb, now_ns, true);
	if (stage->commanded.id != 0) /* for those who came late */
		cairn_pub_send(stage->commanded_pub, &stage->commanded, stage->commanded_ns, true);
	stage->turn_ns = stage->late_ns = 0;
	stage->beat_due_ns = now_ns + BEAT_NS;
}

/* Late by a whole period or more: what was missed is counted, not made up for in a burst. */
static void count_late(struct cairn_stage *stage, struct timer *t, int64_t now_ns)
{
	int64_t late_ns = now_ns - t->due_ns;
	cairn_spread_add(&stage->late, late_ns);
	if (late_ns > stage->late_ns)
		stage->late_ns = late_ns;
	int64_t missed = late_ns / t->period_ns;
	stage->overruns += (uint64_t)missed;
	t->due_ns += (missed + 1) * t->period_ns;
}

static int run_timers(struct cairn_stage *stage)
{
	for (int i = 0; i < stage->timer_count; i++) {
		struct timer *t = &stage->timers[i];
		int64_t now_ns = cairn_now_ns();
		if (now_ns < t->due_ns)
			continue;
		count_late(stage, t, now_ns);
		int r = t->fn(t->ctx);
		if (r < 0)
			return r;
	}
	return 0;
}

static int run_sources(struct cairn_stage *stage, const zmq_pollitem_t *items, int count)
{
	stage->sources_changed = false;
	for (int i = 0; i < count; i++) {
		if (items[i].revents == 0)
			continue;
		struct source *s = &stage->sources[i];
		if (s->server != NULL) {
			cairn_server_serve(s->server);
			continue;
		}
		int r = s->fn(s->ctx);
		if (r < 0)
			return r;
		if (stage->sources_changed)
			break; /* the table moved under us; what is left is still ready next time */
	}
	return 0;
}

/* The timer is a descriptor, since a poll waits in whole milliseconds: too coarse for a loop of 20 ms. */
static bool arm_timer(struct cairn_stage *stage)
{
	int64_t due_ns = stage->beat_due_ns;
	for (int i = 0; i < stage->timer_count; i++)
		due_ns = stage->timers[i].due_ns < due_ns ? stage->timers[i].due_ns : due_ns;
	due_ns = due_ns > 0 ? due_ns : 1; /* zero would never come */
	if (due_ns == stage->armed_ns && cairn_now_ns() < due_ns)
		return true;
	stage->armed_ns = due_ns;
	struct itimerspec at = {.it_value = {due_ns / CAIRN_NS_PER_S, due_ns % CAIRN_NS_PER_S}};
	return timerfd_settime(stage->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) == 0;
}

static int fill_items(const struct cairn_stage *stage, zmq_pollitem_t *items)
{
	for (int i = 0; i < stage->source_count; i++) {
		const struct source *s = &stage->sources[i];
		short events = 0;
		if (s->socket != NULL || (s->events & POLLIN) != 0)
			events |= ZMQ_POLLIN;
		if (s->socket == NULL && (s->events & POLLOUT) != 0)
			events |= ZMQ_POLLOUT;
		if (s->socket == NULL)
			events |= ZMQ_POLLERR;
		items[i] = (zmq_pollitem_t){s->socket, s->fd, events, 0};
	}
	return stage->source_count;
}

int cairn_stage_run(struct cairn_stage *stage)
{
	zmq_pollitem_t items[SOURCES_MAX];
	while (!stage->ending) {
		int count = fill_items(stage, items);
		if (!arm_timer(stage) || (zmq_poll(items, count, -1) < 0 && zmq_errno() != EINTR)) {
			int r = zmq_errno();
			cairn_log_error("poll: %s", zmq_strerror(r));
			return -r;
		}
		int64_t begin_ns = cairn_now_ns();
		int r = run_sources(stage, items, count);
		if (r >= 0)
			r = run_timers(stage);
		if (r < 0)
			return r;
		stage->loops++;
		int64_t now_ns = cairn_now_ns();
		if (now_ns - begin_ns > stage->turn_ns)
			stage->turn_ns = now_ns - begin_ns;
		if (now_ns >= stage->beat_due_ns)
			beat(stage, now_ns);
	}
	return 0;
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
	cairn_log_info("ended, status %d", status < 0 ? 1 : status);
	cairn_bus_destroy(&stage->bus);
	close(stage->signal_fd);
	close(stage->timer_fd);
	free(stage);
	*stage_p = NULL;
	return status < 0 ? 1 : status;
}
