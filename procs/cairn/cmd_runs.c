/* cmd_runs.c - the runs whose decisions are kept. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procs/cairn/commands.h"
#include "procs/cairn/runs.h"

int runs_folder(const struct cli *cli, char folder[RUNS_PATH_BYTES])
{
	char state[CLI_RUN_DIR_MAX + 8], path[RUNS_PATH_BYTES];
	struct cairn_error err = {""};
	const char *of = cli_value(cli, "of");
	snprintf(folder, RUNS_PATH_BYTES, of != NULL ? "state/runs/%.60s" : "state", of);
	if (of == NULL || cli->connect != NULL)
		return CLI_OK;
	snprintf(state, sizeof(state), "%s/state", cli->run_dir);
	if (!runs_find(state, of, path, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	snprintf(folder, RUNS_PATH_BYTES, "%s", path + strlen(cli->run_dir) + 1);
	return CLI_OK;
}

static void print_json(const struct runs_row *row)
{
	printf("{\"run\":");
	cli_print_json_string(stdout, row->name);
	printf(",\"started_unix_s\":%.3f,\"duration_s\":", row->started_unix_s);
	if (row->duration_s >= 0.0)
		printf("%.2f", row->duration_s);
	else
		printf("null");
	printf(",\"passed\":%s,\"decisions\":%lu,\"bytes\":%.0f,\"ended\":",
	    row->duration_s < 0.0 ? "null"
	    : row->passed         ? "true"
				  : "false",
	    row->decisions, row->bytes);
	cli_print_json_string(stdout, row->ended);
	printf("}\n");
}

static void print_row(const struct runs_row *row, bool running)
{
	char started[48] = "-", lasted[32] = "-", ended[sizeof(row->ended)];
	if (row->started_unix_s > 0.0)
		cli_time_text(row->started_unix_s, started, sizeof(started));
	if (row->duration_s >= 0.0)
		cli_clock_text(row->duration_s, lasted, sizeof(lasted));
	snprintf(ended, sizeof(ended), "%s", row->ended);
	printf("%-18s  %-19.19s  %8s  %9lu  %6.1f MB  %s%s\n", row->name[0] != '\0' ? row->name : "newest",
	    started, lasted, row->decisions, row->bytes * 1e-6,
	    row->duration_s >= 0.0 ? (row->passed ? "passed: " : "not passed: ")
	    : running              ? "it is running"
				   : "it left no summary",
	    cli_printable(ended));
}

int cli_runs(const struct cli *cli)
{
	char state[CLI_RUN_DIR_MAX + 8];
	struct runs_row *rows = NULL;
	struct cairn_error err = {""};
	snprintf(state, sizeof(state), "%s/state", cli->run_dir);
	int count = runs_list(state, &rows, &err);
	if (count < 0)
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (count == 0)
		return cli_fail(cli, CLI_ABSENT, "no run has left anything in %s", state);
	bool running = cli_bus_bound(cli->run_dir, cairn_services[CAIRN_SERVICE_LAUNCHER_CTL].name);
	if (!cli->json)
		printf("%-18s  %-19s  %8s  %9s  %9s  %s\n", "RUN", "STARTED", "LASTED", "DECISIONS", "SIZE",
		    "ENDED");
	for (int i = 0; i < count; i++) {
		if (cli->json)
			print_json(&rows[i]);
		else
			print_row(&rows[i], running && rows[i].name[0] == '\0');
	}
	free(rows);
	return CLI_OK;
}
