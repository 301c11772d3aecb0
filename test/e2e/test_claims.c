/* What a model says of the map, through a whole stack: a service of the test's own answers with claims, the mapper judges
 * them, and `cairn map` shows what came of them, in every form that it has. */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <jansson.h>

#include "test/e2e/stack.h"

/* ---- a service that always says the same ---- */

struct service {
	int fd, port;
	pthread_t thread;
	char answer[8192];
};

/* Reads a whole request: what Content-Length says after the head. */
static bool read_request(int fd)
{
	static char text[1 << 20];
	size_t have = 0, need = sizeof(text) - 1;
	while (have < need) {
		ssize_t n = read(fd, text + have, need - have);
		if (n <= 0)
			return false;
		have += (size_t)n;
		text[have] = '\0';
		const char *end = strstr(text, "\r\n\r\n"), *length = strcasestr(text, "content-length:");
		if (end != NULL && length != NULL && length < end)
			need = (size_t)(end + 4 - text) + strtoul(length + 15, NULL, 10);
	}
	return have == need;
}

static void *serve(void *ctx)
{
	struct service *s = ctx;
	for (;;) {
		int fd = accept(s->fd, NULL, NULL);
		if (fd < 0)
			return NULL; /* shut down */
		char head[160];
		int n = snprintf(head, sizeof(head),
		    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n"
		    "Connection: close\r\n\r\n",
		    strlen(s->answer));
		if (read_request(fd) && write(fd, head, (size_t)n) == n)
			(void)!write(fd, s->answer, strlen(s->answer));
		close(fd);
	}
}

static void service_start(struct service *s, const char *says)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	json_t *answer = json_pack("{s:[{s:{s:s}}], s:{s:i, s:i}}", "choices", "message", "content", says,
	    "usage", "prompt_tokens", 1000, "completion_tokens", 50);
	char *text = json_dumps(answer, JSON_COMPACT);
	snprintf(s->answer, sizeof(s->answer), "%s", text);
	free(text);
	json_decref(answer);
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(s->fd, (struct sockaddr *)&at, sizeof(at)), 0);
	ck_assert_int_eq(listen(s->fd, 4), 0);
	getsockname(s->fd, (struct sockaddr *)&at, &len);
	s->port = ntohs(at.sin_port);
	ck_assert_int_eq(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void service_end(struct service *s)
{
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->fd);
}

/* ---- what it says ---- */

/* It stops, so that the robot stands, and claims: a wall where the robot stands, one where the floor beside it has
 * been seen, one far off the map, one it is not sure of, and walls all around, of which some lie where nobody has
 * looked. */
static void claim_everything(char *says, size_t bytes)
{
	size_t n = (size_t)snprintf(says, bytes,
	    "{\"action\": \"stop_robot\", \"reason\": \"to think\", \"world_model_update\": ["
	    "{\"x\": 0.0, \"y\": 0.0, \"state\": \"occupied\", \"confidence\": 0.9},"
	    "{\"x\": 0.6, \"y\": 0.0, \"state\": \"occupied\", \"confidence\": 0.9},"
	    "{\"x\": 25.0, \"y\": 25.0, \"state\": \"occupied\", \"confidence\": 0.9},"
	    "{\"x\": 0.0, \"y\": 1.0, \"state\": \"free\", \"confidence\": 0.3}");
	for (int i = 0; i < 24; i++)
		n += (size_t)snprintf(says + n, bytes - n,
		    ", {\"x\": %.2f, \"y\": %.2f, \"state\": \"occupied\", \"confidence\": 0.8}",
		    (1.5 + 0.4 * (i / 8)) * cos(i * M_PI / 4.0), (1.5 + 0.4 * (i / 8)) * sin(i * M_PI / 4.0));
	snprintf(says + n, bytes - n, "]}");
}

static bool has_decided(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->mission.decisions >= 2;
}

static json_int_t counted(json_t *features, const char *verdict)
{
	json_t *claims = json_object_get(features, "claims");
	for (int i = 0; i < CAIRN_CLAIM_VERDICT_COUNT; i++) {
		if (strcmp(cairn_enum_text(&cairn_enum_claim_verdict, i), verdict) == 0)
			return atoll(json_string_value(json_array_get(claims, (size_t)i)));
	}
	return -1;
}

/* One claim of each sort, at least, was judged as it deserves. */
static bool all_judged(json_t *features)
{
	static const char *const verdicts[] = {"taken", "visited", "sensors", "outside", "confidence"};
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		if (counted(features, verdicts[i]) < 1)
			return false;
	}
	return true;
}

/* `cairn map` writes it, and it begins as such files do. */
static void must_write(
    struct drill *drill, const char *option, const char *name, const char *magic, size_t bytes)
{
	char path[400], words[512], out[4096], begin[8] = {0};
	snprintf(path, sizeof(path), "%s/%s", fixture_run_dir(drill), name);
	snprintf(words, sizeof(words), "map %s %s", option, path);
	ck_assert_msg(stack_cairn(drill, words, out, sizeof(out)) == 0, "%s", out);
	FILE *f = fopen(path, "re");
	ck_assert_msg(f != NULL, "no %s", path);
	ck_assert_uint_eq(fread(begin, 1, bytes, f), bytes);
	ck_assert_msg(memcmp(begin, magic, bytes) == 0, "%s does not begin like one", name);
	fclose(f);
}

START_TEST(claims_of_the_model_are_judged_and_the_map_command_tells_what_came_of_them)
{
	struct service service;
	char says[6000], url[80];
	static char out[1 << 17];
	claim_everything(says, sizeof(says));
	service_start(&service, says);
	snprintf(url, sizeof(url), "vlm.base_url=http://127.0.0.1:%d/v1", service.port);
	const char *args[] = {"--set", "vlm.provider=openai", "--set", url, "--set", "vlm.mode=json", "--set",
	    "vlm.base_timer_s=0.5", "--set", "vlm.skip_age_max_s=0", "--set", "vlm.equal_decisions=100",
	    NULL};
	setenv("OPENAI_API_KEY", "of-the-test", 1);
	struct drill *drill = stack_start(args);
	stack_must(drill, has_decided, NULL, "no decisions");

	/* The state file follows once a second, and the sensors are not sure of anything before a few scans: it is
	 * asked until all is in it. */
	json_t *features = NULL;
	struct stack_stretch second = {.s = 1.0};
	for (int i = 0; i < 30 && (features == NULL || !all_judged(features)); i++) {
		second.from_ns = 0;
		stack_must(drill, stack_stretch_over, &second, "time stands still");
		json_decref(features);
		ck_assert_msg(stack_cairn(drill, "map --json", out, sizeof(out)) == 0, "%s", out);
		features = json_loads(out, 0, NULL);
		ck_assert_msg(features != NULL, "%s", out);
	}
	ck_assert_msg(all_judged(features), "%s", out);
	ck_assert_int_eq(counted(features, "malformed"), 0);
	ck_assert_double_gt(json_number_value(json_object_get(features, "free_m2")), 1.0);
	json_decref(features);

	ck_assert_int_eq(stack_cairn(drill, "map", out, sizeof(out)), 0);
	static const char *const lines[] = {
	    "area ", "robot ", "frontiers ", "doorways ", "visits ", "claims "};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		ck_assert_msg(strstr(out, lines[i]) != NULL, "no '%s' in: %s", lines[i], out);
	ck_assert_int_eq(stack_cairn(drill, "map --rle", out, sizeof(out)), 0);
	ck_assert_uint_gt(strlen(out), 100);
	must_write(drill, "--png", "shown.png", "\x89PNG", 4);
	must_write(drill, "--save", "shown.yaml", "image", 5);
	char words[400];
	snprintf(words, sizeof(words), "map --load %s/shown.yaml", fixture_run_dir(drill));
	ck_assert_int_eq(stack_cairn(drill, words, out, sizeof(out)), 0);
	ck_assert_msg(strncmp(out, "size ", 5) == 0, "%s", out);
	stack_end(&drill);
	service_end(&service);
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT(
    "claims", 200, claims_of_the_model_are_judged_and_the_map_command_tells_what_came_of_them)
