/* pilot_request.h - a chat-completions request as the scripted pilot checks it. */
#ifndef CAIRN_COMMON_VLM_PILOT_REQUEST_H
#define CAIRN_COMMON_VLM_PILOT_REQUEST_H

#include "common/base/error.h"
#include "common/vlm/tools.h"

struct cairn_pilot_request {
	char model[64];
	struct cairn_text prompt; /* all text of the last user message */
	bool offered[CAIRN_TOOL_COUNT];
	bool one_call, tools_given, tool_required;
	uint32_t images_low, images_high;
	size_t image_bytes;  /* of the request body that is base64 */
	size_t prefix_bytes; /* system text and tools */
	uint64_t prefix_hash;
};

/* False with the message, and the name of the parameter, for an invalid_request_error. The caller frees
 * ret->prompt in any case. */
bool cairn_pilot_request_parse(
    const char *body, size_t count, struct cairn_pilot_request *ret, char param[64], struct cairn_error *err);

#endif
