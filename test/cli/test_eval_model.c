/* `cairn eval explore --provider` against a service on this machine that keeps to what its maker documents: it is asked,
 * it is paid for, and not beyond what may be spent. */
#include <jansson.h>
#include <sys/wait.h>

#include "test/support/runner.h"
#include "test/support/service_server.h"

#define KEY "sk-planted-5b1e77"

#define PILOT "--provider pilot --mode hybrid --set vlm.providers=config/providers.yaml"

static char dir[64], out[1 << 20];
static struct service_server *server;

static void begin(void)
{
	char path[128];
	snprintf(dir, sizeof(dir), "/tmp/cairn-model-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	ck_assert_ptr_nonnull(server);
	snprintf(path, sizeof(path), "%s/providers.yaml", dir);
	FILE *f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fprintf(f,
	    "providers:\n  - name: house\n    format: anthropic\n    base_url: http://127.0.0.1:%d/v1\n    "
	    "model: M\n"
	    "    api_key_env: CAIRN_TEST_MODEL_KEY\n    price_in_usd_per_mtok: 3.0\n    "
	    "price_out_usd_per_mtok: 15.0\n"
	    "    price_cached_usd_per_mtok: 0.3\n    price_cache_write_usd_per_mtok: 3.75\n",
	    service_server_port(server));
	ck_assert_int_eq(fclose(f), 0);
}

static void end(void)
{
	char command[128];
	service_server_destroy(&server);
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	ck_assert_int_eq(system(command), 0);
}

/* Both streams; the exit status. */
static int explore(const char *key, const char *options)
{
	char command[1024];
	snprintf(command, sizeof(command),
	    "CAIRN_TEST_MODEL_KEY='%s' '%s' eval explore %s --set vlm.providers=%s/providers.yaml --set "
	    "vlm.limit_calls_per_min=6000 --set vlm.connect_timeout_s=8 --worlds "
	    "'%s/config/worlds/studio.yaml' --poses truth --for 20s --json %s 2>&1",
	    key, CAIRN_PROGRAM, strstr(options, "--provider") == NULL ? "--provider house" : "", dir,
	    CAIRN_SOURCE_ROOT, options);
	FILE *pipe = popen(command, "r");
	ck_assert_ptr_nonnull(pipe);
	size_t n = fread(out, 1, sizeof(out) - 1, pipe);
	out[n] = '\0';
	return WEXITSTATUS(pclose(pipe));
}

static double figure(const json_t *root, size_t trial, const char *name)
{
	return json_number_value(
	    json_object_get(json_array_get(json_object_get(root, "trials"), trial), name));
}

START_TEST(a_service_is_asked_with_pictures_and_its_cost_is_counted)
{
	begin();
	(void)explore(KEY, "--mode vlm --mode shadow");
	json_t *root = json_loads(out, 0, NULL);
	ck_assert_msg(root != NULL, "%s", out);
	int requests = service_server_requests(server);
	ck_assert_int_ge(requests, 6);
	ck_assert_int_eq(service_server_refused(server), 0);
	ck_assert_int_ge(service_server_pictures(server), 1);
	ck_assert_int_ge(service_server_followups(server), 2);
	ck_assert_double_eq(figure(root, 0, "calls") + figure(root, 1, "calls"), (double)requests);
	/* 4500 tokens and what is written to or read from its cache come in with each call, 40 go out. */
	double most = requests * (4500 * 3.0 + 2000 * 3.75 + 40 * 15.0) * 1e-6;
	double usd = figure(root, 0, "usd") + figure(root, 1, "usd");
	ck_assert_double_gt(usd, most / 8.0);
	ck_assert_double_le(usd, most + 1e-9);
	ck_assert_ptr_null(strstr(out, KEY));
	json_decref(root);
	end();
}
END_TEST

START_TEST(a_key_that_each_trial_sets_itself_is_refused_with_the_option_that_is_meant)
{
	static const char *const pairs[][2] = {{"sim.seed=7", "--seed"}, {"mission.order=nearest", "--mode"},
	    {"mission.limit_s=5", "--for"}, {"vlm.provider=openai", "--provider"},
	    {"pilot.profile=unsafe", "--pilot"}};
	begin();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char options[96], by[64];
		snprintf(options, sizeof(options), "--mode vlm --set %s", pairs[i][0]);
		snprintf(by, sizeof(by), "decided by %s", pairs[i][1]);
		ck_assert_int_eq(explore(KEY, options), 2);
		ck_assert_msg(strstr(out, by) != NULL, "%s", out);
	}
	ck_assert_int_eq(service_server_requests(server), 0);
	end();
}
END_TEST

START_TEST(no_more_is_asked_than_may_be_spent)
{
	begin();
	ck_assert_int_ne(explore(KEY, "--mode vlm --usd 0.1"), 0);
	ck_assert_msg(strstr(out, "not asked any more") != NULL, "%s", out);
	ck_assert_int_ge(service_server_requests(server), 1);
	ck_assert_double_le(service_server_requests(server) * (4500 * 3.0 + 40 * 15.0) * 1e-6, 0.1);
	end();
}
END_TEST

/* Of what was printed on both streams; the page of figures is the last. */
static json_t *figures(void)
{
	const char *at = strchr(out, '{');
	json_t *root = at != NULL ? json_loads(at, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
	ck_assert_msg(root != NULL, "%s", out);
	return root;
}

static double spent_usd(void)
{
	json_t *root = figures();
	double usd = json_number_value(json_object_get(root, "spent_usd"));
	json_decref(root);
	return usd;
}

START_TEST(what_a_trial_that_was_cut_short_has_spent_is_not_spent_once_more)
{
	char options[200];
	begin();
	snprintf(options, sizeof(options), "--mode vlm --jobs 1 --usd 0.02 --report %s/report", dir);
	ck_assert_int_ne(explore(KEY, options), 0);
	int requests = service_server_requests(server);
	ck_assert_int_ge(requests, 1);
	double usd = spent_usd();
	ck_assert_double_gt(usd, 0.0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_ne(explore(KEY, options), 0);
		ck_assert_msg(strstr(out, "USD were spent before") != NULL, "%s", out);
		ck_assert_msg(strstr(out, "not asked any more: nothing is left") != NULL, "%s", out);
		ck_assert_msg(strstr(out, "with more --usd goes on from here") != NULL, "%s", out);
		ck_assert_int_eq(service_server_requests(server), requests);
		ck_assert_double_eq_tol(spent_usd(), usd, 1e-9);
	}
	end();
}
END_TEST

START_TEST(a_service_that_refuses_is_told_in_its_own_words_with_what_was_finished)
{
	begin();
	ck_assert_int_ne(explore("sk-of-somebody-else", "--mode frontier --mode vlm --jobs 1"), 0);
	ck_assert_msg(strstr(out, "not asked any more: HTTP 401") != NULL, "%s", out);
	ck_assert_msg(strstr(out, "USD") == NULL, "%s", out);
	ck_assert_msg(strstr(out, "worker has failed") == NULL, "%s", out);
	json_t *root = figures(), *trials = json_object_get(root, "trials");
	ck_assert_uint_eq(json_array_size(trials), 1);
	ck_assert_double_gt(figure(root, 0, "seen_percent"), 30.0);
	ck_assert(json_is_true(json_object_get(root, "interrupted")));
	ck_assert(json_is_false(json_object_get(root, "passed")));
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(root, "stopped")), "HTTP 401"));
	json_decref(root);
	end();
}
END_TEST

static bool has_fault(const json_t *root, const char *kind)
{
	size_t i;
	json_t *fault;
	json_array_foreach(json_object_get(root, "faults"), i, fault)
	{
		if (strcmp(json_string_value(json_object_get(fault, "kind")), kind) == 0)
			return true;
	}
	return false;
}

START_TEST(a_service_that_never_answers_does_not_pass_for_the_exploration_that_drove_instead)
{
	begin();
	(void)explore(KEY, "--mode hybrid");
	json_t *root = figures();
	ck_assert_double_eq(figure(root, 0, "failures"), 0.0);
	ck_assert_double_ge(figure(root, 0, "decisions"), 1.0);
	ck_assert(!has_fault(root, "model_silent"));
	json_decref(root);
	service_server_fail(server, 500);
	ck_assert_int_ne(explore(KEY, "--mode hybrid"), 0);
	root = figures();
	ck_assert_double_ge(figure(root, 0, "calls"), 1.0);
	ck_assert_double_eq(figure(root, 0, "failures"), figure(root, 0, "calls"));
	ck_assert_double_eq(figure(root, 0, "decisions"), 0.0);
	ck_assert(has_fault(root, "model_silent"));
	json_decref(root);
	end();
}
END_TEST

START_TEST(a_missing_key_and_an_unknown_provider_are_named_before_anything_runs)
{
	begin();
	ck_assert_int_ne(explore("", "--mode vlm"), 0);
	ck_assert_msg(strstr(out, "CAIRN_TEST_MODEL_KEY") != NULL, "%s", out);
	ck_assert_int_ne(explore(KEY, "--mode vlm --provider moon"), 0);
	ck_assert_msg(strstr(out, "moon") != NULL, "%s", out);
	ck_assert_int_eq(service_server_requests(server), 0);
	end();
}
END_TEST

START_TEST(the_pilot_answers_through_the_whole_prompt_and_twice_the_same)
{
	begin();
	(void)explore("", PILOT);
	json_t *root = json_loads(out, 0, NULL);
	ck_assert_msg(root != NULL, "%s", out);
	ck_assert_double_gt(figure(root, 0, "tokens"), 5000.0);
	ck_assert_double_gt(figure(root, 0, "usd"), 0.0);
	ck_assert_double_gt(figure(root, 0, "seen_percent"), 80.0);
	json_decref(root);
	char *first = strdup(out);
	(void)explore("", PILOT);
	ck_assert_str_eq(first, out);
	free(first);
	end();
}
END_TEST

CAIRN_TEST_MAIN_TIMEOUT("eval-model", 110.0, a_service_is_asked_with_pictures_and_its_cost_is_counted,
    a_key_that_each_trial_sets_itself_is_refused_with_the_option_that_is_meant,
    no_more_is_asked_than_may_be_spent, what_a_trial_that_was_cut_short_has_spent_is_not_spent_once_more,
    a_service_that_refuses_is_told_in_its_own_words_with_what_was_finished,
    a_service_that_never_answers_does_not_pass_for_the_exploration_that_drove_instead,
    a_missing_key_and_an_unknown_provider_are_named_before_anything_runs,
    the_pilot_answers_through_the_whole_prompt_and_twice_the_same)
