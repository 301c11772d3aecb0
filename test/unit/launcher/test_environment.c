/* Under test: procs/launcher/environment.c. */
#include "procs/launcher/environment.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include "common/base/secret.h"
#include "procs/launcher/secrets.h"
#include "test/support/runner.h"

static const char *program; /* this one */
static const char *const keys[] = {"OPENAI_API_KEY", NULL};

static bool has(char *const *env, const char *variable)
{
	for (; *env != NULL; env++) {
		if (strcmp(*env, variable) == 0)
			return true;
	}
	return false;
}

START_TEST(a_stage_is_given_what_is_on_its_list_and_nothing_else)
{
	char *env[] = {(char *)"PATH=/bin", (char *)"LC_ALL=C", (char *)"OPENAI_API_KEY=sk-1",
	    (char *)"ANTHROPIC_API_KEY=sk-2", (char *)"https_proxy=http://me:pw@proxy",
	    (char *)"AWS_SECRET=x", (char *)"CAIRN_KEY=/home/anna.key", (char *)"PATHX=y",
	    (char *)"LD_PRELOAD=", (char *)"=odd", NULL};
	char *got[CAIRN_ENVIRONMENT_MAX + 1];
	ck_assert_uint_eq(cairn_environment_for("motor", env, NULL, got), 3);
	ck_assert(has(got, "PATH=/bin") && has(got, "LC_ALL=C") && has(got, "LD_PRELOAD="));
	ck_assert_uint_eq(cairn_environment_for("remote", env, NULL, got), 3);
	ck_assert_uint_eq(cairn_environment_for("gateway", env, keys, got), 5);
	ck_assert(has(got, "OPENAI_API_KEY=sk-1") && has(got, "https_proxy=http://me:pw@proxy"));
	ck_assert_ptr_null(got[5]);
	ck_assert_uint_eq(cairn_environment_for("gateway", NULL, keys, got), 0);
	/* whoever asks a service on the network finds the way to it */
	ck_assert(cairn_environment_allows("agent", "https_proxy=p", NULL));
	ck_assert(cairn_environment_allows("listen", "https_proxy=p", NULL));
	ck_assert(!cairn_environment_allows("gate", "https_proxy=p", NULL));
	ck_assert(!cairn_environment_allows("way", "https_proxy=p", NULL));
}
END_TEST

static bool gives(const struct cairn_secrets *s, const char *stage, const char *name)
{
	for (uint32_t i = 0; i < s->count; i++) {
		if (strcmp(s->items[i].stage, stage) == 0 && strcmp(s->items[i].name, name) == 0)
			return true;
	}
	return false;
}

START_TEST(each_stage_is_given_the_keys_that_its_own_configuration_names)
{
	struct cairn_config cfg;
	struct cairn_secrets s;
	const char *names[CAIRN_SECRETS_MAX + 1];
	cairn_config_defaults(&cfg);
	snprintf(cfg.vlm.providers, sizeof(cfg.vlm.providers), CAIRN_SOURCE_ROOT "/config/providers.yaml");
	snprintf(cfg.vlm.provider, sizeof(cfg.vlm.provider), "openai");
	cairn_secrets_of(&cfg, &s);
	ck_assert(gives(&s, "gateway", "OPENAI_API_KEY"));
	ck_assert(!gives(&s, "agent", "OPENAI_API_KEY")); /* it is off */
	cfg.agent.enabled = true;
	cairn_secrets_of(&cfg, &s);
	ck_assert(gives(&s, "agent", "OPENAI_API_KEY"));
	snprintf(cfg.agent.provider, sizeof(cfg.agent.provider), "gemini");
	snprintf(cfg.voice.transcriber_url, sizeof(cfg.voice.transcriber_url), "https://x/v1");
	snprintf(cfg.voice.transcriber_key, sizeof(cfg.voice.transcriber_key), "WHISPER_KEY");
	snprintf(cfg.fleet.user, sizeof(cfg.fleet.user), "robot");
	snprintf(cfg.notify.url_env, sizeof(cfg.notify.url_env), "CHAT");
	snprintf(cfg.notify.auth_env, sizeof(cfg.notify.auth_env), "CHAT_TOKEN");
	cairn_secrets_of(&cfg, &s);
	ck_assert(gives(&s, "agent", "GEMINI_API_KEY") && !gives(&s, "agent", "OPENAI_API_KEY"));
	ck_assert(gives(&s, "gateway", "OPENAI_API_KEY") && !gives(&s, "gateway", "GEMINI_API_KEY"));
	ck_assert(gives(&s, "listen", "WHISPER_KEY") && gives(&s, "fleet", "CAIRN_FLEET_PASSWORD"));
	ck_assert(gives(&s, "notify", "CHAT") && gives(&s, "notify", "CHAT_TOKEN"));
	cairn_secrets_names(&s, names);
	ck_assert_str_eq(names[0], s.items[0].name);
	ck_assert_ptr_null(names[s.count]);
}
END_TEST

/* The environment that a process was started with, as others read it. */
static bool environ_file_has(const char *text)
{
	static char buf[1 << 16];
	FILE *in = fopen("/proc/self/environ", "re");
	size_t n = in != NULL ? fread(buf, 1, sizeof(buf), in) : 0;
	if (in != NULL)
		fclose(in);
	return memmem(buf, n, text, strlen(text)) != NULL;
}

/* Started anew with keys in its environment (main below), since only what a process is born with stands there. */
static int wiped(void)
{
	int before = environ_file_has("sk-of-the-test") && environ_file_has("sk-unused");
	char *taken = cairn_secret_take("OPENAI_API_KEY");
	bool copied = taken != NULL && strcmp(taken, "sk-of-the-test") == 0;
	cairn_secret_free(&taken);
	copied =
	    copied && taken == NULL && cairn_secret_take("OPENAI_API_KEY") == NULL; /* not there any more */
	cairn_environment_wipe_others("gateway", NULL);
	int after = environ_file_has("sk-of-the-test") || environ_file_has("sk-unused") ||
		    getenv("OPENAI_API_KEY") != NULL || getenv("ANTHROPIC_API_KEY") != NULL;
	return before && copied && !after && getenv("PATH") != NULL && environ_file_has("/bin") &&
		       prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0
		   ? 0
		   : 1;
}

START_TEST(what_is_wiped_is_not_to_be_seen_from_outside_either)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		char *argv[] = {(char *)"test", (char *)"wiped", NULL};
		setenv("OPENAI_API_KEY", "sk-of-the-test", 1);
		setenv("ANTHROPIC_API_KEY", "sk-unused", 1);
		setenv("PATH", "/bin", 1);
		execv(program, argv);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", (unsigned)status);
}
END_TEST

int main(int argc, char **argv)
{
	const TTest *const tests[] = {a_stage_is_given_what_is_on_its_list_and_nothing_else,
	    each_stage_is_given_the_keys_that_its_own_configuration_names,
	    what_is_wiped_is_not_to_be_seen_from_outside_either};
	program = argv[0];
	if (argc == 2 && strcmp(argv[1], "wiped") == 0)
		return wiped();
	return cairn_test_run("environment", tests, sizeof(tests) / sizeof(tests[0]), 60.0);
}
