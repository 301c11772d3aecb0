/* A recording of a simulated run, played to the mapper and the annotator: they make of it what they made of the run. */
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
	uint32_t percepts, snapshots, pictures, scans;
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
		} else if (!got.frame) {
			o.percepts += got.topic == CAIRN_TOPIC_PERCEPT;
			o.scans += got.topic == CAIRN_TOPIC_SCAN;
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

static void record_a_run(char path[PATH_BYTES])
{
	static const char *const args[] = {"--record", "--set", "pilot.latency_mean_s=0.2", NULL};
	char line[3 * PATH_BYTES], original[PATH_BYTES];
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_drives, NULL, "the robot does not drive");
	struct stack_stretch stretch = {.s = DRIVEN_S};
	stack_must(drill, stack_stretch_over, &stretch, "no messages");
	ck_assert(stretch.moved);
	ck_assert_int_eq(fixture_end(drill, SIGINT, STACK_PATIENCE_S, NULL, 0), 0);
	only_recording(fixture_run_dir(drill), original);
	snprintf(path, PATH_BYTES, "/tmp/cairn-replayed-%d", (int)getpid());
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(line, sizeof(line), "mv %s %s/original.mcap", original, path);
	ck_assert_int_eq(system(line), 0);
	fixture_destroy(&drill, false);
}

START_TEST(mapper_and_annotator_make_of_a_recording_what_they_made_of_the_run)
{
	char folder[PATH_BYTES], original[PATH_BYTES + 32], line[4 * PATH_BYTES], again[PATH_BYTES],
	    run[PATH_BYTES + 8];
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
	snprintf(line, sizeof(line), "rm -r %s", folder);
	ck_assert_int_eq(system(line), 0);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "replay-recording", 280.0, mapper_and_annotator_make_of_a_recording_what_they_made_of_the_run)
