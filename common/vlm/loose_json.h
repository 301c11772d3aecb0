/* loose_json.h - the JSON object in what a model wrote, when it wrote more than JSON or less than strict
 * JSON.
 *
 * Copes with: markdown fences and prose around the object, <think> blocks (closed, or cut off on either
 * side), trailing commas, comments, single quotes, bare keys and words, Python's True, False and None, raw
 * line breaks in texts, numbers like +1, .5 and 5. ; NaN and Infinity become null. What is cut off stays cut
 * off: nothing is completed. Depth, size and the number of attempts are bounded, so that the time is too.
 * Pure. */
#ifndef CAIRN_COMMON_VLM_LOOSE_JSON_H
#define CAIRN_COMMON_VLM_LOOSE_JSON_H

#include <jansson.h>

#include "common/base/error.h"
#include "common/base/text.h"

#define CAIRN_LOOSE_BYTES_MAX (256u * 1024u)
#define CAIRN_LOOSE_DEPTH_MAX 24
#define CAIRN_LOOSE_ATTEMPTS_MAX 48

/* The one object of text that wanted accepts (the same one twice counts as one). NULL with the reason: there
 * is none, there are several that differ, or a bound is exceeded. The caller owns the result. */
json_t *cairn_loose_json(
    const char *text, size_t count, bool (*wanted)(const json_t *object), struct cairn_error *err);

#endif
