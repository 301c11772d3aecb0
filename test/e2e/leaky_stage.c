/* A stage that leaks: in the place of a real one it is up, its heart beats, and it takes 4 MB more twenty
 * times a second. */
#include <stdlib.h>
#include <string.h>

#include "procs/shell/stage.h"

#define LEAK_BYTES (4 << 20)
#define PERIOD_MS 50

static int leak(void *ctx)
{
	char **last = ctx;
	char *more = malloc(LEAK_BYTES);
	if (more != NULL) {
		memset(more, 1, LEAK_BYTES);
		memcpy(more, last, sizeof(*last)); /* a chain that nobody frees while it runs */
		*last = more;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int status = 0;
	char *chain = NULL;
	struct cairn_stage *stage = cairn_stage_start("leaky-stage", "leaks", argc, argv, &status);
	if (stage == NULL)
		return status;
	cairn_stage_every(stage, PERIOD_MS, leak, &chain);
	cairn_stage_ready(stage);
	status = cairn_stage_run(stage);
	while (chain != NULL) {
		char *next;
		memcpy(&next, chain, sizeof(next));
		free(chain);
		chain = next;
	}
	return cairn_stage_finish(&stage, status);
}
