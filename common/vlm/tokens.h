/* tokens.h - what a request counts at OpenAI's gpt-4o-mini, by the rules its maker has published, for the
 * scripted pilot's usage and for estimates.
 *
 * Messages and tools: OpenAI cookbook, "How to count tokens with tiktoken": three tokens a message and three
 * for the answer's beginning; a tool 7 to begin and 12 to end, 3 for its arguments, 3 each, less 3 and 3 an
 * item for a list of words, beside the texts. Pictures: OpenAI vision guide: 2,833, and in high detail 5,667
 * more for each tile of 512 px after fitting into 2,048 px and making the shorter side 768 px. Texts are
 * estimated without the vocabulary, as common/percept/text.h tells, but for longer words: of prose and of our
 * prompts o200k_base counts a few per cent less. */
#ifndef CAIRN_COMMON_VLM_TOKENS_H
#define CAIRN_COMMON_VLM_TOKENS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_TOKENS_MESSAGE 3 /* each; and once for the answer */
#define CAIRN_TOKENS_CACHE_MIN 1024
#define CAIRN_TOKENS_CACHE_STEP 128

/* Of text, and of a call's arguments: JSON, whose runs of marks are mostly one token (three at most here). */
uint64_t cairn_tokens_text(const char *text, size_t bytes);
uint64_t cairn_tokens_json(const char *json, size_t bytes);
/* The "tools" of a request as OpenAI is sent them. */
uint64_t cairn_tokens_tools(const json_t *tools);
/* "messages": their texts, roles, calls and answers, without pictures. */
uint64_t cairn_tokens_messages(const json_t *messages);
/* One picture of this size. */
uint64_t cairn_tokens_picture(uint32_t width_px, uint32_t height_px, bool detail_high);
/* What is cached of an equal beginning of so many tokens. */
uint64_t cairn_tokens_cached(uint64_t prefix_tokens);

/* Size of a JPEG by its first frame header; false: it has none. */
bool cairn_jpeg_size(const uint8_t *jpeg, size_t bytes, uint32_t *ret_width_px, uint32_t *ret_height_px);

#endif
