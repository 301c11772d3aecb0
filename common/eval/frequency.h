/* frequency.h - how many calls an exploration needs: asked when there is something to decide, or at a fixed
 * rate.
 *
 * Both run the same home with the same pilot, seed and noise (common/eval/run.h). The fixed rate is treated
 * kindly: an answer that comes while nothing is wanted is dropped instead of refused. Compared are the calls
 * made until each had seen the same share of the floor, which is what the poorer of the two had seen at its
 * end, less a little. */
#ifndef CAIRN_COMMON_EVAL_FREQUENCY_H
#define CAIRN_COMMON_EVAL_FREQUENCY_H

#include "common/eval/run.h"

#define CAIRN_FREQUENCY_SLACK 0.005 /* of the floor: the last corners are luck */

struct cairn_frequency_run {
	bool finished; /* by itself, within the limit */
	double seconds, coverage;
	uint32_t contacts;
	uint64_t calls;
	double same_coverage; /* what is compared */
	uint64_t same_calls;  /* until then */
	double same_seconds;
	/* Events of the scene while a decision of the model was driven (common/eval/run.h), and the times from those that
	 * did not happen during a call to the next question. */
	/* Things and rooms of the house that the pictures of the questions have shown: what could have been discovered. */
	uint32_t things_shown, rooms_asked;
	uint32_t reports; /* of the pilot */
	uint64_t rule_decisions;
	double novelty_mean;
	uint64_t event_calls, events, events_thinking, events_known;
	uint64_t asked[CAIRN_TRIGGER_COUNT]; /* the calls by what started them */
	uint32_t reactions;
	float reaction_s[CAIRN_RUN_REACTIONS];
};

struct cairn_frequency_report {
	struct cairn_frequency_run adaptive, fixed;
	struct cairn_frequency_run novelty; /* by need, with the stage local: its score decides, too */
	uint64_t need_calls;                /* of the run by need without it, until both had seen the same */
	double need_seconds;
	double saved_by_novelty; /* share of the calls by need, to where both had seen the same */
	struct cairn_frequency_run
	    without;  /* by need, and events start no calls of their own (vlm.ask_at_events) */
	double saved; /* share of the fixed rate's calls that adaptive asking does without */
};

/* ret: one for each of the count periods; the runs by need are one and the same. */
bool cairn_frequency_compare(const struct cairn_config *cfg, const struct cairn_world *world,
    const double *periods_s, uint32_t count, double limit_s, struct cairn_frequency_report *ret,
    struct cairn_error *err);

#endif
