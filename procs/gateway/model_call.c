#include "procs/gateway/model_call.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/base/geom.h"
#include "common/base/secret.h"
#include "common/sim/pilot/pilot_api.h"
#include "procs/gateway/http.h"

#define TRIES 4
#define PAUSE_S 1.0      /* where the service does not say how long */
#define PAUSE_MAX_S 60.0 /* of one that wants more nothing is had in an evaluation */
#define STEP_MS 100

struct model_call {
	const struct cairn_config *cfg;
	const struct cairn_profile *profile;
	bool (*interrupted)(void);
	char url[CAIRN_CONFIG_TEXT_CAP * 2];
	struct http *http; /* NULL: the scripted pilot in this process */
	struct cairn_pilot_api pilot;
	struct cairn_pilot_answer said;
	struct cairn_dialog_outcome outcome;
	struct cairn_text body, error; /* what outcome points to */
	int64_t last_ns;               /* of the newest call */
	double took_s;
};

static void on_done(void *ctx, const struct cairn_dialog_outcome *outcome)
{
	struct model_call *m = ctx;
	cairn_text_clear(&m->body);
	cairn_text_clear(&m->error);
	if (outcome->body != NULL)
		cairn_text_bytes(&m->body, outcome->body, outcome->body_bytes);
	if (outcome->error != NULL)
		cairn_text_add(&m->error, outcome->error);
	m->outcome = *outcome;
	m->outcome.body = m->body.data;
	m->outcome.body_bytes = m->body.len;
	m->outcome.error = m->error.data;
}

/* As in the gateway: no core dump with a key in it, and nobody looks into this process. */
static const char *find_key(const struct cairn_profile *profile, struct cairn_error *err)
{
	if (profile->api_key_env[0] == '\0')
		return "";
	const char *key = getenv(profile->api_key_env);
	if (key == NULL || key[0] == '\0') {
		cairn_error_set(err, "no key for %s: set the environment variable %.100s", profile->name,
		    profile->api_key_env);
		return NULL;
	}
	cairn_secret_guard();
	return key;
}

struct model_call *model_call_new(const struct cairn_config *cfg, const struct cairn_lineup *lineup,
    bool (*interrupted)(void), struct cairn_error *err)
{
	struct model_call *m = calloc(1, sizeof(*m));
	const char *keys[CAIRN_LINEUP_ROWS_MAX] = {NULL};
	bool ok = m != NULL;
	if (!ok) {
		cairn_error_set(err, "out of memory");
		return NULL;
	}
	m->cfg = cfg;
	m->interrupted = interrupted;
	m->profile = &lineup->rows[0];
	m->last_ns = INT64_MIN / 2;
	if (cairn_profile_url_is_pilot(m->profile->base_url)) {
		ok = cairn_pilot_api_init(&m->pilot, &cfg->pilot, err);
	} else {
		const struct cairn_provider *format = cairn_provider_find(m->profile->format);
		struct cairn_lineup one = {.count = 1, .rows = {*m->profile}};
		ok = (keys[0] = find_key(m->profile, err)) != NULL;
		if (ok && !cairn_provider_url(m->url, sizeof(m->url), m->profile, format->path, 0)) {
			cairn_error_set(err, "%s: base_url and model are too long", m->profile->name);
			ok = false;
		}
		m->http = ok ? http_new(NULL, &cfg->vlm, &one, keys, err) : NULL;
		ok = m->http != NULL;
		if (ok)
			http_listen(m->http, on_done, NULL, m);
	}
	if (!ok)
		model_call_destroy(&m);
	return m;
}

void model_call_destroy(struct model_call **call_p)
{
	struct model_call *m = *call_p;
	*call_p = NULL;
	if (m == NULL)
		return;
	if (m->http != NULL)
		http_destroy(&m->http);
	cairn_text_free(&m->said.body);
	cairn_text_free(&m->body);
	cairn_text_free(&m->error);
	free(m);
}

double model_call_took_s(const struct model_call *m)
{
	return m->took_s;
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * CAIRN_NS_PER_S + t.tv_nsec;
}

static bool interrupted(const struct model_call *m)
{
	return m->interrupted != NULL && m->interrupted();
}

/* Waits, unless somebody wants to end. */
static bool rest(const struct model_call *m, double s)
{
	int64_t until_ns = now_ns() + (int64_t)(s * 1e9);
	for (int64_t left_ns; (left_ns = until_ns - now_ns()) > 0 && !interrupted(m);)
		(void)poll(NULL, 0,
		    left_ns < STEP_MS * CAIRN_NS_PER_MS ? (int)(left_ns / CAIRN_NS_PER_MS) + 1 : STEP_MS);
	return !interrupted(m);
}

static void ask_pilot(struct model_call *m, const char *body, size_t bytes)
{
	cairn_pilot_api_answer(&m->pilot, "POST", "/v1/chat/completions", body, bytes,
	    0 /* the same calls, the same answers */, &m->said);
	m->outcome = (struct cairn_dialog_outcome){.status = m->said.drop ? 0 : m->said.status,
	    .body = m->said.body.data,
	    .body_bytes = m->said.body.len,
	    .retry_after_s = -1.0,
	    .error = "the connection was closed"};
	m->took_s = m->said.delay_s;
}

/* The rate that the configuration and the provider allow. */
static bool keep_pace(struct model_call *m)
{
	double per_min =
	    fmin((double)m->cfg->vlm.limit_calls_per_min, (double)m->profile->limit_calls_per_min);
	double since_s = (double)(now_ns() - m->last_ns) * 1e-9;
	bool ok = per_min <= 0.0 || rest(m, fmax(60.0 / per_min - since_s, 0.0));
	m->last_ns = now_ns();
	return ok;
}

bool model_call_send(void *ctx, const struct cairn_profile *profile, const char *body, size_t bytes,
    struct cairn_dialog_outcome *ret, struct cairn_error *err)
{
	(void)profile;
	struct model_call *m = ctx;
	for (int i = 0; i < TRIES; i++) {
		if (interrupted(m) || (m->http != NULL && !keep_pace(m))) {
			cairn_error_set(err, "interrupted");
			return false;
		}
		if (m->http == NULL) {
			ask_pilot(m, body, bytes);
			break;
		}
		if (!http_post(m->http, 0, m->url, body, bytes, err))
			return false;
		http_wait(m->http);
		m->took_s = http_total_s(m->http);
		bool busy = m->outcome.status == 429 || m->outcome.status == 503 || m->outcome.status == 529;
		double pause_s =
		    m->outcome.retry_after_s >= 0.0 ? m->outcome.retry_after_s : PAUSE_S * (1 << i);
		if (!busy || pause_s > PAUSE_MAX_S || i + 1 == TRIES || !rest(m, pause_s))
			break;
	}
	*ret = m->outcome;
	return true;
}
