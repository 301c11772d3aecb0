/* What a session with a model leaves or asks in JSON; the first byte says which. Even: a recording. The sum
 * at the end of each of its lines is made right, so that the reader has to look at what is before it. Odd: a
 * request to the scripted pilot. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"

#include "common/vlm/decision_log.h"
#include "common/vlm/exchange.h"
#include "common/sim/pilot/pilot_api.h"
#include "common/vlm/recording.h"
#include "test/support/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count);

#define LINES_MAX 65536
#define SUM_DIGITS 16
#define SUM_TAIL (SUM_DIGITS + 2) /* 0123456789abcdef"} */
#define SUM_BYTES (SUM_TAIL + 8)  /* ,"sum":" before it */

static void make_sums_right(char *text, size_t count)
{
	char digits[SUM_DIGITS + 1];
	for (char *line = text, *end; (end = memchr(line, '\n', count - (size_t)(line - text))) != NULL;
	     line = end + 1) {
		if (end - line <= SUM_BYTES)
			continue;
		snprintf(digits, sizeof(digits), "%016" PRIx64,
		    cairn_hash_bytes(CAIRN_HASH_START, line, (size_t)(end - line) - SUM_BYTES));
		memcpy(end - SUM_TAIL, digits, SUM_DIGITS);
	}
}

static void read_line(const struct cairn_recorded_line *line)
{
	struct cairn_frame_header hdr;
	struct cairn_text out = {0};
	if (line->row == NULL)
		return;
	for (uint32_t i = 0; i < cairn_recorded_messages(line); i++) {
		struct cairn_header head;
		struct cairn_error err = {""};
		int topic = cairn_recorded_topic(line, i);
		void *msg = topic >= 0 ? calloc(1, cairn_topics[topic].desc->size) : NULL;
		if (msg != NULL && !cairn_recorded_message(line, i, &head, msg, &err) && err.text[0] == '\0')
			abort(); /* refused without a reason */
		free(msg);
	}
	struct cairn_error err = {""};
	if (cairn_recorded_grid(line, &hdr, &out, &err) ? out.len != (size_t)hdr.width * hdr.height
							: err.text[0] == '\0')
		abort();
	(void)cairn_recorded_blob(line, "snapshot", &out);
	(void)cairn_recorded_text(line, "context");
	(void)cairn_recorded_t_ns(line);
	cairn_text_free(&out);
}

static void answers(const char *path)
{
	struct cairn_error err = {""};
	struct cairn_replay_answer answer;
	struct cairn_replay *replay = cairn_replay_open(path, &err);
	if (replay == NULL && err.text[0] == '\0')
		abort();
	for (int left = LINES_MAX; replay != NULL && cairn_replay_next(replay, "{}", 2, &answer);)
		if (answer.response == NULL || answer.response[answer.response_bytes] != '\0' || --left == 0)
			abort(); /* no text, or given more than once */
	cairn_replay_close(&replay);
}

static void recording(const uint8_t *data, size_t count)
{
	static struct memory_file file = {-1, ""};
	static struct cairn_config cfg;
	struct cairn_error err = {""};
	char *text = malloc(count + 1);
	if (text == NULL)
		return;
	if (file.fd < 0)
		file = memory_file_open();
	memcpy(text, data, count);
	make_sums_right(text, count);
	memory_file_write(&file, text, count);
	free(text);
	struct cairn_recording *r = cairn_recording_open(file.path, &err);
	if (r == NULL && err.text[0] == '\0')
		abort(); /* refused without a reason */
	if (r != NULL) {
		cairn_config_defaults(&cfg);
		(void)cairn_recorded_config(r, &cfg);
		read_line(&r->begun);
		for (uint32_t i = 0; i < r->count; i++) {
			read_line(&r->questions[i].asked);
			read_line(&r->questions[i].decided);
			read_line(&r->questions[i].ended);
		}
		for (uint32_t i = 0; i < r->seen_count; i++)
			read_line(&r->seen[i]);
	}
	cairn_recording_close(&r);
	answers(file.path);
}

/* Answered, and as a service would: with a status, and with an error in the body when it refuses. */
static void request(const uint8_t *data, size_t count)
{
	static struct cairn_pilot_api api;
	struct cairn_config cfg;
	struct cairn_error err = {""};
	struct cairn_pilot_answer answer = {0};
	cairn_config_defaults(&cfg);
	if (!cairn_pilot_api_init(&api, &cfg.pilot, &err))
		abort();
	cairn_pilot_api_answer(
	    &api, "POST", "/v1/chat/completions", (const char *)data, count, 1000000000, &answer);
	if (answer.status < 200 || answer.status > 599 || answer.body.len == 0 ||
	    (answer.status >= 400) != (memmem(answer.body.data, answer.body.len, "\"error\"", 7) != NULL))
		abort();
	cairn_text_free(&answer.body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count)
{
	if (count < 1)
		return 0;
	if (data[0] % 2 == 0)
		recording(data + 1, count - 1);
	else
		request(data + 1, count - 1);
	return 0;
}
