#include "common/vlm/loose_json.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Reads loose JSON at i and writes strict JSON to out. */
struct loose {
	const char *s;
	size_t n, i;
	int depth;
	struct cairn_text *out;
};

static bool value(struct loose *l);

static bool at(const struct loose *l, char c)
{
	return l->i < l->n && l->s[l->i] == c;
}

/* White space and comments: // and # to the end of the line, and C's. */
static void skip_space(struct loose *l)
{
	while (l->i < l->n) {
		char c = l->s[l->i], d = l->i + 1 < l->n ? l->s[l->i + 1] : '\0';
		if (isspace((unsigned char)c)) {
			l->i++;
		} else if (c == '#' || (c == '/' && d == '/')) {
			while (l->i < l->n && l->s[l->i] != '\n')
				l->i++;
		} else if (c == '/' && d == '*') {
			const char *end = memmem(l->s + l->i + 2, l->n - l->i - 2, "*/", 2);
			l->i = end != NULL ? (size_t)(end - l->s) + 2 : l->n;
		} else {
			return;
		}
	}
}

/* The escape at l->i (a backslash): strict ones as they are, the rest as what they stand for. */
static bool escape(struct loose *l)
{
	char pair[3] = {'\\', l->i + 1 < l->n ? l->s[l->i + 1] : '\0', '\0'};
	if (pair[1] == '\0')
		return false;
	l->i += 2;
	if (strchr("\"\\/bfnrtu", pair[1]) != NULL)
		cairn_text_add(l->out, pair);
	else if (pair[1] != '\n')
		cairn_text_json(l->out, pair + 1, 1);
	return true;
}

static bool string(struct loose *l)
{
	char quote = l->s[l->i++];
	cairn_text_add(l->out, "\"");
	while (l->i < l->n && l->s[l->i] != quote) {
		size_t start = l->i;
		while (l->i < l->n && l->s[l->i] != quote && l->s[l->i] != '\\')
			l->i++;
		cairn_text_json(l->out, l->s + start, l->i - start);
		if (at(l, '\\') && !escape(l))
			return false;
	}
	cairn_text_add(l->out, "\"");
	return at(l, quote) && l->i++ < l->n;
}

/* A number in strict form, from one that may begin with + or a point, or end with one. */
static bool number(const char *word, size_t n, struct cairn_text *out)
{
	char strict[64];
	size_t i = 0, k = 0, digits = 0;
	if (n + 4 > sizeof(strict))
		return false;
	if (i < n && (word[i] == '+' || word[i] == '-')) {
		if (word[i++] == '-')
			strict[k++] = '-';
	}
	if (i < n && word[i] == '.')
		strict[k++] = '0';
	for (; i < n && isdigit((unsigned char)word[i]); digits++)
		strict[k++] = word[i++];
	if (i < n && word[i] == '.') {
		strict[k++] = word[i++];
		size_t before = digits;
		for (; i < n && isdigit((unsigned char)word[i]); digits++)
			strict[k++] = word[i++];
		if (digits == before)
			strict[k++] = '0';
	}
	if (digits == 0)
		return false;
	if (i < n && (word[i] == 'e' || word[i] == 'E')) {
		strict[k++] = word[i++];
		if (i < n && (word[i] == '+' || word[i] == '-'))
			strict[k++] = word[i++];
		for (digits = 0; i < n && isdigit((unsigned char)word[i]); digits++)
			strict[k++] = word[i++];
	}
	if (i != n || digits == 0)
		return false;
	cairn_text_bytes(out, strict, k);
	return true;
}

static bool word_is(const char *word, size_t n, const char *other)
{
	return strlen(other) == n && strncasecmp(word, other, n) == 0;
}

/* A bare word: a literal of some language, a number, or a text without its quotes. */
static bool bare(struct loose *l, bool key)
{
	static const struct {
		const char *word, *strict;
	} literals[] = {{"true", "true"}, {"false", "false"}, {"null", "null"}, {"none", "null"},
	    {"undefined", "null"}, {"nan", "null"}, {"inf", "null"}, {"+inf", "null"}, {"-inf", "null"},
	    {"infinity", "null"}, {"+infinity", "null"}, {"-infinity", "null"}};
	size_t start = l->i;
	while (l->i < l->n && (isalnum((unsigned char)l->s[l->i]) || strchr("_.+-", l->s[l->i]) != NULL) &&
	       l->s[l->i] != '\0')
		l->i++;
	const char *word = l->s + start;
	size_t n = l->i - start;
	if (n == 0 || n > 256)
		return false;
	for (size_t k = 0; !key && k < sizeof(literals) / sizeof(literals[0]); k++) {
		if (word_is(word, n, literals[k].word)) {
			cairn_text_add(l->out, literals[k].strict);
			return true;
		}
	}
	if (!key && number(word, n, l->out))
		return true;
	if (!isalpha((unsigned char)word[0]) && word[0] != '_')
		return false;
	cairn_text_add(l->out, "\"");
	cairn_text_json(l->out, word, n);
	cairn_text_add(l->out, "\"");
	return true;
}

static bool member(struct loose *l)
{
	bool ok = at(l, '"') || at(l, '\'') ? string(l) : bare(l, true);
	skip_space(l);
	if (!ok || !at(l, ':'))
		return false;
	l->i++;
	cairn_text_add(l->out, ":");
	return value(l);
}

/* Members or elements up to close, with or without a comma behind the last. */
static bool list(struct loose *l, const char *open, char close, bool (*item)(struct loose *))
{
	char end[2] = {close, '\0'};
	bool first = true;
	l->i++;
	cairn_text_add(l->out, open);
	for (;;) {
		skip_space(l);
		if (at(l, close)) {
			l->i++;
			cairn_text_add(l->out, end);
			return true;
		}
		if (!first)
			cairn_text_add(l->out, ",");
		first = false;
		if (!item(l))
			return false;
		skip_space(l);
		if (at(l, ','))
			l->i++;
		else if (!at(l, close))
			return false;
	}
}

static bool value(struct loose *l)
{
	skip_space(l);
	if (l->i >= l->n || ++l->depth > CAIRN_LOOSE_DEPTH_MAX)
		return false;
	bool ok;
	char c = l->s[l->i];
	if (c == '{')
		ok = list(l, "{", '}', member);
	else if (c == '[')
		ok = list(l, "[", ']', value);
	else if (c == '"' || c == '\'')
		ok = string(l);
	else
		ok = bare(l, false);
	l->depth--;
	return ok;
}

/* ---- finding it ---- */

/* The first "<word>" or "</word>" of a thinking tag at or after from; its end in *ret_end. */
static const char *find_tag(const char *from, const char *end, bool closing, const char **ret_end)
{
	static const char *const words[] = {
	    "think", "thinking", "thought", "thoughts", "reasoning", "analysis", "scratchpad", "reflection"};
	for (const char *p = from; (p = memchr(p, '<', (size_t)(end - p))) != NULL; p++) {
		const char *w = p + 1;
		if (closing && (w >= end || *w++ != '/'))
			continue;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			size_t n = strlen(words[i]);
			if ((size_t)(end - w) > n && strncasecmp(w, words[i], n) == 0 && w[n] == '>') {
				*ret_end = w + n + 1;
				return p;
			}
		}
	}
	return NULL;
}

/* What is left of the text without what the model thought aloud. */
static void drop_thoughts(const char *text, size_t count, struct cairn_text *out)
{
	const char *p = text, *end = text + count, *behind_open = text, *behind_close = text;
	const char *open = find_tag(p, end, false, &behind_open),
		   *close = find_tag(p, end, true, &behind_close);
	while (open != NULL || close != NULL) {
		if (close != NULL && (open == NULL || close < open)) {
			cairn_text_clear(out); /* the opening tag was in the prompt: all so far was thought */
		} else {
			cairn_text_bytes(out, p, (size_t)(open - p));
			if (close == NULL)
				return; /* it never stopped thinking */
		}
		p = behind_close;
		if (open != NULL && open < p)
			open = find_tag(p, end, false, &behind_open);
		close = find_tag(p, end, true, &behind_close);
	}
	cairn_text_bytes(out, p, (size_t)(end - p));
}

/* One attempt at the brace at *i, which moves behind what was read, or one on. False: what stands there was
 * meant to be an object (it has a key and a colon) but is broken or cut off, and nothing within or behind it
 * is trusted. */
static bool attempt(const char *text, size_t count, size_t *i, struct cairn_text *strict, json_t **ret_object)
{
	struct loose l = {text, count, *i, 0, strict};
	*ret_object = NULL;
	cairn_text_clear(strict);
	if (!value(&l)) {
		*i += 1;
		return l.i < count && !strict->failed && strchr(strict->data, ':') == NULL;
	}
	*i = l.i;
	if (!strict->failed)
		*ret_object = json_loadb(strict->data, strict->len, JSON_REJECT_DUPLICATES, NULL);
	return *ret_object != NULL;
}

static json_t *pick(const char *text, size_t count, bool (*wanted)(const json_t *object),
    struct cairn_text *strict, struct cairn_error *err)
{
	json_t *found = NULL;
	const char *problem = NULL;
	int attempts = 0;
	for (size_t i = 0; problem == NULL;) {
		const char *brace = memchr(text + i, '{', count - i);
		json_t *object = NULL;
		if (brace == NULL)
			break;
		i = (size_t)(brace - text);
		if (attempts++ == CAIRN_LOOSE_ATTEMPTS_MAX)
			problem = "too many braces in the answer";
		else if (!attempt(text, count, &i, strict, &object))
			problem = "the JSON object of the answer is broken or cut off";
		else if (object != NULL && wanted(object) && found != NULL && !json_equal(found, object))
			problem = "more than one JSON object answers";
		else if (object != NULL && wanted(object) && found == NULL)
			found = json_incref(object);
		json_decref(object);
	}
	if (problem == NULL && found == NULL)
		problem = attempts > 0 ? "no JSON object of the answer has an action"
				       : "no JSON object in the answer";
	if (problem != NULL) {
		cairn_error_set(err, "%s", problem);
		json_decref(found);
		return NULL;
	}
	return found;
}

json_t *cairn_loose_json(
    const char *text, size_t count, bool (*wanted)(const json_t *object), struct cairn_error *err)
{
	struct cairn_text plain = {0}, strict = {0};
	if (count > CAIRN_LOOSE_BYTES_MAX) {
		cairn_error_set(err, "larger than %u bytes", CAIRN_LOOSE_BYTES_MAX);
		return NULL;
	}
	drop_thoughts(text, count, &plain);
	json_t *found = NULL;
	if (plain.failed)
		cairn_error_set(err, "out of memory");
	else
		found = pick(plain.data != NULL ? plain.data : "", plain.len, wanted, &strict, err);
	cairn_text_free(&plain);
	cairn_text_free(&strict);
	return found;
}
