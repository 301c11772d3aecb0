/* agent_say.c - words for the people who are there. They go to the stage that speaks, if one is there; that robots hear them is no danger: the
 * own voice commands nothing (docs/voice.md). */
#include <stdio.h>
#include <string.h>

#include "common/agent/agent_private.h"

#define VOICE_MAX_NS (5 * CAIRN_NS_PER_S) /* the stage tells twice a second that it is there */
#define SAYS_MAX 10                       /* of one task */

void cairn_agent_on_spoken(struct cairn_agent *a, const struct cairn_msg_spoken *spoken, int64_t now_ns)
{
	(void)spoken;
	a->t_voice_ns = now_ns;
}

bool cairn_agent_take_say(struct cairn_agent *a, struct cairn_msg_say *ret)
{
	bool due = a->say.text[0] != '\0';
	if (due)
		*ret = a->say;
	a->say = (struct cairn_msg_say){0};
	return due;
}

void agent_take_say(struct cairn_agent *a, int64_t now_ns, char *ret, size_t bytes)
{
	if (a->t_voice_ns == 0 || now_ns - a->t_voice_ns > VOICE_MAX_NS) {
		snprintf(ret, bytes,
		    "Not said: this robot has no voice now (the stage speak does not run; "
		    "voice.speak_device names its loudspeaker). Conclude, or ask_person instead.");
		return;
	}
	if (a->call.text[0] == '\0' || a->spent.says >= SAYS_MAX) {
		snprintf(ret, bytes,
		    a->call.text[0] == '\0' ? "Not said: there were no words."
					    : "Not said: that was said enough for one task.");
		return;
	}
	a->spent.says++;
	a->say = (struct cairn_msg_say){.urgency = CAIRN_URGENCY_NEWS};
	cairn_text_clean(a->say.text, sizeof(a->say.text), a->call.text, strlen(a->call.text));
	cairn_agent_log_add(&a->memory.actions, "said aloud: %.160s", a->say.text);
	snprintf(ret, bytes, "It is being said. Whether somebody hears it is not known.");
}
