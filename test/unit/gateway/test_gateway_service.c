/* The gateway's way to a service, whole: dialog, HTTP client and event loop against conforming servers over
 * real sockets and TLS, with certificates made for the occasion. */
#include "test/support/runner.h"

#include <dirent.h>
#include <getopt.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "common/base/geom.h"
#include "procs/gateway/service.h"
#include "test/support/service_server.h"

#define KEY "sk-planted-7f3a9c51d2e84b60"
#define TEXT "SENSORS\n0 2.4m CLEAR\nROBOT\n"

static char run_dir[64], cert[8192], cert_key[8192];
static struct cairn_stage *stage;
static struct cairn_lineup lineup;
static struct cairn_dialog *dialog;
static struct service *service;
static struct service_server *server;
static struct cairn_msg_decision decision;
static int calls, calls_max, statuses[16];
static bool decided;
static int64_t call_ns[16];
static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 4, 5, 6, 0xFF, 0xD9};

/* ---- certificates ---- */

static void read_text(const char *name, char *dst, size_t cap)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", run_dir, name);
	FILE *in = fopen(path, "r");
	size_t n = in != NULL ? fread(dst, 1, cap - 1, in) : 0;
	dst[n] = '\0';
	if (in != NULL)
		fclose(in);
}

/* A CA that signs the server's certificate, and another one that has nothing to do with it. */
static bool make_certificates(void)
{
	char command[2048];
	snprintf(command, sizeof(command),
	    "cd %s && exec >/dev/null 2>&1 && N='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes' && "
	    "openssl req -x509 $N -keyout ca.key -out ca.pem -days 2 -subj '/CN=cairn test CA' && "
	    "openssl req -x509 $N -keyout other.key -out other.pem -days 2 -subj '/CN=another CA' && "
	    "openssl req $N -keyout server.key -out server.csr -subj '/CN=localhost' && "
	    "printf 'subjectAltName=IP:127.0.0.1,DNS:localhost' > ext && "
	    "openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext "
	    "-out server.pem",
	    run_dir);
	if (system(command) != 0)
		return false;
	read_text("server.pem", cert, sizeof(cert));
	read_text("server.key", cert_key, sizeof(cert_key));
	return cert[0] != '\0' && cert_key[0] != '\0';
}

/* ---- the gateway's loop ---- */

static void on_done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	(void)ctx;
	if (calls < 16)
		statuses[calls] = outcome->status;
	calls++;
	cairn_dialog_ended(dialog, cairn_now_ns(), outcome);
	decided = decided || cairn_dialog_take_decision(dialog, &decision);
}

static void give_snapshot(void)
{
	static uint64_t id;
	uint8_t payload[1024];
	struct cairn_snapshot_head head = {.snapshot_id = ++id,
	    .image_needed = 1,
	    .trigger = CAIRN_TRIGGER_RESULT,
	    .text_bytes = sizeof(TEXT) - 1,
	    .jpeg_bytes = sizeof(jpeg),
	    .view_bytes = sizeof(jpeg),
	    .version = CAIRN_SNAPSHOT_VERSION};
	memcpy(payload, &head, sizeof(head));
	memcpy(payload + sizeof(head), TEXT, head.text_bytes);
	memcpy(payload + sizeof(head) + head.text_bytes, jpeg, sizeof(jpeg));
	memcpy(payload + sizeof(head) + head.text_bytes + sizeof(jpeg), jpeg, sizeof(jpeg));
	struct cairn_error err = {""};
	ck_assert_msg(cairn_dialog_snapshot(dialog, payload,
			  sizeof(head) + head.text_bytes + 2 * sizeof(jpeg), cairn_now_ns(), &err),
	    "%s", err.text);
}

static const char *goal = ""; /* of the mission */
static bool offers;           /* two candidates, C12 and C14 */

static int on_turn(void *ctx)
{
	(void)ctx;
	struct cairn_msg_mission mission = {.state = CAIRN_MISSION_STATE_EXPLORING, .wants_decision = true};
	struct cairn_msg_candidates candidates = {
	    .items_count = 2, .set = 3, .items = {{.id = 12}, {.id = 14}}};
	snprintf(mission.goal, sizeof(mission.goal), "%s", goal);
	struct cairn_msg_frontiers frontiers = {0};
	int64_t now_ns = cairn_now_ns();
	struct cairn_header hdr = {.t_ns = now_ns, .epoch = 1, .valid = true};
	const char *body;
	size_t bytes;
	if (decided || calls >= calls_max)
		return -1; /* leaves the loop */
	cairn_dialog_mission(dialog, &mission, &hdr);
	cairn_dialog_frontiers(dialog, &frontiers, now_ns);
	if (offers)
		cairn_dialog_candidates(dialog, &candidates, now_ns);
	if (cairn_dialog_wants_snapshot(dialog, now_ns))
		give_snapshot();
	if (cairn_dialog_poll(dialog, now_ns, &body, &bytes) == CAIRN_DIALOG_SEND) {
		if (calls < 16)
			call_ns[calls] = now_ns;
		service_send(service, body, bytes);
	}
	return 0;
}

static void add_provider(enum service_format format, const char *scheme, int port)
{
	struct cairn_profile *p = &lineup.rows[lineup.count++];
	cairn_profile_defaults(p);
	snprintf(p->name, sizeof(p->name), "test-%u", lineup.count);
	p->format = format == SERVICE_ANTHROPIC ? CAIRN_CHOICE_FORMAT_ANTHROPIC : CAIRN_CHOICE_FORMAT_GEMINI;
	snprintf(p->base_url, sizeof(p->base_url), "%s://127.0.0.1:%d/%s", scheme, port,
	    format == SERVICE_ANTHROPIC ? "v1" : "v1beta");
	snprintf(p->model, sizeof(p->model), "M");
	snprintf(p->api_key_env, sizeof(p->api_key_env), "CAIRN_TEST_KEY");
}

/* The run directory and, where the machine can make them, the certificates. */
static bool begin(void)
{
	char path[128];
	snprintf(run_dir, sizeof(run_dir), "/tmp/cairn-service-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(run_dir));
	snprintf(path, sizeof(path), "%s/bus", run_dir);
	mkdir(path, 0700);
	setenv("CAIRN_TEST_KEY", KEY, 1);
	return make_certificates();
}

static void open_service(const char *settings)
{
	char path[128],
	    *argv[] = {(char *)"test", (char *)"--run", run_dir, (char *)"--stage", (char *)"gateway", NULL};
	int why;
	snprintf(path, sizeof(path), "%s/config.yaml", run_dir);
	FILE *out = fopen(path, "w");
	fprintf(out, "log:\n  level: debug\nvlm:\n  timeout_s: 5\n  connect_timeout_s: 2\n%s", settings);
	fclose(out);
	optind = 0; /* a second stage in one process */
	stage = cairn_stage_start("test", "test", 5, argv, &why);
	ck_assert_ptr_nonnull(stage);
	struct cairn_error err = {""};
	const struct cairn_config *cfg = cairn_stage_config(stage);
	static char system[8192];
	memset(system, 'x', sizeof(system) - 1);
	dialog = cairn_dialog_new(&cfg->vlm, cfg->safety.decision_max_age_s, system, &err);
	ck_assert_msg(dialog != NULL && cairn_dialog_use(dialog, &lineup, &err), "%s", err.text);
	service = service_new(stage, &cfg->vlm, &lineup, dialog, on_done, NULL, &err);
	ck_assert_msg(service != NULL, "%s", err.text);
	cairn_stage_every(stage, 5, on_turn, NULL);
}

static void ask(int most_calls)
{
	decided = false;
	calls = 0;
	calls_max = most_calls;
	cairn_stage_run(stage);
}

static const char *last_error(void)
{
	static struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	return stats.last_error;
}

static void close_service(void)
{
	service_destroy(&service);
	cairn_dialog_destroy(&dialog);
	cairn_stage_finish(&stage, 0);
}

static void end(void)
{
	char command[128];
	close_service();
	service_server_destroy(&server);
	snprintf(command, sizeof(command), "rm -r %s", run_dir);
	ck_assert_int_eq(system(command), 0);
}

static void tls_settings(char *dst, size_t cap, const char *ca)
{
	snprintf(dst, cap, "  ca_file: %s/%s\n", run_dir, ca);
}

/* ---- conversations ---- */

static void converse(enum service_format format)
{
	char settings[300];
	struct cairn_msg_vlm_stats stats;
	server = service_server_new(format, cert, cert_key, KEY);
	ck_assert_ptr_nonnull(server);
	add_provider(format, "https", service_server_port(server));
	tls_settings(settings, sizeof(settings), "ca.pem");
	open_service(settings);
	ask(4);
	ck_assert_msg(decided, "%s; %s", last_error(), service_server_last_error(server));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_ROTATE);
	ck_assert_double_eq(decision.angle_deg, 90.0);
	ck_assert_int_eq(service_server_requests(server), 2);
	ck_assert_int_eq(service_server_refused(server), 0);
	ck_assert_int_eq(service_server_followups(server), 1);
	ck_assert_int_eq(service_server_pictures(server), 4); /* two a request */
	ck_assert_int_eq(service_server_cached(server), 1);   /* the follow-up has the same beginning */
	ck_assert_int_eq(service_server_connections(server), 1);
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert_uint_eq(stats.tokens_in, 13000);
	ck_assert_uint_eq(stats.tokens_cached, 2000);
	ck_assert_uint_eq(stats.tokens_out, 80);
	end();
}

START_TEST(anthropic_decides_over_tls_with_pictures_tools_and_a_follow_up)
{
	if (!begin())
		CAIRN_SKIP("openssl cannot make certificates here");
	converse(SERVICE_ANTHROPIC);
}
END_TEST

START_TEST(gemini_decides_over_tls_with_pictures_tools_and_a_follow_up)
{
	if (!begin())
		CAIRN_SKIP("openssl cannot make certificates here");
	converse(SERVICE_GEMINI);
}
END_TEST

START_TEST(a_certificate_of_another_authority_is_refused_and_named)
{
	char settings[300];
	if (!begin())
		CAIRN_SKIP("openssl cannot make certificates here");
	server = service_server_new(SERVICE_ANTHROPIC, cert, cert_key, KEY);
	add_provider(SERVICE_ANTHROPIC, "https", service_server_port(server));
	tls_settings(settings, sizeof(settings), "other.pem");
	open_service(settings);
	ask(1);
	ck_assert(!decided);
	ck_assert_int_eq(statuses[0], 0);
	ck_assert_msg(
	    strstr(last_error(), "certificate is not trusted (vlm.ca_file)") != NULL, "%s", last_error());
	ck_assert_int_eq(service_server_requests(server), 0); /* the key never left */
	end();
}
END_TEST

START_TEST(a_refused_key_is_final_and_the_variable_is_named)
{
	static const enum service_format formats[] = {SERVICE_ANTHROPIC, SERVICE_GEMINI};
	for (int i = 0; i < 2; i++) {
		begin();
		lineup.count = 0;
		server = service_server_new(formats[i], NULL, NULL, "another key");
		add_provider(formats[i], "http", service_server_port(server));
		open_service("");
		ask(1);
		ck_assert_int_eq(statuses[0], formats[i] == SERVICE_ANTHROPIC ? 401 : 400);
		ck_assert_msg(strstr(last_error(), "set the environment variable CAIRN_TEST_KEY") != NULL,
		    "%s", last_error());
		ck_assert(cairn_failover_is_final(cairn_dialog_route(dialog)));
		end();
	}
}
END_TEST

START_TEST(a_rate_limit_is_kept_as_the_service_says_it)
{
	static const enum service_format formats[] = {SERVICE_ANTHROPIC, SERVICE_GEMINI};
	for (int i = 0; i < 2; i++) {
		begin();
		lineup.count = 0;
		server = service_server_new(formats[i], NULL, NULL, KEY);
		service_server_limit(server, 1, 1);
		add_provider(formats[i], "http", service_server_port(server));
		open_service("");
		ask(4);
		ck_assert_msg(decided, "%s", last_error());
		ck_assert_int_eq(statuses[0], 429);
		ck_assert_int_eq(statuses[1], 200);
		ck_assert_int_ge(call_ns[1] - call_ns[0], CAIRN_NS_PER_S);
		end();
	}
}
END_TEST

START_TEST(a_fallback_of_another_format_takes_over)
{
	begin();
	struct service_server *broken = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	service_server_fail(broken, 529);
	server = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(broken));
	add_provider(SERVICE_GEMINI, "http", service_server_port(server));
	open_service("");
	ask(6);
	ck_assert_msg(decided, "%s", last_error());
	ck_assert(statuses[0] == 529 && statuses[1] == 529 && statuses[2] == 200);
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert_str_eq(stats.provider, "test-2");
	ck_assert(stats.fallback_calls == 2 && stats.switches == 1);
	service_server_destroy(&broken);
	end();
}
END_TEST

/* ---- other models for other decisions ---- */

START_TEST(a_hard_decision_goes_to_the_strong_service_and_an_ordinary_one_does_not)
{
	struct cairn_msg_vlm_stats stats;
	begin();
	lineup = (struct cairn_lineup){0};
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	struct service_server *strong = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(server));
	add_provider(SERVICE_GEMINI, "http", service_server_port(strong));
	lineup.count = lineup.strong = 1;
	open_service("");
	ask(4);
	ck_assert_msg(decided, "%s", last_error());
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_MODEL);
	ck_assert_int_eq(service_server_requests(strong), 0);
	close_service();
	setenv("CAIRN_TEST_KEY", KEY, 1); /* the first has wiped it */
	goal = "find the cup";
	open_service("");
	ask(4);
	ck_assert_msg(decided, "%s; %s", last_error(), service_server_last_error(strong));
	goal = "";
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_STRONG_MODEL);
	ck_assert_str_eq(decision.provider, "test-2");
	ck_assert_int_eq(service_server_requests(strong), 2); /* the follow-up goes where the question went */
	ck_assert_int_eq(service_server_requests(server), 2);
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert_uint_eq(stats.strong_calls, 2);
	ck_assert_uint_eq(stats.switches, 0);
	service_server_destroy(&strong);
	end();
}
END_TEST

START_TEST(a_model_on_the_robot_names_a_candidate_when_the_network_is_away)
{
	begin();
	lineup = (struct cairn_lineup){0};
	struct service_server *broken = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	service_server_fail(broken, 529);
	server = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	service_server_see(server, false, "C14, that is where it goes on");
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(broken));
	add_provider(SERVICE_GEMINI, "http", service_server_port(server));
	lineup.count = lineup.local = 1;
	offers = true;
	open_service("  local_after_s: 0.5\n");
	ask(12);
	offers = false;
	ck_assert_msg(decided, "%s; %s", last_error(), service_server_last_error(server));
	ck_assert(statuses[0] == 529 && statuses[1] == 529);
	ck_assert_int_eq(decision.decider, CAIRN_DECIDER_LOCAL_MODEL);
	ck_assert_str_eq(decision.provider, "test-2");
	ck_assert_uint_eq(decision.candidate_id, 14);
	ck_assert_int_eq(service_server_requests(server), 1);
	service_server_destroy(&broken);
	end();
}
END_TEST

/* ---- observe_scene ---- */

/* One service decides, the other describes; its own row behind the line-up. */
static struct service_server *open_two(const char *description)
{
	lineup = (struct cairn_lineup){0};
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	struct service_server *eye = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	service_server_see(server, true, "the decider does not describe");
	service_server_see(eye, false, description);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(server));
	add_provider(SERVICE_GEMINI, "http", service_server_port(eye));
	lineup.count = lineup.observer = 1;
	lineup.rows[0].price_in_usd_per_mtok = lineup.rows[0].price_cached_usd_per_mtok =
	    lineup.rows[0].price_cache_write_usd_per_mtok = 1.0;
	lineup.rows[1].price_in_usd_per_mtok = 10.0;
	lineup.rows[1].image_tokens_high = 1000;
	lineup.rows[0].price_out_usd_per_mtok = lineup.rows[1].price_out_usd_per_mtok = 0.0;
	open_service("");
	return eye;
}

START_TEST(another_service_describes_the_picture_and_the_text_is_kept_in_memory)
{
	begin();
	struct service_server *eye = open_two("A red kettle on the left, 1.2 m; the key is " KEY ".");
	ask(4);
	ck_assert_msg(decided, "%s; %s; %s", last_error(), service_server_last_error(server),
	    service_server_last_error(eye));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_ROTATE);
	ck_assert_int_eq(calls, 3);
	ck_assert_int_eq(service_server_described(server), 0);
	ck_assert_int_eq(service_server_described(eye), 1);
	ck_assert_int_eq(service_server_pictures(eye), 1);
	ck_assert_int_eq(service_server_followups(server), 1);
	ck_assert_int_eq(service_server_refused(server) + service_server_refused(eye), 0);
	const struct cairn_memory *m = cairn_dialog_memory(dialog);
	ck_assert_uint_eq(m->observations_count, 1);
	ck_assert_str_eq(m->observations[0].focus, "objects");
	ck_assert_ptr_nonnull(strstr(m->observations[0].text, "A red kettle on the left, 1.2 m"));
	ck_assert_ptr_null(strstr(m->observations[0].text, KEY)); /* blotted out as in every answer */
	/* 6,500 tokens a question at 1 USD the million, 900 of the description at 10. */
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert_double_eq_tol(stats.cost_usd, 2 * 0.0065 + 0.009, 1e-9);
	ck_assert(stats.calls == 3 && stats.fallback_calls == 0 && stats.switches == 0);
	ck_assert_str_eq(stats.provider, "test-1");
	service_server_destroy(&eye);
	end();
}
END_TEST

START_TEST(a_picture_that_cannot_be_described_costs_no_decision)
{
	begin();
	struct service_server *eye = open_two("unused");
	service_server_fail(eye, 529);
	ask(4);
	ck_assert_msg(decided, "%s; %s", last_error(), service_server_last_error(server));
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_ROTATE);
	ck_assert(statuses[0] == 200 && statuses[1] == 529 && statuses[2] == 200);
	ck_assert_uint_eq(cairn_dialog_memory(dialog)->observations_count, 0);
	struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	ck_assert(stats.failures == 1 && stats.fallback_calls == 0);
	/* Twice in a row: now whoever asks is asked itself. */
	ask(4);
	ck_assert(decided && statuses[1] == 529);
	ask(4);
	ck_assert_msg(decided && statuses[1] == 200, "%s", last_error());
	ck_assert_int_eq(service_server_described(server), 1);
	ck_assert_str_eq(cairn_dialog_memory(dialog)->observations[0].text, "the decider does not describe");
	service_server_destroy(&eye);
	end();
}
END_TEST

/* ---- recording, replay, the key ---- */

static bool find_recording(char *path, size_t cap)
{
	char folder[128];
	snprintf(folder, sizeof(folder), "%s/rec", run_dir);
	DIR *dir = opendir(folder);
	bool found = false;
	for (struct dirent *e = dir != NULL ? readdir(dir) : NULL; e != NULL; e = readdir(dir)) {
		if (strncmp(e->d_name, "exchanges-", 10) != 0)
			continue;
		snprintf(path, cap, "%s/%s", folder, e->d_name);
		found = true;
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

START_TEST(a_recording_gives_the_same_decision_without_any_server)
{
	char settings[600], path[400];
	begin();
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(server));
	snprintf(settings, sizeof(settings), "  record: %s/rec\n", run_dir);
	open_service(settings);
	ask(4);
	ck_assert_msg(decided, "%s", last_error());
	ck_assert(find_recording(path, sizeof(path)));
	close_service();
	service_server_destroy(&server);
	lineup.rows[0].api_key_env[0] = '\0';
	snprintf(settings, sizeof(settings), "  replay: %s\n", path);
	memset(&decision, 0, sizeof(decision));
	open_service(settings);
	ask(4);
	ck_assert_msg(decided, "%s", last_error());
	ck_assert_int_eq(decision.tool, CAIRN_TOOL_ROTATE);
	ck_assert_int_eq(calls, 2);
	ask(1); /* there is no third */
	ck_assert(!decided);
	ck_assert_ptr_nonnull(strstr(last_error(), "has no further answer"));
	end();
}
END_TEST

START_TEST(a_recording_stays_within_its_quota)
{
	char settings[300], path[400];
	struct stat st;
	begin();
	server = service_server_new(SERVICE_ANTHROPIC, NULL, NULL, KEY);
	add_provider(SERVICE_ANTHROPIC, "http", service_server_port(server));
	snprintf(settings, sizeof(settings), "  record: %s/rec\n  record_mb: 0.1\n", run_dir);
	open_service(settings);
	for (int i = 0; i < 6; i++) {
		ask(4);
		ck_assert_msg(decided, "%s", last_error());
		cairn_dialog_result(dialog,
		    &(struct cairn_msg_result){.decision_id = decision.id, .distance_m = 1.0},
		    cairn_now_ns());
	}
	ck_assert(find_recording(path, sizeof(path)) && stat(path, &st) == 0);
	ck_assert_int_gt(st.st_size, 50000);
	ck_assert_int_le(st.st_size, 100000);
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	end();
}
END_TEST

/* True when any file below the run directory, or what the kernel shows of this process, holds the key. */
static bool key_is_somewhere(void)
{
	char command[300];
	snprintf(command, sizeof(command),
	    "grep -rq -e '%s' %s || tr '\\0' ' ' < /proc/%d/cmdline | grep -q -e '%s'", KEY, run_dir,
	    (int)getpid(), KEY);
	return system(command) == 0;
}

START_TEST(the_key_is_in_no_log_recording_error_title_or_dump)
{
	char settings[300], path[400];
	struct rlimit limit;
	begin();
	server = service_server_new(SERVICE_GEMINI, NULL, NULL, KEY);
	add_provider(SERVICE_GEMINI, "http", service_server_port(server));
	snprintf(settings, sizeof(settings), "  record: %s/rec\n", run_dir);
	snprintf(path, sizeof(path), "%s/stderr.log", run_dir);
	ck_assert_ptr_nonnull(freopen(path, "w", stderr)); /* the stage's log */
	open_service(settings);
	ask(4);
	ck_assert(decided);
	service_server_fail(server, 500); /* its message quotes the key */
	ask(1);
	ck_assert_msg(strstr(last_error(), "your key is ****") != NULL, "%s", last_error());
	ck_assert_ptr_null(strstr(last_error(), KEY));
	fflush(stderr);
	ck_assert(find_recording(path, sizeof(path)));
	ck_assert(!key_is_somewhere());
	ck_assert_int_eq(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_CORE, &limit), 0);
	ck_assert_uint_le(limit.rlim_cur, 1);
	/* The search itself finds what is there. */
	snprintf(path, sizeof(path), "%s/planted", run_dir);
	FILE *out = fopen(path, "w");
	fputs("x " KEY " y\n", out);
	fclose(out);
	ck_assert(key_is_somewhere());
	end();
}
END_TEST

/* ---- the servers themselves ---- */

static json_t *load(const char *name)
{
	char path[300];
	snprintf(path, sizeof(path), CAIRN_SOURCE_ROOT "/test/data/vlm/%s", name);
	json_t *value = json_load_file(path, 0, NULL);
	ck_assert_msg(value != NULL, "%s", path);
	return value;
}

START_TEST(the_servers_refuse_what_the_documentation_forbids)
{
	static const struct {
		enum service_format format;
		const char *from, *to;
	} rows[] = {{SERVICE_ANTHROPIC, "", ""}, {SERVICE_GEMINI, "", ""},
	    {SERVICE_ANTHROPIC, "\"max_tokens\":300", "\"max_tokens\":0"},
	    {SERVICE_ANTHROPIC, "\"role\":\"user\"", "\"role\":\"system\""},
	    {SERVICE_ANTHROPIC, "\"input_schema\"", "\"parameters\""},
	    {SERVICE_ANTHROPIC, "\"media_type\":\"image/jpeg\"", "\"media_type\":\"image/bmp\""},
	    {SERVICE_ANTHROPIC, "\"cache_control\"", "\"cache\""},
	    {SERVICE_ANTHROPIC, "\"tool_use_id\":\"call_1\"", "\"tool_use_id\":\"call_2\""},
	    {SERVICE_ANTHROPIC, "\"type\":\"any\"", "\"type\":\"required\""},
	    {SERVICE_GEMINI, "\"OBJECT\"", "\"object\""},
	    {SERVICE_GEMINI, "\"mode\":\"ANY\"", "\"mode\":\"REQUIRED\""},
	    {SERVICE_GEMINI, "\"role\":\"user\"", "\"role\":\"system\""},
	    {SERVICE_GEMINI, "\"inlineData\"", "\"inline_data\""},
	    {SERVICE_GEMINI, "\"maxOutputTokens\"", "\"max_tokens\""},
	    {SERVICE_GEMINI, "\"nullable\":true", "\"additionalProperties\":false"},
	    {SERVICE_GEMINI, "\"response\"", "\"answer\""}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool anthropic = rows[i].format == SERVICE_ANTHROPIC;
		json_t *root = load(anthropic ? "anthropic_followup.json" : "gemini_followup.json");
		json_t *tools = load(anthropic ? "tools_anthropic.json" : "tools_gemini.json");
		json_t *at = anthropic ? root : json_array_get(json_object_get(root, "tools"), 0);
		json_object_set_new(at, anthropic ? "tools" : "functionDeclarations", tools);
		char *text = json_dumps(root, JSON_COMPACT), why[300];
		const char *found = strstr(text, rows[i].from);
		ck_assert_msg(found != NULL, "%s", rows[i].from);
		struct cairn_text changed = {0};
		cairn_text_bytes(&changed, text, (size_t)(found - text));
		cairn_text_add(&changed, rows[i].to);
		cairn_text_add(&changed, found + strlen(rows[i].from));
		bool ok =
		    service_check_body(rows[i].format, changed.data, changed.len, why, sizeof(why)) == NULL;
		ck_assert_msg(ok == (rows[i].from[0] == '\0'), "%s -> %s: %s", rows[i].from, rows[i].to, why);
		cairn_text_free(&changed);
		free(text);
		json_decref(root);
	}
}
END_TEST

CAIRN_TEST_MAIN("gateway service", the_servers_refuse_what_the_documentation_forbids,
    anthropic_decides_over_tls_with_pictures_tools_and_a_follow_up,
    gemini_decides_over_tls_with_pictures_tools_and_a_follow_up,
    a_certificate_of_another_authority_is_refused_and_named, a_refused_key_is_final_and_the_variable_is_named,
    a_rate_limit_is_kept_as_the_service_says_it,
    a_hard_decision_goes_to_the_strong_service_and_an_ordinary_one_does_not,
    a_model_on_the_robot_names_a_candidate_when_the_network_is_away, a_fallback_of_another_format_takes_over,
    another_service_describes_the_picture_and_the_text_is_kept_in_memory,
    a_picture_that_cannot_be_described_costs_no_decision,
    a_recording_gives_the_same_decision_without_any_server, a_recording_stays_within_its_quota,
    the_key_is_in_no_log_recording_error_title_or_dump)
