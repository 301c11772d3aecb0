/* A detector helper that floods, breaks off in the middle of a line, hangs, names things by 10 kB of markup, and dies: detector and scene go
 * on in the same processes, count it, and take what an honest helper says afterwards. A scene file that is damaged is put aside. */
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/percept/detect_wire.h"
#include "test/e2e/stack.h"

#define FLOOD_BYTES (8 << 20)
#define LABEL_BYTES 10240
#define LOOKS 12 /* answered by a helper that answers; enough to be believed */

/* What it does with each connection, in this order; honest to the end. */
enum phase { FLOODS, BREAKS_OFF, DIES, HANGS, NAMES, HONEST };

struct hostile {
	int listener;
	pthread_t thread;
	atomic_int phase, answered;
	struct cairn_detect_lines lines;
	char label[LABEL_BYTES + 1];
	char line[CAIRN_DETECT_LINE_MAX];
};

static bool say(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
		if (sent <= 0)
			return false;
		bytes += sent;
		n -= (size_t)sent;
	}
	return true;
}

/* Nonsense without and with ends of lines, until the stage has had enough of it. */
static void flood(int fd)
{
	static char junk[65536];
	for (size_t i = 0; i < sizeof(junk); i++)
		junk[i] = (char)(i % 251);
	for (size_t all = 0; all < FLOOD_BYTES && say(fd, junk, sizeof(junk)); all += sizeof(junk))
		junk[all / sizeof(junk)] = '\n';
}

/* The number of the next question; 0 when the stage has hung up. */
static uint64_t next_look(struct hostile *h, int fd, int64_t *ret_t_ns)
{
	char byte;
	const char *line;
	size_t len;
	uint64_t look;
	struct cairn_error err;
	while (recv(fd, &byte, 1, 0) == 1) {
		(void)cairn_detect_lines_take(&h->lines, &byte, 1, &line, &len);
		if (line != NULL && cairn_detect_read_look(line, len, &look, ret_t_ns, &err))
			return look;
	}
	return 0;
}

static size_t answer_of(struct hostile *h, uint64_t look, int64_t t_ns, const char *label)
{
	return (size_t)snprintf(h->line, sizeof(h->line),
	    "{\"look\":%" PRIu64 ",\"t_ns\":%" PRId64
	    ",\"width\":640,\"height\":480,\"things\":[{\"label\":\"%s\","
	    "\"score\":0.95,\"box\":[280,200,360,280],\"points\":[[-0.1,0,2],[0.1,0.1,2.1]]}]}\n",
	    look, t_ns, label);
}

/* Hangs with half an answer given, for as long as the stage goes on asking all the same. */
static void hang(struct hostile *h, int fd)
{
	int64_t t_ns;
	uint64_t look = next_look(h, fd, &t_ns);
	(void)say(fd, h->line, answer_of(h, look, t_ns, "half") / 2);
	for (int i = 0; i < 2 && look != 0; i++)
		look = next_look(h, fd, &t_ns);
}

static void serve(struct hostile *h, int fd, enum phase phase)
{
	int64_t t_ns;
	uint64_t look;
	switch (phase) {
	case FLOODS:
		flood(fd);
		break;
	case BREAKS_OFF:
		look = next_look(h, fd, &t_ns);
		(void)say(fd, h->line, answer_of(h, look, t_ns, "half") / 2);
		break;
	case DIES:
		break;
	case HANGS:
		hang(h, fd);
		break;
	case NAMES:
	case HONEST:
		for (int i = 0; (phase == HONEST || i < LOOKS) && (look = next_look(h, fd, &t_ns)) != 0;
		     i++) {
			if (!say(fd, h->line, answer_of(h, look, t_ns, phase == NAMES ? h->label : "teapot")))
				break;
			if (phase == HONEST)
				atomic_fetch_add(&h->answered, 1);
		}
		break;
	}
}

static void *run_hostile(void *ctx)
{
	struct hostile *h = ctx;
	for (int fd; (fd = accept(h->listener, NULL, NULL)) >= 0;) {
		enum phase phase = (enum phase)atomic_load(&h->phase);
		h->lines.len = 0;
		serve(h, fd, phase);
		close(fd);
		if (phase < HONEST)
			atomic_store(&h->phase, (int)phase + 1);
	}
	return NULL; /* shut down */
}

static void start_hostile(struct hostile *h, struct drill *drill)
{
	static const char markup[] = "<b>Ignore all rules</b>\\u001b[31m\\n";
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	memset(h->label, 'A', LABEL_BYTES);
	memcpy(h->label, markup, sizeof(markup) - 1);
	h->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int n = snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/hostile", fixture_run_dir(drill));
	ck_assert(n > 0 && (size_t)n < sizeof(addr.sun_path));
	ck_assert_int_eq(bind(h->listener, (struct sockaddr *)&addr, sizeof(addr)), 0);
	ck_assert_int_eq(listen(h->listener, 4), 0);
	ck_assert_int_eq(pthread_create(&h->thread, NULL, run_hostile, h), 0);
}

static bool honest_enough(const struct up_run *run, void *ctx)
{
	(void)run;
	return atomic_load(&((struct hostile *)ctx)->answered) >= LOOKS;
}

/* Whether `cairn WORDS` has printed this by now; asked again with each message of the stack. */
struct printed {
	struct drill *drill;
	const char *words, *text;
	char out[1 << 20];
};

static bool is_printed(const struct up_run *run, void *ctx)
{
	struct printed *p = ctx;
	(void)run;
	return stack_cairn(p->drill, p->words, p->out, sizeof(p->out)) == 0 &&
	       strstr(p->out, p->text) != NULL;
}

static void damage_the_file(struct drill *drill)
{
	char path[400], aside[420];
	struct stack_stage scene = {"scene", fixture_pid(drill, "scene")};
	snprintf(path, sizeof(path), "%s/state/scene.json", fixture_run_dir(drill));
	snprintf(aside, sizeof(aside), "%s.damaged", path);
	ck_assert_int_ne(access(aside, F_OK), 0);
	/* Nobody writes the file between the death of the stage and its next start. */
	ck_assert_int_eq(kill(scene.not_pid, SIGKILL), 0);
	FILE *f = fopen(path, "r+e");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fseek(f, 100, SEEK_SET), 0);
	ck_assert_int_eq(fputc('#', f), '#');
	ck_assert_int_eq(fclose(f), 0);
	stack_must(drill, stack_is_up, &scene, "the scene does not come up after its file was damaged");
	ck_assert_int_eq(access(aside, F_OK), 0);
	ck_assert(stack_file_tells(drill, "logs/scene.log", "its checksum does not fit"));
	ck_assert(
	    stack_file_tells(drill, "logs/scene.log", "scene.json.damaged, beginning with an empty scene"));
}

START_TEST(a_hostile_helper_harms_neither_detector_nor_scene_and_a_damaged_scene_file_is_kept_aside)
{
	static const char *const args[] = {"--for", "400s", "--set", "detect.source=helper", "--set",
	    "detect.socket=hostile", "--set", "web.endpoint=127.0.0.1:0", NULL};
	static struct hostile h;
	static struct printed scene, status;
	struct stack_stage detector = {"detector", 0}, keeper = {"scene", 0};
	struct drill *drill = stack_start(args);
	stack_must(drill, stack_is_up, &detector, "no detector");
	stack_must(drill, stack_is_up, &keeper, "no scene");
	int detector_pid = fixture_pid(drill, "detector"), scene_pid = fixture_pid(drill, "scene");
	start_hostile(&h, drill);
	stack_must(drill, stack_drives, NULL, "it does not drive");
	stack_must(drill, honest_enough, &h, "no honest answer was asked for");
	scene = (struct printed){.drill = drill, .words = "scene", .text = "teapot_1"};
	stack_must(drill, is_printed, &scene, "the honest helper's thing is not in the scene");
	ck_assert_int_eq(fixture_pid(drill, "detector"), detector_pid);
	ck_assert_int_eq(fixture_pid(drill, "scene"), scene_pid);
	/* Told, counted, and what was believed of it is data: cleaned, and no longer than a label. */
	ck_assert(
	    stack_file_tells(drill, "logs/detector.log", "answers that make no sense, one after the other"));
	ck_assert(stack_file_tells(drill, "logs/detector.log", "the other end closed"));
	status = (struct printed){.drill = drill, .words = "status", .text = "detector"};
	stack_must(drill, is_printed, &status, "no status");
	const char *refused = strstr(status.out, " late, ");
	ck_assert_msg(refused != NULL && strtoul(refused + 7, NULL, 10) >= 20, "refusals: %s", status.out);
	scene.words = "scene --json";
	scene.text = "\"label\":\"<b>Ignore all rules</b>";
	stack_must(drill, is_printed, &scene, "the markup is not shown as data");
	ck_assert_ptr_null(strchr(scene.out, '\x1b'));
	ck_assert_ptr_null(strstr(scene.out, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")); /* 40 */
	damage_the_file(drill);
	(void)shutdown(h.listener, SHUT_RDWR);
	stack_end(&drill);
	ck_assert_int_eq(pthread_join(h.thread, NULL), 0);
	close(h.listener);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("hostile-helper", 400.0,
    a_hostile_helper_harms_neither_detector_nor_scene_and_a_damaged_scene_file_is_kept_aside)
