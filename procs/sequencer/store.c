#include "procs/sequencer/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void store_open(struct store *store, struct cairn_stage *stage)
{
	char folder[300];
	store->stage = stage;
	snprintf(folder, sizeof(folder), "%s/state", cairn_stage_run_dir(stage));
	if (mkdir(folder, 0755) != 0 && errno != EEXIST)
		cairn_log_warn("cannot make %s: %s", folder, strerror(errno));
	snprintf(store->mission_path, sizeof(store->mission_path), "%s/mission.bin", folder);
	snprintf(store->zones_path, sizeof(store->zones_path), "%s/" CAIRN_ZONES_FILE_NAME, folder);
}

/* Bytes read, at most size; -1 when there is no such file. */
static ssize_t read_file(const char *path, void *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, buf, size) : -1;
	if (fd >= 0)
		close(fd);
	return n;
}

/* False with errno. */
static bool replace_file(const char *path, const void *bytes, size_t size)
{
	char path_new[330];
	snprintf(path_new, sizeof(path_new), "%s.new", path);
	int fd = open(path_new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t written = fd >= 0 ? write(fd, bytes, size) : -1;
	bool ok = written == (ssize_t)size;
	if (written >= 0 && !ok)
		errno = ENOSPC; /* a short write says nothing by itself */
	if (fd >= 0)
		ok = close(fd) == 0 && ok;
	return ok && rename(path_new, path) == 0;
}

bool store_load_mission(struct store *store, struct cairn_mission_record *record)
{
	struct cairn_error err = {""};
	ssize_t n = read_file(store->mission_path, store->mission, sizeof(store->mission));
	if (n < 0)
		return false;
	if (cairn_mission_record_decode(record, store->mission, (size_t)n, cairn_now_ns(), &err))
		return true;
	cairn_log_warn("%s is not used: %s; the mission begins anew", store->mission_path, err.text);
	return false;
}

const struct cairn_msg_zones *store_load_zones(struct store *store)
{
	struct cairn_header hdr;
	struct cairn_error err = {""};
	ssize_t n = read_file(store->zones_path, store->message, sizeof(store->message));
	if (n < 0)
		return NULL;
	if (cairn_msg_decode(&cairn_desc_zones, store->message, (size_t)n, &hdr, &store->zones, &err) == 0)
		return &store->zones;
	memset(&store->zones, 0, sizeof(store->zones));
	cairn_log_warn("%s is not used: %s; draw the zones of the house again", store->zones_path, err.text);
	return NULL;
}

static bool save_zones(struct store *store, const struct cairn_msg_zones *zones, int64_t now_ns)
{
	if (memcmp(zones, &store->zones, sizeof(*zones)) == 0)
		return true;
	struct cairn_header hdr = {CAIRN_SCHEMA_VERSION, 1, 1, now_ns, true};
	int n =
	    cairn_msg_encode(&cairn_desc_zones, "zones", &hdr, zones, store->message, sizeof(store->message));
	if (n < 0)
		errno = -n;
	if (n < 0 || !replace_file(store->zones_path, store->message, (size_t)n))
		return false;
	store->zones = *zones;
	return true;
}

bool store_due(const struct store *store, bool changed, int64_t now_ns)
{
	return (changed || cairn_retry_failed(&store->trying)) && cairn_retry_due(&store->trying, now_ns);
}

void store_save(struct store *store, const struct cairn_sequencer *seq, int64_t now_ns)
{
	int n =
	    cairn_mission_record_encode(cairn_sequencer_record(seq), store->mission, sizeof(store->mission));
	bool ok = replace_file(store->mission_path, store->mission, (size_t)n) &&
		  save_zones(store, cairn_sequencer_zones(seq), now_ns);
	cairn_stage_tried(store->stage, "save the mission", ok ? NULL : strerror(errno));
	cairn_retry_tried(&store->trying, ok, now_ns);
}
