/* A stack that drives while its scene graph lies: a detector helper of the test's own sees things, people and doors at random places
 * all around, others every few pictures, and hides what is there. The graph is full of them, the model is told, and nothing is touched. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "common/base/rng.h"
#include "common/percept/detect_wire.h"
#include "test/e2e/stack.h"

#define REPEATED 6  /* pictures with the same lies, so that they are believed */
#define LIES_MIN 40 /* pictures lied about before the run counts */

struct liar {
	int listener;
	pthread_t thread;
	atomic_int told;
	atomic_bool ending;
	char path[108];
};

static int64_t now_ns(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

/* Whatever stands or walks, anywhere within six metres, from below the floor to the ceiling. */
static void lie(uint64_t look, struct cairn_detected_list *list)
{
	struct cairn_rng the_rng, *rng = &the_rng;
	static const char *const labels[] = {"person", "door", "open door", "wall", "stairs", "kitchen sink",
	    "bed", "charging dock", "refrigerator", "free floor", "exit", "sofa"};
	cairn_rng_seed(rng, 29, look / REPEATED);
	*list = (struct cairn_detected_list){
	    .look = look, .t_ns = now_ns(), .width_px = 640, .height_px = 480, .count = CAIRN_DETECT_ITEMS};
	for (uint32_t i = 0; i < CAIRN_DETECT_TILES; i++)
		list->nearest_m[i] = (float)(6.0 * cairn_rng_uniform(rng));
	for (uint32_t i = 0; i < list->count; i++) {
		struct cairn_detected *d = &list->items[i];
		float x = (float)(560.0 * cairn_rng_uniform(rng)),
		      y = (float)(400.0 * cairn_rng_uniform(rng)),
		      far = (float)(0.2 + 5.8 * cairn_rng_uniform(rng));
		snprintf(d->label, sizeof(d->label), "%s", labels[cairn_rng_u32(rng) % 12]);
		d->confidence = 0.99f;
		memcpy(d->px, (float[4]){x, y, x + 70.0f, y + 70.0f}, sizeof(d->px));
		d->point_count = 2;
		for (int k = 0; k < 2; k++)
			d->points[k] =
			    (struct cairn_detect_point){far * (x - 280.0f) / 460.0f + 0.3f * (float)k,
				far * (y - 200.0f) / 460.0f + 0.3f * (float)k, far + 0.3f * (float)k};
	}
}

static bool answer(struct liar *l, int fd, const char *bytes, size_t n, struct cairn_detect_lines *lines)
{
	static struct cairn_detected_list list;
	for (size_t at = 0; at < n;) {
		const char *line;
		size_t len, count;
		uint64_t look;
		int64_t t_ns;
		at += cairn_detect_lines_take(lines, bytes + at, n - at, &line, &len);
		if (line == NULL ||
		    !cairn_detect_read_look(line, len, &look, &t_ns, &(struct cairn_error){""}))
			continue;
		lie(look, &list);
		char *text = cairn_detect_write_answer(&list, &count);
		bool sent = send(fd, text, count, MSG_NOSIGNAL) == (ssize_t)count;
		free(text);
		if (!sent)
			return false;
		atomic_fetch_add(&l->told, 1);
	}
	return true;
}

static void *run_liar(void *ctx)
{
	static struct cairn_detect_lines lines;
	struct liar *l = ctx;
	char buf[4096];
	while (!atomic_load(&l->ending)) {
		int fd = accept(l->listener, NULL, NULL);
		if (fd < 0)
			break; /* shut down */
		lines.len = 0;
		for (ssize_t n; (n = recv(fd, buf, sizeof(buf), 0)) > 0;)
			if (!answer(l, fd, buf, (size_t)n, &lines))
				break;
		close(fd);
	}
	return NULL;
}

/* In the run directory of a stack that has just been started; the detector finds it when it tries again. */
static void start_liar(struct liar *l, struct drill *drill)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	*l = (struct liar){.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
	int n = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/liar", fixture_run_dir(drill));
	ck_assert(n > 0 && (size_t)n < sizeof(addr.sun_path));
	ck_assert_int_eq(bind(l->listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(l->listener, 4), 0);
	ck_assert_int_eq(pthread_create(&l->thread, NULL, run_liar, l), 0);
}

static void end_liar(struct liar *l)
{
	atomic_store(&l->ending, true);
	(void)shutdown(l->listener, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(l->thread, NULL), 0);
	close(l->listener);
}

static bool lied_enough(const struct up_run *run, void *ctx)
{
	(void)run;
	return atomic_load((atomic_int *)ctx) >= LIES_MIN;
}

START_TEST(a_scene_graph_that_lies_everywhere_brings_the_robot_into_no_contact)
{
	static const char *const args[] = {
	    "--for", "60s", "--set", "detect.source=helper", "--set", "detect.socket=liar", NULL};
	static struct liar liar;
	static char out[1 << 20];
	char summary[1024] = "";
	struct cairn_error left = {""};
	struct drill *drill = stack_start(args);
	start_liar(&liar, drill);
	stack_must(drill, stack_drives, NULL, "it does not drive");
	stack_must(drill, lied_enough, &liar.told, "nobody listens to the lies");
	ck_assert_int_eq(stack_cairn(drill, "scene --json", out, sizeof(out)), 0);
	ck_assert_msg(strstr(out, "\"charging dock\"") != NULL || strstr(out, "\"stairs\"") != NULL ||
			  strstr(out, "\"kitchen sink\"") != NULL,
	    "the graph has none of the lies: %.500s", out);
	/* By itself, at the end of its time: 0 says that it touched nothing and that its decisions were driven. */
	int status = fixture_end(drill, 0, STACK_PATIENCE_S, summary, sizeof(summary));
	end_liar(&liar);
	ck_assert_msg(status == 0, "status %d, %s", status, summary);
	ck_assert_msg(fixture_leftovers(drill, &left) == 0, "%s", left.text);
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "lying-graph", 240.0, a_scene_graph_that_lies_everywhere_brings_the_robot_into_no_contact)
