/* A recording of a simulated run, played to stages: mapper and annotator make of it what they made of the run, gateway and scene
 * work on it; and it is played at other rates, from another place, in parts, and steered from outside. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "common/percept/snapshot.h"
#include "common/record/playback.h"
#include "test/e2e/stack.h"

#define PATH_BYTES 700
#define DRIVEN_S 15.0
#define KNOWN_MIN 500 /* cells, so that there is something to compare */

static size_t read_at(void *ctx, uint64_t offset, void *buf, size_t bytes)
{
	FILE *f = ctx;
	return fseek(f, (long)offset, SEEK_SET) == 0 ? fread(buf, 1, bytes, f) : 0;
}

/* What came of a run: its last map and its last pose, and how many percepts and snapshots it made. */
struct outcome {
	struct cairn_frame_header map;
	uint8_t *cells;
	struct cairn_msg_pose pose;
	uint32_t percepts, snapshots, pictures, scans, poses, decisions, things;
	int64_t first_ns, last_ns; /* stamps of scans */
};

static struct outcome outcome_of(const char *path)
{
	struct outcome o = {.cells = NULL};
	struct cairn_error err = {""};
	struct cairn_played got;
	struct cairn_snapshot snapshot;
	FILE *f = fopen(path, "re");
	ck_assert_msg(f != NULL, "%s", path);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	struct cairn_playback *p = cairn_playback_new(read_at, f, (uint64_t)ftell(f), &err);
	ck_assert_msg(p != NULL, "%s: %s", path, err.text);
	while (cairn_playback_next(p, &got, &err)) {
		if (got.frame && got.frame_topic == CAIRN_FRAME_MAP_GRID) {
			free(o.cells);
			o.map = got.head;
			o.cells = malloc(got.head.payload_bytes);
			memcpy(o.cells, got.payload, got.head.payload_bytes);
		} else if (got.frame && got.frame_topic == CAIRN_FRAME_SNAPSHOT) {
			o.snapshots++;
			o.pictures +=
			    cairn_snapshot_read(got.payload, got.head.payload_bytes, &snapshot, &err) &&
			    snapshot.jpeg != NULL;
		} else if (!got.frame && got.topic == CAIRN_TOPIC_POSE) {
			memcpy(&o.pose, got.msg, sizeof(o.pose));
			o.poses++;
		} else if (!got.frame && got.topic == CAIRN_TOPIC_SCENE) {
			o.things = ((const struct cairn_msg_scene *)got.msg)->objects;
		} else if (!got.frame) {
			o.percepts += got.topic == CAIRN_TOPIC_PERCEPT;
			o.decisions += got.topic == CAIRN_TOPIC_DECISION;
			if (got.topic != CAIRN_TOPIC_SCAN)
				continue;
			o.first_ns = o.scans++ == 0 ? got.hdr.t_ns : o.first_ns;
			o.last_ns = got.hdr.t_ns;
		}
	}
	ck_assert_int_eq(cairn_playback_ended(p), CAIRN_MCAP_ITEM_END);
	ck_assert_uint_eq(cairn_playback_rejects(p), 0);
	cairn_playback_destroy(&p);
	fclose(f);
	return o;
}

/* The cell of a map at a place given in cells of the common lattice; 255 outside. */
static int cell_at(const struct outcome *o, int cx, int cy)
{
	int x = cx - (int)lround(o->map.origin_x_m / o->map.cell_m),
	    y = cy - (int)lround(o->map.origin_y_m / o->map.cell_m);
	if (x < 0 || y < 0 || x >= (int)o->map.width || y >= (int)o->map.height)
		return 255;
	return o->cells[(size_t)y * o->map.stride_bytes + (size_t)x];
}

struct agreement {
	int known_first, known_second, both, same;
};

static struct agreement compare(const struct outcome *a, const struct outcome *b)
{
	struct agreement g = {0};
	int x0 = (int)lround(fmin(a->map.origin_x_m, b->map.origin_x_m) / a->map.cell_m),
	    y0 = (int)lround(fmin(a->map.origin_y_m, b->map.origin_y_m) / a->map.cell_m);
	int side = 2 * (int)(a->map.width + a->map.height + b->map.width + b->map.height);
	for (int y = y0; y < y0 + side; y++) {
		for (int x = x0; x < x0 + side; x++) {
			int first = cell_at(a, x, y), second = cell_at(b, x, y);
			g.known_first += first <= 100;
			g.known_second += second <= 100;
			g.both += first <= 100 && second <= 100;
			g.same += first <= 100 && second <= 100 && (first > 50) == (second > 50);
		}
	}
	return g;
}

static void only_recording(const char *run_dir, char path[PATH_BYTES])
{
	char line[PATH_BYTES];
	snprintf(line, sizeof(line), "ls %.600s/recordings/*.mcap", run_dir);
	FILE *f = popen(line, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(path, PATH_BYTES, f));
	path[strcspn(path, "\n")] = '\0';
	pclose(f);
}

/* A folder with original.mcap in it, a run that was recorded; the first who asks drives it, the others have the same. Each
 * case is a process of its own (Check forks), so that the folder bears the parent's number. */
static void record_a_run(char path[PATH_BYTES])
{
	static const char *const args[] = {"--record", "--set", "pilot.latency_mean_s=0.2", NULL};
	char line[3 * PATH_BYTES], original[PATH_BYTES];
	snprintf(path, PATH_BYTES, "/tmp/cairn-replayed-%d", (int)getppid());
	snprintf(line, sizeof(line), "%s/original.mcap", path);
	if (access(line, R_OK) == 0)
		return;
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_drives, NULL, "the robot does not drive");
	struct stack_stretch stretch = {.s = DRIVEN_S};
	stack_must(drill, stack_stretch_over, &stretch, "no messages");
	ck_assert(stretch.moved);
	stack_interrupt(drill, 0);
	only_recording(fixture_run_dir(drill), original);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(line, sizeof(line), "mv %s %s/original.mcap", original, path);
	ck_assert_int_eq(system(line), 0);
	fixture_destroy(&drill, false);
}

START_TEST(mapper_and_annotator_make_of_a_recording_what_they_made_of_the_run)
{
	char folder[PATH_BYTES], original[PATH_BYTES + 32], line[4 * PATH_BYTES], again[PATH_BYTES],
	    run[PATH_BYTES + 16];
	record_a_run(folder);
	snprintf(original, sizeof(original), "%s/original.mcap", folder);
	snprintf(run, sizeof(run), "%s/run", folder);
	snprintf(line, sizeof(line),
	    "%s replay %s --run %s --with 'mapper annotator recorder' --set web.enabled=false </dev/null "
	    ">%s/out 2>&1",
	    CAIRN_PROGRAM, original, run, folder);
	ck_assert_msg(system(line) == 0, "see %s/out", folder);
	only_recording(run, again);
	struct outcome was = outcome_of(original), is = outcome_of(again);
	ck_assert(was.cells != NULL && is.cells != NULL);
	ck_assert_double_eq_tol(was.map.cell_m, is.map.cell_m, 1e-9);
	struct agreement g = compare(&was, &is);
	ck_assert_int_gt(g.known_first, KNOWN_MIN);
	ck_assert_msg(g.both > 0.97 * g.known_first && g.both > 0.97 * g.known_second,
	    "%d cells known then, %d now, %d both", g.known_first, g.known_second, g.both);
	ck_assert_msg(g.same > 0.98 * g.both, "%d of %d cells are the same", g.same, g.both);
	ck_assert_double_lt(hypot(was.pose.x_m - is.pose.x_m, was.pose.y_m - is.pose.y_m), 0.1);
	ck_assert_uint_gt(was.scans, 100);
	ck_assert_msg(is.scans > 0.9 * was.scans, "%u of %u scans were played", is.scans, was.scans);
	ck_assert_msg(
	    is.percepts > 0.9 * was.percepts, "%u percepts then, %u now", was.percepts, is.percepts);
	ck_assert_uint_gt(is.pictures, 0);
	free(was.cells);
	free(is.cells);
}
END_TEST

/* Plays it with these options and a recorder; what that has recorded. */
static struct outcome replay(const char *folder, const char *name, const char *options)
{
	char line[4 * PATH_BYTES], run[PATH_BYTES + 40], again[PATH_BYTES];
	snprintf(run, sizeof(run), "%s/%s", folder, name);
	snprintf(line, sizeof(line),
	    "%s replay %s/original.mcap --run %s %s --set web.enabled=false </dev/null >%s/out 2>&1",
	    CAIRN_PROGRAM, folder, run, options, folder);
	ck_assert_msg(system(line) == 0, "%s: see %s/out", options, folder);
	only_recording(run, again);
	struct outcome o = outcome_of(again);
	free(o.cells);
	o.cells = NULL;
	return o;
}

static double span_s(const struct outcome *o)
{
	return (double)(o->last_ns - o->first_ns) * 1e-9;
}

START_TEST(other_rates_places_and_parts_of_a_recording_are_played)
{
	char folder[PATH_BYTES], original[PATH_BYTES + 32], options[200];
	record_a_run(folder);
	snprintf(original, sizeof(original), "%s/original.mcap", folder);
	struct outcome was = outcome_of(original);
	free(was.cells);
	ck_assert_uint_gt(was.poses, 100);
	ck_assert_uint_gt(was.scans, 100);
	/* Four times as fast: all scans, in a quarter of the time by their stamps, and nothing else. */
	struct outcome fast = replay(folder, "fast", "--rate 4 --topics 'scan odom' --with recorder");
	ck_assert_msg(fast.scans > 0.8 * was.scans, "%u of %u scans", fast.scans, was.scans);
	ck_assert_double_lt(span_s(&fast), 0.4 * span_s(&was));
	ck_assert_uint_eq(fast.poses, 0);
	/* Half as fast, the last third only. */
	snprintf(options, sizeof(options), "--rate 0.5 --start %.1f --topics scan --with recorder",
	    span_s(&was) * 2.0 / 3.0);
	struct outcome slow = replay(folder, "slow", options);
	ck_assert_msg(
	    slow.scans > 20 && slow.scans < 0.6 * was.scans, "%u of %u scans", slow.scans, was.scans);
	double each_s = span_s(&was) / was.scans, now_s = span_s(&slow) / slow.scans;
	ck_assert_msg(now_s > 1.5 * each_s, "a scan each %.3f s then, each %.3f s now", each_s, now_s);
	/* Stages that ask a model, and that keep what is in the house: on the map of the recording, as its detections are of
	 * that map. */
	struct outcome with = replay(folder, "with", "--with 'annotator gateway pilot scene recorder'");
	ck_assert_uint_gt(with.decisions, 0);
	ck_assert_uint_gt(with.things, 0);
}
END_TEST

/* What `cairn player WORDS` answers; "" when it is refused. */
static const char *player(const char *run, const char *words)
{
	static char text[300];
	char line[4 * PATH_BYTES];
	snprintf(line, sizeof(line), "%s player %s --run %s 2>/dev/null", CAIRN_PROGRAM, words, run);
	FILE *f = popen(line, "r");
	text[0] = '\0';
	if (f != NULL && fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	if (f != NULL)
		pclose(f);
	return text;
}

static double place_s(const char *answer)
{
	const char *at = strstr(answer, " at ");
	ck_assert_msg(at != NULL, "%s", answer);
	return strtod(at + 4, NULL);
}

START_TEST(a_replay_is_steered_from_outside)
{
	char folder[PATH_BYTES], line[6 * PATH_BYTES], run[PATH_BYTES + 16];
	record_a_run(folder);
	snprintf(run, sizeof(run), "%s/steered", folder);
	snprintf(line, sizeof(line),
	    "timeout 200 %s replay %s/original.mcap --run %s --paused --stay --set web.enabled=false "
	    "</dev/null "
	    ">%s/out 2>&1 & echo $! >%s/pid",
	    CAIRN_PROGRAM, folder, run, folder, folder);
	ck_assert_int_eq(system(line), 0);
	for (int i = 0; i < 900 && strstr(player(run, "where"), "paused") == NULL; i++)
		(void)usleep(100000);
	ck_assert_double_eq_tol(place_s(player(run, "where")), 0.0, 0.11);
	ck_assert_double_eq_tol(place_s(player(run, "seek 5")), 5.0, 0.11);
	ck_assert_double_eq_tol(place_s(player(run, "where")), 5.0, 0.11);
	(void)player(run, "step 2");
	for (int i = 0; i < 300 && strstr(player(run, "where"), "paused at 7.0") == NULL; i++)
		(void)usleep(100000);
	ck_assert_double_eq_tol(place_s(player(run, "where")), 7.0, 0.11);
	ck_assert_str_eq(player(run, "seek yesterday"), "");
	ck_assert_str_eq(player(run, "rate 1000"), "");
	ck_assert_ptr_nonnull(strstr(player(run, "rate 4"), "rate 4"));
	ck_assert_ptr_nonnull(strstr(player(run, "play"), "playing"));
	for (int i = 0; i < 600 && strstr(player(run, "where"), "ended") == NULL; i++)
		(void)usleep(100000);
	ck_assert_ptr_nonnull(strstr(player(run, "where"), "ended"));
	ck_assert_ptr_nonnull(strstr(player(run, "seek 1"), " at 1.")); /* and once more */
	/* The last case. */
	snprintf(line, sizeof(line), "%s down --run %s >/dev/null && rm -r %s", CAIRN_PROGRAM, run, folder);
	ck_assert_int_eq(system(line), 0);
}
END_TEST

/* The log of a robot that is none of ours, from its file to a map on the bus: what `cairn import` tells of the LiDAR is what `cairn
 * replay` is given. */
START_TEST(the_log_of_a_real_robot_is_imported_played_into_the_bus_and_mapped)
{
	const char *log = cairn_shared_path("lidar/exp1.dat.gz");
	char folder[64] = "/tmp/cairn-imported-XXXXXX", line[4 * PATH_BYTES], out[512];
	if (log == NULL)
		CAIRN_SKIP("lidar/exp1.dat.gz is not in the shared data (CAIRN_SHARED)");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(line, sizeof(line), "%s import %s %s/original.mcap", CAIRN_PROGRAM, log, folder);
	FILE *told = popen(line, "r");
	ck_assert_ptr_nonnull(told);
	out[fread(out, 1, sizeof(out) - 1, told)] = '\0';
	ck_assert_int_eq(pclose(told), 0);
	ck_assert_msg(strstr(out, "756 scans") != NULL, "%s", out);
	const char *lidar = strstr(out, "robot.lidar_x_m=0.145");
	ck_assert_msg(lidar != NULL, "%s", out);
	snprintf(line, sizeof(line), "%s/original.mcap", folder);
	struct outcome was = outcome_of(line);
	ck_assert_uint_eq(was.scans, 756);
	ck_assert_double_eq_tol(span_s(&was), 74.9, 0.1);
	struct outcome is =
	    replay(folder, "run", "--start 35 --rate 2 --with 'mapper recorder' --set robot.lidar_x_m=0.145");
	ck_assert_msg(
	    is.scans > 0.45 * was.scans && is.scans < 0.6 * was.scans, "%u scans of %u", is.scans, was.scans);
	ck_assert_uint_gt(is.poses, 50);
	ck_assert_double_gt(hypot(is.pose.x_m, is.pose.y_m), 1.0); /* it has driven */
	ck_assert_uint_gt(is.map.width, 80);                       /* 4 m have been seen */
	snprintf(line, sizeof(line), "rm -r %s", folder);
	ck_assert_int_eq(system(line), 0);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("replay-recording", 280.0,
    the_log_of_a_real_robot_is_imported_played_into_the_bus_and_mapped,
    mapper_and_annotator_make_of_a_recording_what_they_made_of_the_run,
    other_rates_places_and_parts_of_a_recording_are_played, a_replay_is_steered_from_outside)
