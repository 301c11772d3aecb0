/* The recorder of a running stack: what it writes is whole or was cut, never in anybody's way, and holds no secret. */
#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "common/mcap/mcap_reader.h"
#include "test/e2e/stack.h"

#define SECRET "sk-never-in-a-recording-4f1e"
#define PATH_BYTES 700
#define GOAL "look for the striped zebra"

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_recording(const struct dirent *e)
{
	return strstr(e->d_name, ".mcap") != NULL;
}

/* The recordings of a run, oldest first; their number. */
static int recordings(const char *run_dir, char paths[][PATH_BYTES], int max)
{
	char folder[400];
	struct dirent **list = NULL;
	snprintf(folder, sizeof(folder), "%s/recordings", run_dir);
	int n = scandir(folder, &list, is_recording, by_name), count = 0;
	for (int i = 0; i < n; i++) {
		if (count < max)
			snprintf(paths[count++], PATH_BYTES, "%s/%s", folder, list[i]->d_name);
		free(list[i]);
	}
	free(list);
	return count;
}

struct some {
	const char *run_dir;
	int count;
};

static bool so_many_recordings(const struct up_run *run, void *ctx)
{
	static char paths[64][PATH_BYTES];
	const struct some *s = ctx;
	(void)run;
	return recordings(s->run_dir, paths, 64) >= s->count;
}

static size_t read_at(void *ctx, uint64_t offset, void *buf, size_t bytes)
{
	FILE *f = ctx;
	return fseek(f, (long)offset, SEEK_SET) == 0 ? fread(buf, 1, bytes, f) : 0;
}

static bool has(const void *data, size_t bytes, const char *text)
{
	return memmem(data, bytes, text, strlen(text)) != NULL;
}

struct contents {
	uint32_t messages;
	bool secret, goal; /* those words are in it */
	enum cairn_mcap_item end;
};

static struct contents read_recording(const char *path)
{
	struct contents c = {0};
	struct cairn_error err = {""};
	struct cairn_mcap_read got;
	FILE *f = fopen(path, "re");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	struct cairn_mcap_reader *r = cairn_mcap_reader_new(read_at, f, (uint64_t)ftell(f), &err);
	ck_assert_msg(r != NULL, "%s: %s", path, err.text);
	do {
		cairn_mcap_reader_next(r, &got, &err);
		struct cairn_mcap_bytes b = got.item == CAIRN_MCAP_ITEM_MESSAGE    ? got.message.data
					    : got.item == CAIRN_MCAP_ITEM_METADATA ? got.metadata.pairs
					    : got.item == CAIRN_MCAP_ITEM_ATTACHMENT
						? got.attachment.data
						: (struct cairn_mcap_bytes){0};
		c.messages += got.item == CAIRN_MCAP_ITEM_MESSAGE;
		c.secret = c.secret || (b.bytes > 0 && has(b.data, b.bytes, SECRET));
		c.goal = c.goal || (b.bytes > 0 && has(b.data, b.bytes, GOAL));
	} while (got.item > CAIRN_MCAP_ITEM_DAMAGED);
	c.end = got.item;
	cairn_mcap_reader_destroy(&r);
	fclose(f);
	return c;
}

/* The journal of the run that has ended: whole, answers for a decision, and a byte that is changed is found. */
static void audit_run(struct drill *drill)
{
	char out[32768], path[PATH_BYTES], words[PATH_BYTES + 64];
	unsigned long long id = 0;
	ck_assert_msg(stack_cairn(drill, "audit", out, sizeof(out)) == 0, "%s", out);
	ck_assert_ptr_nonnull(strstr(out, "unbroken"));
	/* The last decision is the one in force now. */
	time_t now = time(NULL);
	struct tm local;
	ck_assert(localtime_r(&now, &local) != NULL &&
		  strftime(words, sizeof(words), "audit %H:%M:%S", &local) > 0);
	ck_assert_msg(stack_cairn(drill, words, out, sizeof(out)) == 0, "%s", out);
	const char *at = strstr(out, "decision ");
	ck_assert(at != NULL && sscanf(at, "decision %llu", &id) == 1 && id > 0);
	snprintf(words, sizeof(words), "audit %llu --html %.600s/why.html", id, fixture_run_dir(drill));
	ck_assert_msg(stack_cairn(drill, words, out, sizeof(out)) == 0, "%s", out);
	ck_assert_ptr_nonnull(strstr(out, "became"));
	ck_assert_ptr_nonnull(strstr(out, "its hash is that of the journal"));
	ck_assert(stack_file_tells(drill, "why.html", "data:image/jpeg;base64,"));
	snprintf(path, sizeof(path), "%.600s/state/journal.jsonl", fixture_run_dir(drill));
	FILE *f = fopen(path, "r+e");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 100, SEEK_SET), 0);
	int byte = fgetc(f);
	ck_assert_int_eq(fseek(f, 100, SEEK_SET), 0);
	fputc(byte ^ 1, f);
	fclose(f);
	ck_assert_int_eq(stack_cairn(drill, "audit", out, sizeof(out)), 1);
	ck_assert_ptr_nonnull(strstr(out, "record 1 "));
}

START_TEST(a_recorder_that_is_killed_leaves_a_readable_file_and_the_robot_drives_on)
{
	static const char *const args[] = {"--record", "--goal", GOAL, "--set", "record.file_min=0.05",
	    "--set", "vlm.api_key_env=CAIRN_TEST_SECRET", NULL};
	static char paths[64][PATH_BYTES];
	char out[8192], words[PATH_BYTES + 32];
	ck_assert_int_eq(setenv("CAIRN_TEST_SECRET", SECRET, 1), 0);
	struct drill *drill = stack_start(args);
	struct stack_stage recorder = {"recorder", 0};
	struct some some = {fixture_run_dir(drill), 2};
	stack_must(drill, stack_is_up, &recorder, "the recorder is not up");
	stack_must(drill, stack_drives, NULL, "the robot does not drive");
	stack_must(drill, so_many_recordings, &some, "no second file was begun");
	struct stack_stretch stretch = {.s = 1.5}; /* a chunk is written each second */
	stack_must(drill, stack_stretch_over, &stretch, "no messages");
	recorder.not_pid = fixture_pid(drill, "recorder");
	ck_assert_int_gt(recorder.not_pid, 0);
	some.count = recordings(some.run_dir, paths, 64) + 1;
	kill(recorder.not_pid, SIGKILL);
	stack_must(drill, stack_is_up, &recorder, "the recorder is not started again");
	stack_must(drill, so_many_recordings, &some, "it records no more");
	stretch = (struct stack_stretch){.s = 1.5};
	stack_must(drill, stack_stretch_over, &stretch, "no messages");
	ck_assert_uint_eq(fixture_run(drill)->truth.contacts, 0);
	stack_interrupt(drill, 0);

	audit_run(drill);
	int count = recordings(some.run_dir, paths, 64), cut = 0;
	bool goal = false;
	ck_assert_int_ge(count, 3);
	for (int i = 0; i < count; i++) {
		struct contents c = read_recording(paths[i]);
		ck_assert_msg(c.end != CAIRN_MCAP_ITEM_DAMAGED, "%s", paths[i]);
		ck_assert_uint_gt(c.messages, 0);
		ck_assert_msg(!c.secret, "%s holds the key", paths[i]);
		goal = goal || c.goal;
		if (c.end != CAIRN_MCAP_ITEM_CUT)
			continue;
		cut++;
		snprintf(words, sizeof(words), "record %.690s --repair", paths[i]);
		ck_assert_msg(stack_cairn(drill, words, out, sizeof(out)) == 0, "%s", out);
		struct contents again = read_recording(paths[i]);
		ck_assert_int_eq(again.end, CAIRN_MCAP_ITEM_END);
		ck_assert_uint_eq(again.messages, c.messages);
	}
	ck_assert(goal); /* what was looked for would have been found */
	ck_assert_int_eq(cut, 1);
	fixture_destroy(&drill, false);
}
END_TEST

static bool disk_is_full(const struct up_run *run, void *ctx)
{
	struct drill *drill = ctx;
	char out[16384];
	(void)run;
	(void)stack_cairn(drill, "status", out, sizeof(out));
	return strstr(out, "disk full") != NULL;
}

START_TEST(a_full_disk_stops_the_recording_and_nothing_else)
{
	/* No disk has so much space: to the recorder this one is full. */
	static const char *const args[] = {"--record", "--set", "record.keep_free_mb=1000000", NULL};
	static char paths[4][PATH_BYTES];
	struct drill *drill = stack_start(args);
	struct stack_stage recorder = {"recorder", 0};
	stack_must(drill, stack_is_up, &recorder, "the recorder is not up");
	stack_must(drill, stack_drives, NULL, "the robot does not drive");
	stack_must(drill, disk_is_full, drill, "nothing is said of the full disk");
	ck_assert_int_eq(recordings(fixture_run_dir(drill), paths, 4), 0);
	stack_must(drill, stack_drives, NULL, "the robot does not drive on");
	stack_end(&drill);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("recorder", 280.0,
    a_recorder_that_is_killed_leaves_a_readable_file_and_the_robot_drives_on,
    a_full_disk_stops_the_recording_and_nothing_else)
