#include "common/agent/agent_tools.h"

#define AT(member) .offset = offsetof(struct cairn_agent_call, member)
#define CAP(member) .cap = sizeof(((struct cairn_agent_call *)0)->member)
#define HAS(member) .optional = true, .has_offset = offsetof(struct cairn_agent_call, member)
#define TEXT(word, member, bytes, what)                                                                      \
	{                                                                                                    \
		.name = word, .kind = CAIRN_PARAM_TEXT, .max = bytes, AT(member), CAP(member), .doc = what   \
	}
#define TEXT_OR_NULL(word, member, bytes, what)                                                              \
	{                                                                                                    \
		.name = word, .kind = CAIRN_PARAM_TEXT, .max = bytes, AT(member), CAP(member),               \
		.optional = true, .doc = what                                                                \
	}
#define LINES(word, member, most, what)                                                                      \
	{                                                                                                    \
		.name = word, .kind = CAIRN_PARAM_LIST, .max = most, AT(member.items),                       \
		.cap = CAIRN_AGENT_LINE_CAP,                                                                 \
		.count_offset = offsetof(struct cairn_agent_call, member.count), .doc = what                 \
	}
#define IDS(word, member, what)                                                                              \
	{                                                                                                    \
		.name = word, .kind = CAIRN_PARAM_LIST, .max = CAIRN_AGENT_IDS_MAX, AT(member.items),        \
		.cap = CAIRN_AGENT_ID_CAP, .count_offset = offsetof(struct cairn_agent_call, member.count),  \
		.doc = what                                                                                  \
	}
#define WORD(word, member, list, what)                                                                       \
	{                                                                                                    \
		.name = word, .kind = CAIRN_PARAM_WORD, .words = list, AT(member), .doc = what               \
	}
#define NUMBER(word, member, least, most, what)                                                              \
	{                                                                                                    \
		.name = word, .kind = CAIRN_PARAM_NUMBER, .min = least, .max = most, AT(member), .doc = what \
	}
#define LIKELY                                                                                               \
	IDS("likely", ids,                                                                                   \
	    "things of the graph at which you would look first, if it is not known; may be empty")
#define GOES "Goes there and looks by itself"
#define ROW(ID, word, acts, what, count, ...)                                                                \
	[CAIRN_AGENT_##ID] = {CAIRN_AGENT_##ID, acts, what, count, {__VA_ARGS__}, word}

_Static_assert(CAIRN_AGENT_TOOL_COUNT <= CAIRN_TOOL_ROWS_MAX, "a set of rows is a word of bits");

static const char *const step_words[] = {"goto", "explore", "getinfo", "function", "finish", NULL};
static const char *const until_words[] = {"thing", "room", "all", NULL};
static const char *const claim_words[] = {"found", "absent", "count", "done", NULL};
static const char *const verdict_words[] = {"accomplished", "not_yet", "cannot", NULL};

static const struct cairn_tool_row rows[CAIRN_AGENT_TOOL_COUNT] = {
    ROW(FIND_OBJECTS, "find_objects", false,
	"List the things known that are called so, with ids, rooms and positions", 2,
	TEXT("what", name, 40, "a label, or * for every thing"),
	{.name = "room",
	    .kind = CAIRN_PARAM_TEXT,
	    .max = 40,
	    AT(room),
	    CAP(room),
	    HAS(has_room),
	    .doc = "only in this room, by id or name, or null"}),
    ROW(OBJECT, "object", false,
	"All that is known of one thing: room, position, state, what it is on, in or near, pictures", 1,
	TEXT("id", name, 40, "as find_objects tells it")),
    ROW(FIND_ROOMS, "find_rooms", false,
	"List the rooms known, with ids, names, sizes and openings into the unknown", 0, {0}),
    ROW(ROOM, "room", false, "All that is known of one room, and whether anything of it is unseen", 1,
	TEXT("name", name, 40, "its id or name")),
    ROW(OPENINGS, "openings", false, "List the openings into the unknown that can be reached, by letter", 0,
	{0}),
    ROW(WAY_TO, "way_to", false, "Tell the way to a room, thing or person by the places known", 1,
	TEXT("name", name, 40, "its id or name")),
    ROW(BEST_VIEW, "best_view", false, "Tell from where a thing is seen best", 1,
	TEXT("thing", name, 40, "label or id")),
    ROW(CAN_SEE, "can_see", false, "Tell whether a thing is in the camera's sight from here", 1,
	TEXT("thing", name, 40, "label or id")),
    ROW(CAN_REACH, "can_reach", false, "Tell whether the arm gets at a thing, and from where", 1,
	TEXT("thing", name, 40, "label or id")),
    ROW(LOOK_AT_PICTURES, "look_at_pictures", false, "Have kept pictures looked at with a question", 2,
	IDS("pictures", ids,
	    "numbers of pictures, as the tools tell them, or ids of things that they show best"),
	TEXT("question", text, 300, "a full sentence: what to look for")),
    ROW(GO_TO, "go_to", true, "Drive to a thing, a room, a place or a point, and face the thing", 3,
	{.name = "name",
	    .kind = CAIRN_PARAM_TEXT,
	    .max = 40,
	    AT(name),
	    CAP(name),
	    HAS(has_name),
	    .doc = "id or name, or null where a point is given"},
	{.name = "x_m",
	    .kind = CAIRN_PARAM_NUMBER,
	    .min = -500,
	    .max = 500,
	    AT(x_m),
	    HAS(has_x),
	    .doc = "metres, map frame, or null"},
	{.name = "y_m",
	    .kind = CAIRN_PARAM_NUMBER,
	    .min = -500,
	    .max = 500,
	    AT(y_m),
	    HAS(has_y),
	    .doc = "metres, map frame, or null"}),
    ROW(EXPLORE, "explore", true, "Drive to an opening into the unknown, and see what is behind it", 1,
	TEXT("letter", letter, 4, "as openings tells it")),
    ROW(TURN, "turn", true, "Turn on the spot", 1,
	NUMBER("angle_deg", angle_deg, -180, 180, "negative is left")),
    ROW(LOOK_AROUND, "look_around", true, "Turn once all round, to see what is here", 0, {0}),
    ROW(SEARCH, "search", true,
	"Find a thing: go to where it is seen, or look for it at the likeliest places, opening what hides it",
	2, TEXT("thing", name, 40, "a label, colour and label, or an id"), LIKELY),
    ROW(OPEN, "open", true, "With the arm: open a container or lid. " GOES, 2,
	TEXT("thing", name, 40, "a label, colour and label, or an id"), LIKELY),
    ROW(CLOSE, "close", true, "With the arm: close it. " GOES, 1, TEXT("thing", name, 40, "label or id")),
    ROW(GRASP, "grasp", true,
	"With the arm: take a thing into the hand; what it is in is opened before and closed behind "
	"it. " GOES,
	2, TEXT("thing", name, 40, "a label, colour and label, or an id"), LIKELY),
    ROW(PLACE, "place", true, "With the arm: put down what is in the hand. " GOES, 1,
	TEXT("where", name, 40, "a surface or an open container, by label or id")),
    ROW(POUR, "pour", true, "With the arm: pour from what is in the hand. " GOES, 2,
	TEXT("into", name, 40, "a vessel, by label or id"), LIKELY),
    ROW(HAND_OVER, "hand_over", true, "With the arm: give what is in the hand to a person. " GOES, 1,
	TEXT("to", name, 40, "requester: who has given the task, at the place where that was; or an id")),
    ROW(ASK_PERSON, "ask_person", false,
	"Stop and ask a person, who may answer later; only when nothing is left to try", 1,
	TEXT("question", text, 200, "what the person is to do or to tell, and what was tried")),
    ROW(SAY, "say", false, "Say something aloud to the people who are there; it is no answer to the task", 1,
	TEXT("words", text, 200, "one or two short sentences")),
    ROW(CONCLUDE, "conclude", false, "End this step of the plan", 2,
	TEXT("summary", text, 400, "what was found out, with ids; what could not be"),
	{.name = "new_information",
	    .kind = CAIRN_PARAM_FLAG,
	    AT(news),
	    .doc = "true: something was learned that the memory does not have"}),
    ROW(PREPARE_TASK, "prepare_task", false, "Prepare the task", 4,
	IDS("labels", ids,
	    "things that the task is about or that are likely beside them, as a detector would call them"),
	LINES("termination_conditions", lines, 8,
	    "each a sentence that must hold before the task is accomplished"),
	TEXT("heuristic", text2, 300, "the heuristic chosen, adapted to this task"),
	LINES("route", findings, 12,
	    "only where the task tells a way to follow: its parts in order, each 'turn round', 'door N "
	    "left', "
	    "'door N right', 'pass THING' or 'stop at THING'; otherwise empty")),
    ROW(OUTLINE_PLAN, "outline_plan", false, "Outline the plan as pseudocode", 1,
	LINES("pseudocode", lines, 20, "one line each")),
    ROW(WRITE_PLAN, "write_plan", false, "Write the plan", 1,
	LINES("lines", lines, CAIRN_AGENT_LINES_MAX,
	    "numbered lines (1, 1.1, 1.1.1): Goto(x), Explore(objective), Getinfo(question), Function(what "
	    "it finds out), If, While, Break, Finish, each with what and why")),
    ROW(NEXT_STEP, "next_step", false, "Pick the next step of the plan", 2,
	WORD(
	    "kind", kind, step_words, "finish: every termination condition holds, or nothing is left to try"),
	TEXT("step", text, 200, "the whole line with its number")),
    ROW(CHOOSE_OPENING, "choose_opening", false, "Choose where to explore", 4,
	TEXT("analysis", text, 300, "where the openings are and what each may lead to"),
	IDS("letters", ids,
	    "capital letters of the list: the promising ones. The robot looks into them by the shortest way, "
	    "and "
	    "into what opens beside them"),
	IDS("later", ids2, "letters that are worth a look only when those are done; may be empty"),
	WORD("until", until, until_words,
	    "when you are asked again: thing: a thing with one of the labels is seen; room: that, or a room "
	    "gets "
	    "its name; all: nothing at all is left to look into. Always when these openings are done")),
    ROW(DESCRIBE_PICTURES, "describe_pictures", false, "Answer by the pictures", 2,
	LINES("pictures", lines, 8, "one line a picture: its number, and what it shows of the question"),
	TEXT("overall", text, 400, "the answer to the question by all of them")),
    ROW(UPDATE_MEMORY, "update_memory", false,
	"Update the memory; repeat what stays true, leave out what does not", 5,
	TEXT("description", text, 400, "the house as far as it matters for the task"),
	IDS("spaces", ids, "rooms, by id"),
	LINES("entrances", lines, 8, "openings and rooms that are still to be looked into"),
	LINES("findings", findings, 12,
	    "critical findings with ids; begin with HYPOTHESIS what is not certain"),
	IDS("pictures", ids2, "numbers of pictures that matter")),
    ROW(VERIFY_TASK, "verify_task", false, "Judge whether the task is accomplished", 6,
	WORD("verdict", kind, verdict_words,
	    "accomplished: the conditions hold and the evidence is named; cannot: nothing is left to try"),
	WORD("claim", claim, claim_words,
	    "what the answer says: found: something that was seen; absent: that something is not there; "
	    "count: how "
	    "many there are (both need every opening looked into); done: what the robot has done with "
	    "things"),
	TEXT_OR_NULL(
	    "answer", text, 240, "to the person who has asked, one sentence; null where there is none"),
	IDS("evidence", ids, "ids of things and rooms, and numbers of pictures, that the answer rests on"),
	NUMBER("confidence", confidence, 0, 1, "how sure"),
	TEXT_OR_NULL("missing", text2, 240, "what is still missing and what was tried, or null")),
};

const struct cairn_tool_table cairn_agent_tools = {
    rows, CAIRN_AGENT_TOOL_COUNT, sizeof(struct cairn_agent_call)};

uint64_t cairn_agent_arm(void)
{
	return CAIRN_TOOL_BIT(CAIRN_AGENT_CAN_REACH) |
	       (CAIRN_TOOL_BIT(CAIRN_AGENT_HAND_OVER + 1) - CAIRN_TOOL_BIT(CAIRN_AGENT_OPEN));
}
