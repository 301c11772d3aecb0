/* cmd_map.c - the map a robot has made: what is on it, as a picture, as text, as files for other programs.
 * The mapper saves its state every second while it changes (RUN/state/map.bin), so a running robot's map is
 * read from there, as is that of one that has ended. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "common/base/geom.h"
#include "common/base/whole_io.h"
#include "common/map/map_server.h"
#include "common/slam/mapper.h"
#include "common/map/picture.h"
#include "common/map/rle.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/found.h"
#include "procs/cairn/narrow.h"
#include "procs/cairn/robot_files.h"
#include "procs/cli/rundir.h"

#define LISTEN_NS (1500 * CAIRN_NS_PER_MS)
#define LISTENED 3 /* topics */
#define MAP_BYTES_MAX (256u << 20)
#define TOKENS_DEFAULT 800
#define SCENE_SHOWN 12 /* rooms and things in words */
#define TOKENS_MAX 100000

/* A map as bytes, from wherever it came, and what else is known of it. */
struct shown {
	struct cairn_map_file map;
	struct cairn_mapper *mapper; /* NULL: the map is from a file of another kind */
	struct cairn_pose2 robot;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_features features;
	struct cairn_msg_candidates candidates;
	struct cairn_msg_nav_path path;
	struct cairn_msg_discoveries found;
	struct cairn_msg_scene scene;
	struct cairn_msg_mission mission; /* its goal */
};

/* What the running stages say just now, if there are any. */
static void listen_for(const char *run_dir, struct shown *s)
{
	const enum cairn_topic wanted[LISTENED] = {
	    CAIRN_TOPIC_CANDIDATES, CAIRN_TOPIC_NAV_PATH, CAIRN_TOPIC_MISSION};
	void *places[LISTENED] = {&s->candidates, &s->path, &s->mission};
	zmq_pollitem_t items[LISTENED];
	struct cairn_sub *subs[LISTENED] = {NULL};
	struct cairn_error err = {""};
	if (!cli_bus_bound(run_dir, cairn_topics[wanted[0]].name))
		return;
	struct cairn_bus *bus = cairn_bus_new(run_dir, &err);
	int waiting = 0;
	for (int i = 0; bus != NULL && i < LISTENED; i++) {
		subs[i] = cli_bus_bound(run_dir, cairn_topics[wanted[i]].name)
			      ? cairn_sub_new(bus, wanted[i], NULL, &err)
			      : NULL;
		if (subs[i] != NULL)
			items[waiting++] =
			    (zmq_pollitem_t){.socket = cairn_sub_socket(subs[i]), .events = ZMQ_POLLIN};
	}
	int64_t end_ns = cli_now_ns() + LISTEN_NS;
	for (int heard = 0; heard < waiting && cli_now_ns() < end_ns;) {
		if (zmq_poll(items, waiting, (long)((end_ns - cli_now_ns()) / CAIRN_NS_PER_MS) + 1) <= 0)
			break;
		for (int i = 0; i < LISTENED; i++) {
			if (subs[i] == NULL || cairn_sub_recv(subs[i], places[i], NULL) != 1)
				continue;
			heard++;
			for (int k = 0; k < waiting; k++)
				if (items[k].socket == cairn_sub_socket(subs[i]))
					items[k].events = 0;
		}
	}
	cairn_bus_destroy(&bus);
}

/* The same of a robot elsewhere, with what was found: its memory stays there. */
static void listen_there(struct cairn_remote *remote, struct shown *s)
{
	const enum cairn_topic wanted[] = {CAIRN_TOPIC_CANDIDATES, CAIRN_TOPIC_NAV_PATH, CAIRN_TOPIC_MISSION,
	    CAIRN_TOPIC_DISCOVERIES, CAIRN_TOPIC_SCENE};
	void *places[] = {&s->candidates, &s->path, &s->mission, &s->found, &s->scene};
	enum { COUNT = sizeof(wanted) / sizeof(wanted[0]) };
	struct cairn_error err = {""};
	bool heard[COUNT] = {false};
	for (int i = 0; i < COUNT; i++)
		if (!cairn_remote_watch(remote, cairn_topics[wanted[i]].name, &err))
			return;
	int64_t end_ns = cli_now_ns() + LISTEN_NS;
	for (int left = COUNT; left > 0 && cli_now_ns() < end_ns;) {
		char name[CAIRN_KEY_TEXT];
		const void *bytes = NULL;
		struct cairn_header hdr;
		int n = cairn_remote_recv(remote, name, &bytes, 100);
		if (n < 0)
			return;
		for (int i = 0; n > 0 && i < COUNT; i++)
			if (strcmp(name, cairn_topics[wanted[i]].name) == 0 && !heard[i] &&
			    cairn_msg_decode(
				cairn_topics[wanted[i]].desc, bytes, (size_t)n, &hdr, places[i], NULL) == 0) {
				heard[i] = true;
				left--;
			}
	}
}

static bool take_state(
    struct shown *s, const struct cairn_config *cfg, const char *path, struct cairn_error *err)
{
	s->mapper = cairn_mapper_load(cfg, path, err);
	if (s->mapper == NULL)
		return false;
	const struct cairn_grid *grid = cairn_mapper_grid(s->mapper);
	struct cairn_cell_box box = cairn_grid_published(grid);
	if (cairn_cell_box_empty(box)) {
		cairn_error_set(err, "%s: there is nothing on this map yet", path);
		return false;
	}
	s->map = (struct cairn_map_file){.width = (uint32_t)(box.max_cx - box.min_cx + 1),
	    .height = (uint32_t)(box.max_cy - box.min_cy + 1),
	    .cell_m = grid->cell_m,
	    .origin_x_m = box.min_cx * grid->cell_m,
	    .origin_y_m = box.min_cy * grid->cell_m};
	s->map.cells = malloc((size_t)s->map.width * s->map.height);
	if (s->map.cells == NULL || !cairn_mapper_frontiers(s->mapper, INT64_MAX, &s->frontiers) ||
	    !cairn_mapper_features(s->mapper, &s->frontiers, &s->features)) {
		cairn_error_set(err, "%s: no memory for this map", path);
		return false;
	}
	cairn_grid_bytes(grid, box, s->map.cells);
	struct cairn_msg_pose pose;
	cairn_mapper_pose(s->mapper, &pose);
	s->robot = (struct cairn_pose2){pose.x_m, pose.y_m, pose.yaw_rad};
	return true;
}

/* What was found there lies beside the map's file. A map is drawn without a scene graph that is damaged. */
static bool take_found(struct shown *s, const char *state, struct cairn_error *err)
{
	struct cairn_error why = {""};
	char folder[1024];
	const char *slash = strrchr(state, '/');
	snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - state) : 1,
	    slash != NULL ? state : ".");
	if (!found_scene(folder, &s->scene, &why))
		fprintf(stderr, "cairn map: without the scene graph: %s\n", why.text);
	return found_load(folder, &s->found, err);
}

/* Into a file of our own, since maps are read from files; it has no name when this returns. */
static bool load_there(struct shown *s, const struct robot_part *map, struct cairn_error *err)
{
	char path[] = "/tmp/cairn-map-XXXXXX", key[64];
	struct cairn_config cfg;
	double cell_m;
	int fd = mkstemp(path);
	bool ok = fd >= 0 && cairn_write_whole(fd, map->data, map->bytes);
	if (!ok)
		cairn_error_set(err, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	cairn_config_defaults(&cfg);
	ok = ok && cairn_mapper_file_cell_m(path, &cell_m, err) &&
	     snprintf(key, sizeof(key), "map.cell_m=%.17g", cell_m) > 0 &&
	     cairn_config_set(&cfg, key, "the robot's map", err) && take_state(s, &cfg, path, err);
	if (fd >= 0)
		(void)unlink(path);
	return ok;
}

static bool take_there(const struct cli *cli, struct shown *s, struct cairn_error *err)
{
	struct robot_files robot;
	struct robot_part map = {0};
	if (robot_files_open(cli, &robot) != CLI_OK) {
		cairn_error_set(err, "%s: not connected", cli->connect);
		return false;
	}
	bool ok = robot_files_read(&robot, "state/map.bin", 0, false, MAP_BYTES_MAX, &map, err) &&
		  load_there(s, &map, err);
	int why = errno;
	free(map.data);
	if (ok)
		listen_there(robot.remote, s);
	robot_files_close(&robot);
	errno = why;
	return ok;
}

/* The map asked for, with the configuration it was made with. */
static bool take_map(const struct cli *cli, struct shown *s, struct cairn_error *err)
{
	const char *file = cli_value(cli, "load"), *state = cli_value(cli, "state");
	char path[CLI_RUN_DIR_MAX + 32];
	struct cairn_config cfg;
	if (file != NULL)
		return cairn_map_file_load(&s->map, file, err);
	if (cli->connect != NULL && state == NULL)
		return take_there(cli, s, err);
	cairn_config_defaults(&cfg);
	snprintf(path, sizeof(path), "%s/config.yaml", cli->run_dir);
	if (access(path, R_OK) == 0 && !cairn_config_load(&cfg, path, err))
		return false;
	snprintf(path, sizeof(path), "%s/state/map.bin", cli->run_dir);
	if (state == NULL && access(path, F_OK) != 0 && errno == ENOENT) {
		cairn_error_set(err, "there is no map yet in %s: 'cairn up' begins one", cli->run_dir);
		errno = ENOENT;
		return false;
	}
	if (!take_state(s, &cfg, state != NULL ? state : path, err))
		return false;
	if (!take_found(s, state != NULL ? state : path, err))
		return false;
	if (state == NULL)
		listen_for(cli->run_dir, s);
	return true;
}

static bool draw(const struct shown *s, const char *path, struct cairn_error *err)
{
	struct cairn_vec2 goal = {s->mission.goal_x_m, s->mission.goal_y_m};
	if (s->mapper != NULL)
		return cairn_picture_of_mapper(s->mapper,
		    &(struct cairn_picture_over){.planned = &s->path,
			.candidates = &s->candidates,
			.discoveries = &s->found,
			.scene = &s->scene,
			.goal = s->mission.goal_known ? &goal : NULL},
		    NULL, path, err);
	struct cairn_picture p = {.cells = s->map.cells,
	    .width = s->map.width,
	    .height = s->map.height,
	    .stride_bytes = s->map.width,
	    .cell_m = s->map.cell_m,
	    .origin_x_m = s->map.origin_x_m,
	    .origin_y_m = s->map.origin_y_m};
	return cairn_picture_write(&p, path, err);
}

static bool print_rle(const struct shown *s, long tokens, struct cairn_error *err)
{
	size_t room = (size_t)((double)tokens * CAIRN_RLE_BYTES_PER_TOKEN) + 64;
	char *text = malloc(room);
	struct cairn_rle_map map = {s->map.cells, s->map.width, s->map.height, s->map.width, s->map.cell_m,
	    s->map.origin_x_m, s->map.origin_y_m, s->mapper != NULL ? &s->robot : NULL};
	bool ok = text != NULL && cairn_rle_write(&map, (uint32_t)tokens, text, room) > 0;
	if (ok)
		fputs(text, stdout);
	else
		cairn_error_set(err, "--tokens: this map does not fit into %ld tokens", tokens);
	free(text);
	return ok;
}

static void print_doorways(const struct shown *s)
{
	printf("doorways     %u", s->features.doorways_total);
	for (uint32_t i = 0; i < s->features.doorways_count; i++) {
		const struct cairn_msg_doorway *d = &s->features.doorways[i];
		printf("%s%u at %.1f %.1f, %.2f m%s", i == 0 ? ": " : "; ", d->id, d->x_m, d->y_m, d->width_m,
		    d->visited_front && d->visited_back ? ", passed"
		    : d->seen_front && d->seen_back     ? ""
							: ", one side unseen");
	}
	printf("\n");
}

static void print_text(const struct shown *s)
{
	if (s->mapper == NULL) {
		printf("size         %u x %u cells of %g m, lower left corner at %.2f %.2f\n", s->map.width,
		    s->map.height, s->map.cell_m, s->map.origin_x_m, s->map.origin_y_m);
		return;
	}
	printf("area         %.1f m2 free, %.1f m2 occupied, %.1f m2 unknown; coverage %.0f %%\n",
	    s->features.free_m2, s->features.occupied_m2, s->features.unknown_m2,
	    100.0 * s->features.coverage);
	printf("extent       %.1f x %.1f m in cells of %g m\n", s->frontiers.map_width_m,
	    s->frontiers.map_height_m, s->map.cell_m);
	double deg = cairn_compass_deg(s->robot.yaw_rad);
	printf("robot        x %.2f m, y %.2f m, heading %s %d°\n", s->robot.x_m, s->robot.y_m,
	    cairn_compass_point(deg), cairn_compass_whole_deg(s->robot.yaw_rad));
	printf("frontiers    %u, %u within reach\n", s->frontiers.total, s->frontiers.reachable);
	narrow_print(&s->frontiers, "too narrow   ", stdout);
	print_doorways(s);
	found_scene_print(&s->scene, SCENE_SHOWN, stdout);
	printf("visits       %u places, entered %u times\n", s->features.visited_places, s->features.visits);
	printf("claims       %llu taken, %u held now; refused:", (unsigned long long)s->features.claims[0],
	    s->features.claims_held);
	for (int i = 1; i < (int)s->features.claims_count; i++)
		printf(" %s %llu", cairn_enum_text(&cairn_enum_claim_verdict, i),
		    (unsigned long long)s->features.claims[i]);
	printf("\n");
}

static bool print_json(const struct shown *s, struct cairn_error *err)
{
	static char text[65536];
	if (s->mapper == NULL) {
		cli_print_json(json_pack("{s:I,s:I,s:f,s:f,s:f}", "width", (json_int_t)s->map.width, "height",
		    (json_int_t)s->map.height, "cell_m", s->map.cell_m, "origin_x_m", s->map.origin_x_m,
		    "origin_y_m", s->map.origin_y_m));
		return true;
	}
	if (cairn_msg_to_json(
		cairn_topics[CAIRN_TOPIC_FEATURES].desc, NULL, &s->features, text, sizeof(text)) < 0) {
		cairn_error_set(err, "too much to print");
		return false;
	}
	printf("%s\n", text);
	return true;
}

int cli_map(const struct cli *cli)
{
	struct cairn_error err = {""};
	struct shown *s = calloc(1, sizeof(*s));
	const char *png = cli_value(cli, "png"), *save = cli_value(cli, "save");
	long tokens = cli_count_max(cli, "tokens", TOKENS_DEFAULT, TOKENS_MAX);
	if (tokens < 0 || s == NULL) {
		free(s);
		return tokens < 0 ? CLI_USAGE : cli_fail(cli, CLI_FAILED, "no memory");
	}
	errno = 0;
	bool ok = take_map(cli, s, &err);
	bool absent = !ok && errno == ENOENT;
	if (ok && png != NULL) {
		ok = draw(s, png, &err);
		if (ok)
			fprintf(stderr, "picture: %s\n", png);
	}
	if (ok && save != NULL) {
		ok = cairn_map_file_save(&s->map, save, &err) &&
		     (s->mapper == NULL || found_save(&s->found, save, &err));
		if (ok)
			fprintf(stderr, "saved: %s\n", save);
	}
	if (ok && cli_value(cli, "rle") != NULL)
		ok = print_rle(s, tokens, &err);
	else if (ok && cli->json)
		ok = print_json(s, &err);
	else if (ok)
		print_text(s);
	int status = ok ? CLI_OK : cli_fail(cli, absent ? CLI_ABSENT : CLI_FAILED, "%s", err.text);
	cairn_mapper_destroy(&s->mapper);
	free(s->map.cells);
	free(s);
	return status;
}
