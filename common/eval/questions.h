/* questions.h - questions about a house with their answers, made from the world's file by code that neither the agent nor the
 * scripted pilot links.
 *
 *   location   a thing of a name that stands once in the house, in one named room: where is it?
 *   existence  is there one? Half of them of things of other houses that this one does not have
 *   count      of a name that stands two to six times: how many are there?
 *
 * By seed, without repetition. What is not asked, as its answer is not unique, is counted. */
#ifndef CAIRN_COMMON_EVAL_QUESTIONS_H
#define CAIRN_COMMON_EVAL_QUESTIONS_H

#include "common/sim/world/world.h"

enum cairn_question_kind {
	CAIRN_QUESTION_LOCATION,
	CAIRN_QUESTION_EXISTENCE,
	CAIRN_QUESTION_COUNT,
	CAIRN_QUESTION_KINDS
};

struct cairn_question {
	enum cairn_question_kind kind;
	char text[128], label[40];
	char room[40];  /* LOCATION */
	uint32_t count; /* in the house */
};

const char *cairn_question_word(enum cairn_question_kind kind);

/* Up to max, of each kind a third where there are so many. foreign: names of things of other houses. *ret_rejected: names of which
 * nothing could be asked. */
uint32_t cairn_questions_make(const struct cairn_world *world, const char (*foreign)[40],
    uint32_t foreign_count, uint64_t seed, struct cairn_question *ret, uint32_t max, uint32_t *ret_rejected);
/* The names of a house's things, each once; at most max. */
uint32_t cairn_questions_labels(const struct cairn_world *world, char (*ret)[40], uint32_t max);

#endif
