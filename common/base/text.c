#include "common/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool reserve(struct cairn_text *text, size_t more)
{
	if (text->failed || more > SIZE_MAX / 4 - text->len)
		return !(text->failed = true);
	size_t need = text->len + more + 1;
	if (need <= text->cap)
		return true;
	size_t cap = text->cap < 256 ? 256 : text->cap;
	while (cap < need)
		cap *= 2;
	char *data = realloc(text->data, cap);
	if (data == NULL)
		return !(text->failed = true);
	text->data = data;
	text->cap = cap;
	return true;
}

void cairn_text_free(struct cairn_text *text)
{
	free(text->data);
	*text = (struct cairn_text){0};
}

void cairn_text_clear(struct cairn_text *text)
{
	text->failed = false;
	cairn_text_truncate(text, 0);
}

void cairn_text_truncate(struct cairn_text *text, size_t len)
{
	if (len > text->len)
		return;
	text->len = len;
	if (text->data != NULL)
		text->data[len] = '\0';
}

void cairn_text_bytes(struct cairn_text *text, const char *bytes, size_t count)
{
	if (!reserve(text, count))
		return;
	memcpy(text->data + text->len, bytes, count);
	text->len += count;
	text->data[text->len] = '\0';
}

void cairn_text_add(struct cairn_text *text, const char *str)
{
	cairn_text_bytes(text, str, strlen(str));
}

void cairn_text_addf(struct cairn_text *text, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || !reserve(text, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(text->data + text->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	text->len += (size_t)n;
}

int cairn_utf8_length(const char *str, size_t count)
{
	const unsigned char *s = (const unsigned char *)str;
	if (count == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	int n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
	if (s[0] < 0xC2 || s[0] > 0xF4 || count < (size_t)n)
		return 0;
	for (int i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	}
	/* Overlong, surrogate, beyond U+10FFFF. */
	if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0) ||
	    (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] >= 0x90))
		return 0;
	return n;
}

static void json_ascii(struct cairn_text *text, char c)
{
	static const char from[] = "\"\\\n\r\t\b\f", to[] = "\"\\nrtbf";
	const char *at = c != '\0' ? strchr(from, c) : NULL;
	if (at != NULL) {
		char pair[2] = {'\\', to[at - from]};
		cairn_text_bytes(text, pair, 2);
	} else {
		cairn_text_addf(text, "\\u%04x", (unsigned char)c);
	}
}

/* Escaped, so that a file of them can be read on a terminal. */
static void json_unseen(struct cairn_text *text, uint32_t code)
{
	if (code < 0x10000)
		cairn_text_addf(text, "\\u%04x", code);
	else
		cairn_text_addf(
		    text, "\\u%04x\\u%04x", 0xD800 + ((code - 0x10000) >> 10), 0xDC00 + (code & 0x3FF));
}

static bool json_plain(char c)
{
	return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7F && c != '"' && c != '\\';
}

void cairn_text_json(struct cairn_text *text, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count;) {
		size_t run = i;
		while (run < count && json_plain(bytes[run]))
			run++;
		cairn_text_bytes(text, bytes + i, run - i);
		i = run;
		if (i == count)
			break;
		int n = cairn_utf8_length(bytes + i, count - i);
		if (n == 0)
			cairn_text_add(text, "\xEF\xBF\xBD");
		else if (n == 1)
			json_ascii(text, bytes[i]);
		else if (cairn_text_invisible(cairn_utf8_code(bytes + i, n)))
			json_unseen(text, cairn_utf8_code(bytes + i, n));
		else
			cairn_text_bytes(text, bytes + i, (size_t)n);
		i += n > 0 ? (size_t)n : 1;
	}
}

void cairn_text_json_string(struct cairn_text *text, const char *str)
{
	cairn_text_add(text, "\"");
	cairn_text_json(text, str, strlen(str));
	cairn_text_add(text, "\"");
}

static const char base64_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void cairn_text_base64(struct cairn_text *text, const uint8_t *bytes, size_t count)
{
	if (!reserve(text, (count + 2) / 3 * 4))
		return;
	char pairs[64 * 64]
		  [2]; /* 12 bits at once: made in microseconds, and a picture is thousands of them */
	for (int i = 0; i < 64 * 64; i++) {
		pairs[i][0] = base64_letters[i >> 6];
		pairs[i][1] = base64_letters[i & 63];
	}
	char *out = text->data + text->len;
	size_t i = 0;
	for (; i + 3 <= count; i += 3, out += 4) {
		uint32_t v = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
		memcpy(out, pairs[v >> 12], 2);
		memcpy(out + 2, pairs[v & 4095], 2);
	}
	if (i < count) {
		uint32_t v = (uint32_t)bytes[i] << 16 | (i + 1 < count ? (uint32_t)bytes[i + 1] << 8 : 0);
		memcpy(out, pairs[v >> 12], 2);
		out[2] = i + 1 < count ? pairs[v & 4095][0] : '=';
		out[3] = '=';
		out += 4;
	}
	*out = '\0';
	text->len = (size_t)(out - text->data);
}

int cairn_base64_decode(const char *str, size_t count, uint8_t *out, size_t cap)
{
	uint32_t bits = 0;
	int held = 0;
	size_t made = 0;
	for (size_t i = 0; i < count && made < cap && str[i] != '='; i++) {
		const char *at = str[i] != '\0' ? strchr(base64_letters, str[i]) : NULL;
		if (at == NULL)
			return -1;
		bits = bits << 6 | (uint32_t)(at - base64_letters);
		held += 6;
		if (held >= 8) {
			held -= 8;
			out[made++] = (uint8_t)(bits >> held);
		}
	}
	return (int)made;
}

uint32_t cairn_utf8_code(const char *str, int length)
{
	const unsigned char *u = (const unsigned char *)str;
	uint32_t code = length < 2 ? u[0] : u[0] & (0xFFu >> (length + 1));
	for (int i = 1; i < length; i++)
		code = code << 6 | (u[i] & 63u);
	return code;
}

/* C1 controls, soft hyphen, zero-width and direction characters, separators, variation selectors and tags:
 * they are invisible, carry text that only a model reads, or reorder what a person reads. */
bool cairn_text_invisible(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {{0x80, 0x9F}, {0xAD, 0xAD}, {0x34F, 0x34F}, {0x61C, 0x61C}, {0x115F, 0x1160},
	    {0x17B4, 0x17B5}, {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
	    {0x3164, 0x3164}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},
	    {0xE0000, 0xE0FFF}};
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	}
	return false;
}

void cairn_text_plain(char *text)
{
	char *out = text;
	size_t count = strlen(text);
	for (size_t i = 0; i < count;) {
		int n = cairn_utf8_length(text + i, count - i);
		uint32_t code = n > 0 ? cairn_utf8_code(text + i, n) : 0;
		if (code < 0x20 || code == 0x7F || cairn_text_invisible(code)) {
			*out++ = '?';
		} else {
			memmove(out, text + i, (size_t)n);
			out += n;
		}
		i += n > 0 ? (size_t)n : 1;
	}
	*out = '\0';
}

void cairn_text_clean(char *dst, size_t cap, const char *src, size_t count)
{
	size_t len = 0;
	bool space = false;
	for (size_t i = 0; i < count && src[i] != '\0';) {
		int n = cairn_utf8_length(src + i, count - i);
		const char *at = src + i;
		i += n > 0 ? (size_t)n : 1;
		if (n == 0 || (n > 1 && cairn_text_invisible(cairn_utf8_code(at, n))))
			continue;
		if (n == 1 && ((unsigned char)*at <= 0x20 || *at == 0x7F)) {
			space = len > 0;
			continue;
		}
		if (len + (space ? 1 : 0) + (size_t)n >= cap)
			break;
		if (space)
			dst[len++] = ' ';
		space = false;
		if (*at == '"' || *at == '`')
			at = "'";
		memcpy(dst + len, at, (size_t)n);
		len += (size_t)n;
	}
	dst[len] = '\0';
}

/* Bytes of the terminal sequence (colour, cursor) that starts at p; 0 if there is none. */
static size_t sequence_bytes(const char *p)
{
	if (p[0] != '\033' || p[1] != '[')
		return 0;
	size_t n = 2 + strspn(p + 2, "0123456789;?");
	return p[n] >= '@' && p[n] <= '~' ? n + 1 : 0;
}

char *cairn_text_printable(char *text)
{
	char *out = text;
	for (const char *p = text; *p != '\0';) {
		size_t skip = sequence_bytes(p);
		if (skip == 0)
			*out++ = *p == '\t' ? ' ' : *p;
		p += skip > 0 ? skip : 1;
	}
	*out = '\0';
	cairn_text_plain(text);
	return text;
}

bool cairn_text_flag(const char *text, bool *ret_value)
{
	static const char *const words[2][3] = {{"false", "no", "off"}, {"true", "yes", "on"}};
	for (int value = 0; value < 2; value++) {
		for (int i = 0; i < 3; i++) {
			if (strcasecmp(text, words[value][i]) != 0)
				continue;
			*ret_value = value == 1;
			return true;
		}
	}
	return false;
}

bool cairn_has_word(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (const char *p = words; *p != '\0';) {
		size_t n = strcspn(p, " ");
		if (n == length && n > 0 && memcmp(p, word, n) == 0)
			return true;
		p += n + (p[n] == ' ');
	}
	return false;
}
