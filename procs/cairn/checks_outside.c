/* checks_outside.c - certificates and keys that the stages read, and folders that they write to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/file.h"
#include "procs/cairn/checks.h"

#define PEM_BYTES_MAX (16u << 20)

/* ---- certificates ---- */

static bool holds(const char *path, const char *what, const char *key, struct check_result *ret)
{
	size_t bytes = 0;
	struct cairn_error err = {""};
	char *text = cairn_file_read(path, 0, PEM_BYTES_MAX, &bytes, &err);
	bool good = text != NULL && strstr(text, "-----BEGIN ") != NULL && strstr(text, what) != NULL;
	if (text == NULL)
		check_says(ret, CHECK_FAILS, "%s: %s", key, err.text);
	else if (!good)
		check_says(ret, CHECK_FAILS, "%s: %s: no PEM file with a %.*s", key, path,
		    (int)strcspn(what, "-"), what);
	if (text != NULL)
		explicit_bzero(text, bytes);
	free(text);
	return good;
}

void check_certificates(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config *cfg = ctx->cfg;
	bool web = cfg->web.enabled, fleet = cfg->fleet.broker[0] != '\0';
	const struct {
		const char *key;
		bool used, hidden; /* hidden: read by a stage that does not see all of /tmp */
		char *path;
		size_t path_bytes;
		const char *what;
	} rows[] = {
	    {"vlm.ca_file", true, true, cfg->vlm.ca_file, sizeof(cfg->vlm.ca_file), "CERTIFICATE-----"},
	    {"web.cert_file", web, false, cfg->web.cert_file, sizeof(cfg->web.cert_file), "CERTIFICATE-----"},
	    {"web.key_file", web, false, cfg->web.key_file, sizeof(cfg->web.key_file), "PRIVATE KEY-----"},
	    {"fleet.ca_file", fleet, false, cfg->fleet.ca_file, sizeof(cfg->fleet.ca_file),
		"CERTIFICATE-----"},
	    {"fleet.cert_file", fleet, false, cfg->fleet.cert_file, sizeof(cfg->fleet.cert_file),
		"CERTIFICATE-----"},
	    {"fleet.key_file", fleet, false, cfg->fleet.key_file, sizeof(cfg->fleet.key_file),
		"PRIVATE KEY-----"},
	};
	int count = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].used || rows[i].path[0] == '\0')
			continue;
		if (!check_path(ctx, rows[i].path, rows[i].path_bytes, rows[i].key, ret) ||
		    (rows[i].hidden && !check_visible(ctx, rows[i].path, rows[i].key, ret)) ||
		    !holds(rows[i].path, rows[i].what, rows[i].key, ret))
			return;
		count++;
	}
	if (count == 0)
		check_says(ret, CHECK_SKIPPED, "none are configured");
	else
		check_says(ret, CHECK_OK, "%d files", count);
}

/* ---- folders ---- */

/* Whether something can be made in it, or in the folder in which it will be made; tried, since rights do not tell all. */
static bool can_be_filled(const char *path, bool with_parents, struct cairn_error *err)
{
	char nearest[300], trial[340];
	check_nearest_folder(path, nearest, sizeof(nearest));
	const char *below = path + strlen(nearest), *rest = below[0] == '/' ? below + 1 : below;
	if (!with_parents && strchr(rest, '/') != NULL) {
		cairn_error_set(err, "%s: the folder that it belongs in is not there", path);
		return false;
	}
	snprintf(trial, sizeof(trial), "%s/.cairn-XXXXXX", nearest);
	if (mkdtemp(trial) == NULL) {
		cairn_error_set(err, "%s: nothing can be written there: %s", path, strerror(errno));
		return false;
	}
	return rmdir(trial) == 0;
}

void check_folders(struct check_context *ctx, struct check_result *ret)
{
	const struct cairn_config *cfg = ctx->cfg;
	const struct {
		const char *key, *path;
		bool used, with_parents; /* the folders above it are made, too */
	} rows[] = {
	    {"launcher.state_dir", cfg->launcher.state_dir, true, true},
	    {"record.folder", cfg->record.folder, cfg->record.enabled, false},
	    {"vlm.record", cfg->vlm.record, true, false},
	};
	int count = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cairn_error err = {""};
		if (!rows[i].used || rows[i].path[0] != '/') /* none, or below the run directory */
			continue;
		if (!can_be_filled(rows[i].path, rows[i].with_parents, &err)) {
			check_says(ret, CHECK_FAILS, "%s: %s", rows[i].key, err.text);
			return;
		}
		count++;
	}
	if (count == 0)
		check_says(ret, CHECK_SKIPPED, "all lie below the run directory");
	else
		check_says(ret, CHECK_OK, "%d folders", count);
}
