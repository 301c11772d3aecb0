#include "procs/gateway/service.h"

#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/file.h"
#include "common/base/geom.h"
#include "common/base/secret.h"
#include "common/vlm/exchange.h"
#include "procs/gateway/http.h"
#include "procs/gateway/recorder.h"

/* Services close connections that were idle for a minute or so. */
#define WARM_NS (25 * CAIRN_NS_PER_S)

struct service {
	struct cairn_stage *stage;
	const struct cairn_config_vlm *cfg;
	const struct cairn_lineup *lineup;
	struct cairn_dialog *dialog;
	service_done_fn *done;
	void *ctx;
	struct http *http;
	struct recorder *recorder; /* NULL: nothing is recorded */
	struct cairn_replay *replay;
	struct cairn_replay_answer answer; /* of the replay, being waited for */
	int replay_timer_fd;
	char url[CAIRN_CONFIG_TEXT_CAP * 2];
	const char *body;
	size_t bytes;
	int64_t sent_ns, warmed_ns;
	uint32_t in_use;
	bool waiting; /* for a replay's answer */
	bool probing; /* the GET under way is the probe of a provider that failed */
	bool warmed;  /* once: the first call must not wait for a handshake either */
};

/* ---- where to ask ---- */

/* The scripted pilot's port stands in a file; it may be reborn on another one. */
static bool pilot_port(const struct service *s, int *ret, struct cairn_error *err)
{
	char path[600], text[16] = "";
	int port = 0;
	snprintf(path, sizeof(path), "%s/dev/pilot.port", cairn_stage_run_dir(s->stage));
	bool ok = cairn_file_read_into(path, CAIRN_FILE_OWN, text, sizeof(text), NULL) > 0 &&
		  sscanf(text, "%5d", &port) == 1 && port > 0 && port < 65536;
	if (!ok)
		cairn_error_set(err, "the scripted pilot has not written its port to %s", path);
	*ret = port;
	return ok;
}

static bool find_url(struct service *s, uint32_t index, bool probe, struct cairn_error *err)
{
	const struct cairn_profile *profile = &s->lineup->rows[index];
	const struct cairn_provider *format = cairn_provider_find(profile->format);
	int port = 0;
	if (cairn_profile_url_is_pilot(profile->base_url) && !pilot_port(s, &port, err))
		return false;
	if (cairn_provider_url(
		s->url, sizeof(s->url), profile, probe ? format->probe_path : format->path, port))
		return true;
	cairn_error_set(err, "%s: base_url and model are too long", profile->name);
	return false;
}

/* ---- calls ---- */

/* Who is asked now. Without a dialog there is one alone. */
static uint32_t asked(const struct service *s)
{
	return s->dialog != NULL ? cairn_dialog_provider(s->dialog) : 0;
}

static void ended(struct service *s, const struct cairn_dialog_outcome *outcome)
{
	uint32_t index = asked(s);
	if (s->recorder != NULL) {
		struct cairn_exchange x = {.provider = s->lineup->rows[index].name,
		    .format = cairn_choice_format_words[s->lineup->rows[index].format],
		    .url = s->url,
		    .t_unix_s = (double)time(NULL),
		    .latency_s = (double)(cairn_now_ns() - s->sent_ns) * 1e-9,
		    .request = s->body,
		    .request_bytes = s->bytes,
		    .status = outcome->status,
		    .error = outcome->error,
		    .response = outcome->body,
		    .response_bytes = outcome->body_bytes,
		    .retry_after_s = outcome->retry_after_s};
		recorder_add(s->recorder, &x);
	}
	s->done(s->ctx, outcome);
}

static void on_done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	struct service *s = ctx;
	cairn_log_debug("call: first byte after %.1f ms, done after %.1f ms",
	    http_first_byte_s(s->http) * 1e3, http_total_s(s->http) * 1e3);
	ended(s, outcome);
}

static void on_probed(void *ctx, uint32_t index, int status)
{
	struct service *s = ctx;
	if (s->dialog == NULL)
		return;
	struct cairn_failover *route = cairn_dialog_route(s->dialog);
	/* Any answer but these means that it is there; a server without this page still has the other. */
	bool ok = status != 0 && status < 500 && status != 401 && status != 403 && status != 429;
	cairn_log_debug("the connection to %s is open (HTTP %d)", s->lineup->rows[index].name, status);
	if (!s->probing)
		return; /* it was only to have the connection open: says nothing about calls */
	s->probing = false;
	cairn_log_info("probe of %s: %s (HTTP %d)", s->lineup->rows[index].name,
	    ok ? "it is back" : "still away", status);
	cairn_failover_probe_ended(route, (int)index, ok, cairn_now_ns());
}

static int on_replay_due(void *ctx)
{
	struct service *s = ctx;
	uint64_t expirations;
	if (read(s->replay_timer_fd, &expirations, sizeof(expirations)) <= 0 || !s->waiting)
		return 0;
	s->waiting = false;
	struct cairn_dialog_outcome outcome = {.status = s->answer.status,
	    .body = s->answer.response,
	    .body_bytes = s->answer.response_bytes,
	    .retry_after_s = s->answer.retry_after_s,
	    .error = s->answer.error};
	ended(s, &outcome);
	return 0;
}

static bool replay_send(struct service *s, struct cairn_error *err)
{
	if (!cairn_replay_next(s->replay, s->body, s->bytes, &s->answer)) {
		cairn_error_set(err, "the recording %.200s has no further answer", s->cfg->replay);
		return false;
	}
	int64_t wait_ns = (int64_t)(s->answer.latency_s * 1e9);
	struct itimerspec at = {.it_value = {wait_ns / CAIRN_NS_PER_S, wait_ns % CAIRN_NS_PER_S}};
	if (wait_ns <= 0)
		at.it_value.tv_nsec = 1; /* zero would disarm it */
	timerfd_settime(s->replay_timer_fd, 0, &at, NULL);
	s->waiting = true;
	return true;
}

static void say_who(struct service *s, uint32_t index)
{
	const struct cairn_profile *now = &s->lineup->rows[index];
	if (index == s->in_use && index > 0)
		cairn_log_info("fallback: %s is asked again", now->name);
	if (index == s->in_use)
		return;
	if (index > 0)
		cairn_log_warn(
		    "fallback: asks %s (%s) instead of %s", now->name, now->model, s->lineup->rows[0].name);
	else
		cairn_log_info("asks %s (%s) again", now->name, now->model);
	s->in_use = index;
}

void service_send(struct service *s, const char *body, size_t bytes)
{
	struct cairn_error err = {""};
	uint32_t index = asked(s);
	s->body = body;
	s->bytes = bytes;
	s->sent_ns = cairn_now_ns();
	bool hard = s->dialog != NULL && cairn_dialog_decider(s->dialog) == CAIRN_DECIDER_STRONG_MODEL;
	if (hard && !cairn_dialog_observes(s->dialog))
		cairn_log_info("a hard decision: asks %s (%s)", s->lineup->rows[index].name,
		    s->lineup->rows[index].model);
	else if (s->dialog == NULL || !cairn_dialog_observes(s->dialog))
		say_who(s, index);
	else
		cairn_log_debug("asks %s (%s) to describe the picture", s->lineup->rows[index].name,
		    s->lineup->rows[index].model);
	bool ok =
	    find_url(s, index, false, &err) &&
	    (s->replay != NULL ? replay_send(s, &err) : http_post(s->http, index, s->url, body, bytes, &err));
	if (ok)
		return;
	struct cairn_dialog_outcome outcome = {.retry_after_s = -1.0, .error = err.text};
	s->done(s->ctx, &outcome);
}

struct recorder *service_recorder(struct service *s)
{
	return s->recorder;
}

void service_cancel(struct service *s)
{
	s->waiting = false;
	http_cancel(s->http);
}

void service_tick(struct service *s, bool wanted)
{
	struct cairn_failover *route = cairn_dialog_route(s->dialog);
	int64_t now_ns = cairn_now_ns();
	int due = s->replay == NULL ? cairn_failover_probe_due(route, now_ns) : -1;
	int next = cairn_failover_pick(route, now_ns);
	char keep[sizeof(s->url)];
	bool cold = next >= 0 && s->replay == NULL && (wanted || !s->warmed) &&
		    now_ns - s->warmed_ns >= WARM_NS &&
		    now_ns - http_last_use_ns(s->http, (uint32_t)next) >= WARM_NS;
	if (due < 0 && !cold)
		return;
	uint32_t index = (uint32_t)(due >= 0 ? due : next);
	memcpy(keep, s->url, sizeof(keep)); /* a call may be under way */
	bool sent = find_url(s, index, true, NULL) && http_probe(s->http, index, s->url);
	memcpy(s->url, keep, sizeof(keep));
	if (due < 0 && sent)
		s->warmed_ns = now_ns;
	s->warmed |= sent;
	if (due < 0)
		return;
	s->probing = sent;
	if (sent)
		cairn_failover_probe_sent(route, due, now_ns);
	else
		cairn_failover_probe_ended(route, due, false, now_ns);
}

/* ---- life ---- */

/* The key of the pilot is none, so that a real one never goes to it. */
static char *find_key(struct service *s, uint32_t index, struct cairn_error *err)
{
	const struct cairn_profile *profile = &s->lineup->rows[index];
	if (profile->api_key_env[0] == '\0' || cairn_profile_url_is_pilot(profile->base_url))
		return NULL;
	char *key = getenv(profile->api_key_env);
	if (key == NULL || key[0] == '\0') {
		char why[200];
		snprintf(why, sizeof(why), "no key for %s: set the environment variable %.100s",
		    profile->name, profile->api_key_env);
		if (s->dialog != NULL)
			cairn_dialog_give_up(s->dialog, index, why);
		else
			cairn_error_set(err, "%s", why);
		return NULL;
	}
	cairn_secret_guard();
	if (strncmp(profile->base_url, "http://", 7) == 0 && !cairn_profile_url_is_local(profile->base_url))
		cairn_log_warn(
		    "pictures and key for %s go over the network unencrypted (base_url without https)",
		    profile->name);
	return key;
}

static bool open_all(struct service *s, struct cairn_error *err)
{
	char *keys[CAIRN_LINEUP_ROWS_MAX];
	for (uint32_t i = 0; i < cairn_lineup_rows(s->lineup); i++) {
		uint64_t tokens = s->dialog != NULL ? cairn_dialog_prefix_tokens(s->dialog, i) : UINT64_MAX;
		keys[i] = find_key(s, i, err);
		if (tokens < (uint64_t)s->lineup->rows[i].cache_min_tokens)
			cairn_log_warn("%s caches prompts of %d tokens and more, this one has about %llu: "
				       "every call pays "
				       "in full",
			    s->lineup->rows[i].name, (int)s->lineup->rows[i].cache_min_tokens,
			    (unsigned long long)tokens);
	}
	s->replay_timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	s->http = http_new(s->stage, s->cfg, s->lineup, (const char *const *)keys, err);
	for (uint32_t i = 0; i < cairn_lineup_rows(s->lineup); i++) {
		if (keys[i] != NULL) /* it has its own copy: /proc/PID/environ shows them no more */
			explicit_bzero(keys[i], strlen(keys[i]));
	}
	if (s->http == NULL || s->replay_timer_fd < 0)
		return false;
	http_listen(s->http, on_done, on_probed, s);
	cairn_stage_watch_fd(s->stage, s->replay_timer_fd, POLLIN, on_replay_due, s);
	if (s->cfg->replay[0] != '\0') {
		s->replay = cairn_replay_open(s->cfg->replay, err);
		if (s->replay == NULL)
			return false;
		cairn_log_info("answers come from the recording %s; nobody is asked", s->cfg->replay);
	}
	if (s->cfg->record[0] != '\0') {
		char folder[600];
		bool whole = s->cfg->record[0] == '/';
		snprintf(folder, sizeof(folder), "%s%s%s", whole ? "" : cairn_stage_run_dir(s->stage),
		    whole ? "" : "/", s->cfg->record);
		s->recorder = recorder_new(folder, s->cfg->record_mb * 1e6, err);
		return s->recorder != NULL;
	}
	return true;
}

struct service *service_new(struct cairn_stage *stage, const struct cairn_config_vlm *cfg,
    const struct cairn_lineup *lineup, struct cairn_dialog *dialog, service_done_fn *done, void *ctx,
    struct cairn_error *err)
{
	struct service *s = calloc(1, sizeof(*s));
	if (s == NULL) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	*s = (struct service){.stage = stage,
	    .cfg = cfg,
	    .lineup = lineup,
	    .dialog = dialog,
	    .done = done,
	    .ctx = ctx,
	    .replay_timer_fd = -1,
	    .warmed_ns = INT64_MIN / 2};
	if (!open_all(s, err))
		service_destroy(&s);
	return s;
}

void service_destroy(struct service **service_p)
{
	struct service *s = *service_p;
	*service_p = NULL;
	if (s == NULL)
		return;
	http_destroy(&s->http);
	recorder_destroy(&s->recorder);
	cairn_replay_close(&s->replay);
	if (s->replay_timer_fd >= 0) {
		cairn_stage_unwatch_fd(s->stage, s->replay_timer_fd);
		close(s->replay_timer_fd);
	}
	free(s);
}
