/* intents.h - what can be said to the robot: the rows of intents.def, the grammar made of them and of the names that are known, and what
 * a recognised sentence means. Pure. */
#ifndef CAIRN_COMMON_VOICE_INTENTS_H
#define CAIRN_COMMON_VOICE_INTENTS_H

#include "common/base/text.h"
#include "ipc/commands.h"
#include "ipc/messages.h"

enum cairn_intent {
#define INTENT(id, name, kind, command, arg, moves, grammar, effect) CAIRN_INTENT_##id,
#include "common/voice/intents.def"
	CAIRN_INTENT_COUNT /* also: none of them */
};

enum cairn_intent_kind {
	CAIRN_INTENT_KIND_STOP,
	CAIRN_INTENT_KIND_ORDER,
	CAIRN_INTENT_KIND_ASK,
	CAIRN_INTENT_KIND_TELL,
	CAIRN_INTENT_KIND_REPLY
};

struct cairn_intent_row {
	const char *name;
	enum cairn_intent_kind kind;
	enum cairn_command command; /* CAIRN_COMMAND_COUNT: none */
	const char *arg;
	bool moves;
	const char *grammar, *effect;
};

extern const struct cairn_intent_row cairn_intents[CAIRN_INTENT_COUNT];

/* ---- names that are known ---- */

#define CAIRN_VOICE_NAMES_MAX 96
#define CAIRN_VOICE_NAME_CAP 48

struct cairn_voice_name {
	char said[CAIRN_VOICE_NAME_CAP]; /* small letters, one blank between words: "red kettle" */
	char id[CAIRN_VOICE_NAME_CAP];   /* what the scene graph calls it */
};

struct cairn_voice_names {
	struct cairn_voice_name items[CAIRN_VOICE_NAMES_MAX];
	uint32_t count;
	uint32_t dropped; /* no room, or nothing in them that can be said */
	char unknown
	    [160]; /* words that the recogniser has no pronunciation for, with the names they made unsayable: for people */
	uint32_t unknown_count;
};

/* Does the recogniser know how the word sounds? */
typedef bool cairn_voice_knows_fn(void *ctx, const char *word);

/* Takes a name: its letters in small, all else as blanks, a number behind it left out ("kitchen_2" is "kitchen"). One that is there
 * already is passed over, one with a word that is not known is left out and told in unknown. knows NULL: all are. */
void cairn_voice_name_add(struct cairn_voice_names *names, const char *label, const char *id,
    cairn_voice_knows_fn *knows, void *ctx);
/* Rooms, then things with their colour and without it, of the scene graph, then points with names ("NAME X Y; ..." of choice.waypoints). */
void cairn_voice_names_from(struct cairn_voice_names *ret, const struct cairn_msg_scene *scene,
    const char *waypoints, cairn_voice_knows_fn *knows, void *ctx);

/* ---- the grammar ---- */

/* JSGF with the public rule <said>: [wake] command, or the wake word alone; rows with <name> are left out where no name is known. */
void cairn_voice_grammar(struct cairn_text *ret, const char *wake, const struct cairn_voice_names *names);

/* The same of the row STOP alone. */
void cairn_voice_stop_grammar(struct cairn_text *ret, const char *wake);

/* ---- what a sentence means ---- */

struct cairn_meaning {
	bool woken;               /* the wake word stood in front */
	enum cairn_intent intent; /* CAIRN_INTENT_COUNT: none; with woken: the wake word alone */
	char place[CAIRN_VOICE_NAME_CAP], id[CAIRN_VOICE_NAME_CAP]; /* where the row has <name> */
};

/* Words in any case, with any punctuation between them. Only what the grammar gives is understood: no word more or less. */
struct cairn_meaning cairn_voice_parse(
    const char *words, const char *wake, const struct cairn_voice_names *names);

/* "go to the kitchen", for people. Returns buf. */
const char *cairn_meaning_text(const struct cairn_meaning *m, char *buf, size_t bytes);
/* The command with its argument, place resolved to the id. False: the intent gives none. */
bool cairn_meaning_command(const struct cairn_meaning *m, struct cairn_msg_command *ret);

/* Small letters, one blank between words, no punctuation. */
void cairn_voice_plain(char *dst, size_t cap, const char *src);

#endif
