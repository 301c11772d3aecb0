/* stage_main.c - the life of a stage, from its row: started, opened, run, closed. */
#include <stdlib.h>

#include "procs/shell/stage_private.h"

void cairn_stage_misconfigured(struct cairn_stage *stage)
{
	stage->misconfigured = true;
}

int cairn_stage_main(const struct cairn_stage_program *program, int argc, char **argv)
{
	struct cairn_error err = {""};
	int status = 1;
	struct cairn_stage *stage = cairn_stage_start(program->name, program->purpose, argc, argv, &status);
	if (stage == NULL)
		return status;
	void *app = calloc(1, program->bytes);
	if (app != NULL && program->open(app, stage, &err)) {
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
