/* cmd_replay.c - a recording in place of the robot: a stack of the player and the stages that are asked for, with keys; and commands to
 * one that runs. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/base/text.h"
#include "common/record/playback.h"
#include "common/vlm/profile.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/up.h"
#include "procs/cairn/web_url.h"
#include "procs/cli/rundir.h"
#include "procs/launcher/environment.h"
#include "procs/launcher/secrets.h"
#include "procs/launcher/logfile.h"
#include "procs/launcher/namespace.h"
#include "procs/launcher/spawn.h"

#define TICK_MS 50
#define WHERE_NS (CAIRN_NS_PER_S / 2)
#define LINE_NS (10 * CAIRN_NS_PER_S)
#define ANSWER_MS 1000
#define SETTLE_NS (2 * CAIRN_NS_PER_S) /* at the end: what has come is still worked on, and saved */
#define START_LIMIT_NS (60 * CAIRN_NS_PER_S)
#define STOP_LIMIT_NS (30 * CAIRN_NS_PER_S)
#define SETS_MAX 64

struct replay {
	const struct cli *cli;
	struct up_run run;
	struct cairn_child launcher;
	struct cairn_logfile log;
	bool screen, ready, told_page;
	int64_t start_ns, where_ns, line_ns, ended_ns;
	char where[160];
	double rate;
};

/* Asks the player; its answer stays in r->where. */
static bool tell(struct replay *r, const char *verb, const char *arg)
{
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_msg_reply reply = {0};
	struct cairn_error err = {""};
	snprintf(cmd.who, sizeof(cmd.who), "cairn replay");
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb);
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", arg);
	if (cairn_ask(r->run.run_dir, CAIRN_SERVICE_PLAYER, &cmd, &reply, ANSWER_MS, &err) != 0)
		return false;
	snprintf(r->where, sizeof(r->where), "%.159s", cli_printable(reply.text));
	return reply.ok;
}

/* ---- preparing ---- */

static int check_stages(const struct cli *cli, const char *words)
{
	static const char *const names[] = {
#define STAGE(id, name, program, iceoryx, when, without, doc) name,
#include "procs/launcher/stages.def"
	};
	static const char devices[] = "robot-sim motor sensor-bridge camera-bridge player";
	char list[512];
	snprintf(list, sizeof(list), "%s", words);
	for (char *rest = list, *word; (word = strsep(&rest, " ,")) != NULL;) {
		bool known = word[0] == '\0';
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			known = known || strcmp(names[i], word) == 0;
		if (!known)
			return cli_fail(cli, CLI_USAGE, "--with: no stage is called '%s'", word);
		if (word[0] != '\0' && cairn_has_word(devices, word))
			return cli_fail(cli, CLI_USAGE,
			    "--with: '%s' touches a device; it never runs beside a recording", word);
	}
	return CLI_OK;
}

/* As the player will read it: nothing is started for what cannot be played. */
static bool can_be_played(const char *path, struct cairn_error *err)
{
	struct stat st;
	struct cairn_error why = {""};
	int fd = cairn_file_open(path, 0, err);
	if (fd < 0)
		return false;
	struct cairn_playback *playback =
	    fstat(fd, &st) == 0 ? cairn_playback_new(cairn_mcap_read_fd, &fd, (uint64_t)st.st_size, &why)
				: NULL;
	close(fd);
	bool good = playback != NULL;
	if (!good)
		cairn_error_set(err, "%.200s: %s", path, why.text);
	cairn_playback_destroy(&playback);
	return good;
}

/* The place where the stages of this stack find the file: its own mount namespace hides what lies in /tmp and /dev/shm directly. */
static bool place_file(struct replay *r, char path[PATH_MAX], struct cairn_error *err)
{
	char own[400];
	if (realpath(r->cli->args[0], path) == NULL) {
		cairn_error_set(err, "%.200s: %s", r->cli->args[0], strerror(errno));
		return false;
	}
	snprintf(own, sizeof(own), "%s/replayed.mcap", r->run.run_dir);
	if (strcmp(path, own) == 0)
		return true; /* of a replay before; its name elsewhere is gone */
	(void)unlink(own);
	if (!cairn_namespace_hides(path))
		return true;
	(void)mkdir(r->run.run_dir, 0755);
	if (link(path, own) != 0) {
		cairn_error_set(err,
		    "%.200s: move it into a folder of its own; the stack's stages do not see files that "
		    "lie in /tmp or /dev/shm directly",
		    path);
		return false;
	}
	snprintf(path, PATH_MAX, "%s", own);
	return true;
}

static void add_set(char **sets, int *count, const char *key, const char *value)
{
	if (*count < SETS_MAX && asprintf(&sets[*count], "replay.%s=%s", key, value) > 0)
		(*count)++;
}

static int prepare(struct replay *r, int *ret_lock_fd)
{
	char path[PATH_MAX], stages[512];
	char *sets[SETS_MAX];
	int count = 0, given_count = 0, status = CLI_FAILED;
	struct cairn_error err = {""};
	const char *with = cli_value(r->cli, "with"), *rate = cli_value(r->cli, "rate"),
		   *topics = cli_value(r->cli, "topics"), *start = cli_value(r->cli, "start");
	const char *const *given = cli_values(r->cli, "set", &given_count);
	*ret_lock_fd = -1;
	snprintf(stages, sizeof(stages), "web%s%s", with != NULL ? " " : "", with != NULL ? with : "");
	for (char *p = stages; *p != '\0'; p++)
		*p = *p == ',' ? ' ' : *p;
	if ((status = check_stages(r->cli, stages)) != CLI_OK)
		return status;
	if (!can_be_played(r->cli->args[0], &err) || !up_run_dir_fits(r->run.run_dir, &err) ||
	    !place_file(r, path, &err))
		return cli_fail(r->cli, CLI_USAGE, "%s", err.text);
	for (int i = 0; i < given_count && count < SETS_MAX; i++)
		sets[count++] = strdup(given[i]);
	add_set(sets, &count, "file", path);
	add_set(sets, &count, "stages", stages);
	add_set(sets, &count, "paused", "true"); /* until everybody is there to hear it */
	if (rate != NULL)
		add_set(sets, &count, "rate", rate);
	if (topics != NULL)
		add_set(sets, &count, "topics", topics);
	if (start != NULL)
		add_set(sets, &count, "start_s", start);
	if (cli_value(r->cli, "loop") != NULL)
		add_set(sets, &count, "loop", "true");
	struct up_options options = {
	    .layers = cli_layers(r->cli), .fresh = true}; /* a map that was kept is not the recording's */
	options.layers.sets = (const char *const *)sets;
	options.layers.set_count = count;
	bool good = up_prepare(&r->run, &options, ret_lock_fd, &status, &err);
	for (int i = 0; i < count; i++)
		free(sets[i]);
	return good ? CLI_OK : cli_fail(r->cli, status, "%s", err.text);
}

static bool start_launcher(struct replay *r)
{
	char dir[4096], path[4200], log[300];
	char *env[CAIRN_ENVIRONMENT_MAX + 1];
	const char *keys[CAIRN_SECRETS_MAX + 1];
	struct cairn_secrets secrets;
	if (!cairn_program_dir(dir, sizeof(dir)))
		return false;
	snprintf(path, sizeof(path), "%s/cairn-launcher", dir);
	snprintf(log, sizeof(log), "%s/logs/launcher.log", r->run.run_dir);
	(void)cairn_logfile_open(&r->log, log, (size_t)(r->run.cfg.launcher.log_file_mb * 1e6));
	cairn_secrets_of(&r->run.cfg, &secrets);
	cairn_secrets_names(&secrets, keys);
	(void)cairn_environment_for("gateway", environ, keys, env);
	const char *const argv[] = {
	    path, "--run", r->run.run_dir, "--stage", "launcher", "--ready-fd", "3", NULL};
	int status = cairn_spawn(&r->launcher, argv, env, NULL, SIGTERM, true);
	if (status < 0)
		cli_fail(r->cli, CLI_FAILED, "cannot start the launcher: %s", strerror(-status));
	else
		up_note_launcher(r->run.run_dir, r->launcher.pid);
	return status >= 0;
}

/* ---- the loop ---- */

static void drain(struct replay *r)
{
	char buf[4096];
	ssize_t n;
	while ((n = read(r->launcher.log_fd, buf, sizeof(buf))) > 0)
		cairn_logfile_feed(&r->log, buf, (size_t)n, cli_now_ns());
}

/* True when the replay is to be ended. */
static bool on_key(struct replay *r, char key)
{
	char arg[32];
	double at_s = 0.0;
	const char *at = strstr(r->where, " at ");
	if (at != NULL)
		at_s = strtod(at + 4, NULL);
	switch (key) {
	case ' ':
		(void)tell(r, strncmp(r->where, "playing", 7) == 0 ? "pause" : "play", "");
		return false;
	case '.':
		(void)tell(r, "step", "");
		return false;
	case ',':
	case ';':
		snprintf(arg, sizeof(arg), "%g", fmax(0.0, at_s + (key == ',' ? -10.0 : 10.0)));
		(void)tell(r, "seek", arg);
		return false;
	case '+':
	case '-':
		r->rate = fmin(20.0, fmax(0.05, r->rate * (key == '+' ? 2.0 : 0.5)));
		snprintf(arg, sizeof(arg), "%g", r->rate);
		(void)tell(r, "rate", arg);
		return false;
	default:
		return key == 'q' || key == 3;
	}
}

static void show(struct replay *r, int64_t now_ns)
{
	char url[128];
	if (!r->told_page && web_url(r->run.run_dir, url, sizeof(url))) {
		fprintf(stderr, "cairn replay: page %s%s\n", url, r->screen ? "\r" : "");
		r->told_page = true;
	}
	if (now_ns < r->where_ns)
		return;
	r->where_ns = now_ns + WHERE_NS;
	if (r->ready && tell(r, "where", "") && strncmp(r->where, "ended", 5) == 0 && r->ended_ns == 0)
		r->ended_ns = now_ns;
	if (strncmp(r->where, "ended", 5) != 0)
		r->ended_ns = 0;
	if (r->screen)
		fprintf(stderr,
		    "\r\033[K%s   [space] pause  [.] step  [,] [;] 10 s back, on  [+] [-] rate  [q] end",
		    r->where);
	else if (now_ns >= r->line_ns) {
		fprintf(stderr, "cairn replay: %s\n", r->where[0] != '\0' ? r->where : "starting");
		r->line_ns = now_ns + LINE_NS;
	}
}

/* CLI_OK, or why it had to end. */
static int loop(struct replay *r)
{
	bool stay = cli_value(r->cli, "stay") != NULL, paused = cli_value(r->cli, "paused") != NULL;
	while (!cli_interrupted()) {
		struct pollfd p[3] = {{.fd = r->launcher.log_fd, .events = POLLIN},
		    {.fd = r->ready ? -1 : r->launcher.ready_fd, .events = POLLIN},
		    {.fd = r->screen ? STDIN_FILENO : -1, .events = POLLIN}};
		char key, byte;
		int ended;
		(void)poll(p, 3, TICK_MS);
		drain(r);
		int64_t now_ns = cli_now_ns();
		if (!r->ready && read(r->launcher.ready_fd, &byte, 1) == 1) {
			r->ready = true;
			if (!paused)
				(void)tell(r, "play", "");
		}
		if (!r->ready && now_ns - r->start_ns > START_LIMIT_NS)
			return cli_fail(
			    r->cli, CLI_FAILED, "the stages do not come up; see %s/logs", r->run.run_dir);
		if (waitpid(r->launcher.pid, &ended, WNOHANG) == r->launcher.pid) {
			r->launcher.pid = 0; /* cairn down, or it could not start */
			return WIFEXITED(ended) && WEXITSTATUS(ended) == 0
				   ? CLI_OK
				   : cli_fail(r->cli, CLI_FAILED, "the launcher ended; see %s/logs",
					 r->run.run_dir);
		}
		if ((p[2].revents & POLLIN) != 0 && read(STDIN_FILENO, &key, 1) == 1 && on_key(r, key))
			return CLI_OK;
		show(r, now_ns);
		if (!stay && r->ended_ns != 0 && now_ns - r->ended_ns > SETTLE_NS)
			return CLI_OK;
	}
	return CLI_OK;
}

static void take_down(struct replay *r)
{
	int64_t until_ns = cli_now_ns() + STOP_LIMIT_NS;
	if (r->launcher.pid > 0)
		kill(r->launcher.pid, SIGTERM);
	while (r->launcher.pid > 0 && waitpid(r->launcher.pid, NULL, WNOHANG) == 0) {
		struct pollfd p = {.fd = r->launcher.log_fd, .events = POLLIN};
		(void)poll(&p, 1, TICK_MS);
		drain(r);
		if (cli_now_ns() > until_ns)
			kill(r->launcher.pid, SIGKILL);
	}
	drain(r);
	close(r->launcher.log_fd);
	close(r->launcher.ready_fd);
}

int cli_replay(const struct cli *cli)
{
	static struct replay r;
	struct termios before, raw;
	int lock_fd = -1;
	const char *rate = cli_value(cli, "rate");
	r.cli = cli;
	r.rate = rate != NULL ? strtod(rate, NULL) : 1.0;
	r.run.state_lock_fd = -1;
	r.start_ns = r.run.start_ns = cli_now_ns();
	/* Not the robot's own: its map and memory would be set aside for those of the recording. */
	int n = snprintf(
	    r.run.run_dir, sizeof(r.run.run_dir), "%s%s", cli->run_dir, cli->run_given ? "" : "-replay");
	if (n < 0 || (size_t)n >= sizeof(r.run.run_dir))
		return cli_fail(cli, CLI_USAGE, "--run: the path is too long");
	int status = prepare(&r, &lock_fd);
	if (status == CLI_OK) {
		r.screen = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 &&
			   tcgetattr(STDIN_FILENO, &before) == 0;
		fprintf(stderr, "cairn replay: commands from elsewhere: cairn player pause --run %s\n",
		    r.run.run_dir);
		cli_catch_signals();
		if (r.screen) {
			raw = before;
			raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
			(void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
		}
		if (start_launcher(&r)) {
			status = loop(&r);
			take_down(&r);
		} else {
			status = CLI_FAILED;
		}
		if (r.screen) {
			(void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
			fputc('\n', stderr);
		}
		cairn_logfile_close(&r.log);
		up_clean(r.run.run_dir);
	}
	if (lock_fd >= 0)
		close(lock_fd);
	return status;
}

int cli_player(const struct cli *cli)
{
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_msg_reply reply = {0};
	struct cairn_error err = {""};
	snprintf(cmd.who, sizeof(cmd.who), "cairn player");
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", cli->args[0]);
	snprintf(cmd.arg, sizeof(cmd.arg), "%s", cli->arg_count > 1 ? cli->args[1] : "");
	int status = cli_need_stack(cli);
	if (status != CLI_OK)
		return status;
	int r = cairn_ask(cli->run_dir, CAIRN_SERVICE_PLAYER, &cmd, &reply, ANSWER_MS, &err);
	if (r == -ETIMEDOUT)
		return cli_fail(cli, CLI_ABSENT, "no recording is replayed there");
	if (r != 0)
		return cli_fail(cli, CLI_FAILED, "%s", err.text[0] != '\0' ? err.text : strerror(-r));
	if (!reply.ok)
		return cli_fail(cli, CLI_FAILED, "%s", cli_printable(reply.text));
	printf("%s\n", cli_printable(reply.text));
	return CLI_OK;
}
