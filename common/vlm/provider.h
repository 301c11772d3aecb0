/* provider.h - one small interface per wire format: build a request body, read a response body.
 *
 * What differs between providers is kept behind two functions and a path. Both are pure. What comes
 * out of reading is still hostile: decision.h checks it against the tool table. */
#ifndef CAIRN_COMMON_VLM_PROVIDER_H
#define CAIRN_COMMON_VLM_PROVIDER_H

#include "common/config/config.h"
#include "common/vlm/ledger.h"
#include "common/vlm/tools.h"

#define CAIRN_REPLY_CALLS_MAX 4
#define CAIRN_RESPONSE_BYTES_MAX (1u << 20) /* larger bodies are refused */
#define CAIRN_RESPONSE_DEPTH_MAX 64

/* One call as it came: the arguments are only known to be JSON, or not even that (NULL, problem says why). */
struct cairn_reply_call {
	char id[80];
	char name[64];
	json_t *arguments;
	char problem[96];
};

/* A response, the same for every provider. */
struct cairn_reply {
	char text[1024]; /* what the model said in words, cleaned */
	char refusal[160];
	bool truncated; /* cut off by the token limit: the arguments may be damaged */
	bool filtered;
	uint32_t calls_total; /* how many there were, the ones not kept included */
	uint32_t call_count;
	struct cairn_reply_call calls[CAIRN_REPLY_CALLS_MAX];
	struct cairn_usage usage;
};

void cairn_reply_clear(struct cairn_reply *reply);

/* What a follow-up adds: the model's own calls and the answer to each. */
struct cairn_followup_call {
	char id[80];
	const struct cairn_tool_call *call;
	const char *answer;
};

/* A picture that goes with a question, borrowed. */
struct cairn_request_image {
	const uint8_t *jpeg;
	size_t bytes;
	bool detail_high;    /* in full detail */
	const char *caption; /* stands before it, one line; NULL = none */
};

#define CAIRN_REQUEST_IMAGES_MAX 4 /* now, before, the map, and one to spare */

struct cairn_request {
	const char *system;  /* the static prefix */
	const char *context; /* the dynamic part */
	struct cairn_request_image images[CAIRN_REQUEST_IMAGES_MAX];
	int image_count;
	bool actions_only;  /* offer only tools that act */
	int followup_count; /* 0 = first question */
	struct cairn_followup_call followup[2];
};

struct cairn_provider {
	const char *name; /* value of vlm.provider */
	const char *path; /* below vlm.base_url */
	/* The static beginning of a body (model, tools, system text) into prefix: byte-identical for equal
	 * arguments. */
	void (*write_prefix)(struct cairn_text *prefix, const struct cairn_config_vlm *cfg,
	    const char *system, bool actions_only);
	/* The whole body into out: the prefix, then what changes. */
	void (*write_body)(
	    struct cairn_text *out, const struct cairn_text *prefix, const struct cairn_request *request);
	/* False with the reason when it is no response at all; usage is read even then where it is there. The
	 * caller clears *ret in any case. */
	bool (*read_reply)(const char *body, size_t count, struct cairn_reply *ret, struct cairn_error *err);
};

extern const struct cairn_provider cairn_provider_openai;
/* By the value of vlm.provider ("pilot" speaks OpenAI's format); NULL if unknown. */
const struct cairn_provider *cairn_provider_find(const char *name);

/* Parses one JSON document from outside: at most count_max bytes, depth bounded, no duplicate keys, no
 * trailing bytes. NULL with the reason. */
json_t *cairn_json_parse(const char *body, size_t count, size_t count_max, struct cairn_error *err);
/* "error.message" and "error.code" of an error body, cleaned into one line; empty when it is something else
 * (an HTML page). */
void cairn_json_error_text(const char *body, size_t count, char *dst, size_t cap);

#endif
