/* talk.h - the dialogue: what is heard goes in, commands and answers come out.
 *
 * Stop is always heard and done at once. All else follows the wake word, push-to-talk, or a question of the robot. What moves the wheels
 * and was not certain is spoken back and done when a person says yes. While a person is being listened to the robot stands: what ran is
 * paused, and goes on when nothing else was wanted. No sentence releases a stop: there is no row for it (intents.def), and what is
 * paused by somebody else is not resumed by the end of a dialogue.
 *
 * Pure: time is passed in. One command is under way at most; its answer comes back by cairn_talk_replied. */
#ifndef CAIRN_COMMON_VOICE_TALK_H
#define CAIRN_COMMON_VOICE_TALK_H

#include "common/config/config.h"
#include "common/voice/intents.h"
#include "common/voice/tell.h"

#define CAIRN_TALK_ACTS 8
#define CAIRN_TALK_STOP_ANSWER_MS 300 /* a stop that is not answered so soon becomes an emergency stop */
#define CAIRN_TALK_ANSWER_MS 3000     /* any other command: nobody has answered */
#define CAIRN_TALK_ECHO_MS 400        /* so long its own words are in the room behind their end */

enum cairn_talk_act_kind {
	CAIRN_TALK_COMMAND,    /* give it, and tell cairn_talk_replied */
	CAIRN_TALK_SAY,        /* have it said */
	CAIRN_TALK_HEARD,      /* publish it */
	CAIRN_TALK_TRANSCRIBE, /* have the last utterance written down: cairn_talk_transcribed */
};

struct cairn_talk_act {
	enum cairn_talk_act_kind kind;
	uint64_t tag; /* of a command: its answer has the same */
	enum cairn_command command;
	struct cairn_msg_command request;
	struct cairn_msg_say say;
	struct cairn_msg_heard heard;
};

enum cairn_talk_state {
	CAIRN_TALK_CLOSED,     /* waits for the wake word */
	CAIRN_TALK_OPEN,       /* listens for a command */
	CAIRN_TALK_CONFIRMING, /* waits for a yes */
};

/* An utterance as the recogniser has understood it. */
struct cairn_utterance {
	const char *words;
	double confidence;
	int64_t t_begin_ns, t_end_ns; /* monotonic */
};

struct cairn_talk {
	const struct cairn_config_voice *cfg;
	unsigned rights;
	struct cairn_voice_names names;
	struct cairn_facts facts;
	enum cairn_talk_state state;
	int64_t until_ns; /* OPEN, CONFIRMING: ends then */
	bool paused;      /* what ran was paused for this dialogue */
	bool under_way;   /* a command waits for its answer, of the row: */
	enum cairn_command waits_for;
	uint64_t tag;
	bool pausing; /* that command is the dialogue's own pause or resume: no words about it */
	int64_t t_sent_ns, t_stop_ns;
	int64_t deaf_until_ns;        /* its own voice is in the room; INT64_MAX: still speaking */
	struct cairn_meaning pending; /* CONFIRMING: what is done on a yes */
	char task[256];               /* the same for a free sentence; empty: none */
	struct cairn_msg_heard heard; /* being dealt with */
	struct cairn_talk_act acts[CAIRN_TALK_ACTS + 1]; /* the last: of those for which there is no room */
	uint32_t act_count, lost;                        /* lost: acts for which there was no room */
};

/* cfg is borrowed. False with the reason: voice.rights is no list of rights, or the wake word no single word. */
bool cairn_talk_init(struct cairn_talk *t, const struct cairn_config_voice *cfg, struct cairn_error *err);

/* The keyword spotter has heard the stop word, which ended at t_end_ns. */
void cairn_talk_stop(
    struct cairn_talk *t, const char *words, double confidence, int64_t t_end_ns, int64_t now_ns);
void cairn_talk_hear(struct cairn_talk *t, const struct cairn_utterance *u, int64_t now_ns);
/* What the service has written down of it; NULL: why it did not, in err. */
void cairn_talk_transcribed(
    struct cairn_talk *t, const char *text, const struct cairn_error *err, int64_t now_ns);
/* Push-to-talk. */
void cairn_talk_push(struct cairn_talk *t, int64_t now_ns);
/* How the command of this tag has ended; one that has been overtaken by another is passed over. */
void cairn_talk_replied(struct cairn_talk *t, uint64_t tag, bool ok, const char *text, int64_t now_ns);
/* What the loudspeaker is doing. */
void cairn_talk_spoken(struct cairn_talk *t, const struct cairn_msg_spoken *m, int64_t now_ns);
/* Time goes by: windows close, answers are missing. */
void cairn_talk_step(struct cairn_talk *t, int64_t now_ns);

/* The next thing to do; false: none. */
bool cairn_talk_take(struct cairn_talk *t, struct cairn_talk_act *ret);

#endif
