/* A consumer that keeps every frame it is given: joins the data plane of a running stack, takes frames of the
 * camera, colour and depth, and gives none back, until no more come for two seconds or it is killed. Started
 * by test_resources.c inside the stack; says "held N" when the publishers have nothing left. */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "iceoryx_binding_c/enums.h"
#include "iceoryx_binding_c/runtime.h"
#include "iceoryx_binding_c/subscriber.h"
#include "iceoryx_binding_c/types.h"

#define PERIOD_MS 10
#define SILENT_TURNS 200
#define QUEUE 64 /* what waits here is held as well */

static iox_sub_t join(iox_sub_storage_t *storage, const char *topic)
{
	iox_sub_options_t options;
	iox_sub_options_init(&options);
	options.queueCapacity = QUEUE;
	options.historyRequest = 1;
	options.queueFullPolicy = QueueFullPolicy_DISCARD_OLDEST_DATA;
	return iox_sub_init(storage, "cairn", "frames", topic, &options);
}

int main(void)
{
	static iox_sub_storage_t storage[2];
	int held = 0;
	iox_runtime_init("frame-holder");
	iox_sub_t subs[2] = {join(&storage[0], "camera.rgb"), join(&storage[1], "camera.depth")};
	for (int quiet = 0; quiet < SILENT_TURNS; quiet++) {
		const void *chunk;
		for (int i = 0; i < 2; i++) {
			while (iox_sub_take_chunk(subs[i], &chunk) == ChunkReceiveResult_SUCCESS) {
				held++;
				quiet = 0;
			}
		}
		poll(NULL, 0, PERIOD_MS);
	}
	printf("held %d\n", held);
	fflush(stdout);
	for (;;)
		pause();
}
