/* stand_in.c - in place of every stage that is not there: publishes on a run directory's bus what nobody else there does, with every
 * field set, until its input ends. Prints one line for each endpoint: "NAME", or "- NAME" for one that somebody else publishes.
 *
 *   ros2_stand_in RUN TOPICS.yaml */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/base/geom.h"
#include "common/external/external.h"
#include "ipc/bus.h"
#include "test/support/any_message.h"

#define ENDPOINTS_MAX 160
#define REPEAT_MS 250
#define LIST_MAX 4

static const char *const stages[] = {
#define STAGE(id, name, program, iceoryx, when, without, doc) name,
#include "procs/launcher/stages.def"
    "launcher"};

struct endpoint {
	enum cairn_topic topic;
	struct cairn_pub *pub;
	void *msg;
};
static struct endpoint endpoints[ENDPOINTS_MAX];
static int endpoint_count;

static bool add(struct cairn_bus *bus, enum cairn_topic topic, const char *instance)
{
	const struct cairn_topic_row *row = &cairn_topics[topic];
	struct cairn_error err = {""};
	struct endpoint e = {topic, cairn_pub_new(bus, topic, instance, &err), calloc(1, row->desc->size)};
	if (e.msg == NULL || endpoint_count == ENDPOINTS_MAX || (e.pub == NULL && errno != EADDRINUSE)) {
		fprintf(stderr, "%s: %s\n", row->name, err.text);
		return false;
	}
	printf("%s%s%s%s\n", e.pub == NULL ? "- " : "", row->name, instance != NULL ? "." : "",
	    instance != NULL ? instance : "");
	if (e.pub == NULL)
		free(e.msg);
	else
		endpoints[endpoint_count++] = e;
	return true;
}

static bool add_all(struct cairn_bus *bus, const struct cairn_external_topics *declared)
{
	bool good = true;
	for (int t = 0; good && t < CAIRN_TOPIC_COUNT; t++) {
		if (!cairn_topic_has_instances(&cairn_topics[t]))
			good = add(bus, (enum cairn_topic)t, NULL);
		else if (!cairn_topic_is_declared(&cairn_topics[t]))
			for (size_t k = 0; good && k < sizeof(stages) / sizeof(stages[0]); k++)
				good = add(bus, (enum cairn_topic)t, stages[k]);
	}
	for (uint32_t i = 0; good && i < declared->count; i++)
		good = add(bus, declared->rows[i].topic, declared->rows[i].name);
	return good;
}

static void send_all(struct cairn_rng *rng)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t t_ns = now.tv_sec * CAIRN_NS_PER_S + now.tv_nsec;
	for (int i = 0; i < endpoint_count; i++) {
		const struct endpoint *e = &endpoints[i];
		any_message(rng, cairn_topics[e->topic].desc, 1, LIST_MAX, e->msg);
		(void)cairn_pub_send(e->pub, e->msg, t_ns, true);
	}
}

int main(int argc, char **argv)
{
	struct cairn_external_topics declared;
	struct cairn_error err = {"usage: ros2_stand_in RUN TOPICS.yaml"};
	struct cairn_rng rng;
	cairn_rng_seed(&rng, 1, 0);
	bool known = argc == 3 && cairn_external_load(&declared, argv[2], &err);
	struct cairn_bus *bus = known ? cairn_bus_new(argv[1], &err) : NULL;
	if (bus == NULL || !add_all(bus, &declared)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	fflush(stdout);
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	while (poll(&input, 1, REPEAT_MS) == 0)
		send_all(&rng);
	cairn_bus_destroy(&bus);
	for (int i = 0; i < endpoint_count; i++)
		free(endpoints[i].msg);
	return 0;
}
