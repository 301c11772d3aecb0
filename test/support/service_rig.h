/* service_rig.h - the gateway's way to a service, whole: dialog, HTTP client and event loop against conforming servers
 * (service_server.h) over real sockets and TLS, with certificates made for the occasion. */
#ifndef CAIRN_TEST_SUPPORT_SERVICE_RIG_H
#define CAIRN_TEST_SUPPORT_SERVICE_RIG_H

#include "test/support/runner.h"

#include <getopt.h>
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

static inline void read_text(const char *name, char *dst, size_t cap)
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
static inline bool make_certificates(void)
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

static inline void on_done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	(void)ctx;
	if (calls < 16)
		statuses[calls] = outcome->status;
	calls++;
	cairn_dialog_ended(dialog, cairn_now_ns(), outcome);
	decided = decided || cairn_dialog_take_decision(dialog, &decision);
}

static inline void give_snapshot(void)
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

static inline int on_turn(void *ctx)
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

static inline void add_provider(enum service_format format, const char *scheme, int port)
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
static inline bool begin(void)
{
	char path[128];
	snprintf(run_dir, sizeof(run_dir), "/tmp/cairn-service-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(run_dir));
	snprintf(path, sizeof(path), "%s/bus", run_dir);
	mkdir(path, 0700);
	setenv("CAIRN_TEST_KEY", KEY, 1);
	return make_certificates();
}

static inline void open_service(const char *settings)
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

static inline void ask(int most_calls)
{
	decided = false;
	calls = 0;
	calls_max = most_calls;
	cairn_stage_run(stage);
}

static inline const char *last_error(void)
{
	static struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, cairn_now_ns(), &stats);
	return stats.last_error;
}

static inline void close_service(void)
{
	service_destroy(&service);
	cairn_dialog_destroy(&dialog);
	cairn_stage_finish(&stage, 0);
}

static inline void end(void)
{
	char command[128];
	close_service();
	service_server_destroy(&server);
	snprintf(command, sizeof(command), "rm -r %s", run_dir);
	ck_assert_int_eq(system(command), 0);
}

static inline void tls_settings(char *dst, size_t cap, const char *ca)
{
	snprintf(dst, cap, "  ca_file: %s/%s\n", run_dir, ca);
}

#endif
