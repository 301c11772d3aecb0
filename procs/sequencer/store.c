#include "procs/sequencer/store.h"

#include <errno.h>
#include <string.h>

#include "common/base/file.h"

void store_open(struct store *store, struct cairn_stage *stage)
{
	store->stage = stage;
	cairn_stage_state_path(
	    stage, CAIRN_MISSION_FILE_NAME, store->mission_path, sizeof(store->mission_path));
	cairn_stage_state_path(stage, CAIRN_ZONES_FILE_NAME, store->zones_path, sizeof(store->zones_path));
}

static bool load_mission(struct store *store, struct cairn_mission_record *record)
{
	struct cairn_error err = {""};
	ssize_t n = cairn_file_read_into(
	    store->mission_path, CAIRN_FILE_OWN, (char *)store->mission, sizeof(store->mission), &err);
	if (n == -ENOENT)
		return false;
	if (n >= 0 && cairn_mission_record_decode(record, store->mission, (size_t)n, cairn_now_ns(), &err))
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

static bool load_zones(struct store *store, const struct cairn_zone_file **ret)
{
	struct cairn_error err = {""};
	ssize_t n = cairn_file_read_into(
	    store->zones_path, CAIRN_FILE_OWN, store->message, sizeof(store->message), NULL);
	*ret = &store->read;
	if (n == -ENOENT)
		return false;
	if (n < 0)
		return zones_lost(store, strerror((int)-n));
	if (!cairn_zone_file_decode(&store->read, store->message, (size_t)n, &err))
		return zones_lost(store, err.text);
	store->zones = store->read;
	return true;
}

struct cairn_sequencer *store_resume(struct store *store, const struct cairn_config *cfg)
{
	struct cairn_mission_record record;
	const struct cairn_zone_file *kept;
	bool again = load_mission(store, &record);
	if (again)
		cairn_log_info("going on: %s (%s), %llu decisions so far",
		    cairn_enum_text(&cairn_enum_mission_state, (int)record.state), record.reason,
		    (unsigned long long)record.decisions);
	struct cairn_sequencer *seq = cairn_sequencer_new(cfg, again ? &record : NULL, cairn_now_ns());
	/* One that was killed has its zones in the mission's record. */
	if (seq != NULL && !again && load_zones(store, &kept)) {
		cairn_log_info("%u of %u zones of the map are kept",
		    cairn_sequencer_keep_zones(seq, &kept->zones), kept->zones.items_count);
		cairn_sequencer_zones_saved(seq, kept->map_id, kept->doubt);
	}
	return seq;
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
	if (n < 0 || !cairn_file_replace(store->zones_path, 0, 0644, store->message, (size_t)n, NULL))
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
	bool ok = n >= 0 && cairn_file_replace(store->mission_path, CAIRN_FILE_NO_SYNC, 0644, store->mission,
				(size_t)n, NULL);
	if (!save_zones(store, cairn_sequencer_record(seq), now_ns))
		ok = false;
	cairn_stage_tried(store->stage, "save the mission", ok ? NULL : strerror(errno));
	cairn_retry_tried(&store->trying, ok, now_ns);
}
