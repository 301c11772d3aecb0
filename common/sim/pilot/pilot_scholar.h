/* pilot_scholar.h - the scripted pilot's answers to the agent's queries: by rules, from the bytes of the request alone.
 *
 * It knows a small grammar of questions (where, is there, how many, what colour, is it open, what is on it, is it left of, find, open, close,
 * bring, a way told part by part) and in what rooms people keep which things; no house and no picture. What it does not parse, or has no evidence for in the text that it was given, it does not answer. Its plans are canned, one a class of
 * question: it exercises the calls, the forms and the limits, and says nothing about how well a model plans. */
#ifndef CAIRN_COMMON_SIM_PILOT_PILOT_SCHOLAR_H
#define CAIRN_COMMON_SIM_PILOT_PILOT_SCHOLAR_H

#include "common/base/text.h"

enum cairn_scholar_class {
	CAIRN_SCHOLAR_NONE, /* not parsed */
	CAIRN_SCHOLAR_WHERE,
	CAIRN_SCHOLAR_EXISTS,
	CAIRN_SCHOLAR_COUNT,
	CAIRN_SCHOLAR_COLOUR, /* what is known of a thing that was found */
	CAIRN_SCHOLAR_STATE,  /* is it open, closed, on, off? */
	CAIRN_SCHOLAR_ON,     /* what is on it? */
	CAIRN_SCHOLAR_LEFT,   /* seen from the middle of a room, is it left or right of another? */
	CAIRN_SCHOLAR_OPEN,   /* from here on something to do */
	CAIRN_SCHOLAR_CLOSE,
	CAIRN_SCHOLAR_BRING,
	CAIRN_SCHOLAR_ROUTE /* a way told part by part; what: the thing of the step that is asked about, or at its end */
};

struct cairn_scholar_question {
	enum cairn_scholar_class kind;
	char what[40];  /* the thing, singular, in small letters */
	char room[40];  /* only in this room; empty = anywhere */
	char other[40]; /* LEFT: of what */
	char from[40];  /* LEFT: the room from whose middle it is seen */
};

void cairn_scholar_parse(const char *task, struct cairn_scholar_question *ret);

#define CAIRN_SCHOLAR_PARTS_MAX 10

/* Divides "Turn round, pass the sofa, take the second door on the left, stop at the lamp." into the parts that prepare_task asks for. 0: it is
 * no such way, or a part of it is not understood. */
uint32_t cairn_scholar_route(const char *task, char (*ret)[64]);

/* The label has the thing's words as whole words. */
bool cairn_scholar_same_thing(const char *label, const char *what);

/* How much likelier than in any room such a thing is in a room of this name (pilot_priors.def); 1 where nothing is known of either. */
double cairn_scholar_prior(const char *thing, const char *room);

/* The call for a request: text, all that users and tools have said in it, in order; tools, the names that may be called now,
 * separated by blanks. False: these are not the agent's tools. ret_tool: at least 64 bytes. Arguments: a JSON object. */
bool cairn_scholar_answer(
    const char *text, const char *tools, char ret_tool[64], struct cairn_text *ret_arguments);

#endif
