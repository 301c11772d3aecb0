/* questions.h - questions about a house with their answers, made from the world's file by code that neither the agent nor the
 * scripted pilot links.
 *
 *   location        a thing of a name that stands once in the house, in one named room: where is it?
 *   existence       is there one? Half of them of things of other houses that this one does not have
 *   count           of a name that stands two to six times: how many are there?
 *   state           is it open, closed, on or off? Of what opens and shines, alone of its name in the house or in its room
 *   spatial         what is on it (one thing alone is), and: seen from the middle of a room, is it left of another one? Asked only
 *                   where half a metre to any side of that middle makes no difference
 *   identification  what colour is it? Of things that the world's file calls by the colour of their paint
 *
 * By seed, without repetition. What is not asked, as its answer is not unique, is counted. Nothing is asked of things whose place the
 * seed of the simulation chooses. */
#ifndef CAIRN_COMMON_EVAL_QUESTIONS_H
#define CAIRN_COMMON_EVAL_QUESTIONS_H

#include "common/sim/world/world.h"

enum cairn_question_kind {
	CAIRN_QUESTION_LOCATION,
	CAIRN_QUESTION_EXISTENCE,
	CAIRN_QUESTION_COUNT,
	CAIRN_QUESTION_STATE,
	CAIRN_QUESTION_SPATIAL,
	CAIRN_QUESTION_IDENTIFICATION,
	CAIRN_QUESTION_KINDS
};

struct cairn_question {
	enum cairn_question_kind kind;
	char text[128];
	char label[40]; /* of the thing that decides it; of what is on another it is the upper one */
	char other[40]; /* SPATIAL: that it is on, or left of */
	char room[40];  /* LOCATION; STATE: empty unless there are more of its name elsewhere */
	uint32_t count; /* in the house, of label */
	uint32_t
	    options; /* answers that are as likely to who knows nothing but the house's rooms and names */
	/* STATE, SPATIAL, IDENTIFICATION: the word that is right, and of two the one that is wrong and the one that is asked for. */
	char truth[40], wrong[40], asked[40];
};

const char *cairn_question_word(enum cairn_question_kind kind);

/* Up to max, of each kind as many where there are so many. foreign: names of things of other houses. *ret_rejected: names of which
 * nothing could be asked. */
uint32_t cairn_questions_make(const struct cairn_world *world, const char (*foreign)[40],
    uint32_t foreign_count, uint64_t seed, struct cairn_question *ret, uint32_t max, uint32_t *ret_rejected);
/* The names of a house's things, each once; at most max. */
uint32_t cairn_questions_labels(const struct cairn_world *world, char (*ret)[40], uint32_t max);

/* Does an answer say what is true? Of a location always: that is judged by its evidence. "Yes" and "no" count as what they say of
 * the word that is asked for. */
bool cairn_question_says(const struct cairn_question *question, const char *answer);

#endif
