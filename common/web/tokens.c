#include "common/web/tokens.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void cairn_web_token_make(const uint8_t random[CAIRN_WEB_TOKEN_CHARS], char ret[CAIRN_WEB_TOKEN_CHARS + 1])
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	for (int i = 0; i < CAIRN_WEB_TOKEN_CHARS; i++)
		ret[i] = letters[random[i] & 63];
	ret[CAIRN_WEB_TOKEN_CHARS] = '\0';
}

static struct cairn_web_token *by_name(struct cairn_web_tokens *tokens, const char *name)
{
	for (int i = 0; i < tokens->count; i++) {
		if (strcmp(tokens->rows[i].name, name) == 0)
			return &tokens->rows[i];
	}
	return NULL;
}

static bool take_line(struct cairn_web_tokens *tokens, const char *line, struct cairn_error *why)
{
	char name[64] = "", rights[64] = "", hash[80] = "", more[2] = "";
	struct cairn_web_token row = {.rights = 0};
	int n = sscanf(line, "%63s %63s %79s %1s", name, rights, hash, more);
	if (n <= 0 || name[0] == '#')
		return true;
	if (n != 3) {
		cairn_error_set(why, "must be NAME RIGHTS SHA256");
	} else if (!cairn_key_name_valid(name)) {
		cairn_error_set(why, "a name is 1 to 31 letters, digits, '.', '_' or '-'");
	} else if (strlen(hash) != CAIRN_SHA256_HEX - 1 ||
		   strspn(hash, "0123456789abcdef") != CAIRN_SHA256_HEX - 1) {
		cairn_error_set(why, "the hash must be 64 lower-case hexadecimal digits");
	} else if (by_name(tokens, name) != NULL) {
		cairn_error_set(why, "'%s' is there twice", name);
	} else if (tokens->count == CAIRN_WEB_TOKENS_MAX) {
		cairn_error_set(why, "more than %d tokens", CAIRN_WEB_TOKENS_MAX);
	} else if (cairn_rights_parse(rights, &row.rights, why)) {
		memcpy(row.name, name, strlen(name) + 1);
		memcpy(row.hash, hash, sizeof(row.hash));
		tokens->rows[tokens->count++] = row;
		return true;
	}
	return false;
}

bool cairn_web_tokens_parse(const char *text, struct cairn_web_tokens *ret, struct cairn_error *err)
{
	struct cairn_web_tokens tokens = {.count = 0};
	int number = 0;
	for (const char *p = text; *p != '\0';) {
		char line[256];
		struct cairn_error why = {""};
		size_t n = strcspn(p, "\n");
		number++;
		bool fits = n < sizeof(line);
		memcpy(line, p, fits ? n : 0);
		line[fits ? n : 0] = '\0';
		if (!fits)
			cairn_error_set(&why, "is too long");
		if (!fits || !take_line(&tokens, line, &why)) {
			cairn_error_set(err, "line %d: %.180s", number, why.text);
			return false;
		}
		p += n + (p[n] == '\n');
	}
	*ret = tokens;
	return true;
}

int cairn_web_tokens_format(const struct cairn_web_tokens *tokens, char *buf, size_t bytes)
{
	int n = snprintf(buf, bytes, "# NAME RIGHTS SHA256 of the token; written by 'cairn web-key'\n");
	for (int i = 0; i < tokens->count && n >= 0 && (size_t)n < bytes; i++) {
		char rights[64];
		const struct cairn_web_token *row = &tokens->rows[i];
		n += snprintf(buf + n, bytes - (size_t)n, "%s %s %s\n", row->name,
		    cairn_rights_text(row->rights, rights, sizeof(rights)), row->hash);
	}
	return n >= 0 && (size_t)n < bytes ? n : -ENOBUFS;
}

bool cairn_web_tokens_put(struct cairn_web_tokens *tokens, const char *name, unsigned rights,
    const char *token, struct cairn_error *err)
{
	struct cairn_web_token *row = by_name(tokens, name);
	if (!cairn_key_name_valid(name)) {
		cairn_error_set(
		    err, "a name is 1 to 31 letters, digits, '.', '_' or '-', not beginning with '.' or '-'");
		return false;
	}
	if (row == NULL && tokens->count == CAIRN_WEB_TOKENS_MAX) {
		cairn_error_set(err, "there are %d tokens already; revoke one", CAIRN_WEB_TOKENS_MAX);
		return false;
	}
	row = row != NULL ? row : &tokens->rows[tokens->count++];
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->rights = rights;
	cairn_sha256_hex(token, strlen(token), row->hash);
	return true;
}

bool cairn_web_tokens_remove(struct cairn_web_tokens *tokens, const char *name)
{
	struct cairn_web_token *row = by_name(tokens, name);
	if (row == NULL)
		return false;
	*row = tokens->rows[--tokens->count];
	return true;
}

const struct cairn_web_token *cairn_web_tokens_find(const struct cairn_web_tokens *tokens, const char *token)
{
	char hash[CAIRN_SHA256_HEX];
	if (strlen(token) != CAIRN_WEB_TOKEN_CHARS)
		return NULL;
	cairn_sha256_hex(token, CAIRN_WEB_TOKEN_CHARS, hash);
	/* Hashes may be compared as they come: how long that takes tells nothing of the token. */
	for (int i = 0; i < tokens->count; i++) {
		if (strcmp(tokens->rows[i].hash, hash) == 0)
			return &tokens->rows[i];
	}
	return NULL;
}

struct cairn_web_who cairn_web_identify(const struct cairn_web_tokens *tokens, const char *token, bool here)
{
	struct cairn_web_who who = {.rights = here ? CAIRN_RIGHT_BIT(CAIRN_RIGHT_WATCH) : 0};
	const struct cairn_web_token *row = token[0] != '\0' ? cairn_web_tokens_find(tokens, token) : NULL;
	if (row != NULL) {
		who.rights |= row->rights;
		snprintf(who.name, sizeof(who.name), "%s", row->name);
	}
	return who;
}

static bool copy_word(const char *p, size_t n, char *buf, size_t bytes)
{
	bool fits = n > 0 && n < bytes;
	memcpy(buf, p, fits ? n : 0);
	buf[fits ? n : 0] = '\0';
	return fits;
}

bool cairn_web_cookie(const char *header, const char *name, char *buf, size_t bytes)
{
	size_t len = strlen(name);
	buf[0] = '\0';
	for (const char *p = header; *p != '\0';) {
		p += strspn(p, "; ");
		size_t n = strcspn(p, ";");
		if (n > len && strncmp(p, name, len) == 0 && p[len] == '=')
			return copy_word(p + len + 1, n - len - 1, buf, bytes);
		p += n;
	}
	return false;
}

bool cairn_web_bearer(const char *header, char *buf, size_t bytes)
{
	buf[0] = '\0';
	if (strncasecmp(header, "Bearer ", 7) != 0)
		return false;
	header += 7 + strspn(header + 7, " ");
	return copy_word(header, strcspn(header, " \t"), buf, bytes);
}
