/* text.h - text that grows, JSON escaping, and the cleaning of text that came from outside.
 *
 * A buffer is kept between calls: it allocates only while it grows. Running out of memory sets failed and
 * keeps what was there; the caller looks once, at the end. */
#ifndef CAIRN_COMMON_BASE_TEXT_H
#define CAIRN_COMMON_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_text {
	char *data; /* NUL-terminated once anything was added; NULL before */
	size_t len, cap;
	bool failed;
};

void cairn_text_free(struct cairn_text *text);
/* Empty again; the memory stays. */
void cairn_text_clear(struct cairn_text *text);
/* Cuts back to an earlier length. */
void cairn_text_truncate(struct cairn_text *text, size_t len);
void cairn_text_bytes(struct cairn_text *text, const char *bytes, size_t count);
void cairn_text_add(struct cairn_text *text, const char *str);
__attribute__((format(printf, 2, 3))) void cairn_text_addf(struct cairn_text *text, const char *fmt, ...);
/* The inside of a JSON string (without its quotes). Bytes that are not UTF-8 become U+FFFD. */
void cairn_text_json(struct cairn_text *text, const char *bytes, size_t count);
/* The same of a NUL-terminated string, with quotes. */
void cairn_text_json_string(struct cairn_text *text, const char *str);
void cairn_text_base64(struct cairn_text *text, const uint8_t *bytes, size_t count);

/* A flag as people write it: true, yes, on; false, no, off; in any case. False when it is none of them. */
bool cairn_text_flag(const char *text, bool *ret_value);

/* Decodes up to cap bytes of base64 (RFC 4648, padding optional); the number decoded, or -1 at a foreign
 * character. */
int cairn_base64_decode(const char *str, size_t count, uint8_t *out, size_t cap);

/* Bytes of the UTF-8 character at str (1..4), 0 if it is none. Overlong forms and surrogates are none. */
int cairn_utf8_length(const char *str, size_t count);
/* The code point of a character of that length. */
uint32_t cairn_utf8_code(const char *str, int length);
/* True for code points that nobody sees (soft hyphen, zero-width, tags), that reorder what a person reads, or control. */
bool cairn_text_invisible(uint32_t code);

/* In place: every control, direction and unseen character, and every byte that is no UTF-8, becomes one '?', so that a text from
 * outside neither moves a cursor, forges a line nor hides. Never longer than it was. */
void cairn_text_plain(char *text);
/* The same for people who read: terminal sequences (colours, say) are taken out first, tabs become blanks. Returns text. */
char *cairn_text_printable(char *text);

/* Text from outside (a model, a sensor, a file) as one plain line: valid UTF-8, no control, direction or
 * zero-width characters, white space collapsed, double quotes and backticks made single quotes, cut at a
 * character to fit cap. */
void cairn_text_clean(char *dst, size_t cap, const char *src, size_t count);

/* True when words, separated by blanks, has this one. */
bool cairn_has_word(const char *words, const char *word);

#endif
