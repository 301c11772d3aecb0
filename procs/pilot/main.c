/* pilot - a local HTTP server with OpenAI's chat-completions contract, answered by a script: a stand-in for a
 * model, never called one.
 *
 * What it says is decided in common/sim/pilot/pilot_api.h; server.h has the socket and the delays. The port, once bound, stands in
 * RUN/dev/pilot.port. */
#include <stdio.h>
#include <sys/stat.h>

#include "common/base/file.h"
#include "procs/pilot/server.h"

static bool write_port(const char *run_dir, unsigned port, struct cairn_error *err)
{
	char dir[512], path[600], text[16];
	snprintf(dir, sizeof(dir), "%s/dev", run_dir);
	(void)mkdir(dir, 0755);
	snprintf(path, sizeof(path), "%s/pilot.port", dir);
	int n = snprintf(text, sizeof(text), "%u\n", port);
	return cairn_file_replace(path, CAIRN_FILE_NO_SYNC, 0644, text, (size_t)n, err);
}

static bool open_all(void *ctx, struct cairn_stage *stage, struct cairn_error *err)
{
	struct pilot *pilot = ctx;
	unsigned port;
	pilot->timer_fd = -1;
	if (!cairn_pilot_api_init(&pilot->api, &pilot->cfg->pilot, err)) {
		cairn_stage_misconfigured(stage);
		return false;
	}
	if (!server_open(pilot, &port, err))
		return false;
	cairn_log_info("scripted pilot '%s' on http://127.0.0.1:%u/v1",
	    cairn_choice_pilot_words[pilot->cfg->pilot.profile], port);
	return write_port(cairn_stage_run_dir(stage), port, err);
}

static void close_all(void *ctx)
{
	server_close(ctx);
}

CAIRN_STAGE_MAIN(
    "cairn-pilot", "scripted stand-in for a model", struct pilot, .open = open_all, .close = close_all)
