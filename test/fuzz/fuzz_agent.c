/* The agent's saved episode under a checksum that fits, and the whole file as it comes: what is taken up can be told, saved, read again
 * and asked about, and keeps its bounds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/agent/agent.h"
#include "common/base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

static struct cairn_config cfg;
static struct cairn_profile profile;

static struct cairn_agent *make(void)
{
	struct cairn_error err = {""};
	struct cairn_agent *a = cairn_agent_new(&cfg, &profile, &err);
	if (a == NULL)
		abort();
	return a;
}

/* The mission is at the task still: one query more, and what is saved then is read again. */
static void go_on(struct cairn_agent *a)
{
	static struct cairn_msg_agent m;
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_TASK};
	struct cairn_msg_pose pose = {.tracking = CAIRN_TRACKING_GOOD};
	struct cairn_error err = {""};
	struct cairn_text file = {0};
	const char *body;
	size_t bytes;
	cairn_agent_message(a, 1, &m);
	mission.task_id = m.task_id;
	memcpy(mission.task, m.task, sizeof(mission.task));
	cairn_agent_on_pose(a, &pose);
	cairn_agent_on_mission(a, &mission, 1);
	(void)cairn_agent_poll(a, 1, &body, &bytes);
	if (cairn_agent_poll(a, 20 * CAIRN_NS_PER_S, &body, &bytes) == CAIRN_DIALOG_SEND && bytes == 0)
		abort();
	cairn_agent_message(a, 20 * CAIRN_NS_PER_S, &m);
	if (m.plan_count > sizeof(m.plan) / sizeof(m.plan[0]) || !(m.usd >= 0.0) || !(m.confidence <= 1.0))
		abort();
	if (cairn_agent_save(a, &file)) {
		struct cairn_agent *b = make();
		if (file.len > CAIRN_AGENT_FILE_BYTES_MAX || !cairn_agent_load(b, file.data, file.len, &err))
			abort(); /* what it has written it does not read */
		cairn_agent_destroy(&b);
	}
	cairn_text_free(&file);
}

static void try_it(const char *text, size_t bytes)
{
	struct cairn_error err = {""};
	struct cairn_agent *a = make();
	if (cairn_agent_load(a, text, bytes, &err))
		go_on(a);
	else if (err.text[0] == '\0')
		abort(); /* refused without a reason */
	cairn_agent_destroy(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	if (cfg.agent.limit_queries == 0) {
		cairn_config_defaults(&cfg);
		cairn_profile_defaults(&profile);
		cfg.agent.enabled = true;
		cfg.scene.objects_max = 64;
	}
	cfg.robot.arm_reach_m = count % 2 == 0 ? 0.8 : 0.0; /* with a plan, and without one */
	char *text = malloc(count + 32);
	if (text == NULL)
		return 0;
	int n = snprintf(text, 32, "%016" PRIx64 "\n", cairn_hash_bytes(CAIRN_HASH_START, data, count));
	memcpy(text + n, data, count);
	text[n + (int)count] = '\n';
	try_it(text, (size_t)n + count + 1);
	memcpy(text, data, count);
	try_it(text, count);
	free(text);
	return 0;
}
