/* question_facts.h - what is asked of a house's things beside their names: state, place, colour (questions.h). For questions.c alone. */
#ifndef CAIRN_COMMON_EVAL_QUESTION_FACTS_H
#define CAIRN_COMMON_EVAL_QUESTION_FACTS_H

#include "common/eval/questions.h"

/* Names of the house's things, each once. */
struct question_name {
	char label[40];
	uint32_t count;
	char room[40]; /* of the first; empty: in none, or in several */
};

/* A thing that is asked of: it has a label, and it stands in one place whatever the seed. */
bool question_thing(const struct cairn_world *world, uint32_t thing, char ret_label[40]);
/* Is one name a part of another one that the house has, or the other way round? Which would be meant? */
bool question_ambiguous(const struct question_name *names, uint32_t count, const char *label);

/* All questions of a kind, in the order of the world's file; at most max. SPATIAL: those with `on` true, or the others. */
uint32_t question_facts(const struct cairn_world *world, const struct question_name *names, uint32_t count,
    enum cairn_question_kind kind, bool on, struct cairn_question *ret, uint32_t max);

#endif
