/* keyfile.h - keys made, kept in files, and read back. */
#ifndef CAIRN_IPC_KEYFILE_H
#define CAIRN_IPC_KEYFILE_H

#include "ipc/keyring.h"

/* A new pair of its own chance. False with err when the library was built without CURVE. */
bool cairn_key_make(const char *name, struct cairn_key *key, struct cairn_error *err);
/* Writes DIR/NAME.key (mode 0600) and DIR/NAME.pub (0644). Neither may exist yet: a key that is overwritten is
 * lost for good. Nothing is left when one fails. */
bool cairn_key_save(const struct cairn_key *key, const char *dir, struct cairn_error *err);
/* Reads a key file. need_secret: it must hold the secret key, and be readable by its owner alone. */
bool cairn_key_load(const char *path, bool need_secret, struct cairn_key *key, struct cairn_error *err);
/* Reads the list of those who may. It must not be writable by others. err is set for all but CAIRN_ALLOW_GOOD, *allow
 * untouched then. */
enum cairn_allow_state cairn_allow_read(const char *path, struct cairn_allow *allow, struct cairn_error *err);
/* True for CAIRN_ALLOW_GOOD. */
bool cairn_allow_load(const char *path, struct cairn_allow *allow, struct cairn_error *err);

#endif
