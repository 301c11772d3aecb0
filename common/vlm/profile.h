/* profile.h - the providers as config/providers.yaml names them: where, which format, what they cost.
 *
 * Read with the same machinery as the configuration: unknown keys, wrong types and values out of range are
 * refused with file, line, provider, key and reason. */
#ifndef CAIRN_COMMON_VLM_PROFILE_H
#define CAIRN_COMMON_VLM_PROFILE_H

#include "common/config/config.h"

#define CAIRN_PROFILES_MAX 32
#define CAIRN_LINEUP_MAX 4 /* a primary and three fallbacks */

#define REAL(key, def, min, max, doc) double key;
#define INT(key, def, min, max, doc) int32_t key;
#define FLAG(key, def, doc) bool key;
#define TEXT(key, def, doc) char key[CAIRN_CONFIG_TEXT_CAP];
#define CHOICE(key, name, NAME, def, doc) enum cairn_choice_##name key;
struct cairn_profile {
#include "common/vlm/profile.def"
};

struct cairn_profiles {
	uint32_t count;
	struct cairn_profile rows[CAIRN_PROFILES_MAX];
};

/* Who is asked, in their order: the primary, then its fallbacks. And who has a part: who looks at a picture in full detail
 * (observe_scene), who is asked for hard decisions, who stands in on the robot while the network is away. Each of these may be
 * one of the others or a row of its own behind them. */
#define CAIRN_LINEUP_ROWS_MAX (CAIRN_LINEUP_MAX + 3)
struct cairn_lineup {
	uint32_t count;    /* of those who are asked in their order */
	uint32_t observer; /* its row */
	uint32_t strong;   /* its row; 0: hard decisions go to who is asked for the others */
	uint32_t local;    /* its row; 0: nobody stands in */
	struct cairn_profile rows[CAIRN_LINEUP_ROWS_MAX];
};

/* Number of rows, those for a part included. */
static inline uint32_t cairn_lineup_rows(const struct cairn_lineup *lineup)
{
	uint32_t last = lineup->observer > lineup->strong ? lineup->observer : lineup->strong;
	last = lineup->local > last ? lineup->local : last;
	return last < lineup->count ? lineup->count : last + 1;
}

/* Leaves the primary alone: it is asked for everything. */
static inline void cairn_lineup_alone(struct cairn_lineup *lineup)
{
	lineup->count = 1;
	lineup->observer = lineup->strong = lineup->local = 0;
}

/* The rows of the table, for files and docs; section is NULL, offsets are into struct cairn_profile. */
extern const struct cairn_config_row cairn_profile_rows[];
extern const int cairn_profile_row_count;

/* The scripted pilot. */
void cairn_profile_defaults(struct cairn_profile *profile);

/* Reads a file of providers. False with "FILE: line N: NAME.key: reason"; *ret untouched then. */
bool cairn_profiles_load(struct cairn_profiles *ret, const char *path, struct cairn_error *err);

/* What is wrong between the keys of a provider ("KEY: reason"), or NULL. */
const char *cairn_profile_wrong(const struct cairn_profile *profile);

/* vlm.provider with what vlm.base_url, .model, .api_key_env and .price_* lay over it, then vlm.fallbacks, then
 * vlm.observe_provider, vlm.strong_provider and vlm.local_provider where they are none of them.
 * With vlm.replay it is one row called "replay" that needs no key. */
bool cairn_lineup_pick(struct cairn_lineup *ret, const struct cairn_profiles *profiles,
    const struct cairn_config_vlm *cfg, struct cairn_error *err);
/* Both at once, from the file vlm.providers. */
bool cairn_lineup_load(struct cairn_lineup *ret, const struct cairn_config_vlm *cfg, struct cairn_error *err);

/* True when name is one of those that this configuration asks, in whatever part. */
bool cairn_lineup_names(const struct cairn_config_vlm *cfg, const char *name);
/* True for a URL of this machine: localhost, an address 127.x.y.z in full, or [::1]; a name that only begins like one
 * ("127.evil.example", "127.0.0.1@evil.example") is none. */
bool cairn_profile_url_is_local(const char *url);
/* True for a URL whose port is 0: the port of the scripted pilot. */
bool cairn_profile_url_is_pilot(const char *url);

#endif
