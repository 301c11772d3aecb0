/* eval_replay_ask.c - the questions of a recording put to another model, for money. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/hash.h"
#include "procs/cli/cli.h"
#include "procs/cli/rundir.h"
#include "procs/gateway/model_call.h"
#include "procs/lab/eval_replay.h"
#include "procs/lab/provenance.h"
#include "procs/lab/state_file.h"

#define FAILED_IN_A_ROW 3 /* of a service that answers none of these no more is asked */

static void stop_for_money(struct replay *r)
{
	snprintf(r->stopped, sizeof(r->stopped),
	    "%.4f of %.4f USD are spent and one question cost up to %.4f: more with --usd",
	    r->ledger.cost_usd, r->usd_max, r->dearest_usd);
}

static void add_answer(struct replay *r, uint32_t i, const struct replay_other *other)
{
	r->others[i] = *other;
	r->asked++;
	r->agreements[other->agreement]++;
}

/* False: there is no answer: it was not asked and neither will the next be (stopped), or the service did not answer. A
 * model that said something of no use has answered. */
static bool ask_one(
    struct replay *r, uint32_t i, const struct cairn_eval_replay_setup *setup, struct replay_other *ret)
{
	struct cairn_msg_decision said;
	struct cairn_error why = {""};
	uint64_t calls = r->ledger.calls;
	uint64_t tokens = r->ledger.tokens.tokens_in + r->ledger.tokens.tokens_out;
	double before_usd = r->ledger.cost_usd;
	bool some = cairn_eval_replay_ask(&r->recording->questions[i], setup, &said, NULL, &why);
	r->dearest_usd = fmax(r->dearest_usd, r->ledger.cost_usd - before_usd);
	if (!some && r->ledger.cost_usd + r->dearest_usd >
			 r->usd_max) { /* a follow-up may not have been paid for any more */
		stop_for_money(r);
		return false;
	}
	if (!some && (r->ledger.calls == calls || cli_interrupted())) {
		snprintf(r->stopped, sizeof(r->stopped), "%.190s", why.text);
		return false;
	}
	if (!some && r->ledger.tokens.tokens_in + r->ledger.tokens.tokens_out == tokens) {
		r->failed++;
		r->failed_in_a_row++;
		snprintf(r->failed_why, sizeof(r->failed_why), "%.190s", why.text);
		return false;
	}
	r->failed_in_a_row = 0;
	*ret = (struct replay_other){.asked = true, .agreement = CAIRN_RERUN_NO_ANSWER};
	if (some) {
		cairn_decision_words(&said, ret->words, sizeof(ret->words));
		ret->agreement =
		    cairn_eval_replay_agree(&r->recording->questions[i], &r->steps[i].then.decision, &said);
	} else {
		snprintf(ret->words, sizeof(ret->words), "%.150s", why.text);
	}
	return true;
}

/* An answer of an earlier run: what it cost was spent, and counts. */
static void take_kept(void *ctx, uint64_t number, const void *bytes)
{
	struct replay *r = ctx;
	struct replay_kept kept;
	memcpy(&kept, bytes, sizeof(kept));
	if (r->others[number].asked || kept.other.agreement > CAIRN_RERUN_NO_ANSWER)
		return;
	kept.other.words[sizeof(kept.other.words) - 1] = '\0';
	if (kept.other.asked) {
		add_answer(r, (uint32_t)number, &kept.other);
		r->kept++;
	}
	r->ledger.calls += kept.calls;
	r->ledger.failures += kept.failures;
	r->ledger.tokens.tokens_in += kept.tokens_in;
	r->ledger.tokens.tokens_out += kept.tokens_out;
	r->ledger.cost_usd += kept.cost_usd;
	r->dearest_usd = fmax(r->dearest_usd, kept.cost_usd);
}

/* Of all that decides what is asked, and of whom. */
static uint64_t key_of(const struct replay *r, const struct cairn_lineup *lineup)
{
	uint64_t key = cairn_program_hash(cairn_provenance_config(&r->cfg));
	char *rows = json_dumps(r->recording->rows, JSON_COMPACT);
	key = rows != NULL ? cairn_hash_bytes(key, rows, strlen(rows)) : key;
	free(rows);
	key = cairn_hash_bytes(key, r->system.data, r->system.len);
	return cairn_hash_bytes(key, &lineup->rows[0], sizeof(lineup->rows[0]));
}

static bool open_state(struct replay *r, const struct cairn_lineup *lineup, struct cairn_state_file *ret,
    struct cairn_error *err)
{
	ret->fd = -1;
	if (r->state == NULL)
		return true;
	if (!cairn_state_open(
		ret, r->state, key_of(r, lineup), r->count, sizeof(struct replay_kept), take_kept, r, err))
		return false;
	if (r->kept + ret->damaged > 0)
		fprintf(stderr,
		    "cairn eval replay: %s: %u answers are there already, %llu records are damaged and are "
		    "asked again\n",
		    r->state, r->kept, (unsigned long long)ret->damaged);
	return true;
}

static void ask_and_keep(
    struct replay *r, uint32_t i, const struct cairn_eval_replay_setup *setup, struct cairn_state_file *state)
{
	struct cairn_ledger before = r->ledger;
	struct replay_kept kept;
	memset(&kept, 0, sizeof(kept));
	if (ask_one(r, i, setup, &kept.other))
		add_answer(r, i, &kept.other);
	else if (!(r->ledger.cost_usd > before.cost_usd))
		return;
	kept.calls = r->ledger.calls - before.calls;
	kept.failures = r->ledger.failures - before.failures;
	kept.tokens_in = r->ledger.tokens.tokens_in - before.tokens.tokens_in;
	kept.tokens_out = r->ledger.tokens.tokens_out - before.tokens.tokens_out;
	kept.cost_usd = r->ledger.cost_usd - before.cost_usd;
	if (state->fd >= 0 && !cairn_state_add(state, i, &kept))
		fprintf(stderr, "cairn eval replay: %s: %s\n", r->state, strerror(errno));
}

bool replay_ask_all(struct replay *r, struct cairn_error *err)
{
	struct cairn_lineup lineup;
	struct cairn_state_file state;
	snprintf(r->cfg.vlm.provider, sizeof(r->cfg.vlm.provider), "%s", r->provider);
	if (!cairn_lineup_load(&lineup, &r->cfg.vlm, err))
		return false;
	cairn_lineup_alone(&lineup);
	snprintf(r->model, sizeof(r->model), "%s", lineup.rows[0].model);
	if (!open_state(r, &lineup, &state, err))
		return false;
	struct model_call *call = model_call_new(&r->cfg, &lineup, cli_interrupted, err);
	struct cairn_eval_replay_setup setup = {.cfg = &r->cfg,
	    .system = r->system.data,
	    .lineup = &lineup,
	    .send = model_call_send,
	    .ctx = call,
	    .ledger = &r->ledger,
	    .usd_max = r->usd_max};
	uint32_t count = 0;
	for (uint32_t i = 0; i < r->count; i++)
		count += r->steps[i].then.decided;
	for (uint32_t i = 0; call != NULL && i < r->count && r->stopped[0] == '\0'; i++) {
		if (!r->steps[i].then.decided || r->others[i].asked)
			continue;
		if (cli_interrupted()) {
			snprintf(r->stopped, sizeof(r->stopped), "interrupted");
			break;
		}
		if (r->ledger.cost_usd + r->dearest_usd > r->usd_max) { /* the next one may cost as much */
			stop_for_money(r);
			break;
		}
		ask_and_keep(r, i, &setup, &state);
		replay_progress("questions asked", r->asked, count, r);
		if (r->failed_in_a_row == FAILED_IN_A_ROW)
			break;
	}
	if (r->failed > 0 && r->stopped[0] == '\0')
		snprintf(r->stopped, sizeof(r->stopped), "the service did not answer %u: %.150s", r->failed,
		    r->failed_why);
	if (r->stopped[0] != '\0' && r->state != NULL)
		fprintf(stderr, "cairn eval replay: the same command goes on from %s\n", r->state);
	cairn_state_close(&state);
	bool ok = call != NULL;
	model_call_destroy(&call);
	return ok;
}
