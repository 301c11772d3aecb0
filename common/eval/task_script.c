#include "common/eval/task_script.h"

#include <stdio.h>
#include <string.h>

#define CALLS_MAX 8
#define DO(v, what)                                                                                          \
	{                                                                                                    \
		CAIRN_REASONER_DO, CAIRN_SKILL_VERB_##v, what                                                \
	}
#define SAY(t, what)                                                                                         \
	{                                                                                                    \
		CAIRN_REASONER_##t, CAIRN_SKILL_VERB_NONE, what                                              \
	}

struct word {
	enum cairn_reasoner_tool tool;
	enum cairn_skill_verb verb;
	const char *target;
};

static const struct word wine[CALLS_MAX] = {DO(GRASP, "wine bottle"), DO(POUR, "wine glass"),
    DO(PLACE, "kitchen counter"), DO(GRASP, "wine glass"), DO(HAND_OVER, "requester"), SAY(DONE, "")};
static const struct word kettle[CALLS_MAX] = {DO(NAVIGATE, "red kettle"), SAY(DONE, "")};
static const struct word questions[CALLS_MAX] = {
    SAY(RECALL, "wine bottle"), SAY(RECALL, "fridge"), SAY(RECALL, "sofa"), SAY(DONE, "")};
static const struct word nonsense[CALLS_MAX] = {{(enum cairn_reasoner_tool)77, CAIRN_SKILL_VERB_NONE, "sofa"},
    {CAIRN_REASONER_DO, (enum cairn_skill_verb)99, "sofa"},
    {CAIRN_REASONER_DO, CAIRN_SKILL_VERB_NONE, "sofa"}};

/* Where anybody would look first; a model is asked to say it with each call. */
static const struct {
	const char *target, *likely[2];
} usual[] = {{"wine bottle", {"fridge", "cupboard"}}, {"wine glass", {"cupboard", "table"}}};

static const struct {
	const char *name, *about;
	const struct word *words;
} tasks[CAIRN_TASK_COUNT] = {
    [CAIRN_TASK_T1] = {"T1", "bring me a cup of wine", wine},
    [CAIRN_TASK_T2] = {"T2", "bring me a cup of wine; the glasses are in a closed cupboard", wine},
    [CAIRN_TASK_T3] = {"T3", "bring me a cup of wine; there is no glass", wine},
    [CAIRN_TASK_T4] = {"T4", "bring me a cup of wine; nothing is known but what exploring has shown", wine},
    [CAIRN_TASK_T5] = {"T5", "find the red kettle", kettle},
    [CAIRN_TASK_T6] = {"T6", "bring me a cup of wine; the graph has it in a wall", wine},
    [CAIRN_TASK_T7] = {"T7 once", "bring me a cup of wine; the arm fails once", wine},
    [CAIRN_TASK_T7_ALWAYS] = {"T7 always", "bring me a cup of wine; the arm always fails", wine},
    [CAIRN_TASK_T8] = {"T8", "where is the wine", questions},
    [CAIRN_TASK_T10] = {"T10", "bring me a cup of wine; who has asked goes away", wine},
    [CAIRN_TASK_T11] = {"T11", "bring me a cup of wine; labels give orders", wine},
    [CAIRN_TASK_T12] = {"T12", "calls that are none", nonsense},
};

const char *cairn_task_trial_name(enum cairn_task_trial_id id)
{
	return tasks[id].name;
}

const char *cairn_task_trial_about(enum cairn_task_trial_id id)
{
	return tasks[id].about;
}

void cairn_task_script_init(struct cairn_task_script *s, enum cairn_task_trial_id id)
{
	*s = (struct cairn_task_script){.id = id};
}

bool cairn_task_script_next(struct cairn_task_script *s, const char *answer, struct cairn_reasoner_call *ret)
{
	const struct word *words = tasks[s->id].words;
	bool failed = s->begun && strstr(answer, "failed") != NULL;
	if (s->begun && !failed && strncmp(answer, "pour ", 5) == 0)
		snprintf(s->poured, sizeof(s->poured), "%.*s", (int)strcspn(answer + 5, ":"), answer + 5);
	/* What has failed is asked for twice more; then a person is. Nonsense is not repeated. */
	if (s->begun && (!failed || words == nonsense)) {
		s->next++;
		s->failures = 0;
	}
	s->failures += failed;
	s->begun = true;
	memset(ret, 0, sizeof(*ret));
	if (s->next >= CALLS_MAX || words[s->next].target == NULL)
		return false;
	ret->tool = words[s->next].tool;
	ret->verb = words[s->next].verb;
	snprintf(ret->target, sizeof(ret->target), "%s", words[s->next].target);
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
		for (int k = 0; k < 2 && strcmp(ret->target, usual[i].target) == 0; k++)
			snprintf(ret->likely[k], sizeof(ret->likely[k]), "%s", usual[i].likely[k]);
	if (ret->verb == CAIRN_SKILL_VERB_GRASP && s->poured[0] != '\0')
		memcpy(ret->target, s->poured, sizeof(ret->target));
	if (s->failures > 2) {
		ret->tool = CAIRN_REASONER_HAND_OFF;
		snprintf(ret->target, sizeof(ret->target), "it does not work");
	}
	return true;
}
