/* A planted key in a whole stack: it reaches the service (the scripted pilot plays one) and shows up nowhere
 * else. */
#include <dirent.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include "test/e2e/stack.h"

#define KEY "sk-planted-5d81c2aa90f34e17"
#define UNUSED "sk-unused-77a0913bd2c4" /* of a provider that nobody asks */

static bool deciding(const struct up_run *run, void *ctx)
{
	(void)ctx;
	return run->have_mission && run->have_vlm && run->mission.decisions >= 2;
}

static int free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	getsockname(fd, (struct sockaddr *)&at, &len);
	close(fd);
	return ntohs(at.sin_port);
}

/* A file of /proc as one text, NULs as spaces; "" when it may not be read. */
static size_t proc_text(int pid, const char *name, char *dst, size_t cap)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	FILE *in = fopen(path, "re");
	size_t n = in != NULL ? fread(dst, 1, cap - 1, in) : 0;
	if (in != NULL)
		fclose(in);
	for (size_t i = 0; i < n; i++)
		dst[i] = dst[i] == '\0' ? ' ' : dst[i];
	dst[n] = '\0';
	return n;
}

/* Every process of the stack: title, environment, core limit. How many there were; *ret_gateway is its pid.
 */
static int look_at_processes(const char *run_dir, int *ret_gateway)
{
	static char text[1 << 16], name[64], limits[8192];
	int seen = 0;
	DIR *dir = opendir("/proc");
	for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
		int pid = atoi(e->d_name), soft = -1;
		if (pid <= 0 || proc_text(pid, "cmdline", text, sizeof(text)) == 0 ||
		    strstr(text, run_dir) == NULL)
			continue;
		proc_text(pid, "comm", name, sizeof(name));
		seen++;
		ck_assert_msg(strstr(text, KEY) == NULL, "the title of %s has the key", name);
		bool gateway = strncmp(name, "cairn-gateway", 13) == 0;
		if (gateway)
			*ret_gateway = pid;
		/* cairn itself was started with them, and starts the launcher anew if need be; it lets nobody look in. */
		bool may = strcmp(name, "cairn\n") == 0;
		proc_text(pid, "environ", text, sizeof(text));
		ck_assert_msg(may || strstr(text, KEY) == NULL, "the environment of %s has the key", name);
		ck_assert_msg(
		    may || strstr(text, UNUSED) == NULL, "the environment of %s has another key", name);
		proc_text(pid, "limits", limits, sizeof(limits));
		const char *core = strstr(limits, "Max core file size");
		ck_assert_msg(core != NULL && sscanf(core, "Max core file size %d", &soft) == 1 && soft <= 1,
		    "%s may dump core", name);
	}
	closedir(dir);
	return seen;
}

static bool found_below(const char *folder)
{
	char command[400];
	snprintf(command, sizeof(command), "grep -rqs -e '%s' '%s'", KEY, folder);
	return system(command) == 0;
}

START_TEST(a_planted_key_reaches_the_service_and_nothing_else)
{
	char port[32], url[80], planted[400];
	struct cairn_error left = {""};
	char summary[8192];
	int number = free_port(), gateway = 0;
	snprintf(port, sizeof(port), "pilot.port=%d", number);
	snprintf(url, sizeof(url), "vlm.base_url=http://127.0.0.1:%d/v1", number);
	const char *args[] = {"--for", "60s", "--set", "vlm.provider=openai", "--set", url, "--set", port,
	    "--set", "vlm.fallbacks=pilot", "--set", "vlm.record=rec", "--set", "log.level=debug", NULL};
	setenv("OPENAI_API_KEY", KEY, 1);
	setenv("ANTHROPIC_API_KEY", UNUSED, 1);
	struct drill *drill = stack_start(args);
	ck_assert_msg(
	    fixture_wait(drill, deciding, NULL, STACK_UP_S), "no decisions; see %s", fixture_run_dir(drill));
	ck_assert_str_eq(fixture_run(drill)->vlm.provider, "openai");
	ck_assert_uint_eq(fixture_run(drill)->vlm.failures, 0);
	ck_assert_int_ge(look_at_processes(fixture_run_dir(drill), &gateway), 8);
	ck_assert_int_gt(gateway, 0);
	ck_assert_int_eq(kill(gateway, SIGABRT), 0); /* would dump core if it could; it is reborn */
	fixture_end(drill, SIGINT, STACK_PATIENCE_S, summary, sizeof(summary));
	ck_assert_msg(strstr(summary, KEY) == NULL, "%s", summary);
	snprintf(planted, sizeof(planted), "%s/rec", fixture_run_dir(drill));
	ck_assert_int_eq(access(planted, R_OK), 0);
	ck_assert_msg(
	    !found_below(fixture_run_dir(drill)), "the key is somewhere in %s", fixture_run_dir(drill));
	/* The search finds what is there. */
	snprintf(planted, sizeof(planted), "%s/planted", fixture_run_dir(drill));
	FILE *out = fopen(planted, "w");
	fputs(KEY "\n", out);
	fclose(out);
	ck_assert(found_below(fixture_run_dir(drill)));
	unlink(planted);
	ck_assert_msg(fixture_leftovers(drill, &left) == 0, "%s", left.text);
	fixture_destroy(&drill, false);
}
END_TEST

CAIRN_TEST_MAIN("keys", a_planted_key_reaches_the_service_and_nothing_else)
