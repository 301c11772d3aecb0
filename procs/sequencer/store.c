#include "procs/sequencer/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void store_open(struct store *store, struct cairn_stage *stage)
{
	const char *folder = store->folder;
	store->stage = stage;
	snprintf(store->folder, sizeof(store->folder), "%s/state", cairn_stage_run_dir(stage));
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

/* False with errno. durable: it must survive that the power fails, which may take a while. */
static bool replace_file(const char *path, const void *bytes, size_t size, bool durable)
{
	char path_new[330];
	snprintf(path_new, sizeof(path_new), "%s.new", path);
	int fd = open(path_new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ssize_t written = fd >= 0 ? write(fd, bytes, size) : -1;
	bool ok = written == (ssize_t)size;
	if (written >= 0 && !ok)
		errno = ENOSPC; /* a short write says nothing by itself */
	ok = ok && (!durable || fsync(fd) == 0);
	if (fd >= 0)
		ok = close(fd) == 0 && ok;
	return ok && rename(path_new, path) == 0;
}

/* The name of the file is on the disk, too. */
static bool sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	return ok;
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

/* What cannot be read is kept beside it for whoever wants to look. */
static bool zones_lost(struct store *store, const char *why)
{
	char aside[340];
	snprintf(aside, sizeof(aside), "%s.damaged", store->zones_path);
	cairn_log_error(
	    "%s cannot be used: %s; the robot stands until an operator has drawn the zones of the house "
	    "again and says 'cairn zone confirm'",
	    store->zones_path, why);
	if (rename(store->zones_path, aside) != 0)
		cairn_log_warn("%s: %s", aside, strerror(errno));
	store->zones = (struct cairn_zone_file){0};
	store->read = (struct cairn_zone_file){.doubt = CAIRN_ZONE_DOUBT_LOST};
	return true;
}

bool store_load_zones(struct store *store, const struct cairn_zone_file **ret)
{
	struct cairn_error err = {""};
	ssize_t n = read_file(store->zones_path, store->message, sizeof(store->message));
	*ret = &store->read;
	if (n < 0 && errno == ENOENT)
		return false;
	if (n < 0)
		return zones_lost(store, strerror(errno));
	if (!cairn_zone_file_decode(&store->read, store->message, (size_t)n, &err))
		return zones_lost(store, err.text);
	store->zones = store->read;
	return true;
}

static bool save_zones(struct store *store, const struct cairn_mission_record *record, int64_t now_ns)
{
	memset(&store->read, 0, sizeof(store->read)); /* compared by its bytes, the holes included */
	store->read.map_id = record->zones_map_id;
	store->read.doubt = record->zones_doubt;
	store->read.zones = record->zones;
	if (memcmp(&store->read, &store->zones, sizeof(store->zones)) == 0)
		return true;
	int n = cairn_zone_file_encode(&store->read, now_ns, store->message, sizeof(store->message));
	if (n < 0)
		errno = -n;
	if (n < 0 || !replace_file(store->zones_path, store->message, (size_t)n, true) ||
	    !sync_folder(store->folder))
		return false;
	store->zones = store->read;
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
	bool ok = replace_file(store->mission_path, store->mission, (size_t)n, false);
	if (!save_zones(store, cairn_sequencer_record(seq), now_ns))
		ok = false;
	cairn_stage_tried(store->stage, "save the mission", ok ? NULL : strerror(errno));
	cairn_retry_tried(&store->trying, ok, now_ns);
}
