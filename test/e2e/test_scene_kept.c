/* The scene graph over deaths and nights: real processes, a simulated house of the test's own in which the robot stands and looks. The
 * stage is killed in the midst of its writes, and the stack ends and is started again in a house in which things were moved
 * meanwhile. Nothing is lost, and nothing is there twice. */
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "common/base/file.h"
#include "test/e2e/stack.h"

#define THINGS 6
#define NEAR_M 0.3 /* of the detector's noise, and of a thing's middle to what shows of it */
#define START_X_M 0.8
#define START_Y_M 2.0

struct thing {
	const char *label, *colour;
	double x_m, y_m, height_m; /* of the plan */
};

/* All in one view, above the LiDAR, before the robot; behind it is the doorway to the other room. */
static const struct thing yesterday[THINGS] = {{"bin", "blue", 2.5, 1.3, 0.6},
    {"vase", "green", 2.6, 2.6, 0.7}, {"lamp", "yellow", 3.6, 2.45, 0.9}, {"bucket", "red", 3.0, 1.95, 0.5},
    {"drum", "purple", 4.6, 1.3, 0.8}, {"stool", "orange", 4.6, 2.95, 0.65}};

/* Three were moved, and a fourth is where the robot does not see it. All the old places can be seen, and none has another thing near. */
static const struct thing today[THINGS] = {{"bin", "blue", 4.0, 0.9, 0.6}, {"vase", "green", 3.5, 3.3, 0.7},
    {"lamp", "yellow", 4.6, 2.0, 0.9}, {"bucket", "red", 0.3, 3.6, 0.5}, {"drum", "purple", 4.6, 1.3, 0.8},
    {"stool", "orange", 4.6, 2.95, 0.65}};
#define GONE 3 /* the fourth */

static void write_world(const char *path, const struct thing things[THINGS])
{
	FILE *f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fprintf(f,
	    "name: kept\n"
	    "start: {x_m: %.1f, y_m: %.1f, yaw_deg: 0}\n"
	    "rooms:\n"
	    "  - {name: den, polygon: [[0, 0], [5, 0], [5, 4], [0, 4]]}\n"
	    "  - {name: hall, polygon: [[-3, 0], [0, 0], [0, 4], [-3, 4]]}\n"
	    "walls:\n"
	    "  - {path: [[-3, 0], [5, 0], [5, 4], [-3, 4]], closed: true, thickness_m: 0.20}\n"
	    "  - {path: [[0, 0], [0, 1.5]]}\n"
	    "  - {path: [[0, 2.5], [0, 4]]}\n"
	    "objects:\n",
	    START_X_M, START_Y_M);
	for (int i = 0; i < THINGS; i++)
		fprintf(f,
		    "  - {name: %s %s, kind: cylinder, at: [%.2f, %.2f], size: [0.3, 0.3], bottom_m: 0.3, "
		    "height_m: %.2f, colour: %s}\n",
		    things[i].colour, things[i].label, things[i].x_m, things[i].y_m, things[i].height_m,
		    things[i].colour);
	ck_assert_int_eq(fclose(f), 0);
}

/* ---- what the stack says ---- */

struct seen {
	char ids[THINGS][48], rooms[2][48]; /* "" = there is none */
	double x_m[THINGS], y_m[THINGS];
	bool stale[THINGS];
	uint32_t objects, room_count;
	uint32_t of_label[THINGS];
};

static void take_node(struct seen *s, const json_t *node)
{
	const char *kind = json_string_value(json_object_get(node, "kind")),
		   *id = json_string_value(json_object_get(node, "id")),
		   *label = json_string_value(json_object_get(node, "label"));
	ck_assert(kind != NULL && id != NULL && label != NULL);
	if (strcmp(kind, "room") == 0 && s->room_count < 2)
		snprintf(s->rooms[s->room_count], sizeof(s->rooms[0]), "%s", id);
	s->room_count += strcmp(kind, "room") == 0;
	for (int i = 0; i < THINGS && strcmp(kind, "object") == 0; i++) {
		if (strcmp(label, yesterday[i].label) != 0)
			continue;
		snprintf(s->ids[i], sizeof(s->ids[i]), "%s", id);
		s->x_m[i] = json_number_value(json_object_get(node, "x_m")) + START_X_M;
		s->y_m[i] = json_number_value(json_object_get(node, "y_m")) + START_Y_M;
		s->stale[i] = json_is_true(json_object_get(node, "stale"));
		s->of_label[i]++;
	}
}

static bool ask(struct drill *drill, struct seen *ret)
{
	static char out[1 << 20];
	*ret = (struct seen){.objects = 0};
	if (stack_cairn(drill, "scene --json", out, sizeof(out)) != 0)
		return false;
	json_t *scene = json_loads(out, 0, NULL);
	ck_assert_msg(scene != NULL, "no JSON: %s", out);
	size_t i;
	json_t *node;
	ret->objects = (uint32_t)json_integer_value(json_object_get(scene, "objects"));
	json_array_foreach(json_object_get(scene, "nodes"), i, node)
	{
		take_node(ret, node);
	}
	json_decref(scene);
	return true;
}

struct wanted {
	struct drill *drill;
	const struct thing *things;
	int gone; /* one that is stale where it was yesterday; -1: none */
	struct seen seen;
};

/* Each thing is believed where it stands. */
static bool is_as_wanted(const struct up_run *run, void *ctx)
{
	struct wanted *w = ctx;
	bool ok = ask(w->drill, &w->seen) && w->seen.room_count == 2;
	(void)run;
	for (int i = 0; i < THINGS && ok; i++) {
		const struct thing *at = i == w->gone ? &yesterday[i] : &w->things[i];
		ok = w->seen.ids[i][0] != '\0' && w->seen.stale[i] == (i == w->gone) &&
		     hypot(w->seen.x_m[i] - at->x_m, w->seen.y_m[i] - at->y_m) < NEAR_M;
	}
	return ok;
}

static void assert_things_once(const struct seen *s, const struct seen *before)
{
	ck_assert_uint_eq(s->objects, before->objects);
	for (int i = 0; i < THINGS; i++) {
		ck_assert_msg(s->of_label[i] == 1, "%u of the name %s", s->of_label[i], yesterday[i].label);
		ck_assert_str_eq(s->ids[i], before->ids[i]);
	}
}

static void assert_each_once(const struct seen *s, const struct seen *before)
{
	assert_things_once(s, before);
	ck_assert_uint_eq(s->room_count, before->room_count);
	for (int i = 0; i < 2; i++)
		ck_assert_str_eq(s->rooms[i], before->rooms[i]);
}

/* ---- deaths ---- */

/* The stage dies as soon as it has begun to write its file, has written some of it, or has put it in the place of the old one. */
static void kill_at_write(struct drill *drill, uint32_t event)
{
	char folder[400], path[420];
	_Alignas(struct inotify_event) char news[4096];
	struct stack_stage scene = {"scene", fixture_pid(drill, "scene")};
	snprintf(folder, sizeof(folder), "%s/state", fixture_run_dir(drill));
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_ge(inotify_add_watch(fd, folder, event), 0);
	for (bool writes = false; !writes;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ck_assert_msg(poll(&p, 1, (int)(STACK_PATIENCE_S * 1e3)) == 1, "the scene writes no file");
		ssize_t n = read(fd, news, sizeof(news));
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const struct inotify_event *)(news + at);
			writes = writes || strncmp(e->name, "scene.json", 10) == 0;
			at += (ssize_t)(sizeof(*e) + e->len);
		}
	}
	ck_assert_int_eq(kill(scene.not_pid, SIGKILL), 0);
	close(fd);
	stack_must(drill, stack_is_up, &scene, "the scene does not come up after it was killed");
	snprintf(path, sizeof(path), "%s/scene.json.damaged", folder);
	ck_assert_int_ne(access(path, F_OK), 0);
}

START_TEST(over_kills_at_writes_a_restart_and_a_night_no_thing_and_no_room_is_lost_or_doubled)
{
	char world[] = "/tmp/cairn-kept-XXXXXX";
	int fd = mkstemp(world);
	ck_assert_int_ge(fd, 0);
	close(fd);
	const char *const args[] = {"--world", world, "--set", "mission.autostart=false", "--set",
	    "detect.still_period_s=0.5", "--set", "scene.checkpoint_s=0.5", "--set",
	    "web.endpoint=127.0.0.1:0", NULL};
	static struct wanted is;
	write_world(world, yesterday);
	struct drill *drill = stack_start(args);
	is = (struct wanted){.drill = drill, .things = yesterday, .gone = -1};
	stack_must(drill, is_as_wanted, &is, "not all things are in the scene");
	struct seen before = is.seen;
	static const uint32_t events[] = {IN_CREATE, IN_MODIFY, IN_MOVED_TO};
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		kill_at_write(drill, events[i]);
		stack_must(drill, is_as_wanted, &is, "things are lost after a kill");
		assert_each_once(&is.seen, &before);
	}
	stack_interrupt(drill, 0);
	unsigned long long was = cairn_file_hash(world);
	write_world(world, today);
	stack_claim_state(drill, was, cairn_file_hash(world));
	stack_start_again(drill, args);
	is = (struct wanted){.drill = drill, .things = today, .gone = GONE};
	stack_must(drill, is_as_wanted, &is, "what was moved is not found where it is now");
	assert_each_once(&is.seen, &before);
	ck_assert(stack_file_tells(drill, "logs/scene.log", "going on with"));
	/* A stack that has nothing of its own begins with that graph. */
	stack_interrupt(drill, 0);
	char line[1000], set[500];
	snprintf(line, sizeof(line), "cp '%s/state/scene.json' '%s/given.json'", fixture_run_dir(drill),
	    fixture_run_dir(drill));
	ck_assert_int_eq(system(line), 0);
	snprintf(set, sizeof(set), "scene.start_file=%s/given.json", fixture_run_dir(drill));
	const char *const anew[] = {"--fresh", "--world", world, "--set", set, "--set",
	    "mission.autostart=false", "--set", "detect.still_period_s=0.5", "--set",
	    "web.endpoint=127.0.0.1:0", NULL};
	stack_start_again(drill, anew);
	struct stack_stage scene = {"scene", 0};
	stack_must(
	    drill, stack_is_up, &scene, "no scene"); /* until then, what the last run has left is told */
	stack_must(drill, is_as_wanted, &is, "the graph that was given is not begun with");
	assert_things_once(&is.seen, &before); /* on a new map rooms have new numbers */
	stack_end(&drill);
	unlink(world);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "scene-kept", 400.0, over_kills_at_writes_a_restart_and_a_night_no_thing_and_no_room_is_lost_or_doubled)
