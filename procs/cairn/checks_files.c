/* checks_files.c - what can be found wrong in the configuration and in the files that it names. */
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/agent/agent.h"
#include "common/base/secret.h"
#include "common/camera/camera_pose.h"
#include "common/external/external.h"
#include "common/percept/depth_align.h"
#include "common/map/map_server.h"
#include "common/slam/map_import.h"
#include "common/sim/robot/sim.h"
#include "common/vlm/profile.h"
#include "common/vlm/prompt.h"
#include "common/vlm/provider.h"
#include "common/sim/world/world.h"
#include "ipc/keyfile.h"
#include "ipc/remote.h"
#include "procs/cairn/checks.h"
#include "procs/cli/rundir.h"

#define LEANS_RAD 0.5 /* so far from upright a picture is hard to read */

static bool simulated(const struct check_context *ctx)
{
	return ctx->cfg->robot.drive == CAIRN_CHOICE_DRIVE_SIMULATED;
}

/* iceoryx names its segments after the group, and asks the user database who the user is. */
void check_user(struct check_context *ctx, struct check_result *ret)
{
	(void)ctx;
	const struct passwd *user = getpwuid(geteuid());
	const struct group *group = getgrgid(getegid());
	if (user == NULL)
		check_says(ret, CHECK_FAILS,
		    "user: uid %u has no name, and RouDi does not live without one; add it to /etc/passwd "
		    "(useradd -u %u cairn), or run as another user",
		    (unsigned)geteuid(), (unsigned)geteuid());
	else if (group == NULL)
		check_says(ret, CHECK_FAILS,
		    "user: gid %u has no name, and RouDi does not live without one; add it to /etc/group "
		    "(groupadd -g %u cairn), or run with another group",
		    (unsigned)getegid(), (unsigned)getegid());
	else
		check_says(ret, CHECK_OK, "%s, group %s", user->pw_name, group->gr_name);
}

void check_model_files(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config_vlm *vlm = &ctx->cfg->vlm;
	struct cairn_text system = {0};
	struct cairn_error err = {""};
	if (!check_path(ctx, vlm->prompts, sizeof(vlm->prompts), "vlm.prompts", ret) ||
	    !check_file(ctx, vlm->providers, sizeof(vlm->providers), "vlm.providers", ret) ||
	    !check_visible(ctx, vlm->providers, "vlm.providers", ret))
		return;
	if (vlm->replay[0] != '\0' &&
	    (!check_file(ctx, vlm->replay, sizeof(vlm->replay), "vlm.replay", ret) ||
		!check_visible(ctx, vlm->replay, "vlm.replay", ret)))
		return;
	struct cairn_config_agent *agent = &ctx->cfg->agent;
	if (agent->enabled && agent->replay[0] != '\0' &&
	    (!check_file(ctx, agent->replay, sizeof(agent->replay), "agent.replay", ret) ||
		!check_visible(ctx, agent->replay, "agent.replay", ret)))
		return;
	if (!cairn_prompt_load(ctx->cfg, &system, &err))
		check_says(ret, CHECK_FAILS, "vlm.prompts: %s", err.text);
	else if (check_visible(ctx, vlm->record, "vlm.record", ret))
		check_says(ret, CHECK_OK, "%s, %s", vlm->prompts, vlm->providers);
	cairn_text_free(&system);
}

void check_network(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config_detect *d = &ctx->cfg->detect;
	if (d->source != CAIRN_CHOICE_DETECT_SOURCE_NETWORK) {
		check_says(ret, CHECK_OK, "none");
		return;
	}
	if (d->model[0] == '\0' || d->model_labels[0] == '\0') {
		check_says(ret, CHECK_FAILS,
		    "detect.source: network needs detect.model, a file in ONNX, and detect.model_labels");
		return;
	}
	bool path = strchr(d->onnxruntime, '/') != NULL; /* else a name, which the loader looks for */
	if (check_file(ctx, d->model, sizeof(d->model), "detect.model", ret) &&
	    check_visible(ctx, d->model, "detect.model", ret) &&
	    check_file(ctx, d->model_labels, sizeof(d->model_labels), "detect.model_labels", ret) &&
	    check_visible(ctx, d->model_labels, "detect.model_labels", ret) &&
	    (!path || (check_file(ctx, d->onnxruntime, sizeof(d->onnxruntime), "detect.onnxruntime", ret) &&
			  check_visible(ctx, d->onnxruntime, "detect.onnxruntime", ret))))
		check_says(ret, CHECK_OK, "%s", d->model);
}

void check_external(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config_external *cfg = &ctx->cfg->external;
	static struct cairn_external_topics topics;
	struct cairn_error err = {""};
	if (cfg->topics[0] == '\0')
		check_says(ret, CHECK_SKIPPED, "none are declared (external.topics)");
	else if (!check_path(ctx, cfg->topics, sizeof(cfg->topics), "external.topics", ret))
		return;
	else if (!cairn_external_load(&topics, cfg->topics, &err))
		check_says(ret, CHECK_FAILS, "external.topics: %s", err.text);
	else
		check_says(ret, CHECK_OK, "%u of %s", topics.count, cfg->topics);
}

void check_depth(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config_robot *cfg = &ctx->cfg->robot;
	struct cairn_depth_alignment alignment;
	struct cairn_error err = {""};
	if (cfg->depth_device[0] == '\0')
		check_says(ret, CHECK_SKIPPED, "no camera of its own (robot.depth_device)");
	else if (!check_path(
		     ctx, cfg->depth_alignment, sizeof(cfg->depth_alignment), "robot.depth_alignment", ret) ||
		 !check_visible(ctx, cfg->depth_alignment, "robot.depth_alignment", ret))
		return;
	else if (!cairn_depth_alignment_load(&alignment, cfg->depth_alignment, &err))
		check_says(ret, CHECK_FAILS, "robot.depth_alignment: %s", err.text);
	else
		check_says(ret, CHECK_OK, "%s", cfg->depth_alignment);
}

static bool is_loopback(const char *url)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
	const char *host = strstr(url, "://");
	for (size_t i = 0; host != NULL && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);
		char end = strncmp(host + 3, names[i], len) == 0 ? host[3 + len] : 'x';
		if (end == '\0' || end == ':' || end == '/')
			return true;
	}
	return false;
}

/* One of the line-up. False: it fails. */
static bool check_provider(
    const struct check_context *ctx, const struct cairn_profile *p, struct check_result *ret)
{
	const char *key = p->api_key_env[0] != '\0' ? getenv(p->api_key_env) : NULL;
	const char *why = cairn_profile_wrong(p);
	if (key != NULL) /* in this process or its children */
		cairn_secret_guard();
	if (why != NULL)
		check_says(
		    ret, CHECK_FAILS, "vlm.providers: %s: %s.%s", ctx->cfg->vlm.providers, p->name, why);
	else if (p->api_key_env[0] != '\0' && (key == NULL || key[0] == '\0') &&
		 strcmp(p->name, "pilot") != 0)
		check_says(ret, CHECK_FAILS,
		    "vlm.api_key_env: the environment variable %s is not set; provider '%s' needs a key "
		    "(api_key_env: \"\" in %s for a service without one)",
		    p->api_key_env, p->name, ctx->cfg->vlm.providers);
	else if (p->model[0] == '\0')
		check_says(ret, CHECK_FAILS,
		    "vlm.model: provider '%s' has no model; name one (vlm.model, or model in %s)", p->name,
		    ctx->cfg->vlm.providers);
	else
		return true;
	return false;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	if (value != NULL && value[0] != '\0')
		cairn_secret_guard();
	return value != NULL && value[0] != '\0';
}

/* Of stages beside the gateway. False: there is something to tell. */
static bool check_other_keys(const struct check_context *ctx, struct check_result *ret)
{
	const struct cairn_config_voice *voice = &ctx->cfg->voice;
	struct cairn_config_vlm vlm;
	struct cairn_lineup lineup;
	struct cairn_error err = {""};
	if (ctx->cfg->agent.enabled && !cairn_agent_lineup(ctx->cfg, &vlm, &lineup, &err)) {
		check_says(ret, CHECK_FAILS, "agent.provider: %s", err.text);
		return false;
	}
	if (ctx->cfg->agent.enabled && !check_provider(ctx, &lineup.rows[0], ret))
		return false;
	if (voice->transcriber_url[0] != '\0' && voice->transcriber_key[0] != '\0' &&
	    !is_set(voice->transcriber_key)) {
		check_says(ret, CHECK_FAILS,
		    "voice.transcriber_key: the environment variable %s is not set (\"\" for a service "
		    "without a key)",
		    voice->transcriber_key);
		return false;
	}
	const struct cairn_config_notify *notify = &ctx->cfg->notify;
	bool address = notify->url_env[0] == '\0' || is_set(notify->url_env);
	if (!address || (notify->auth_env[0] != '\0' && !is_set(notify->auth_env))) {
		check_says(ret, CHECK_FAILS, "notify.%s: the environment variable %s is not set",
		    address ? "auth_env" : "url_env", address ? notify->auth_env : notify->url_env);
		return false;
	}
	if (ctx->cfg->fleet.broker[0] != '\0' && ctx->cfg->fleet.user[0] != '\0' &&
	    !is_set("CAIRN_FLEET_PASSWORD")) {
		check_says(ret, CHECK_WARNS,
		    "fleet.user: the environment variable CAIRN_FLEET_PASSWORD is not set: '%s' goes to the "
		    "broker without a "
		    "password",
		    ctx->cfg->fleet.user);
		return false;
	}
	return true;
}

/* Every provider of the line-up, so that a fallback does not turn out to be none when it is needed. */
void check_providers(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_lineup lineup;
	struct cairn_error err = {""};
	size_t used = 0;
	if (!cairn_lineup_load(&lineup, &ctx->cfg->vlm, &err)) {
		check_says(ret, CHECK_FAILS, "%s", err.text);
		return;
	}
	for (uint32_t i = 0; i < cairn_lineup_rows(&lineup); i++) {
		if (!check_provider(ctx, &lineup.rows[i], ret))
			return;
	}
	if (!check_other_keys(ctx, ret))
		return;
	for (uint32_t i = 0; i < cairn_lineup_rows(&lineup); i++) {
		const struct cairn_profile *p = &lineup.rows[i];
		if (strncmp(p->base_url, "http://", 7) == 0 && !is_loopback(p->base_url)) {
			check_says(ret, CHECK_WARNS,
			    "%s: the pictures%s%s would go over the network unencrypted to %s; use https://",
			    p->name, p->api_key_env[0] != '\0' ? " and the key in " : "", p->api_key_env,
			    p->base_url);
			return;
		}
		if (used < sizeof(ret->text))
			used +=
			    (size_t)snprintf(ret->text + used, sizeof(ret->text) - used, "%s%s (%s at %s)",
				i == 0               ? ""
				: i < lineup.count   ? ", then "
				: i == lineup.strong ? "; hard decisions: "
				: i == lineup.local  ? "; without the network: "
						     : "; observe_scene: ",
				p->name, p->model,
				cairn_profile_url_is_pilot(p->base_url) ? "this machine" : p->base_url);
	}
}

/* "home, loop, studio": what config/worlds has, by the names that --world takes. */
static void list_worlds(const char *share, char *buf, size_t bytes)
{
	char path[4200];
	struct dirent **entries = NULL;
	size_t used = 0;
	snprintf(path, sizeof(path), "%s/config/worlds", share);
	int n = scandir(path, &entries, NULL, alphasort);
	buf[0] = '\0';
	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
		if (dot != NULL && dot != name && strcmp(dot, ".yaml") == 0 && used < bytes)
			used += (size_t)snprintf(buf + used, bytes - used, "%s%.*s", used > 0 ? ", " : "",
			    (int)(dot - name), name);
		free(entries[i]);
	}
	free(entries);
}

/* A house is a file, or the name of one of the bundled ones. */
static bool find_world(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config *cfg = ctx->cfg;
	struct cairn_error ignored;
	char path[4200], worlds[160];
	char *found = realpath(cfg->sim.world, NULL);
	bool bare = strchr(cfg->sim.world, '/') == NULL;
	if (found == NULL && bare) {
		snprintf(path, sizeof(path), "config/worlds/%s.yaml", cfg->sim.world);
		if (strlen(path) < sizeof(cfg->sim.world) && cairn_share_find(path, sizeof(path), &ignored) &&
		    path[0] == '/' && strlen(path) < sizeof(cfg->sim.world))
			strcpy(cfg->sim.world, path);
	}
	free(found);
	if (check_path(ctx, cfg->sim.world, sizeof(cfg->sim.world), "sim.world", ret))
		return true;
	list_worlds(ctx->share, worlds, sizeof(worlds));
	size_t used = strlen(ret->text);
	snprintf(ret->text + used, sizeof(ret->text) - used, "; bundled are: %s", worlds);
	return false;
}

/* ---- the camera ---- */

void check_camera_pose(struct check_context *ctx, struct check_result *ret)
{
	const struct cairn_config *cfg = ctx->cfg;
	const struct cairn_config_robot *r = &cfg->robot;
	struct cairn_camera_pose camera =
	    cairn_camera_pose_from(cfg, cfg->camera.width_px, cfg->camera.height_px);
	double from_m = cairn_camera_shown_from_m(&camera, 0.0, cfg->safety.depth_height_min_m);
	if (fabs(cairn_wrap_rad(r->camera_roll_rad)) > LEANS_RAD)
		check_says(ret, CHECK_WARNS,
		    "robot.camera_roll_rad: %.2f: model and detector see its pictures leaning by %.0f "
		    "degrees; "
		    "turn the mount, or the pictures where they are taken",
		    r->camera_roll_rad, cairn_rad_to_deg(fabs(cairn_wrap_rad(r->camera_roll_rad))));
	else if (cfg->safety.depth != CAIRN_CHOICE_DEPTH_OFF && !(from_m < cfg->safety.depth_range_m))
		check_says(ret, CHECK_WARNS,
		    "robot.camera_yaw_rad, camera_pitch_rad: %.2f, %.2f: the floor straight ahead is not in "
		    "the "
		    "picture, so depth stops the robot for nothing there; correct them, or turn the camera",
		    r->camera_yaw_rad, r->camera_pitch_rad);
	else
		check_says(ret, CHECK_OK, "%.2f m ahead, %.2f m left, %.2f m high", r->camera_x_m,
		    r->camera_y_m, r->camera_z_m);
}

void check_world(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config *cfg = ctx->cfg;
	struct cairn_error err = {""};
	if (!simulated(ctx)) {
		check_says(ret, CHECK_SKIPPED, "the robot is real (robot.drive)");
		return;
	}
	if (!find_world(ctx, ret))
		return;
	struct cairn_world *world = cairn_world_load(cfg->sim.world, &err);
	struct cairn_sim *sim = world != NULL ? cairn_sim_new(cfg, world, &err) : NULL;
	if (world == NULL)
		check_says(
		    ret, CHECK_FAILS, "sim.world: %s; mend the file or name another (--world)", err.text);
	else if (sim == NULL)
		check_says(ret, CHECK_FAILS, "%s: %s; choose another start (sim.start: auto)", cfg->sim.world,
		    err.text);
	else
		check_says(ret, CHECK_OK, "%s", cfg->sim.world);
	cairn_sim_destroy(&sim);
	cairn_world_destroy(&world);
}

void check_start_map(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config *cfg = ctx->cfg;
	struct cairn_map_file map = {.cells = NULL};
	struct cairn_error err = {""};
	struct cairn_pose2 start = {cfg->map.start_x_m, cfg->map.start_y_m, cfg->map.start_yaw_rad};
	if (cfg->map.start_file[0] == '\0') {
		check_says(ret, CHECK_SKIPPED, "none is configured (map.start_file)");
		return;
	}
	if (!check_path(ctx, cfg->map.start_file, sizeof(cfg->map.start_file), "map.start_file", ret) ||
	    !check_visible(ctx, cfg->map.start_file, "map.start_file", ret))
		return;
	if (!cairn_map_file_load(&map, cfg->map.start_file, &err))
		check_says(
		    ret, CHECK_FAILS, "map.start_file: %s; mend the map, or leave the key empty", err.text);
	else if (!cairn_mapper_import_check(cfg, &map, start, &err))
		check_says(ret, CHECK_FAILS, "map.start_file: %s: %s", cfg->map.start_file, err.text);
	else
		check_says(ret, CHECK_OK, "%s", cfg->map.start_file);
	free(map.cells);
}

/* Whoever would be let in is read before anything moves, and again by the stage. */
void check_remote(struct check_context *ctx, struct check_result *ret)
{
	struct cairn_config_remote *r = &ctx->cfg->remote;
	struct cairn_error why = {""};
	char watch[CAIRN_CONFIG_TEXT_CAP + 8];
	struct cairn_key key;
	struct cairn_allow allow;
	if (r->endpoint[0] == '\0') {
		check_says(ret, CHECK_SKIPPED, "no operator elsewhere is let in (remote.endpoint)");
		return;
	}
	if (!check_path(ctx, r->key_file, sizeof(r->key_file), "remote.key_file", ret) ||
	    !check_path(ctx, r->allow_file, sizeof(r->allow_file), "remote.allow_file", ret))
		return;
	const char *name = "endpoint";
	bool ok = cairn_remote_endpoint(r->endpoint, watch, sizeof(watch), &why);
	if (ok) {
		name = "key_file";
		ok = cairn_key_load(r->key_file, true, &key, &why);
		explicit_bzero(&key, sizeof(key));
	}
	if (ok) {
		name = "allow_file";
		ok = cairn_allow_load(r->allow_file, &allow, &why);
	}
	if (!ok)
		check_says(ret, CHECK_FAILS, "remote.%s: %.220s", name, why.text);
	else
		check_says(ret, CHECK_OK, "%s, %d keys", r->endpoint, allow.count);
}
