/* stage_main.c - the life of a stage, from its row: started, opened, run, closed. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "procs/shell/stage_private.h"

void cairn_stage_misconfigured(struct cairn_stage *stage)
{
	stage->misconfigured = true;
}

static bool open_all(
    const struct cairn_stage_program *program, struct cairn_stage *stage, void *app, struct cairn_error *err)
{
	const struct {
		CAIRN_STAGE_STATE;
	} state = {{stage, &stage->cfg, &stage->outbox}};
	memcpy(app, &state, sizeof(state));
	if (program->nice != 0)
		(void)setpriority(PRIO_PROCESS, 0, program->nice);
	if (program->open != NULL && !program->open(app, stage, err))
		return false;
	for (const struct cairn_port *p = program->ports; p != NULL && p->open != NULL; p++) {
		const char *when = (const char *)&stage->cfg + p->when - 1;
		if ((p->when == 0 || *(const bool *)when) && !p->open(p, stage, app, err))
			return false;
	}
	return true;
}

int cairn_stage_main(const struct cairn_stage_program *program, int argc, char **argv)
{
	struct cairn_error err = {""};
	int status = 1;
	struct cairn_stage *stage = cairn_stage_start(program->name, program->purpose, argc, argv, &status);
	if (stage == NULL)
		return status;
	void *app = calloc(1, program->bytes);
	if (app != NULL && open_all(program, stage, app, &err)) {
		if (program->begin != NULL)
			program->begin(app);
		if (program->urgent)
			cairn_stage_urgent(stage);
		cairn_stage_ready(stage);
		status = program->run != NULL ? program->run(app) : cairn_stage_run(stage);
		if (program->ended != NULL)
			program->ended(app);
	} else {
		cairn_log_error("%s", err.text[0] != '\0' ? err.text : "out of memory");
		status = stage->misconfigured ? 2 : 1;
	}
	if (app != NULL && program->close != NULL)
		program->close(app);
	status = cairn_stage_finish(&stage, status);
	free(app);
	return status;
}
