/* provider.h - one small interface per wire format: build a request body, read a response body.
 *
 * What differs between formats is kept behind three functions and a few words (openai.c, anthropic.c,
 * gemini.c). All are pure. What comes out of reading is still hostile: decision.h checks it against the tool
 * table. */
#ifndef CAIRN_COMMON_VLM_PROVIDER_H
#define CAIRN_COMMON_VLM_PROVIDER_H

#include "common/vlm/ledger.h"
#include "common/vlm/profile.h"
#include "common/vlm/tools.h"

#define CAIRN_REPLY_CALLS_MAX 8 /* an action and its reports */
#define CAIRN_REPLY_REPORTS_MAX                                                                              \
	(CAIRN_REPLY_CALLS_MAX - 1)         /* one is left for the action, wherever it stands */
#define CAIRN_RESPONSE_BYTES_MAX (1u << 20) /* larger bodies are refused */
#define CAIRN_RESPONSE_DEPTH_MAX 64
#define CAIRN_SIGNATURE_CAP 4096

/* One call as it came: the arguments are only known to be JSON, or not even that (NULL, problem says why). */
struct cairn_reply_call {
	char id[80];
	char name[64];
	char signature[CAIRN_SIGNATURE_CAP]; /* a seal some services want back with the call; empty = none */
	json_t *arguments;
	char problem[96];
};

/* A response, the same for every provider. */
struct cairn_reply {
	char text[1024];       /* what the model said in words, cleaned */
	struct cairn_text raw; /* the same as it came, whole: for models that answer with a JSON object */
	char refusal[160];
	bool truncated; /* cut off by the token limit: the arguments may be damaged */
	bool filtered;
	uint32_t calls_total,
	    reports_total; /* how many there were, the ones not kept included; report_discovery */
	uint32_t call_count;
	struct cairn_reply_call calls[CAIRN_REPLY_CALLS_MAX];
	struct cairn_usage usage;
};

void cairn_reply_clear(struct cairn_reply *reply);

/* A picture that goes with a turn, borrowed. */
struct cairn_request_image {
	const uint8_t *jpeg;
	size_t bytes;
	bool detail_high;    /* in full detail */
	const char *caption; /* stands before it, one line; NULL = none */
};

/* A call that the model made in an earlier turn, as it goes back to it; borrowed. */
struct cairn_turn_call {
	const char *id;        /* as the service gave it; empty = none */
	const char *signature; /* as it came; NULL or empty = none */
	const char *name;
	const char *arguments; /* a JSON object as text */
};

/* What is said to a call; borrowed. Texts alone: pictures go with the turn. */
struct cairn_turn_answer {
	const char *id, *name, *text;
};

enum cairn_turn_role { CAIRN_TURN_USER, CAIRN_TURN_MODEL };

#define CAIRN_TURN_IMAGES_MAX 4 /* now, before, the map, and one to spare; or four that are looked at */

/* One turn of a conversation. A user's has answers to the calls of the turn before it, text and pictures; a model's has
 * text and calls. */
struct cairn_turn {
	enum cairn_turn_role role;
	const char *text; /* NULL = none */
	int call_count, answer_count, image_count;
	struct cairn_turn_call calls[CAIRN_REPLY_CALLS_MAX];
	struct cairn_turn_answer answers[CAIRN_REPLY_CALLS_MAX];
	struct cairn_request_image images[CAIRN_TURN_IMAGES_MAX];
};

struct cairn_request {
	const struct cairn_tool_table *tools; /* as in the prefix; NULL = none: the answer is to be a text */
	uint64_t only; /* these may be called now (CAIRN_TOOL_BIT), one of them; 0 = any */
	const struct cairn_turn
	    *turns; /* the first is the user's, then they alternate, the last is the user's */
	int turn_count;
};

/* What the static beginning of a body is made from. */
struct cairn_prefix {
	const struct cairn_profile *profile;
	int max_output_tokens;
	const char *system;
	const struct cairn_tool_table *tools; /* NULL = none: the answer is to be a text */
	uint64_t only;  /* as in the request; has an effect only where format and dialect cannot restrict the
			* choice otherwise, so that the prefix stays the same elsewhere */
	uint64_t never; /* rows that are left out altogether (CAIRN_TOOL_BIT): what this robot can never do */
	bool has_temperature;
	double temperature;
};

#define CAIRN_PROVIDER_HEADERS_MAX 2

/* One wire format. */
struct cairn_provider {
	const char *name;       /* profile.format */
	const char *path;       /* of a call, below base_url; "%s" is the model */
	const char *probe_path; /* GET that costs nothing, to see whether it is there */
	const char *key_header; /* the key follows */
	const char *headers[CAIRN_PROVIDER_HEADERS_MAX]; /* beside Content-Type and Accept; NULL ends them */
	/* The static beginning of a body (model, tools, system text), byte-identical for equal arguments. */
	void (*write_prefix)(struct cairn_text *out, const struct cairn_prefix *prefix);
	/* The whole body into out: the prefix (as written before), then what changes. */
	void (*write_body)(struct cairn_text *out, const struct cairn_text *prefix,
	    const struct cairn_profile *profile, const struct cairn_request *request);
	/* False with the reason when it is no response at all; usage is read even then where it is there. The
	 * caller clears *ret in any case. */
	bool (*read_reply)(const char *body, size_t count, struct cairn_reply *ret, struct cairn_error *err);
};

/* In every request, whatever the format; NULL ends them. */
extern const char *const cairn_provider_common_headers[];

extern const struct cairn_provider cairn_provider_openai;
extern const struct cairn_provider cairn_provider_anthropic;
extern const struct cairn_provider cairn_provider_gemini;
/* By profile.format. */
const struct cairn_provider *cairn_provider_find(enum cairn_choice_format format);

/* base_url and path joined, with the model put in; port_or_0 replaces a port 0. False: it does not fit. */
bool cairn_provider_url(
    char *dst, size_t cap, const struct cairn_profile *profile, const char *path, int port_or_0);

/* "Call one of stop_robot, ... now; ..." for formats that cannot restrict the choice. */
void cairn_tool_restriction(struct cairn_text *out, const struct cairn_tool_table *tools, uint64_t only);
/* Non-negative integer of an object's key, bounded so that a ledger cannot overflow; 0 if it is none. */
uint64_t cairn_json_count(const json_t *object, const char *key);
/* Counts one more call of that name, and makes room for it: named and otherwise empty. NULL where it is not kept. */
struct cairn_reply_call *cairn_reply_keep(struct cairn_reply *reply, const json_t *name);
/* Takes a text of the model into *reply: cleaned the first time, and as it came, one behind the other. */
void cairn_reply_say(struct cairn_reply *reply, const json_t *value);
/* A text of an object's key as one cleaned line; untouched if it is none. */
void cairn_json_line(char *dst, size_t cap, const json_t *value);

/* Parses one JSON document from outside: at most count_max bytes, depth bounded, no duplicate keys, no
 * trailing bytes. NULL with the reason. */
json_t *cairn_json_parse(const char *body, size_t count, size_t count_max, struct cairn_error *err);
/* Seconds an error body asks to wait (Google's RetryInfo); negative when it does not. */
double cairn_json_retry_after_s(const char *body, size_t count);
/* "error.message" and "error.code" (or type, or status) of an error body, cleaned into one line; empty when
 * it is something else (an HTML page). */
void cairn_json_error_text(const char *body, size_t count, char *dst, size_t cap);

#endif
