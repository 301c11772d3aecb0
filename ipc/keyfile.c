#include "ipc/keyfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/file.h"
#include "common/base/whole_io.h"

bool cairn_key_make(const char *name, struct cairn_key *key, struct cairn_error *err)
{
	struct cairn_key k = {0};
	if (!cairn_key_name_valid(name)) {
		cairn_error_set(err, "'%.40s': a name has 1 to 31 letters, digits, '.', '_' or '-'", name);
		return false;
	}
	snprintf(k.name, sizeof(k.name), "%.31s", name);
	if (zmq_curve_keypair(k.public_key, k.secret_key) != 0) {
		cairn_error_set(err, "ZeroMQ cannot make keys: %s", zmq_strerror(zmq_errno()));
		return false;
	}
	*key = k;
	return true;
}

static bool write_new(const char *path, const char *text, int len, mode_t mode, struct cairn_error *err)
{
	int fd = len < 0 ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		return false;
	}
	bool ok = fchmod(fd, mode) == 0 && write(fd, text, (size_t)len) == len && fsync(fd) == 0;
	ok = close(fd) == 0 && ok;
	if (!ok) {
		cairn_error_set(err, "%s: %s", path, strerror(errno));
		(void)unlink(path);
	}
	return ok;
}

bool cairn_key_save(const struct cairn_key *key, const char *dir, struct cairn_error *err)
{
	char own[4200], pub[4200], text[CAIRN_KEY_FILE_MAX];
	if (snprintf(own, sizeof(own), "%s/%s.key", dir, key->name) >= (int)sizeof(own) ||
	    snprintf(pub, sizeof(pub), "%s/%s.pub", dir, key->name) >= (int)sizeof(pub)) {
		cairn_error_set(err, "the path is too long: %.80s...", dir);
		return false;
	}
	int n = cairn_key_format(key, true, text, sizeof(text));
	bool ok = write_new(own, text, n, 0600, err);
	explicit_bzero(text, sizeof(text));
	if (!ok)
		return false;
	n = cairn_key_format(key, false, text, sizeof(text));
	if (write_new(pub, text, n, 0644, err))
		return true;
	(void)unlink(own);
	return false;
}

/* The whole file as text. forbidden: mode bits that it must not have. False with errno ENOENT when there is none. */
static bool read_text(
    const char *path, mode_t forbidden, const char *why, char *buf, size_t bytes, struct cairn_error *err)
{
	struct stat st;
	int fd = cairn_file_open(path, 0, err);
	if (fd < 0)
		return false;
	bool ok = fstat(fd, &st) == 0 && (st.st_mode & forbidden) == 0;
	size_t n = ok ? cairn_read_whole(fd, buf, bytes) : 0;
	close(fd);
	if (!ok)
		cairn_error_set(
		    err, "%s: %s (chmod %s)", path, why, (forbidden & 0004) != 0 ? "600" : "go-w");
	else if (n == bytes)
		cairn_error_set(err, "%s: larger than %zu bytes", path, bytes - 1);
	else if (memchr(buf, '\0', n) != NULL)
		cairn_error_set(err, "%s: not a text", path);
	if (!ok || n == bytes || memchr(buf, '\0', n) != NULL) {
		errno = EBADMSG;
		return false;
	}
	buf[n] = '\0';
	return true;
}

bool cairn_key_load(const char *path, bool need_secret, struct cairn_key *key, struct cairn_error *err)
{
	char text[CAIRN_KEY_FILE_MAX];
	struct cairn_error why = {""};
	struct cairn_key k;
	bool ok = read_text(
	    path, need_secret ? 0077 : 0, "a secret key must be its owner's alone", text, sizeof(text), err);
	if (ok && !cairn_key_parse(text, &k, &why)) {
		cairn_error_set(err, "%s: %.200s", path, why.text);
		ok = false;
	}
	if (ok && need_secret && k.secret_key[0] == '\0') {
		cairn_error_set(err, "%s: holds no secret key", path);
		ok = false;
	}
	explicit_bzero(text, sizeof(text));
	if (ok)
		*key = k;
	explicit_bzero(&k, sizeof(k));
	return ok;
}

enum cairn_allow_state cairn_allow_read(const char *path, struct cairn_allow *allow, struct cairn_error *err)
{
	char text[CAIRN_ALLOW_FILE_MAX];
	struct cairn_error why = {""};
	errno = 0;
	if (!read_text(path, 0022, "others may write to it", text, sizeof(text), err))
		return errno == ENOENT ? CAIRN_ALLOW_NOBODY : CAIRN_ALLOW_UNREADABLE;
	if (cairn_allow_parse(text, allow, &why))
		return CAIRN_ALLOW_GOOD;
	cairn_error_set(err, "%s: %.200s", path, why.text);
	return cairn_allow_empty(text) ? CAIRN_ALLOW_NOBODY : CAIRN_ALLOW_UNREADABLE;
}

bool cairn_allow_load(const char *path, struct cairn_allow *allow, struct cairn_error *err)
{
	return cairn_allow_read(path, allow, err) == CAIRN_ALLOW_GOOD;
}
