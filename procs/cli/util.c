#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/base/text.h"
#include "ipc/trust.h"
#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

void cli_catch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_DFL); /* `cairn echo | head` ends quietly */
}

bool cli_interrupted(void)
{
	return interrupted != 0;
}

int64_t cli_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

void cli_clock_text(double s, char *buf, size_t bytes)
{
	long t = s > 0.0 ? (long)s : 0;
	if (t >= 86400)
		snprintf(buf, bytes, "%ldd%02ld:%02ld:%02ld", t / 86400, t / 3600 % 24, t / 60 % 60, t % 60);
	else
		snprintf(buf, bytes, "%ld:%02ld:%02ld", t / 3600, t / 60 % 60, t % 60);
}

void cli_time_text(double unix_s, char *buf, size_t bytes)
{
	time_t t = (time_t)floor(unix_s);
	struct tm tm;
	char text[32] = "";
	localtime_r(&t, &tm);
	strftime(text, sizeof(text), "%F %T", &tm);
	snprintf(buf, bytes, "%s.%03d", text, (int)((unix_s - (double)t) * 1e3));
}

int cli_fail(const struct cli *cli, int status, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fflush(stdout);
	fprintf(stderr, "cairn %s: %s\n", cli->command->name, cli_printable(text));
	return status;
}

bool cli_bus_bound(const char *run_dir, const char *name)
{
	/* The lock beside the socket could be tested only by taking it, in the way of a publisher that starts
	 * just now. */
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	if (snprintf(at.sun_path, sizeof(at.sun_path), "%s/bus/%s", run_dir, name) >=
	    (int)sizeof(at.sun_path))
		return false;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool bound = fd >= 0 && (connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0 || errno == EAGAIN);
	if (fd >= 0)
		close(fd);
	return bound;
}

bool cli_can_write(const char *path, struct cairn_error *err)
{
	struct stat st;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		return unlink(path) == 0;
	}
	bool folder = errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	if (!folder && errno == EEXIST && access(path, W_OK) == 0)
		return true;
	cairn_error_set(err, "%s: %s", path, folder ? "not a file (a folder)" : strerror(errno));
	return false;
}

int cli_trust_run_dir(const struct cli *cli)
{
	struct cairn_error err = {""};
	return cairn_run_dir_trusted(cli->run_dir, &err) ? CLI_OK : cli_fail(cli, CLI_FAILED, "%s", err.text);
}

int cli_need_stack(const struct cli *cli)
{
	int status = cli_trust_run_dir(cli);
	if (status != CLI_OK)
		return status;
	if (cairn_pid_of(cli->run_dir, "launcher.pid") != 0)
		return CLI_OK;
	for (int i = 0; i < CAIRN_TOPIC_COUNT; i++) {
		if (cli_bus_bound(cli->run_dir, cairn_topics[i].name))
			return CLI_OK; /* stages without a launcher, as in tests */
	}
	for (int i = 0; i < CAIRN_SERVICE_COUNT; i++) {
		if (cli_bus_bound(cli->run_dir, cairn_services[i].name))
			return CLI_OK;
	}
	return cli_fail(cli, CLI_ABSENT, "nothing is running in %s", cli->run_dir);
}

int cli_stage_silent(const struct cli *cli, const char *stage)
{
	return cli_fail(cli, CLI_ABSENT,
	    "stage '%s' does not answer: 'cairn status' tells whether it runs, 'cairn help %s' what it needs",
	    stage, cli->command->name);
}

char *cli_printable(char *text)
{
	return cairn_text_printable(text);
}

void cli_print_json(json_t *line)
{
	json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
	putchar('\n');
	json_decref(line);
}

void cli_print_json_string(FILE *out, const char *text)
{
	struct cairn_text json = {0};
	cairn_text_json_string(&json, text);
	fputs(json.data != NULL ? json.data : "\"\"", out);
	cairn_text_free(&json);
}
