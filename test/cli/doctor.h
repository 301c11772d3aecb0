/* doctor.h - `cairn up` and `cairn doctor` with the same options, of what is refused before anything starts. */
#ifndef CAIRN_TEST_CLI_DOCTOR_H
#define CAIRN_TEST_CLI_DOCTOR_H

#include "test/cli/harness.h"

/* Both programs with the same options, in a run directory below the test's own that is not there yet. */
static const struct output *run(const char *command, const char *args)
{
	return cairn_in("/run", command, args);
}

static int count(const char *text, const char *what)
{
	int n = 0;
	for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
		n++;
	return n;
}

/* Each text in says stands in the one line of `up`, and the doctor has the same line under this check. */
static void refused(const char *args, const char *check, const char *const *says)
{
	char line[700], want[800], logs[128];
	const struct output *o = run("up --headless", args);
	ck_assert_msg(o->status == 2, "%s: status %d: %s%s", args, o->status, o->out, o->err);
	ck_assert_msg(
	    count(o->err, "\n") == 1 && o->out[0] == '\0', "%s: not one line: %s%s", args, o->out, o->err);
	for (int i = 0; says[i] != NULL; i++)
		ck_assert_msg(count(o->err, says[i]) >= 1, "%s: no '%s' in: %s", args, says[i], o->err);
	snprintf(logs, sizeof(logs), "%s/run/logs", run_dir);
	ck_assert_int_ne(access(logs, F_OK), 0); /* nothing was started */
	const char *text = strchr(o->err, ':') + 2;
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
	snprintf(want, sizeof(want), "FAILED   %-12s %s\n", check, line);
	o = run("doctor --dry", args);
	ck_assert_msg(o->status == 2, "%s: status %d: %s%s", args, o->status, o->out, o->err);
	ck_assert_msg(count(o->out, want) == 1, "%s: no '%s' in: %s", args, want, o->out);
}

#endif
