/* profile.c - the table of profile.def as rows, and who of the providers is asked. Files: profile_file.c. */
#include "common/vlm/profile.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define AT(key) offsetof(struct cairn_profile, key)

const struct cairn_config_row cairn_profile_rows[] = {
#define REAL(key, def, min, max, doc) {NULL, #key, CAIRN_CONFIG_REAL, min, max, NULL, doc, AT(key)},
#define INT(key, def, min, max, doc) {NULL, #key, CAIRN_CONFIG_INT, min, max, NULL, doc, AT(key)},
#define FLAG(key, def, doc) {NULL, #key, CAIRN_CONFIG_FLAG, 0, 0, NULL, doc, AT(key)},
#define TEXT(key, def, doc) {NULL, #key, CAIRN_CONFIG_TEXT, 0, 0, NULL, doc, AT(key)},
#define CHOICE(key, name, NAME, def, doc)                                                                    \
	{NULL, #key, CAIRN_CONFIG_CHOICE, 0, 0, cairn_choice_##name##_words, doc, AT(key)},
#include "common/vlm/profile.def"
};

const int cairn_profile_row_count = sizeof(cairn_profile_rows) / sizeof(cairn_profile_rows[0]);

void cairn_profile_defaults(struct cairn_profile *profile)
{
	memset(profile, 0, sizeof(*profile));
#define REAL(key, def, min, max, doc) profile->key = def;
#define INT(key, def, min, max, doc) profile->key = def;
#define FLAG(key, def, doc) profile->key = def;
#define TEXT(key, def, doc) memcpy(profile->key, def, sizeof(def));
#define CHOICE(key, name, NAME, def, doc) profile->key = CAIRN_CHOICE_##NAME##_##def;
#include "common/vlm/profile.def"
}

bool cairn_profile_url_is_pilot(const char *url)
{
	const char *host = strstr(url, "://");
	const char *port = host != NULL ? strchr(host + 3, ':') : NULL;
	return port != NULL && port[1] == '0' && (port[2] == '/' || port[2] == '\0');
}

/* The host of a URL, with brackets, and whether a user stands before it. False: it has none, or a very long one. */
static bool host_of(const char *url, char *host, size_t cap, bool *ret_user)
{
	const char *begin = strstr(url, "://");
	if (begin == NULL)
		return false;
	begin += 3;
	size_t n = strcspn(begin, "/?#");
	const char *user = memrchr(begin, '@', n), *end = begin + n;
	*ret_user = user != NULL;
	if (user != NULL)
		begin = user + 1;
	const char *bracket = *begin == '[' ? memchr(begin, ']', (size_t)(end - begin)) : NULL;
	const char *colon = memchr(begin, ':', (size_t)(end - begin));
	end = bracket != NULL ? bracket + 1 : colon != NULL ? colon : end;
	return end > begin && snprintf(host, cap, "%.*s", (int)(end - begin), begin) < (int)cap;
}

bool cairn_profile_url_is_local(const char *url)
{
	char host[64];
	bool user = false;
	struct in_addr v4;
	if (!host_of(url, host, sizeof(host), &user) || user)
		return false;
	if (inet_pton(AF_INET, host, &v4) == 1)
		return ntohl(v4.s_addr) >> 24 == 127;
	return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0;
}

const char *cairn_profile_wrong(const struct cairn_profile *p)
{
	if (p->name[0] == '\0' || strpbrk(p->name, ", /\\\"'") != NULL || strlen(p->name) > 31)
		return "name: a plain word of at most 31 characters is needed";
	if (strncmp(p->base_url, "http://", 7) != 0 && strncmp(p->base_url, "https://", 8) != 0)
		return "base_url: must start with http:// or https://";
	char host[256];
	bool user = false;
	if (!host_of(p->base_url, host, sizeof(host), &user))
		return "base_url: names no host";
	if (user) /* it would be logged and recorded */
		return "base_url: holds a user or password; keys come from the environment (api_key_env)";
	if (cairn_profile_url_is_pilot(p->base_url) && strcmp(p->name, "pilot") != 0)
		return "base_url: has port 0, which only the scripted pilot understands";
	if (cairn_profile_url_is_pilot(p->base_url) && !cairn_profile_url_is_local(p->base_url))
		return "base_url: the scripted pilot runs on this machine: http://127.0.0.1:0/v1";
	return p->model[0] == '\0' ? "model: is empty" : NULL;
}

/* The next name of a comma-separated list, or false at its end. */
static bool next_name(const char **at, char *ret, size_t cap)
{
	*at += strspn(*at, ", ");
	size_t n = strcspn(*at, ", ");
	if (n == 0)
		return false;
	snprintf(ret, cap, "%.*s", (int)n, *at);
	*at += n;
	return true;
}

bool cairn_lineup_names(const struct cairn_config_vlm *cfg, const char *name)
{
	char one[CAIRN_CONFIG_TEXT_CAP];
	const char *at = cfg->fallbacks;
	if (strcmp(cfg->provider, name) == 0 || strcmp(cfg->observe_provider, name) == 0 ||
	    strcmp(cfg->strong_provider, name) == 0 || strcmp(cfg->local_provider, name) == 0)
		return true;
	while (next_name(&at, one, sizeof(one))) {
		if (strcmp(one, name) == 0)
			return true;
	}
	return false;
}

/* NULL with err set: there is none of this name. */
static const struct cairn_profile *find(
    const struct cairn_profiles *profiles, const char *key, const char *name, struct cairn_error *err)
{
	const struct cairn_profile *found = NULL;
	char known[200] = "";
	for (uint32_t i = 0; i < profiles->count; i++) {
		size_t n = strlen(known);
		snprintf(known + n, sizeof(known) - n, "%s%s", n > 0 ? ", " : "", profiles->rows[i].name);
		if (strcmp(profiles->rows[i].name, name) == 0)
			found = &profiles->rows[i];
	}
	if (found == NULL)
		cairn_error_set(
		    err, "%s: '%.60s' is not a provider of vlm.providers; there are %s", key, name, known);
	return found;
}

static bool append(struct cairn_lineup *ret, const struct cairn_profiles *profiles, const char *key,
    const char *name, struct cairn_error *err)
{
	for (uint32_t i = 0; i < ret->count; i++) {
		if (strcmp(ret->rows[i].name, name) == 0) {
			cairn_error_set(err, "%s: '%.60s' is in the line-up already", key, name);
			return false;
		}
	}
	const struct cairn_profile *found = find(profiles, key, name, err);
	if (found != NULL && ret->count == CAIRN_LINEUP_MAX)
		cairn_error_set(err, "%s: more than %d fallbacks", key, CAIRN_LINEUP_MAX - 1);
	if (found == NULL || ret->count == CAIRN_LINEUP_MAX)
		return false;
	ret->rows[ret->count++] = *found;
	return true;
}

/* What the configuration says itself beats the file of providers. */
static void lay_over(struct cairn_profile *profile, const struct cairn_config_vlm *cfg)
{
	if (cfg->base_url[0] != '\0')
		memcpy(profile->base_url, cfg->base_url, sizeof(profile->base_url));
	if (cfg->model[0] != '\0')
		memcpy(profile->model, cfg->model, sizeof(profile->model));
	if (cfg->api_key_env[0] != '\0')
		memcpy(profile->api_key_env, cfg->api_key_env, sizeof(profile->api_key_env));
	if (cfg->price_in_usd_per_mtok >= 0.0)
		profile->price_in_usd_per_mtok = profile->price_cache_write_usd_per_mtok =
		    cfg->price_in_usd_per_mtok;
	if (cfg->price_cached_usd_per_mtok >= 0.0)
		profile->price_cached_usd_per_mtok = cfg->price_cached_usd_per_mtok;
	if (cfg->price_out_usd_per_mtok >= 0.0)
		profile->price_out_usd_per_mtok = cfg->price_out_usd_per_mtok;
	if (cfg->max_age_s > 0.0)
		profile->max_age_s = cfg->max_age_s;
}

/* The row of who has a part, which is added where it has none; empty: that of who is asked first. */
static bool add_part(struct cairn_lineup *lineup, uint32_t *ret_row, const struct cairn_profiles *profiles,
    const char *key, const char *name, struct cairn_error *err)
{
	uint32_t rows = cairn_lineup_rows(lineup);
	*ret_row = 0;
	if (name[0] == '\0')
		return true;
	for (uint32_t i = 0; i < rows; i++) {
		if (strcmp(lineup->rows[i].name, name) == 0) {
			*ret_row = i;
			return true;
		}
	}
	const struct cairn_profile *found = find(profiles, key, name, err);
	if (found == NULL)
		return false;
	lineup->rows[rows] = *found;
	*ret_row = rows;
	return true;
}

/* What is called a stand-in for the network must not need it. */
static bool add_local(struct cairn_lineup *lineup, const struct cairn_profiles *profiles, const char *name,
    struct cairn_error *err)
{
	if (!add_part(lineup, &lineup->local, profiles, "vlm.local_provider", name, err))
		return false;
	if (name[0] == '\0' || lineup->local >= lineup->count)
		return true;
	cairn_error_set(err,
	    "vlm.local_provider: '%.60s' is vlm.provider or one of vlm.fallbacks; it is asked for everything "
	    "then",
	    name);
	return false;
}

bool cairn_lineup_pick(struct cairn_lineup *ret, const struct cairn_profiles *profiles,
    const struct cairn_config_vlm *cfg, struct cairn_error *err)
{
	char name[CAIRN_CONFIG_TEXT_CAP];
	const char *at = cfg->fallbacks;
	struct cairn_lineup lineup = {0};
	if (!append(&lineup, profiles, "vlm.provider", cfg->provider, err))
		return false;
	lay_over(&lineup.rows[0], cfg);
	const char *wrong = cairn_profile_wrong(&lineup.rows[0]);
	if (wrong != NULL) {
		cairn_error_set(err, "vlm.%s (provider '%s')", wrong, lineup.rows[0].name);
		return false;
	}
	if (cfg->replay[0] != '\0') { /* format and prices are the provider's; nobody is asked */
		snprintf(lineup.rows[0].name, sizeof(lineup.rows[0].name), "replay");
		lineup.rows[0].api_key_env[0] = '\0';
	}
	while (cfg->replay[0] == '\0' && next_name(&at, name, sizeof(name))) {
		if (!append(&lineup, profiles, "vlm.fallbacks", name, err))
			return false;
	}
	if (cfg->replay[0] == '\0' && (!add_part(&lineup, &lineup.observer, profiles, "vlm.observe_provider",
					   cfg->observe_provider, err) ||
					  !add_part(&lineup, &lineup.strong, profiles, "vlm.strong_provider",
					      cfg->strong_provider, err) ||
					  !add_local(&lineup, profiles, cfg->local_provider, err)))
		return false;
	*ret = lineup;
	return true;
}

bool cairn_lineup_load(struct cairn_lineup *ret, const struct cairn_config_vlm *cfg, struct cairn_error *err)
{
	struct cairn_profiles profiles;
	return cairn_profiles_load(&profiles, cfg->providers, err) &&
	       cairn_lineup_pick(ret, &profiles, cfg, err);
}
