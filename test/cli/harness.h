/* harness.h - a run directory of its own for each test, and the real program run in it. */
#ifndef CAIRN_TEST_CLI_HARNESS_H
#define CAIRN_TEST_CLI_HARNESS_H

#include <jansson.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test/support/runner.h"

static char run_dir[64];
static pid_t stack;

/* ---- a run directory ---- */

static void make_run_dir(void)
{
	char path[128];
	snprintf(run_dir, sizeof(run_dir), "/tmp/cairn-cli-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(run_dir));
	snprintf(path, sizeof(path), "%s/bus", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/logs", run_dir);
	ck_assert_int_eq(mkdir(path, 0700), 0);
}

static __attribute__((unused)) void write_file(const char *name, const char *text, const char *mode)
{
	char path[160];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	FILE *file = fopen(path, mode);
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert_int_eq(fclose(file), 0);
}

static void end_stack(void)
{
	if (stack > 0) {
		kill(stack, SIGKILL);
		waitpid(stack, NULL, 0);
		stack = 0;
	}
}

static void remove_run_dir(void)
{
	char command[128];
	end_stack();
	snprintf(command, sizeof(command), "rm -r '%s'", run_dir);
	ck_assert_int_eq(system(command), 0);
}

/* ---- running the program ---- */

struct output {
	int status;
	char out[65536], err[4096];
};

static void read_all(FILE *file, char *buf, size_t bytes)
{
	rewind(file);
	size_t n = fread(buf, 1, bytes - 1, file);
	buf[n] = '\0';
	fclose(file);
}

/* Runs `cairn COMMAND --run DIR ARGS` and waits for its end. DIR: the test's run directory, or a folder below it ("/run"). */
static const struct output *cairn_in(const char *folder, const char *command, const char *args)
{
	static struct output output;
	char line[2000];
	FILE *out = tmpfile(), *err = tmpfile();
	ck_assert(out != NULL && err != NULL);
	snprintf(line, sizeof(line), "exec '%s' %s --run '%s%s' %s", CAIRN_PROGRAM, command, run_dir, folder,
	    args);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(fileno(out), STDOUT_FILENO);
		dup2(fileno(err), STDERR_FILENO);
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	int status = 0;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "killed by signal %d: %s", WTERMSIG(status), line);
	output.status = WEXITSTATUS(status);
	read_all(out, output.out, sizeof(output.out));
	read_all(err, output.err, sizeof(output.err));
	return &output;
}

static const struct output *cairn(const char *command, const char *args)
{
	return cairn_in("", command, args);
}

static __attribute__((unused)) void expect(
    const char *command, const char *args, int status, const char *out, const char *err)
{
	const struct output *o = cairn(command, args);
	ck_assert_msg(o->status == status, "%s %s: status %d, not %d: %s%s", command, args, o->status, status,
	    o->out, o->err);
	if (out != NULL)
		ck_assert_str_eq(o->out, out);
	if (err != NULL)
		ck_assert_str_eq(o->err, err);
}

static __attribute__((unused)) json_t *parsed(const char *text)
{
	json_error_t why;
	json_t *json = json_loads(text, 0, &why);
	ck_assert_msg(json != NULL, "not JSON: %s: %s", why.text, text);
	return json;
}

#endif
