#include "common/vlm/tokens.h"

#include <math.h>
#include <string.h>

#define TOOL_BEGIN 7
#define TOOL_END 12
#define ARGUMENTS_BEGIN 3
#define ARGUMENT 3
#define WORDS_BEGIN (-3)
#define WORD 3
#define LETTERS_EACH 10 /* of a word, for one token */
#define CAPITALS_EACH 4
#define DIGITS_EACH 3
#define MARKS_EACH 3 /* in JSON */
#define PICTURE_BASE 2833
#define PICTURE_TILE 5667
#define PICTURE_FIT_PX 2048.0
#define PICTURE_SHORT_PX 768.0
#define PICTURE_TILE_PX 512.0

static bool is_letter(char c)
{
	return ((unsigned char)c | 32) >= 'a' && ((unsigned char)c | 32) <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Tokens begin at words (a blank before one belongs to it), numbers and marks; bytes beyond ASCII count as
 * marks. */
static uint64_t estimate(const char *text, size_t bytes, size_t marks_each)
{
	uint64_t tokens = 0;
	for (size_t i = 0; i < bytes;) {
		size_t run = i += text[i] == ' ' && i + 1 < bytes && is_letter(text[i + 1]);
		bool capitals = true;
		for (; i < bytes && is_letter(text[i]); i++)
			capitals = capitals && text[i] <= 'Z';
		size_t letters = i - run, most = capitals && letters > 1 ? CAPITALS_EACH : LETTERS_EACH;
		for (run = i; letters == 0 && i < bytes && is_digit(text[i]);)
			i++;
		size_t digits = i - run;
		for (run = i; letters + digits == 0 && i < bytes && i - run < marks_each &&
			      !is_letter(text[i]) && !is_digit(text[i]);)
			i++;
		tokens += (letters + most - 1) / most + (digits + DIGITS_EACH - 1) / DIGITS_EACH +
			  (i > run && letters + digits == 0);
	}
	return tokens;
}

uint64_t cairn_tokens_text(const char *text, size_t bytes)
{
	return estimate(text, bytes, 1);
}

uint64_t cairn_tokens_json(const char *json, size_t bytes)
{
	return estimate(json, bytes, MARKS_EACH);
}

static uint64_t count(const json_t *text)
{
	return json_is_string(text) ? cairn_tokens_text(json_string_value(text), json_string_length(text))
				    : 0;
}

static uint64_t count_json(const json_t *text)
{
	return json_is_string(text) ? cairn_tokens_json(json_string_value(text), json_string_length(text))
				    : 0;
}

/* "name:type:description" */
static int64_t count_argument(const char *name, const json_t *argument)
{
	const json_t *type = json_object_get(argument, "type"), *words = json_object_get(argument, "enum");
	int64_t tokens = ARGUMENT + 2 + (int64_t)cairn_tokens_text(name, strlen(name)) +
			 (int64_t)count(type) + (int64_t)count(json_object_get(argument, "description"));
	for (size_t i = 0; i < json_array_size(type); i++) /* "integer,null" */
		tokens += (i > 0) + (int64_t)count(json_array_get(type, i));
	for (size_t i = 0; i < json_array_size(words); i++) {
		const json_t *word = json_array_get(words, i);
		tokens += (i == 0 ? WORDS_BEGIN : 0) + WORD;
		if (json_is_string(word)) {
			tokens += (int64_t)count(word);
		} else {
			char number[32];
			int n = snprintf(number, sizeof(number), "%.6g", json_number_value(word));
			tokens += (int64_t)cairn_tokens_text(number, (size_t)n);
		}
	}
	return tokens;
}

uint64_t cairn_tokens_tools(const json_t *tools)
{
	int64_t tokens = 0;
	for (size_t i = 0; i < json_array_size(tools); i++) {
		json_t *f = json_object_get(json_array_get(tools, i), "function"), *argument;
		json_t *arguments = json_object_get(json_object_get(f, "parameters"), "properties");
		const char *name;
		tokens += TOOL_BEGIN + TOOL_END + 1 + (int64_t)count(json_object_get(f, "name")) +
			  (int64_t)count(json_object_get(f, "description"));
		tokens += json_object_size(arguments) > 0 ? ARGUMENTS_BEGIN : 0;
		json_object_foreach(arguments, name, argument) tokens += count_argument(name, argument);
	}
	return tokens > 0 ? (uint64_t)tokens : 0;
}

static uint64_t count_message(const json_t *message)
{
	const json_t *content = json_object_get(message, "content"),
		     *calls = json_object_get(message, "tool_calls");
	uint64_t tokens = CAIRN_TOKENS_MESSAGE + count(json_object_get(message, "role")) + count(content);
	for (size_t i = 0; i < json_array_size(content); i++)
		tokens += count(json_object_get(json_array_get(content, i), "text"));
	for (size_t i = 0; i < json_array_size(calls); i++) {
		const json_t *f = json_object_get(json_array_get(calls, i), "function");
		tokens += CAIRN_TOKENS_MESSAGE + count(json_object_get(f, "name")) +
			  count_json(json_object_get(f, "arguments"));
	}
	return tokens;
}

uint64_t cairn_tokens_messages(const json_t *messages)
{
	uint64_t tokens = CAIRN_TOKENS_MESSAGE;
	for (size_t i = 0; i < json_array_size(messages); i++)
		tokens += count_message(json_array_get(messages, i));
	return tokens;
}

uint64_t cairn_tokens_picture(uint32_t width_px, uint32_t height_px, bool detail_high)
{
	double w = width_px, h = height_px;
	if (!detail_high || !(w > 0.0 && h > 0.0))
		return PICTURE_BASE;
	double fit = fmin(1.0, PICTURE_FIT_PX / fmax(w, h));
	double scale = PICTURE_SHORT_PX / (fmin(w, h) * fit) * fit;
	double tiles = ceil(w * scale / PICTURE_TILE_PX) * ceil(h * scale / PICTURE_TILE_PX);
	return PICTURE_BASE + PICTURE_TILE * (uint64_t)fmin(tiles, 1e6);
}

uint64_t cairn_tokens_cached(uint64_t prefix_tokens)
{
	return prefix_tokens >= CAIRN_TOKENS_CACHE_MIN
		   ? prefix_tokens / CAIRN_TOKENS_CACHE_STEP * CAIRN_TOKENS_CACHE_STEP
		   : 0;
}

bool cairn_jpeg_size(const uint8_t *jpeg, size_t bytes, uint32_t *ret_width_px, uint32_t *ret_height_px)
{
	size_t at = 2; /* behind the start of image */
	while (at + 9 < bytes && jpeg[at] == 0xFF) {
		uint8_t marker = jpeg[at + 1];
		/* Start of frame, of any kind; C4, C8 and CC are others. */
		if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC) {
			*ret_height_px = (uint32_t)jpeg[at + 5] << 8 | jpeg[at + 6];
			*ret_width_px = (uint32_t)jpeg[at + 7] << 8 | jpeg[at + 8];
			return true;
		}
		at += 2 + ((size_t)jpeg[at + 2] << 8 | jpeg[at + 3]);
	}
	return false;
}
