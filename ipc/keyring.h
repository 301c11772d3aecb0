/* keyring.h - keys of operators on other machines, and the list of those who are let in. Texts in, structs out.
 *
 * A key file has lines "name: anna", "public: Z85", and in the owner's own file "secret: Z85" and "robot: Z85" (the
 * public key of the robot it is for). A list of those who may has a line "NAME PUBLIC RIGHTS" each, rights being
 * watch, drive, configure, comma-separated. '#' begins a comment. Keys are CURVE25519 in Z85, 40 characters. */
#ifndef CAIRN_IPC_KEYRING_H
#define CAIRN_IPC_KEYRING_H

#include "ipc/commands.h"

#define CAIRN_KEY_TEXT 41 /* 40 characters and the NUL */
#define CAIRN_KEY_NAME 32 /* letters, digits, . _ - */
#define CAIRN_KEY_FILE_MAX 4096
#define CAIRN_ALLOW_MAX 64
#define CAIRN_ALLOW_FILE_MAX 16384

struct cairn_key {
	char name[CAIRN_KEY_NAME];
	char public_key[CAIRN_KEY_TEXT];
	char secret_key[CAIRN_KEY_TEXT]; /* empty = not known */
	char robot_key[CAIRN_KEY_TEXT];  /* empty = none told */
};

struct cairn_allow_row {
	char name[CAIRN_KEY_NAME];
	char public_key[CAIRN_KEY_TEXT];
	unsigned rights; /* set of CAIRN_RIGHT_BIT */
};

struct cairn_allow {
	int count;
	bool
	    stops_only; /* the list cannot be read at present: these keys may stop the robot and nothing else */
	struct cairn_allow_row rows[CAIRN_ALLOW_MAX];
};

/* True for 1 to 31 letters, digits, '.', '_', '-', not beginning with '.' or '-'. */
bool cairn_key_name_valid(const char *name);
/* False with "line N: reason" in err, *key untouched. Name and public key must be there. */
bool cairn_key_parse(const char *text, struct cairn_key *key, struct cairn_error *err);
/* The text of a key file; with_secret: the owner's own. Bytes written, or -ENOBUFS. */
int cairn_key_format(const struct cairn_key *key, bool with_secret, char *buf, size_t bytes);

/* False with "line N: reason" in err, *allow untouched. An empty list is an error: it would let nobody in. */
bool cairn_allow_parse(const char *text, struct cairn_allow *allow, struct cairn_error *err);
/* True for a text that lets nobody in, and does so without a mistake: nothing but comments. */
bool cairn_allow_empty(const char *text);

/* What became of reading the list. */
enum cairn_allow_state {
	CAIRN_ALLOW_GOOD,
	CAIRN_ALLOW_NOBODY,    /* missing or empty */
	CAIRN_ALLOW_UNREADABLE /* no permission, writable by others, or a mistake in it */
};

/* What holds from now on. A good list replaces the one before; a missing or empty one lets nobody in; one that cannot be
 * read leaves the keys of the last good one a stop, so that a slip of the pen takes no stop away, and nothing else,
 * so that nobody keeps what may just have been taken from him. read counts for CAIRN_ALLOW_GOOD alone. True: something
 * has changed. */
bool cairn_allow_take(struct cairn_allow *held, enum cairn_allow_state state, const struct cairn_allow *read);

/* NULL when it is not there. */
const struct cairn_allow_row *cairn_allow_by_key(const struct cairn_allow *allow, const char *public_key);
const struct cairn_allow_row *cairn_allow_by_name(const struct cairn_allow *allow, const char *name);

#endif
