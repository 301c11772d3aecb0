/* speech_queue.h - what is to be said aloud, in which order, and what is left out.
 *
 * A warning cuts what is being said and goes first; answers go before news. News are kept apart by voice.gap_s, are not said in quiet
 * hours, and are dropped when they have waited too long: old news help nobody. The same words are not said twice within a minute, except
 * as an answer. Pure: time, also that of day, is passed in. */
#ifndef CAIRN_COMMON_VOICE_SPEECH_QUEUE_H
#define CAIRN_COMMON_VOICE_SPEECH_QUEUE_H

#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_SPEECH_QUEUE 8
#define CAIRN_SPEECH_NEWS_S 20.0
#define CAIRN_SPEECH_SAME_S 60.0

struct cairn_speech_item {
	char text[256];
	enum cairn_urgency urgency;
	int64_t t_ns; /* came then */
};

struct cairn_speech_queue {
	const struct cairn_config_voice *cfg;
	int quiet_from_min, quiet_to_min; /* minutes of the day; equal: never */
	struct cairn_speech_item items[CAIRN_SPEECH_QUEUE], last;
	uint32_t count;
	bool speaking;
	enum cairn_urgency speaking_urgency;
	int64_t t_said_ns;              /* the last words ended; 0: none yet */
	struct cairn_msg_spoken spoken; /* to be published whenever a function below says so */
};

/* cfg is borrowed. False with the reason: voice.quiet_hours is no "HH:MM-HH:MM". */
bool cairn_speech_queue_init(
    struct cairn_speech_queue *q, const struct cairn_config_voice *cfg, struct cairn_error *err);

/* Takes words to be said. Stop words in them are replaced, so that its own voice is not taken for a stop. What is left out, now or for
 * its sake, is told in spoken: true then. ret_cut: what is being said must end at once. */
bool cairn_speech_queue_add(
    struct cairn_speech_queue *q, const struct cairn_msg_say *say, int64_t now_ns, bool *ret_cut);

/* What to say now; false: nothing. minute: of the day. In the first case spoken has it, except t_end_ns. *ret_told: spoken has something
 * that was left out (false is returned then; ask again). */
bool cairn_speech_queue_next(struct cairn_speech_queue *q, int minute, int64_t now_ns, bool *ret_told);
/* What was being said has ended, or was cut for this reason. spoken tells. */
void cairn_speech_queue_ended(struct cairn_speech_queue *q, const char *cut, int64_t now_ns);

/* Words that begin like the stop words become "hold". In place: never longer. */
void cairn_speech_harmless(char *text);

#endif
