/* tokens.h - who may do what over the web: named tokens with rights. Of a token only its SHA-256 is kept (it is 192 random
 * bits, so that the hash needs no salt). Texts in, structs out.
 *
 * A file has one line a token: NAME RIGHTS SHA256, rights being watch, drive, configure, comma-separated; '#' begins a
 * comment. */
#ifndef CAIRN_COMMON_WEB_TOKENS_H
#define CAIRN_COMMON_WEB_TOKENS_H

#include "common/base/sha256.h"
#include "ipc/keyring.h"

#define CAIRN_WEB_TOKEN_CHARS 32
#define CAIRN_WEB_TOKENS_MAX 64
#define CAIRN_WEB_TOKENS_FILE_MAX 16384

struct cairn_web_token {
	char name[CAIRN_KEY_NAME];
	unsigned rights; /* set of CAIRN_RIGHT_BIT */
	char hash[CAIRN_SHA256_HEX];
};

struct cairn_web_tokens {
	int count;
	struct cairn_web_token rows[CAIRN_WEB_TOKENS_MAX];
};

/* The token that 32 random bytes make: letters, digits, '-' and '_'. */
void cairn_web_token_make(const uint8_t random[CAIRN_WEB_TOKEN_CHARS], char ret[CAIRN_WEB_TOKEN_CHARS + 1]);

/* False with "line N: reason" in err, *ret untouched. No line at all is a list of nobody. */
bool cairn_web_tokens_parse(const char *text, struct cairn_web_tokens *ret, struct cairn_error *err);
/* The text of the file. Bytes written, or -ENOBUFS. */
int cairn_web_tokens_format(const struct cairn_web_tokens *tokens, char *buf, size_t bytes);
/* A new token, or another one for a name that is known. False with the reason in err. */
bool cairn_web_tokens_put(struct cairn_web_tokens *tokens, const char *name, unsigned rights,
    const char *token, struct cairn_error *err);
/* False when there is none of this name. */
bool cairn_web_tokens_remove(struct cairn_web_tokens *tokens, const char *name);
/* Whose token this is, or NULL. */
const struct cairn_web_token *cairn_web_tokens_find(const struct cairn_web_tokens *tokens, const char *token);

/* Somebody who asks. */
struct cairn_web_who {
	unsigned rights;           /* 0: nothing but the page itself and logging in */
	char name[CAIRN_KEY_NAME]; /* of the token; empty: none */
};

/* here: from this machine, and not passed on by a proxy on it. Without a token that gives watch, and a stop is always among what
 * somebody may who may anything. token: empty = none given. A wrong token counts as none. */
struct cairn_web_who cairn_web_identify(const struct cairn_web_tokens *tokens, const char *token, bool here);

/* The value of a cookie in a Cookie header; the token of an Authorization header ("Bearer ..."). False when there is none, or
 * none that fits; buf is empty then. */
bool cairn_web_cookie(const char *header, const char *name, char *buf, size_t bytes);
bool cairn_web_bearer(const char *header, char *buf, size_t bytes);

#endif
