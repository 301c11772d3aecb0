#include "ipc/keyring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 256

static const char z85[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

static bool is_key(const char *text)
{
	return strlen(text) == CAIRN_KEY_TEXT - 1 && strspn(text, z85) == CAIRN_KEY_TEXT - 1;
}

bool cairn_key_name_valid(const char *name)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t n = strlen(name);
	return n > 0 && n < CAIRN_KEY_NAME && strspn(name, good) == n && name[0] != '.' && name[0] != '-';
}

/* The next line into buf, without comment and blanks at its ends; false at the end of the text. A line that does
 * not fit is given as "?", which no reader takes for anything. '#' is a character of Z85, so a comment must
 * begin the line or stand behind a blank. */
static bool next_line(const char **at, char buf[LINE_BYTES])
{
	if (**at == '\0')
		return false;
	size_t n = strcspn(*at, "\n");
	if (n < LINE_BYTES) {
		memcpy(buf, *at, n);
		buf[n] = '\0';
	} else {
		strcpy(buf, "?");
	}
	*at += n + ((*at)[n] == '\n');
	for (char *p = buf; *p != '\0'; p++) {
		if (*p == '#' && (p == buf || p[-1] == ' ' || p[-1] == '\t')) {
			*p = '\0';
			break;
		}
	}
	size_t end = strlen(buf), begin = strspn(buf, " \t");
	while (end > begin && strchr(" \t\r", buf[end - 1]) != NULL)
		end--;
	buf[end] = '\0';
	memmove(buf, buf + begin, end - begin + 1);
	return true;
}

static bool take_key_line(const char *line, struct cairn_key *key, const char **ret_why)
{
	struct {
		const char *label;
		char *value;
	} fields[] = {
	    {"public: ", key->public_key}, {"secret: ", key->secret_key}, {"robot: ", key->robot_key}};
	*ret_why = "not a line of a key: name, public, secret or robot, a colon, a value";
	if (strncmp(line, "name: ", 6) == 0) {
		*ret_why = "a name has 1 to 31 letters, digits, '.', '_' or '-'";
		if (!cairn_key_name_valid(line + 6))
			return false;
		snprintf(key->name, sizeof(key->name), "%.31s", line + 6);
		return true;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		size_t n = strlen(fields[i].label);
		if (strncmp(line, fields[i].label, n) != 0)
			continue;
		*ret_why = "a key has 40 characters of Z85";
		if (!is_key(line + n))
			return false;
		memcpy(fields[i].value, line + n, CAIRN_KEY_TEXT);
		return true;
	}
	return false;
}

bool cairn_key_parse(const char *text, struct cairn_key *key, struct cairn_error *err)
{
	struct cairn_key k = {0};
	char line[LINE_BYTES];
	const char *why;
	for (int number = 1; next_line(&text, line); number++) {
		if (line[0] == '\0' || take_key_line(line, &k, &why))
			continue;
		cairn_error_set(err, "line %d: %s", number, why); /* never the line: it may hold the secret */
		return false;
	}
	if (k.name[0] == '\0' || k.public_key[0] == '\0') {
		cairn_error_set(err, "no key: name and public key must be there");
		return false;
	}
	*key = k;
	return true;
}

int cairn_key_format(const struct cairn_key *key, bool with_secret, char *buf, size_t bytes)
{
	int n;
	if (with_secret)
		n = snprintf(buf, bytes,
		    "# A cairn key. Whoever has this file is %s: keep it to yourself.\n"
		    "name: %s\npublic: %s\nsecret: %s\n%s%s%s",
		    key->name, key->name, key->public_key, key->secret_key,
		    key->robot_key[0] != '\0' ? "robot: " : "", key->robot_key,
		    key->robot_key[0] != '\0' ? "\n" : "");
	else
		n = snprintf(buf, bytes, "# The public half of a cairn key.\nname: %s\npublic: %s\n",
		    key->name, key->public_key);
	return n >= 0 && (size_t)n < bytes ? n : -ENOBUFS;
}

static bool take_allow_line(
    char *line, const struct cairn_allow *allow, struct cairn_allow_row *row, struct cairn_error *err)
{
	char *rest = NULL;
	const char *name = strtok_r(line, " \t", &rest), *key = strtok_r(NULL, " \t", &rest),
		   *rights = strtok_r(NULL, " \t", &rest);
	if (rights == NULL || strtok_r(NULL, " \t", &rest) != NULL) {
		cairn_error_set(err, "must be: NAME PUBLIC-KEY RIGHTS");
		return false;
	}
	if (!cairn_key_name_valid(name) || !is_key(key)) {
		cairn_error_set(
		    err, "%s", is_key(key) ? "not a name" : "not a public key: 40 characters of Z85");
		return false;
	}
	if (cairn_allow_by_name(allow, name) != NULL || cairn_allow_by_key(allow, key) != NULL) {
		cairn_error_set(err, "this name or key stands above already");
		return false;
	}
	if (!cairn_rights_parse(rights, &row->rights, err))
		return false;
	snprintf(row->name, sizeof(row->name), "%.31s", name);
	memcpy(row->public_key, key, CAIRN_KEY_TEXT);
	return true;
}

bool cairn_allow_parse(const char *text, struct cairn_allow *allow, struct cairn_error *err)
{
	struct cairn_allow list = {0};
	struct cairn_error why = {""};
	char line[LINE_BYTES];
	for (int number = 1; next_line(&text, line); number++) {
		if (line[0] == '\0')
			continue;
		if (list.count == CAIRN_ALLOW_MAX)
			cairn_error_set(&why, "more than %d keys", CAIRN_ALLOW_MAX);
		else if (take_allow_line(line, &list, &list.rows[list.count], &why)) {
			list.count++;
			continue;
		}
		cairn_error_set(err, "line %d: %.200s", number, why.text);
		return false;
	}
	if (list.count == 0) {
		cairn_error_set(err, "lets nobody in: a line NAME PUBLIC-KEY RIGHTS is needed");
		return false;
	}
	*allow = list;
	return true;
}

bool cairn_allow_empty(const char *text)
{
	char line[LINE_BYTES];
	while (next_line(&text, line)) {
		if (line[0] != '\0')
			return false;
	}
	return true;
}

static bool same_rows(const struct cairn_allow *a, const struct cairn_allow *b)
{
	for (int i = 0; a->count == b->count && i < a->count; i++) {
		const struct cairn_allow_row *x = &a->rows[i], *y = &b->rows[i];
		if (x->rights != y->rights || strcmp(x->name, y->name) != 0 ||
		    strcmp(x->public_key, y->public_key) != 0)
			return false;
	}
	return a->count == b->count;
}

bool cairn_allow_take(struct cairn_allow *held, enum cairn_allow_state state, const struct cairn_allow *read)
{
	static const struct cairn_allow nobody = {0};
	const struct cairn_allow *next = state == CAIRN_ALLOW_GOOD         ? read
					 : state == CAIRN_ALLOW_UNREADABLE ? held
									   : &nobody;
	bool stops_only = state == CAIRN_ALLOW_UNREADABLE;
	bool changed = held->stops_only != stops_only || !same_rows(held, next);
	if (next != held)
		*held = *next;
	held->stops_only = stops_only;
	return changed;
}

const struct cairn_allow_row *cairn_allow_by_key(const struct cairn_allow *allow, const char *public_key)
{
	for (int i = 0; i < allow->count; i++) {
		if (strcmp(allow->rows[i].public_key, public_key) == 0)
			return &allow->rows[i];
	}
	return NULL;
}

const struct cairn_allow_row *cairn_allow_by_name(const struct cairn_allow *allow, const char *name)
{
	for (int i = 0; i < allow->count; i++) {
		if (strcmp(allow->rows[i].name, name) == 0)
			return &allow->rows[i];
	}
	return NULL;
}
