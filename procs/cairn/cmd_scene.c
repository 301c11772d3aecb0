/* cmd_scene.c - what is in the house, of the file that the stage scene keeps and brings up to date when it is asked to: a table, a
 * tree, JSON, or what one asks for. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/file.h"
#include "common/map/grid.h"
#include "common/scene/scene_answer.h"
#include "common/scene/scene_file.h"
#include "common/slam/mapper.h"
#include "ipc/commands.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/found.h"
#include "procs/cli/rundir.h"

#define JSON_BYTES (1u << 20)
#define MATCHES_MAX CAIRN_SCENE_ANSWER_MATCHES
#define EDGES_MAX 64
#define ANSWER_MS 3000
#define CALLED_MIN 0.55 /* score of recall: a part of its name, believed */

struct view {
	const struct cli *cli;
	struct cairn_config cfg;
	struct cairn_scene *scene;
	struct cairn_pose2 robot;
	bool mapped; /* the map is there: places, ways and approaches are known */
};

static const char *room_id(const struct view *v, uint32_t number)
{
	const struct cairn_scene_room *r = cairn_scene_room_by_number(v->scene, number);
	return r != NULL ? r->id : "-";
}

/* Text of the graph has been cleaned when it was read; a terminal gets it without what would move its cursor all the same. */
static const char *shown(const char *text, char *buf, size_t bytes)
{
	snprintf(buf, bytes, "%.*s", (int)bytes - 1, text);
	return cli_printable(buf);
}

static double middle(const struct cairn_scene_object *o, int axis)
{
	return 0.5 * (o->box.min[axis] + o->box.max[axis]);
}

/* ---- loading ---- */

/* The map of the state file gives places to stand and ways; without one the things alone are shown. */
static void load_map(struct view *v)
{
	struct cairn_error err = {""};
	char path[CLI_RUN_DIR_MAX + 32];
	snprintf(path, sizeof(path), "%s/state/map.bin", v->cli->run_dir);
	struct cairn_mapper *mapper = cairn_mapper_load(&v->cfg, path, &err);
	if (mapper == NULL)
		return;
	const struct cairn_grid *g = cairn_mapper_grid(mapper);
	struct cairn_cell_box box = cairn_grid_published(g);
	struct cairn_msg_pose pose;
	cairn_mapper_pose(mapper, &pose);
	v->robot = (struct cairn_pose2){pose.x_m, pose.y_m, pose.yaw_rad};
	if (!cairn_cell_box_empty(box)) {
		uint32_t width = (uint32_t)(box.max_cx - box.min_cx + 1),
			 height = (uint32_t)(box.max_cy - box.min_cy + 1);
		uint8_t *cells = malloc((size_t)width * height);
		if (cells != NULL) {
			cairn_grid_bytes(g, box, cells);
			struct cairn_scene_grid grid = {
			    cells, width, height, box.min_cx * g->cell_m, box.min_cy * g->cell_m, g->cell_m};
			v->mapped = cairn_scene_on_grid(v->scene, &grid, v->robot, NULL);
		}
		free(cells);
	}
	cairn_mapper_destroy(&mapper);
}

/* A running stage writes what it knows now. One that is not there has written it as it ended; one that does not answer is told of. */
static int bring_up_to_date(const struct cli *cli)
{
	const struct cairn_command_row *save = &cairn_commands[CAIRN_COMMAND_SCENE_SAVE];
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_msg_reply reply = {.ok = false};
	struct cairn_error err = {""};
	if (!cli_bus_bound(cli->run_dir, cairn_services[save->service].name))
		return CLI_OK;
	int status = cli_trust_run_dir(cli);
	if (status != CLI_OK)
		return status;
	snprintf(cmd.who, sizeof(cmd.who), "cairn scene");
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", save->verb);
	int r = cairn_ask(cli->run_dir, save->service, &cmd, &reply, ANSWER_MS, &err);
	if (r != 0 || !reply.ok)
		fprintf(stderr, "cairn scene: %s; this is what it has saved before\n",
		    r != 0 ? err.text : cli_printable(reply.text));
	return CLI_OK;
}

static int load(struct view *v)
{
	int status = bring_up_to_date(v->cli);
	if (status != CLI_OK)
		return status;
	struct cairn_error err = {""};
	char path[CLI_RUN_DIR_MAX + 32];
	bool damaged;
	cairn_config_defaults(&v->cfg);
	char config[CLI_RUN_DIR_MAX + 32];
	snprintf(config, sizeof(config), "%s/config.yaml", v->cli->run_dir);
	(void)cairn_config_load(
	    &v->cfg, config, &err); /* of a run; where there is none the defaults will do */
	v->scene = cairn_scene_new(&v->cfg);
	if (v->scene == NULL)
		return cli_fail(v->cli, CLI_FAILED, "out of memory");
	snprintf(path, sizeof(path), "%s/state/%s", v->cli->run_dir, CAIRN_SCENE_FILE_NAME);
	if (!cairn_scene_load(v->scene, path, &damaged, &err))
		return cli_fail(v->cli, CLI_FAILED, "%s", err.text);
	load_map(v);
	return CLI_OK;
}

/* ---- showing ---- */

static void print_table(const struct view *v)
{
	static const char *const named[] = {[CAIRN_SCENE_WITNESS_NONE] = "",
	    [CAIRN_SCENE_WITNESS_THINGS] = ", named by its things",
	    [CAIRN_SCENE_WITNESS_MODEL] = ", named by the model",
	    [CAIRN_SCENE_WITNESS_PERSON] = ", named by a person"};
	const struct cairn_scene_object *o;
	const struct cairn_scene_room *rooms;
	uint32_t n = cairn_scene_objects(v->scene, &o), room_count = cairn_scene_rooms(v->scene, &rooms),
		 shown_count = 0;
	char a[64], b[64], c[64], when[40];
	for (uint32_t i = 0; i < room_count; i++)
		printf("%-22s room %6.1f m2 at %6.2f %6.2f%s\n", shown(rooms[i].id, a, sizeof(a)),
		    rooms[i].area_m2, rooms[i].at.x_m, rooms[i].at.y_m, named[rooms[i].named_by]);
	for (uint32_t i = 0; i < n; i++) {
		if (o[i].number == 0 || !o[i].confirmed)
			continue;
		cli_time_text(o[i].last_unix_s, when, sizeof(when));
		printf("%-22s %-10s at %6.2f %6.2f %5.2f in %-16s seen %4u times, last %.19s%s%s%s\n",
		    shown(o[i].id, a, sizeof(a)), shown(o[i].colour, b, sizeof(b)), middle(&o[i], 0),
		    middle(&o[i], 1), middle(&o[i], 2), room_id(v, o[i].room), o[i].seen, when,
		    o[i].source[0] != '\0' ? " by " : "", shown(o[i].source, c, sizeof(c)),
		    o[i].stale ? ", not there any more" : "");
		shown_count++;
	}
	if (shown_count == 0)
		printf("nothing is known yet\n");
}

static void print_relations(const struct view *v, const struct cairn_scene_object *o)
{
	struct cairn_scene_edge e[EDGES_MAX];
	uint32_t n = cairn_scene_edges(v->scene, o->id, e, EDGES_MAX);
	char a[64];
	for (uint32_t i = 0; i < n; i++) {
		bool out = strcmp(e[i].src, o->id) == 0;
		if (e[i].relation == CAIRN_SCENE_RELATION_CONTAINS && !out &&
		    strcmp(e[i].src, room_id(v, o->room)) == 0)
			continue; /* that is where it stands in the tree */
		printf("      %s %s\n",
		    out ? cairn_enum_text(&cairn_enum_scene_relation, (int)e[i].relation) : "in",
		    shown(out ? e[i].dst : e[i].src, a, sizeof(a)));
	}
}

static void print_branch(const struct view *v, uint32_t room)
{
	const struct cairn_scene_object *o;
	uint32_t n = cairn_scene_objects(v->scene, &o);
	char a[64], b[64];
	for (uint32_t i = 0; i < n; i++) {
		if (o[i].number == 0 || !o[i].confirmed ||
		    (room != 0 ? o[i].room != room : cairn_scene_room_by_number(v->scene, o[i].room) != NULL))
			continue;
		printf("  %s%s%s%s\n", shown(o[i].colour, b, sizeof(b)), o[i].colour[0] != '\0' ? " " : "",
		    shown(o[i].id, a, sizeof(a)), o[i].stale ? " (not there any more)" : "");
		print_relations(v, &o[i]);
	}
}

static void print_tree(const struct view *v)
{
	const struct cairn_scene_room *rooms;
	uint32_t n = cairn_scene_rooms(v->scene, &rooms);
	char a[64];
	for (uint32_t i = 0; i < n; i++) {
		printf("%s (%.1f m2)\n", shown(rooms[i].id, a, sizeof(a)), rooms[i].area_m2);
		print_branch(v, rooms[i].number);
	}
	printf("in no room that is known\n");
	print_branch(v, 0);
}

static int print_json(const struct view *v)
{
	struct cairn_msg_scene *m = malloc(sizeof(*m));
	char *text = malloc(JSON_BYTES);
	int status = CLI_FAILED;
	if (m != NULL && text != NULL) {
		cairn_scene_message(v->scene, v->robot, m);
		if (cairn_msg_to_json(&cairn_desc_scene, NULL, m, text, JSON_BYTES) > 0) {
			printf("%s\n", text);
			status = CLI_OK;
		}
	}
	free(m);
	free(text);
	return status == CLI_OK ? CLI_OK : cli_fail(v->cli, CLI_FAILED, "too much to print");
}

/* ---- recalling ---- */

static void print_view(const struct view *v, const struct cairn_scene_view *w)
{
	if (!v->mapped)
		printf("  there is no map to find a way on\n");
	else if (w->blocked)
		printf("  blocked: %s\n", w->why);
	else if (w->standoff_m > 0.0)
		printf("  seen from %.2f %.2f, facing %s %d°, %.2f m in front of it\n", w->at.x_m, w->at.y_m,
		    cairn_compass_point(cairn_compass_deg(w->at.yaw_rad)),
		    cairn_compass_whole_deg(w->at.yaw_rad), w->standoff_m);
	else
		printf("  stand at %.2f %.2f\n", w->at.x_m, w->at.y_m);
}

static int print_answer(const struct view *v, json_t *o)
{
	char *text = o != NULL ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
	bool found = o != NULL && json_is_true(json_object_get(o, "found"));
	if (text != NULL)
		printf("%s\n", cli_printable(text));
	free(text);
	json_decref(o);
	if (text == NULL)
		return cli_fail(v->cli, CLI_FAILED, "out of memory");
	return found ? CLI_OK : CLI_FAILED;
}

static int recall(const struct view *v, const char *text)
{
	struct cairn_scene_match m[MATCHES_MAX];
	struct cairn_scene_query q;
	struct cairn_error err = {""};
	json_t *question;
	uint32_t limit;
	char a[64], b[64];
	if (!cairn_scene_read_query(text, (double)time(NULL), &q, &limit, &question, &err))
		return cli_fail(v->cli, CLI_USAGE, "%s", err.text);
	q.robot = v->mapped ? &v->robot : NULL;
	if (!q.has_near) {
		q.has_near = true;
		q.near_at = (struct cairn_vec2){v->robot.x_m, v->robot.y_m};
	}
	if (v->cli->json) {
		int status = print_answer(v, cairn_scene_recall_json(v->scene, &q, limit));
		json_decref(question);
		return status;
	}
	uint32_t n = cairn_scene_recall(v->scene, &q, m, limit);
	json_decref(question);
	for (uint32_t i = 0; i < n; i++) {
		printf("%s (%.2f): %s at %.2f %.2f %.2f in %s%s%s%s\n", shown(m[i].object->id, a, sizeof(a)),
		    m[i].score, shown(m[i].object->colour, b, sizeof(b)), middle(m[i].object, 0),
		    middle(m[i].object, 1), middle(m[i].object, 2), room_id(v, m[i].object->room),
		    m[i].inside != NULL ? ", inside " : "", m[i].inside != NULL ? m[i].inside->id : "",
		    m[i].object->stale ? ", not there any more" : "");
		print_view(v, &m[i].view);
	}
	if (n == 0)
		printf("not in memory\n");
	return n > 0 ? CLI_OK : CLI_FAILED;
}

static int resolve(const struct view *v, const char *name)
{
	struct cairn_scene_resolved r;
	char a[64];
	if (v->cli->json)
		return print_answer(v, cairn_scene_resolve_json(v->scene, name, v->robot));
	if (!cairn_scene_resolve(v->scene, name, v->robot, &r)) {
		printf("not in memory\n");
		return CLI_FAILED;
	}
	printf("%s\n", shown(r.id, a, sizeof(a)));
	print_view(v, &r.view);
	for (uint32_t i = 0; i < r.path_count; i++)
		printf("  by %s\n", shown(r.path[i], a, sizeof(a)));
	return CLI_OK;
}

/* ---- pictures ---- */

/* The picture that shows a thing best, and what else is on it. */
static int show(const struct view *v, const char *name)
{
	const struct cairn_scene_object *o;
	struct cairn_error err = {""};
	char path[CLI_RUN_DIR_MAX + 64], when[40], a[64];
	size_t bytes;
	uint32_t n = cairn_scene_objects(v->scene, &o), i = 0;
	while (i < n && (o[i].number == 0 || !o[i].confirmed || strcmp(o[i].id, name) != 0))
		i++;
	if (i == n)
		return cli_fail(v->cli, CLI_FAILED, "no thing is '%.40s' ('cairn scene' lists them)", name);
	if (o[i].picture == 0)
		return cli_fail(v->cli, CLI_FAILED, "no picture of %s is kept", o[i].id);
	snprintf(path, sizeof(path), "%s/state/views/%06llu.json", v->cli->run_dir,
	    (unsigned long long)o[i].picture);
	char *text = cairn_file_read(path, CAIRN_FILE_OWN, JSON_BYTES, &bytes, &err);
	json_t *j = text != NULL ? json_loadb(text, bytes, 0, NULL) : NULL, *one;
	free(text);
	if (j == NULL)
		return cli_fail(
		    v->cli, CLI_FAILED, "%s: %s", path, err.text[0] != '\0' ? err.text : "no JSON");
	path[strlen(path) - 5] = '\0';
	if (v->cli->json) {
		char *whole = json_dumps(j, JSON_COMPACT | JSON_REAL_PRECISION(15));
		printf("%s\n", whole != NULL ? cli_printable(whole) : "null");
		free(whole);
	} else {
		cli_time_text(json_number_value(json_object_get(j, "unix_s")), when, sizeof(when));
		printf("%s.jpg of %.19s\n", path, when);
		size_t k;
		json_array_foreach(json_object_get(j, "shows"), k, one)
		{
			const json_t *box = json_object_get(one, "box");
			const char *id = json_string_value(json_object_get(one, "id"));
			printf("  %s at %lld,%lld to %lld,%lld\n", shown(id != NULL ? id : "?", a, sizeof(a)),
			    (long long)json_integer_value(json_array_get(box, 0)),
			    (long long)json_integer_value(json_array_get(box, 1)),
			    (long long)json_integer_value(json_array_get(box, 2)),
			    (long long)json_integer_value(json_array_get(box, 3)));
		}
	}
	json_decref(j);
	return CLI_OK;
}

/* ---- naming a room ---- */

/* The running stage keeps the name: the file is its own. */
static int call_room(const struct cli *cli)
{
	const struct cairn_command_row *verb = &cairn_commands[CAIRN_COMMAND_SCENE_CALL];
	struct cairn_msg_command cmd = {.limit_s = 0.0};
	struct cairn_msg_reply reply = {.ok = false};
	struct cairn_error err = {""};
	size_t n = 0;
	for (int i = 1; i < cli->arg_count && n < sizeof(cmd.arg); i++)
		n += (size_t)snprintf(
		    cmd.arg + n, sizeof(cmd.arg) - n, "%s%s", i > 1 ? " " : "", cli->args[i]);
	if (n == 0 || n >= sizeof(cmd.arg))
		return cli_fail(
		    cli, CLI_USAGE, "it is 'cairn scene call NAME' or 'cairn scene call NAME at X Y'");
	snprintf(cmd.who, sizeof(cmd.who), "cairn scene call");
	snprintf(cmd.verb, sizeof(cmd.verb), "%s", verb->verb);
	int status = cli_trust_run_dir(cli);
	if (status != CLI_OK)
		return status;
	int r = cairn_ask(cli->run_dir, verb->service, &cmd, &reply, ANSWER_MS, &err);
	if (r == -ETIMEDOUT) {
		status = cli_need_stack(cli);
		return status != CLI_OK ? status : cli_stage_silent(cli, cairn_services[verb->service].stage);
	}
	if (r != 0 || !reply.ok)
		return cli_fail(cli, CLI_FAILED, "%s", r == 0 ? cli_printable(reply.text) : err.text);
	printf("%s\n", cli_printable(cli->json ? reply.data : reply.text));
	return CLI_OK;
}

int cli_scene(const struct cli *cli)
{
	static const struct {
		const char *word;
		int (*run)(const struct view *v, const char *what);
	} questions[] = {{"recall", recall}, {"resolve", resolve}, {"show", show}};
	struct view v = {.cli = cli};
	if (cli->arg_count > 0 && strcmp(cli->args[0], "call") == 0)
		return call_room(cli);
	size_t asked = 0, count = sizeof(questions) / sizeof(questions[0]);
	bool asks = cli->arg_count > 0;
	while (asks && asked < count && strcmp(cli->args[0], questions[asked].word) != 0)
		asked++;
	if (asks && (asked == count || cli->arg_count != 2))
		return cli_fail(cli, CLI_USAGE,
		    "it is 'cairn scene' alone or with recall TEXT, resolve NAME, show NODE or call NAME [at "
		    "X Y]");
	struct cairn_error err = {""};
	if (!found_home(cli->run_dir, &err))
		return cli_fail(cli, CLI_ABSENT, "%s", err.text);
	int status = load(&v);
	if (status == CLI_OK && asks)
		status = questions[asked].run(&v, cli->args[1]);
	else if (status == CLI_OK && cli->json)
		status = print_json(&v);
	else if (status == CLI_OK && cli_value(cli, "tree") != NULL)
		print_tree(&v);
	else if (status == CLI_OK)
		print_table(&v);
	cairn_scene_destroy(&v.scene);
	return status;
}

/* ---- a place by its name ---- */

/* A thing may have been taken for something else now and then: that is no reason to drive to it. */
static bool is_called(const struct view *v, const char *name, const char *id)
{
	struct cairn_scene_match m;
	struct cairn_scene_query q = {
	    .text = name, .has_near = true, .near_at = {v->robot.x_m, v->robot.y_m}};
	return cairn_scene_recall(v->scene, &q, &m, 1) == 1 && strcmp(m.object->id, id) == 0 &&
	       m.score >= CALLED_MIN;
}

bool cli_scene_find(
    const struct cli *cli, const char *name, struct cairn_vec2 *ret_at, char *ret_said, size_t cap)
{
	struct view v = {.cli = cli};
	struct cairn_scene_resolved r;
	char id[64];
	bool found = false;
	ret_said[0] = '\0';
	if (strncasecmp(name, "the ", 4) == 0)
		name += 4;
	if (load(&v) == CLI_OK && cairn_scene_resolve(v.scene, name, v.robot, &r) &&
	    (r.kind == CAIRN_SCENE_KIND_ROOM || r.kind == CAIRN_SCENE_KIND_PLACE ||
		is_called(&v, name, r.id))) {
		shown(r.id, id, sizeof(id));
		found = v.mapped && !r.view.blocked;
		if (found)
			snprintf(ret_said, cap, "%s, by the scene graph: %.2f %.2f", id, r.view.at.x_m,
			    r.view.at.y_m);
		else
			snprintf(ret_said, cap, "%s is in the scene graph, but %s", id,
			    v.mapped ? r.view.why : "there is no map");
		*ret_at = (struct cairn_vec2){r.view.at.x_m, r.view.at.y_m};
	}
	cairn_scene_destroy(&v.scene);
	return found;
}
