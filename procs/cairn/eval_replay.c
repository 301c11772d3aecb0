/* eval_replay.c - a recording put to the present code, and its questions to another model. */
#include "procs/cairn/eval_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/vlm/prompt.h"
#include "procs/cairn/bench.h"
#include "procs/cairn/cmd.h"
#include "procs/cairn/model_call.h"
#include "procs/cairn/rundir.h"

#define Z95 1.959963984540054

static bool complain(const char *what)
{
	fprintf(stderr, "cairn eval replay: %s\n", what);
	return false;
}

/* ---- words ---- */

void replay_words(const struct cairn_rerun_side *s, char *dst, size_t cap)
{
	char target[64] = "", way[64] = "", command[64] = "";
	if (!s->decided || !s->judged) {
		snprintf(dst, cap, "%s", s->decided ? "not judged" : s->reason);
		return;
	}
	if (!s->accepted) {
		snprintf(dst, cap, "refused: %.150s", s->reason);
		return;
	}
	if (s->has_target)
		snprintf(target, sizeof(target), " to (%.2f, %.2f)", s->target_x_m, s->target_y_m);
	if (s->has_nav && s->way_m >= 0.0)
		snprintf(way, sizeof(way), ", %.1f m of way", s->way_m);
	else if (s->has_nav)
		snprintf(way, sizeof(way), ", %s", cairn_enum_text(&cairn_enum_nav_state, (int)s->nav));
	if (s->has_command)
		snprintf(command, sizeof(command), ", first %+.2f m/s %+.2f rad/s", s->v_mps, s->w_radps);
	snprintf(dst, cap, "accepted%s%s%s", target, way, command);
}

const char *replay_agreement_name(enum cairn_rerun_agreement agreement)
{
	static const char *const names[] = {"agrees", "other_arguments", "other_tool", "no_answer"};
	return names[agreement];
}

void replay_share(const struct replay *r, double *ret_share, double *ret_low, double *ret_high)
{
	double n = r->asked, p = n > 0.0 ? r->agreements[CAIRN_RERUN_AGREE] / n : NAN;
	double middle = (p + Z95 * Z95 / (2.0 * n)) / (1.0 + Z95 * Z95 / n);
	double half = Z95 / (1.0 + Z95 * Z95 / n) * sqrt(p * (1.0 - p) / n + Z95 * Z95 / (4.0 * n * n));
	*ret_share = p;
	*ret_low = fmax(middle - half, 0.0);
	*ret_high = fmin(middle + half, 1.0);
}

/* ---- the present code ---- */

static void resolve(char *path, size_t cap, const char *share)
{
	char whole[2 * CAIRN_CONFIG_TEXT_CAP];
	if (path[0] == '/')
		return;
	snprintf(whole, sizeof(whole), "%.300s/%.200s", share, path);
	snprintf(path, cap, "%.*s", (int)cap - 1, whole);
}

/* The recorded configuration, but the files of here and nothing that writes; over it what is asked for. */
static bool configure(const struct cli *cli, struct replay *r, struct cairn_error *err)
{
	struct cairn_config here;
	char share[4096];
	int count;
	const char *file = cli_value(cli, "config"), *const *sets = cli_values(cli, "set", &count);
	if (!cairn_share_dir(share, sizeof(share))) {
		cairn_error_set(err, "config/cairn.yaml is nowhere to be found; CAIRN_SHARE may name its parent folder");
		return false;
	}
	cairn_config_defaults(&here);
	cairn_config_defaults(&r->cfg);
	r->unknown_keys = cairn_recorded_config(r->recording, &r->cfg);
	memcpy(r->cfg.vlm.prompts, here.vlm.prompts, sizeof(here.vlm.prompts));
	memcpy(r->cfg.vlm.providers, here.vlm.providers, sizeof(here.vlm.providers));
	memcpy(r->cfg.vlm.fallbacks, here.vlm.fallbacks, sizeof(here.vlm.fallbacks));
	memcpy(r->cfg.vlm.ca_file, here.vlm.ca_file, sizeof(here.vlm.ca_file));
	r->cfg.vlm.record[0] = r->cfg.vlm.replay[0] = '\0';
	/* What lay over the provider of then is not the present one's. */
	r->cfg.vlm.base_url[0] = r->cfg.vlm.model[0] = r->cfg.vlm.api_key_env[0] = '\0';
	bool ok = file == NULL || cairn_config_load(&r->cfg, file, err);
	for (int i = 0; ok && i < count; i++)
		ok = cairn_config_set(&r->cfg, sets[i], "--set", err);
	resolve(r->cfg.vlm.prompts, sizeof(r->cfg.vlm.prompts), share);
	resolve(r->cfg.vlm.providers, sizeof(r->cfg.vlm.providers), share);
	return ok && cairn_config_check(&r->cfg, err) &&
	       cairn_prompt_load(&r->cfg.vlm, &r->cfg.percept, &r->system, err);
}

static bool rerun_all(struct replay *r, struct cairn_error *err)
{
	struct cairn_lineup lineup;
	cairn_rerun_lineup(r->recording, &lineup);
	struct cairn_rerun_setup setup = {.cfg = &r->cfg, .system = r->system.data, .lineup = &lineup};
	r->count = r->recording->count;
	r->steps = calloc(r->count, sizeof(*r->steps));
	r->others = calloc(r->count, sizeof(*r->others));
	if (r->steps == NULL || r->others == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	for (uint32_t i = 0; i < r->count; i++) {
		if (!cairn_rerun_step(r->recording, i, &setup, &r->steps[i], err))
			return false;
		r->changes[r->steps[i].change]++;
		r->same_prompts += r->steps[i].same_prompt;
	}
	return true;
}

/* ---- another model ---- */

static void ask_one(struct replay *r, uint32_t i, const struct cairn_rerun_setup *setup)
{
	struct cairn_msg_decision said;
	struct cairn_error why = {""};
	struct replay_other *o = &r->others[i];
	uint64_t calls = r->ledger.calls;
	double before_usd = r->ledger.cost_usd;
	bool some = cairn_rerun_ask(&r->recording->questions[i], setup, &said, NULL, &why);
	r->dearest_usd = fmax(r->dearest_usd, r->ledger.cost_usd - before_usd);
	if (!some && (r->ledger.calls == calls || cli_interrupted())) { /* not even sent: neither will the next be */
		snprintf(r->stopped, sizeof(r->stopped), "%.190s", why.text);
		return;
	}
	o->asked = true;
	o->agreement = CAIRN_RERUN_NO_ANSWER;
	if (some) {
		cairn_decision_words(&said, o->words, sizeof(o->words));
		o->agreement =
		    cairn_rerun_agree(&r->recording->questions[i], &r->steps[i].then.decision, &said);
	} else {
		snprintf(o->words, sizeof(o->words), "%.150s", why.text);
	}
	r->asked++;
	r->agreements[o->agreement]++;
}

/* Questions that no decision came of have nothing to agree with. */
static bool ask_all(struct replay *r, struct cairn_error *err)
{
	struct cairn_lineup lineup;
	snprintf(r->cfg.vlm.provider, sizeof(r->cfg.vlm.provider), "%s", r->provider);
	if (!cairn_lineup_load(&lineup, &r->cfg.vlm, err))
		return false;
	lineup.count = 1;
	snprintf(r->model, sizeof(r->model), "%s", lineup.rows[0].model);
	struct model_call *call = model_call_new(&r->cfg, &lineup, cli_interrupted, err);
	if (call == NULL)
		return false;
	struct cairn_rerun_setup setup = {.cfg = &r->cfg,
	    .system = r->system.data,
	    .lineup = &lineup,
	    .send = model_call_send,
	    .ctx = call,
	    .ledger = &r->ledger,
	    .usd_max = r->usd_max};
	for (uint32_t i = 0; i < r->count && r->stopped[0] == '\0'; i++)
		if (r->steps[i].then.decided) {
			setup.usd_max = r->usd_max - r->dearest_usd; /* the next one may cost as much */
			ask_one(r, i, &setup);
		}
	model_call_destroy(&call);
	return true;
}

/* ---- what is told ---- */

static json_t *side_json(const struct cairn_rerun_side *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "decision", s->decided ? json_string(s->asked) : json_null());
	json_object_set_new(o, "accepted", s->judged ? json_boolean(s->accepted) : json_null());
	json_object_set_new(o, "reason", json_string(s->reason));
	if (s->has_target)
		json_object_set_new(
		    o, "target", json_pack("{s:f,s:f}", "x_m", s->target_x_m, "y_m", s->target_y_m));
	if (s->has_nav) {
		json_object_set_new(o, "planner", json_string(cairn_enum_text(&cairn_enum_nav_state, (int)s->nav)));
		json_object_set_new(o, "way_m", s->way_m >= 0.0 ? json_real(s->way_m) : json_null());
	}
	if (s->has_command)
		json_object_set_new(
		    o, "command", json_pack("{s:f,s:f}", "v_mps", s->v_mps, "w_radps", s->w_radps));
	return o;
}

static json_t *step_json(const struct replay *r, uint32_t i)
{
	const struct cairn_rerun_step *s = &r->steps[i];
	json_t *o = json_pack("{s:I,s:f,s:s,s:s,s:b}", "id", (json_int_t)s->id, "t_s", s->t_s, "change",
	    cairn_rerun_change_name(s->change), "detail", s->detail, "same_prompt", s->same_prompt);
	json_object_set_new(o, "then", side_json(&s->then));
	json_object_set_new(o, "now", side_json(&s->now));
	if (r->others[i].asked)
		json_object_set_new(o, "other",
		    json_pack("{s:s,s:s}", "said", r->others[i].words, "agreement",
			replay_agreement_name(r->others[i].agreement)));
	return o;
}

static json_t *ask_json(const struct replay *r)
{
	double share, low, high;
	replay_share(r, &share, &low, &high);
	json_t *o = json_pack("{s:s,s:s,s:i,s:f,s:f,s:I,s:I,s:I}", "provider", r->provider, "model", r->model, "asked",
	    (int)r->asked, "usd", r->ledger.cost_usd, "usd_max", r->usd_max, "calls", (json_int_t)r->ledger.calls,
	    "tokens_in", (json_int_t)r->ledger.tokens.tokens_in, "tokens_out", (json_int_t)r->ledger.tokens.tokens_out);
	for (int i = 0; i <= CAIRN_RERUN_NO_ANSWER; i++)
		json_object_set_new(o, replay_agreement_name((enum cairn_rerun_agreement)i),
		    json_integer((json_int_t)r->agreements[i]));
	if (r->asked > 0)
		json_object_set_new(
		    o, "share", json_pack("{s:f,s:f,s:f}", "of", share, "low", low, "high", high));
	if (r->stopped[0] != '\0')
		json_object_set_new(o, "stopped", json_string(r->stopped));
	return o;
}

static void text_of(const struct replay *r, struct cairn_text *out)
{
	char then[256], now[256];
	for (uint32_t i = 0; i < r->count; i++) {
		const struct cairn_rerun_step *s = &r->steps[i];
		replay_words(&s->then, then, sizeof(then));
		replay_words(&s->now, now, sizeof(now));
		cairn_text_addf(out, "%6.1f s  %-11s %s\n          then %s\n          now  %s\n", s->t_s,
		    cairn_rerun_change_name(s->change), s->then.decided ? s->then.asked : "(no decision)", then, now);
		if (s->detail[0] != '\0')
			cairn_text_addf(out, "          %s\n", s->detail);
		if (r->others[i].asked)
			cairn_text_addf(out, "          %s: %s (%s)\n", r->provider, r->others[i].words,
			    replay_agreement_name(r->others[i].agreement));
	}
	cairn_text_addf(out, "%u questions, the prompt the same in %u; decisions:", r->count, r->same_prompts);
	for (int i = 0; i < CAIRN_RERUN_CHANGE_COUNT; i++)
		if (r->changes[i] > 0)
			cairn_text_addf(out, " %s %u", cairn_rerun_change_name((enum cairn_rerun_change)i), r->changes[i]);
	cairn_text_add(out, "\n");
	if (r->unknown_keys > 0)
		cairn_text_addf(out, "%u recorded keys of the configuration mean nothing to this program\n", r->unknown_keys);
	if (r->provider != NULL) {
		double share, low, high;
		replay_share(r, &share, &low, &high);
		cairn_text_addf(out, "%s (%s) agrees in %u of %u", r->provider, r->model,
		    r->agreements[CAIRN_RERUN_AGREE], r->asked);
		if (r->asked > 0)
			cairn_text_addf(out, ", %.0f %% (%.0f ... %.0f)", 100.0 * share, 100.0 * low, 100.0 * high);
		cairn_text_addf(out, "; other arguments %u, another tool %u, no answer %u\n",
		    r->agreements[CAIRN_RERUN_OTHER_ARGUMENTS], r->agreements[CAIRN_RERUN_OTHER_TOOL],
		    r->agreements[CAIRN_RERUN_NO_ANSWER]);
		cairn_text_addf(out, "%llu calls, %llu tokens in, %llu out, %.4f of at most %.4f USD\n",
		    (unsigned long long)r->ledger.calls, (unsigned long long)r->ledger.tokens.tokens_in,
		    (unsigned long long)r->ledger.tokens.tokens_out, r->ledger.cost_usd, r->usd_max);
		if (r->stopped[0] != '\0')
			cairn_text_addf(out, "not all were asked: %s\n", r->stopped);
	}
}

static void tell(const struct replay *r, json_t *figures)
{
	json_t *changes = json_object(), *steps = json_array();
	struct cairn_text text = {0};
	for (int i = 0; i < CAIRN_RERUN_CHANGE_COUNT; i++)
		json_object_set_new(changes, cairn_rerun_change_name((enum cairn_rerun_change)i),
		    json_integer((json_int_t)r->changes[i]));
	for (uint32_t i = 0; i < r->count; i++)
		json_array_append_new(steps, step_json(r, i));
	json_object_set_new(figures, "command", json_string(r->command));
	json_object_set_new(figures, "questions", json_integer((json_int_t)r->count));
	json_object_set_new(figures, "same_prompts", json_integer((json_int_t)r->same_prompts));
	json_object_set_new(figures, "unknown_keys", json_integer((json_int_t)r->unknown_keys));
	json_object_set_new(figures, "changes", changes);
	json_object_set_new(figures, "decisions", steps);
	if (r->provider != NULL)
		json_object_set_new(figures, "ask", ask_json(r));
	text_of(r, &text);
	json_object_set_new(figures, "text", json_string(text.data != NULL ? text.data : ""));
	cairn_text_free(&text);
}

uint32_t replay_changed(const struct replay *r)
{
	return r->changes[CAIRN_RERUN_ANSWER] + r->changes[CAIRN_RERUN_ACCEPTED] + r->changes[CAIRN_RERUN_REFUSED] +
	       r->changes[CAIRN_RERUN_REASON] + r->changes[CAIRN_RERUN_TARGET];
}

/* What is decided does not change, something could be compared, and whoever was to be asked was asked everything. How it
 * is driven is told, but depends on milliseconds. */
static bool passed(const struct replay *r)
{
	return replay_changed(r) == 0 && r->changes[CAIRN_RERUN_NOT_JUDGED] < r->count && r->stopped[0] == '\0';
}

static void command_line(const struct cli *cli, struct replay *r)
{
	size_t used = (size_t)snprintf(r->command, sizeof(r->command), "cairn eval replay %s", r->path);
	for (int i = 0; cli->command->options[i].name != NULL; i++)
		for (int k = 0; k < cli->counts[i] && used < sizeof(r->command); k++)
			used += (size_t)snprintf(r->command + used, sizeof(r->command) - used, " --%s%s%s",
			    cli->command->options[i].name, cli->command->options[i].value != NULL ? " " : "",
			    cli->command->options[i].value != NULL ? cli->values[i][k] : "");
}

static bool read_options(const struct cli *cli, struct replay *r)
{
	const char *usd = cli_value(cli, "usd");
	char *end = NULL;
	if (cli->arg_count < 2)
		return complain("which recording? (cairn up --set vlm.record=FOLDER makes one)");
	r->path = cli->args[1];
	r->provider = cli_value(cli, "ask");
	r->usd_max = usd != NULL ? strtod(usd, &end) : -1.0;
	if (usd != NULL && (end == usd || *end != '\0' || !(r->usd_max > 0.0)))
		return complain("--usd takes a sum of US dollars above 0");
	command_line(cli, r);
	return true;
}

enum cairn_eval_end cairn_eval_replay(const struct cli *cli, json_t *figures)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct cairn_error err = {""};
	const char *dir = cli_value(cli, "report");
	bool ok = r != NULL && read_options(cli, r);
	if (ok) {
		cli_catch_signals();
		r->recording = cairn_recording_open(r->path, &err);
		ok = r->recording != NULL && configure(cli, r, &err) && rerun_all(r, &err);
		if (r->usd_max <= 0.0)
			r->usd_max = r->cfg.vlm.limit_usd_per_session;
		ok = ok && (r->provider == NULL || ask_all(r, &err));
		if (!ok)
			complain(err.text);
	}
	if (ok) {
		tell(r, figures);
		ok = passed(r);
		if (dir != NULL && !replay_report(r, dir, &err))
			ok = complain(err.text);
	}
	if (r != NULL) {
		cairn_recording_close(&r->recording);
		cairn_text_free(&r->system);
		free(r->steps);
		free(r->others);
	}
	free(r);
	return ok;
}
