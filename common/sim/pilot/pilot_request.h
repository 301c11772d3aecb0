/* pilot_request.h - a chat-completions request as the scripted pilot checks it. */
#ifndef CAIRN_COMMON_SIM_PILOT_PILOT_REQUEST_H
#define CAIRN_COMMON_SIM_PILOT_PILOT_REQUEST_H

#include "common/base/error.h"
#include "common/vlm/tools.h"

struct cairn_pilot_request {
	char model[64];
	struct cairn_text prompt; /* all text of the last user message */
	bool offered[CAIRN_TOOL_COUNT];
	struct cairn_text said;  /* all that users and tools have said, in order */
	struct cairn_text names; /* of the tools that may be called now, separated by blanks */
	bool one_call, tools_given, tool_required;
	uint64_t tokens;                   /* of the whole, by common/vlm/tokens.h */
	uint64_t prefix_tokens;            /* of these: system text and tools */
	uint64_t pictures, picture_tokens; /* of these: as gpt-4o-mini counts */
	uint64_t context_tokens;           /* of these: the user's message, pictures included */
	uint64_t prefix_hash, context_hash;
};

/* False with the message, and the name of the parameter, for an invalid_request_error. The caller frees
 * ret->prompt, ret->said and ret->names in any case. */
bool cairn_pilot_request_parse(
    const char *body, size_t count, struct cairn_pilot_request *ret, char param[64], struct cairn_error *err);

#endif
