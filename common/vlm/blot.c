#include "common/vlm/blot.h"

#include <stdlib.h>
#include <string.h>

#define CUT_MIN 8 /* characters of a key that was cut off by the end of the text */
#define UNSEEN 0xFFFFFFFFu

static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c) : NULL;
	return at != NULL ? (int)(at - digits) : -1;
}

/* count hexadecimal digits at *at; false when they are not there. */
static bool take_hex(const char **at, const char *end, int count, uint32_t *ret)
{
	uint32_t code = 0;
	if (end - *at < count)
		return false;
	for (int i = 0; i < count; i++) {
		int digit = hex_digit((*at)[i]);
		if (digit < 0)
			return false;
		code = code << 4 | (uint32_t)digit;
	}
	*at += count;
	*ret = code;
	return true;
}

/* "&#115;", "&#x73;" and the names that a key may hold; at stands behind the '&'. */
static bool take_entity(const char **at, const char *end, uint32_t *ret)
{
	static const struct {
		const char *name;
		char c;
	} names[] = {{"amp;", '&'}, {"sol;", '/'}, {"plus;", '+'}, {"equals;", '='}, {"lowbar;", '_'},
	    {"period;", '.'}, {"colon;", ':'}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i].name);
		if ((size_t)(end - *at) >= n && memcmp(*at, names[i].name, n) == 0) {
			*ret = (uint32_t)names[i].c;
			*at += n;
			return true;
		}
	}
	const char *p = *at;
	if (p == end || *p++ != '#')
		return false;
	uint32_t base = 10, code = 0;
	if (p < end && (*p == 'x' || *p == 'X')) {
		base = 16;
		p++;
	}
	const char *first = p;
	for (; p < end && p - first < 8 && hex_digit(*p) >= 0 && hex_digit(*p) < (int)base; p++)
		code = code * base + (uint32_t)hex_digit(*p);
	if (p == first || p == end || *p != ';')
		return false;
	*at = p + 1;
	*ret = code;
	return true;
}

/* Backslashes, however many, and what they escape; at stands behind the last one. */
static uint32_t take_escape(const char **at, const char *end)
{
	uint32_t code, low;
	const char *p = *at;
	if (p == end)
		return UNSEEN;
	char c = *p++;
	*at = p;
	if (c == 'u' && take_hex(at, end, 4, &code)) {
		p = *at;
		if (code >= 0xD800 && code < 0xDC00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
			p += 2;
			if (take_hex(&p, end, 4, &low)) { /* the other half of one character */
				*at = p;
				return 0x10000 + ((code - 0xD800) << 10) + (low & 0x3FFu);
			}
		}
		return code;
	}
	if (c == 'x' && take_hex(at, end, 2, &code))
		return code;
	return strchr("nrtbf", c) != NULL ? UNSEEN : (unsigned char)c;
}

/* The character at *at, which is before end, whichever way it is written; *at stands behind it then. */
static uint32_t take_char(const char **at, const char *end)
{
	const char *p = *at;
	uint32_t code = (unsigned char)*p;
	if (*p == '\\') {
		while (p < end && *p == '\\')
			p++;
		code = take_escape(&p, end);
	} else if (*p == '%' || *p == '&') {
		p++;
		if (code == '%' ? !take_hex(&p, end, 2, &code) : !take_entity(&p, end, &code))
			p = *at + 1;
	} else if (code >= 0x80) {
		int n = cairn_utf8_length(p, (size_t)(end - p));
		code = n > 0 ? cairn_utf8_code(p, n) : UNSEEN;
		p += n > 0 ? n : 1;
	} else {
		p++;
	}
	*at = p;
	return code;
}

static bool is_unseen(uint32_t code)
{
	return code < 0x20 || code == 0x7F || code == UNSEEN || cairn_text_invisible(code);
}

/* Where the key ends that begins at at; NULL = it does not begin there. */
static const char *match(const char *at, const char *end, const char *key)
{
	size_t matched = 0;
	for (; key[matched] != '\0'; matched++) {
		uint32_t code = 0;
		do { /* within the key only: nothing unseen stands before its first character */
			if (at == end)
				return matched >= CUT_MIN ? end : NULL;
			code = take_char(&at, end);
		} while (matched > 0 && is_unseen(code));
		if (code != (unsigned char)key[matched])
			return NULL;
	}
	return at;
}

size_t cairn_blot(char *text, size_t count, const char *key)
{
	size_t found = 0;
	if (key == NULL || strlen(key) < CAIRN_BLOT_KEY_MIN)
		return 0;
	const char *at = text, *end = text + count;
	while (at < end) {
		const char *behind = match(at, end, key);
		if (behind == NULL) {
			(void)take_char(&at, end);
			continue;
		}
		memset(text + (at - text), '*', (size_t)(behind - at));
		at = behind;
		found++;
	}
	return found;
}

static bool holds(const char *text, size_t count, const char *key)
{
	for (const char *at = text, *end = text + count; at < end; (void)take_char(&at, end)) {
		if (match(at, end, key) != NULL)
			return true;
	}
	return false;
}

static bool call_holds(const struct cairn_reply_call *call, const char *key)
{
	bool found = holds(call->id, strlen(call->id), key) || holds(call->name, strlen(call->name), key) ||
		     holds(call->signature, strlen(call->signature), key) ||
		     holds(call->problem, strlen(call->problem), key);
	char *text = call->arguments != NULL ? json_dumps(call->arguments, JSON_COMPACT) : NULL;
	if (text != NULL)
		found |= holds(text, strlen(text), key);
	free(text);
	return found;
}

bool cairn_blot_joined(const struct cairn_provider *format, const char *body, size_t count, const char *key)
{
	struct cairn_reply *reply = calloc(1, sizeof(*reply));
	struct cairn_error err = {""};
	if (reply == NULL)
		return true; /* what cannot be looked at is not shown */
	bool found = false;
	if (key != NULL && strlen(key) >= CAIRN_BLOT_KEY_MIN) {
		(void)format->read_reply(body, count, reply, &err);
		found = holds(reply->text, strlen(reply->text), key) ||
			(reply->raw.data != NULL && holds(reply->raw.data, reply->raw.len, key)) ||
			holds(reply->refusal, strlen(reply->refusal), key) ||
			holds(err.text, strlen(err.text), key);
		for (uint32_t i = 0; i < reply->call_count; i++)
			found |= call_holds(&reply->calls[i], key);
	}
	cairn_reply_clear(reply);
	free(reply);
	return found;
}
