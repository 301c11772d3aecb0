/* cmd_dry.c - `cairn ask`: the request as it would be sent (--dry-run), made by the same code that sends it; or sent once
 * (--yes), and what the model decides. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/rules/config_check.h"
#include "common/vlm/dialog.h"
#include "common/vlm/exchange.h"
#include "common/vlm/sync_client.h"
#include "common/vlm/prompt.h"
#include "procs/cairn/commands.h"
#include "procs/cairn/frame_reader.h"
#include "procs/gateway/model_call.h"
#include "procs/cli/rundir.h"

#define TIMEOUT_S 5.0
#define SNAPSHOT_BYTES_MAX (8u << 20)
#define WAIT_NS (2 * CAIRN_NS_PER_S)
#define LISTEN_NS (1500 * CAIRN_NS_PER_MS) /* frontiers and candidates come twice a second */
#define LISTEN_POLL_MS 50
#define STEP_NS (100 * CAIRN_NS_PER_MS)
#define T0_NS (100 * CAIRN_NS_PER_S) /* the dialog's time here: any will do */

static bool read_all(struct cairn_text *out, const char *path, struct cairn_error *err)
{
	size_t bytes = 0;
	char *data = cairn_file_read(path, 0, SNAPSHOT_BYTES_MAX, &bytes, err);
	if (data == NULL)
		return false;
	cairn_text_bytes(out, data, bytes);
	free(data);
	if (out->failed)
		cairn_error_set(err, "%s: out of memory", path);
	return !out->failed;
}

static int read_newest(const struct cli *cli, struct cairn_text *payload)
{
	int status = cli_need_stack(cli);
	if (status != CLI_OK) {
		fprintf(stderr,
		    "cairn ask: without a stack: --snapshot FILE, which 'cairn look --save FILE' keeps\n");
		return status;
	}
	return cli_read_frame(cli, CAIRN_FRAME_SNAPSHOT, TIMEOUT_S, SNAPSHOT_BYTES_MAX, payload);
}

static bool merge(const struct cli *cli, struct cairn_config *cfg, struct cairn_error *err)
{
	char share[4096];
	struct cairn_config_layers layers = cli_layers(cli);
	layers.share_dir = share;
	if (!cairn_share_dir(share, sizeof(share), err) || !cairn_config_merge(cfg, &layers, err) ||
	    !cairn_config_check(cfg, err) || !cairn_share_find_model(&cfg->vlm, err))
		return false;
	if (cli_value(cli, "provider") != NULL)
		snprintf(cfg->vlm.provider, sizeof(cfg->vlm.provider), "%s", cli_value(cli, "provider"));
	return true;
}

/* What a question is made of: the snapshot, and of a running stack what its stages say now. */
enum { MISSION, FRONTIERS, CANDIDATES, TOPICS };
struct known {
	struct cairn_text snapshot;
	struct cairn_msg_mission mission;
	struct cairn_msg_frontiers frontiers;
	struct cairn_msg_candidates candidates;
	bool heard[TOPICS];
	struct cairn_memory memory;
};

/* Takes a word of each, as long as they may take; who is away is left out. */
static void hear_stack(const struct cli *cli, struct known *k)
{
	static const enum cairn_topic wanted[TOPICS] = {
	    CAIRN_TOPIC_MISSION, CAIRN_TOPIC_FRONTIERS, CAIRN_TOPIC_CANDIDATES};
	void *const places[TOPICS] = {&k->mission, &k->frontiers, &k->candidates};
	zmq_pollitem_t items[TOPICS];
	struct cairn_sub *subs[TOPICS] = {NULL};
	struct cairn_error err = {""};
	struct cairn_ledger ledger;
	char path[CLI_RUN_DIR_MAX + 32];
	struct cairn_bus *bus = cairn_bus_new(cli->run_dir, &err);
	int count = 0, heard = 0;
	for (int i = 0; bus != NULL && i < TOPICS; i++)
		if (cli_bus_bound(cli->run_dir, cairn_topics[wanted[i]].name))
			subs[i] = cairn_sub_new(bus, wanted[i], NULL, &err);
	for (int i = 0; i < TOPICS; i++)
		if (subs[i] != NULL)
			items[count++] =
			    (zmq_pollitem_t){.socket = cairn_sub_socket(subs[i]), .events = ZMQ_POLLIN};
	for (int64_t end_ns = cli_now_ns() + LISTEN_NS; heard < count && cli_now_ns() < end_ns;) {
		(void)zmq_poll(items, count, LISTEN_POLL_MS);
		for (int i = 0; i < TOPICS; i++) {
			if (subs[i] == NULL || cairn_sub_recv(subs[i], places[i], NULL) != 1)
				continue;
			heard += !k->heard[i];
			k->heard[i] = true;
		}
	}
	cairn_bus_destroy(&bus);
	snprintf(path, sizeof(path), "%s/state/memory.yaml", cli->run_dir);
	(void)cairn_memory_load(&k->memory, &ledger, path, &err); /* damaged: empty, as after a restart */
}

/* All of it, told at t_ns; the mission wants a decision in any case. */
static bool feed(struct cairn_dialog *dialog, const struct known *k, int64_t t_ns, struct cairn_error *err)
{
	struct cairn_msg_mission mission = k->mission;
	struct cairn_header hdr = {.t_ns = t_ns, .epoch = 1, .valid = true};
	if (!k->heard[MISSION])
		mission.state = CAIRN_MISSION_STATE_EXPLORING;
	mission.wants_decision = true;
	*cairn_dialog_memory(dialog) = k->memory;
	cairn_dialog_mission(dialog, &mission, &hdr);
	if (k->heard[FRONTIERS])
		cairn_dialog_frontiers(dialog, &k->frontiers, t_ns);
	if (k->heard[CANDIDATES])
		cairn_dialog_candidates(dialog, &k->candidates, t_ns);
	return cairn_dialog_snapshot(dialog, k->snapshot.data, k->snapshot.len, t_ns, err);
}

/* The first body that is sent: some time on, when nobody waits for frontiers any more. */
static bool make_body(struct cairn_dialog *dialog, const struct known *known, const char **ret_body,
    size_t *ret_bytes, struct cairn_error *err)
{
	for (int64_t t_ns = T0_NS; t_ns < T0_NS + WAIT_NS; t_ns += STEP_NS) {
		if (!feed(dialog, known, t_ns, err))
			return false;
		if (cairn_dialog_poll(dialog, t_ns, ret_body, ret_bytes) == CAIRN_DIALOG_SEND)
			return true;
	}
	cairn_error_set(err, "nothing would be asked: %s", cairn_dialog_note(dialog, T0_NS));
	return false;
}

static void print_head(const struct cairn_profile *profile, size_t bytes)
{
	const struct cairn_provider *format = cairn_provider_find(profile->format);
	char url[CAIRN_CONFIG_TEXT_CAP * 2] = "";
	cairn_provider_url(url, sizeof(url), profile, format->path, 0);
	const char *host = strstr(url, "://") + 3, *path = strchr(host, '/');
	printf("POST %s HTTP/1.1\nHost: %.*s\nUser-Agent: cairn/" CAIRN_VERSION "\n",
	    path != NULL ? path : "/", (int)(path != NULL ? path - host : (long)strlen(host)), host);
	for (int i = 0; cairn_provider_common_headers[i] != NULL; i++)
		printf("%s\n", cairn_provider_common_headers[i]);
	for (int i = 0; i < CAIRN_PROVIDER_HEADERS_MAX && format->headers[i] != NULL; i++)
		printf("%s\n", format->headers[i]);
	if (profile->api_key_env[0] != '\0')
		printf("%s***\n", format->key_header);
	printf("Content-Length: %zu\n\n", bytes);
}

static int print_request(const struct cli *cli, const struct cairn_lineup *lineup,
    struct cairn_dialog *dialog, const struct known *known)
{
	struct cairn_text stripped = {0};
	struct cairn_error err = {""};
	const char *body = NULL;
	size_t bytes = 0;
	if (!make_body(dialog, known, &body, &bytes, &err))
		return cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (cli_value(cli, "body") == NULL)
		print_head(&lineup->rows[0], bytes);
	if (cli_value(cli, "strip-images") != NULL) {
		cairn_exchange_strip(&stripped, body, bytes);
		printf("%s\n", stripped.data != NULL ? stripped.data : "");
	} else {
		printf("%.*s\n", (int)bytes, body);
	}
	cairn_text_free(&stripped);
	return CLI_OK;
}

/* ---- for real ---- */

static void print_answer(const struct cli *cli, const struct cairn_msg_decision *decision,
    const struct cairn_msg_vlm_stats *stats, double took_s)
{
	char words[160], reasoning[sizeof(decision->reasoning)];
	cairn_decision_words(decision, words, sizeof(words));
	snprintf(reasoning, sizeof(reasoning), "%s", decision->reasoning);
	if (cli->json) {
		const char *const texts[][2] = {
		    {"tool", cairn_enum_text(&cairn_enum_tool, (int)decision->tool)}, {"decision", words},
		    {"reasoning", reasoning}, {"provider", stats->provider}, {"model", stats->model}};
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
			printf("%s\"%s\":", i == 0 ? "{" : ",", texts[i][0]);
			cli_print_json_string(stdout, texts[i][1]);
		}
		printf(",\"calls\":%llu,\"latency_s\":%.3f,\"tokens_in\":%llu,\"tokens_out\":%llu,\"cost_"
		       "usd\":%.6f}\n",
		    (unsigned long long)stats->calls, took_s, (unsigned long long)stats->tokens_in,
		    (unsigned long long)stats->tokens_out, stats->cost_usd);
		return;
	}
	printf("decision  %s\n", cli_printable(words));
	if (reasoning[0] != '\0')
		printf("says      %s\n", cli_printable(reasoning));
	printf("model     %s %s, %.2f s, %llu calls, %llu tokens in, %llu out, %.4f USD\n", stats->provider,
	    stats->model, took_s, (unsigned long long)stats->calls, (unsigned long long)stats->tokens_in,
	    (unsigned long long)stats->tokens_out, stats->cost_usd);
}

static int ask_once(const struct cli *cli, const struct cairn_config *cfg, const struct cairn_lineup *lineup,
    struct cairn_dialog *dialog, const struct known *known)
{
	struct cairn_error err = {""};
	struct cairn_msg_decision decision;
	struct cairn_msg_vlm_stats stats = {.calls = 0};
	bool ok = false;
	cli_catch_signals();
	struct model_call *call = model_call_new(cfg, lineup, cli_interrupted, &err);
	if (call == NULL)
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	for (int64_t t_ns = T0_NS; stats.calls == 0 && t_ns < T0_NS + WAIT_NS; t_ns += STEP_NS) {
		if (!feed(dialog, known, t_ns, &err))
			break;
		ok = cairn_dialog_sync(dialog, t_ns, model_call_send, call, &decision, &err);
		cairn_dialog_stats(dialog, t_ns, &stats);
	}
	double took_s = model_call_took_s(call);
	model_call_destroy(&call);
	if (ok && stats.failures > 0) { /* the dialog makes a stop of the first answer that is of no use */
		ok = false;
		cairn_error_set(&err, "%s", stats.last_error);
	}
	if (!ok)
		return cli_fail(cli, CLI_FAILED, "%s: no usable answer: %s", lineup->rows[0].name, err.text);
	print_answer(cli, &decision, &stats, took_s);
	return CLI_OK;
}

static int ask(const struct cli *cli, const struct cairn_config *cfg, const struct known *known)
{
	struct cairn_text system = {0};
	struct cairn_lineup lineup;
	struct cairn_dialog *dialog = NULL;
	struct cairn_error err = {""};
	int status = CLI_FAILED;
	bool ok = cairn_lineup_load(&lineup, &cfg->vlm, &err) && cairn_prompt_load(cfg, &system, &err);
	cairn_lineup_alone(&lineup); /* who is asked is the one that was named, and no other in its place */
	if (ok)
		dialog = cairn_dialog_new(&cfg->vlm, cfg->safety.decision_max_age_s, system.data, &err);
	if (dialog == NULL || !cairn_dialog_use(dialog, &lineup, &err))
		status = cli_fail(cli, CLI_FAILED, "%s", err.text);
	else if (cli_value(cli, "yes") != NULL)
		status = ask_once(cli, cfg, &lineup, dialog, known);
	else
		status = print_request(cli, &lineup, dialog, known);
	cairn_dialog_destroy(&dialog);
	cairn_text_free(&system);
	return status;
}

int cli_dry(const struct cli *cli)
{
	struct cairn_config cfg;
	struct cairn_error err = {""};
	const char *path = cli_value(cli, "snapshot");
	if ((cli_value(cli, "dry-run") != NULL) == (cli_value(cli, "yes") != NULL))
		return cli_fail(cli, CLI_USAGE,
		    "give --dry-run to see the request, or --yes to send it once (a paid provider charges "
		    "for it)");
	if (!merge(cli, &cfg, &err))
		return cli_fail(cli, CLI_USAGE, "%s", err.text);
	struct known *known = calloc(1, sizeof(*known));
	if (known == NULL)
		return cli_fail(cli, CLI_FAILED, "out of memory");
	cairn_memory_init(&known->memory);
	int status = CLI_OK;
	if (path == NULL)
		status = read_newest(cli, &known->snapshot);
	else if (!read_all(&known->snapshot, path, &err))
		status = cli_fail(cli, CLI_FAILED, "%s", err.text);
	if (status == CLI_OK && path == NULL)
		hear_stack(cli, known);
	if (status == CLI_OK)
		status = ask(cli, &cfg, known);
	cairn_text_free(&known->snapshot);
	free(known);
	return status;
}
