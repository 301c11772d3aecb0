/* eval_replay.c - a recording put to the present code, and its questions to another model. */
#include "procs/lab/eval_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/vlm/prompt.h"
#include "procs/lab/bench.h"
#include "procs/cli/cli.h"
#include "procs/lab/provenance.h"
#include "procs/cli/rundir.h"
#include "common/rules/config_check.h"

#define Z95 1.959963984540054

static bool complain(const char *what)
{
	fprintf(stderr, "cairn eval replay: %s\n", what);
	return false;
}

/* ---- words ---- */

void replay_words(const struct cairn_eval_replay_side *s, char *dst, size_t cap)
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

const char *replay_agreement_name(enum cairn_eval_replay_agreement agreement)
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

static bool known_provider(const struct replay *r, struct cairn_error *err)
{
	struct cairn_config_vlm vlm = r->cfg.vlm;
	struct cairn_lineup lineup;
	if (r->provider == NULL)
		return true;
	snprintf(vlm.provider, sizeof(vlm.provider), "%s", r->provider);
	return cairn_lineup_load(&lineup, &vlm, err);
}

/* The recorded configuration, but the files of here and nothing that writes; over it what is asked for. */
static bool configure(const struct cli *cli, struct replay *r, struct cairn_error *err)
{
	struct cairn_config here;
	int count;
	const char *file = cli_value(cli, "config"), *const *sets = cli_values(cli, "set", &count);
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
	return ok && cairn_share_find_model(&r->cfg.vlm, err) && cairn_config_check(&r->cfg, err) &&
	       known_provider(r, err) && cairn_prompt_load(&r->cfg, &r->system, err);
}

void replay_progress(const char *what, uint32_t done, uint32_t count, const struct replay *paid)
{
	bool tty = isatty(STDERR_FILENO) == 1;
	char cost[64] = "";
	if (!tty && (paid == NULL || (done != count && done % 10 != 0)))
		return;
	if (paid != NULL)
		snprintf(cost, sizeof(cost), ", %.4f of %.4f USD", paid->ledger.cost_usd, paid->usd_max);
	fprintf(stderr, "%scairn eval replay: %s: %u of %u%s%s", tty ? "\r\033[K" : "", what, done, count,
	    cost, !tty || done == count ? "\n" : "");
}

static bool rerun_all(struct replay *r, struct cairn_error *err)
{
	struct cairn_lineup lineup;
	cairn_eval_replay_lineup(r->recording, &lineup);
	struct cairn_eval_replay_setup setup = {.cfg = &r->cfg, .system = r->system.data, .lineup = &lineup};
	r->count = r->recording->count;
	r->steps = calloc(r->count, sizeof(*r->steps));
	r->others = calloc(r->count, sizeof(*r->others));
	if (r->steps == NULL || r->others == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	for (uint32_t i = 0; i < r->count; i++) {
		if (cli_interrupted()) {
			cairn_error_set(err, "interrupted after %u of %u decisions", i, r->count);
			return false;
		}
		if (!cairn_eval_replay_step(r->recording, i, &setup, &r->steps[i], err))
			return false;
		replay_progress("decisions", i + 1, r->count, NULL);
		r->changes[r->steps[i].change]++;
		r->same_prompts += r->steps[i].same_prompt;
	}
	return true;
}

/* ---- what is told ---- */

static json_t *side_json(const struct cairn_eval_replay_side *s)
{
	json_t *o = json_object();
	json_object_set_new(o, "decision", s->decided ? json_string(s->asked) : json_null());
	json_object_set_new(o, "accepted", s->judged ? json_boolean(s->accepted) : json_null());
	json_object_set_new(o, "reason", json_string(s->reason));
	if (s->has_target)
		json_object_set_new(
		    o, "target", json_pack("{s:f,s:f}", "x_m", s->target_x_m, "y_m", s->target_y_m));
	if (s->has_nav) {
		json_object_set_new(
		    o, "planner", json_string(cairn_enum_text(&cairn_enum_nav_state, (int)s->nav)));
		json_object_set_new(o, "way_m", s->way_m >= 0.0 ? json_real(s->way_m) : json_null());
	}
	if (s->has_command)
		json_object_set_new(
		    o, "command", json_pack("{s:f,s:f}", "v_mps", s->v_mps, "w_radps", s->w_radps));
	return o;
}

static json_t *step_json(const struct replay *r, uint32_t i)
{
	const struct cairn_eval_replay_step *s = &r->steps[i];
	json_t *o = json_pack("{s:I,s:f,s:s,s:s,s:b}", "id", (json_int_t)s->id, "t_s", s->t_s, "change",
	    cairn_eval_replay_change_name(s->change), "detail", s->detail, "same_prompt", s->same_prompt);
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
	json_t *o = json_pack("{s:s,s:s,s:i,s:f,s:f,s:I,s:I,s:I}", "provider", r->provider, "model", r->model,
	    "asked", (int)r->asked, "usd", r->ledger.cost_usd, "usd_max", r->usd_max, "calls",
	    (json_int_t)r->ledger.calls, "tokens_in", (json_int_t)r->ledger.tokens.tokens_in, "tokens_out",
	    (json_int_t)r->ledger.tokens.tokens_out);
	json_object_set_new(
	    o, "kept", json_integer((json_int_t)r->kept)); /* of these, answers of an earlier run */
	json_object_set_new(o, "failed", json_integer((json_int_t)r->failed)); /* not among them */
	for (int i = 0; i <= CAIRN_RERUN_NO_ANSWER; i++)
		json_object_set_new(o, replay_agreement_name((enum cairn_eval_replay_agreement)i),
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
		const struct cairn_eval_replay_step *s = &r->steps[i];
		replay_words(&s->then, then, sizeof(then));
		replay_words(&s->now, now, sizeof(now));
		cairn_text_addf(out, "%6.1f s  %-11s %s\n          then %s\n          now  %s\n", s->t_s,
		    cairn_eval_replay_change_name(s->change),
		    s->then.decided ? s->then.asked : "(no decision)", then, now);
		if (s->detail[0] != '\0')
			cairn_text_addf(out, "          %s\n", s->detail);
		if (r->others[i].asked)
			cairn_text_addf(out, "          %s: %s (%s)\n", r->provider, r->others[i].words,
			    replay_agreement_name(r->others[i].agreement));
	}
	cairn_text_addf(
	    out, "%u questions, the prompt the same in %u; decisions:", r->count, r->same_prompts);
	for (int i = 0; i < CAIRN_RERUN_CHANGE_COUNT; i++)
		if (r->changes[i] > 0)
			cairn_text_addf(out, " %s %u",
			    cairn_eval_replay_change_name((enum cairn_eval_replay_change)i), r->changes[i]);
	cairn_text_add(out, "\n");
	if (r->unknown_keys > 0)
		cairn_text_addf(out, "%u recorded keys of the configuration mean nothing to this program\n",
		    r->unknown_keys);
	if (r->provider != NULL) {
		double share, low, high;
		replay_share(r, &share, &low, &high);
		cairn_text_addf(out, "%s (%s) agrees in %u of %u", r->provider, r->model,
		    r->agreements[CAIRN_RERUN_AGREE], r->asked);
		if (r->asked > 0)
			cairn_text_addf(
			    out, ", %.0f %% (%.0f ... %.0f)", 100.0 * share, 100.0 * low, 100.0 * high);
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
		json_object_set_new(changes, cairn_eval_replay_change_name((enum cairn_eval_replay_change)i),
		    json_integer((json_int_t)r->changes[i]));
	for (uint32_t i = 0; i < r->count; i++)
		json_array_append_new(steps, step_json(r, i));
	char digest[20];
	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)cairn_provenance_config(&r->cfg));
	json_object_set_new(figures, "configuration", json_string(digest));
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
	return r->changes[CAIRN_RERUN_ANSWER] + r->changes[CAIRN_RERUN_ACCEPTED] +
	       r->changes[CAIRN_RERUN_REFUSED] + r->changes[CAIRN_RERUN_REASON] +
	       r->changes[CAIRN_RERUN_TARGET];
}

bool replay_passed(const struct replay *r)
{
	return replay_changed(r) == 0 && r->changes[CAIRN_RERUN_NOT_JUDGED] < r->count &&
	       r->stopped[0] == '\0';
}

static bool read_options(const struct cli *cli, struct replay *r)
{
	const char *usd = cli_value(cli, "usd");
	char *end = NULL;
	r->path = cli->args[1];
	r->provider = cli_value(cli, "ask");
	r->usd_max = usd != NULL ? strtod(usd, &end) : -1.0;
	if (usd != NULL && (end == usd || *end != '\0' || !(r->usd_max > 0.0) || !isfinite(r->usd_max)))
		return complain("--usd takes a sum of US dollars above 0");
	if (usd != NULL && r->provider == NULL)
		return complain("--usd is for --ask; nothing is paid for without it");
	r->command = cairn_provenance_command(cli);
	r->state = cli_value(cli, "state");
	if (r->state != NULL && r->provider == NULL)
		return complain("--state keeps the answers of --ask, which is not there");
	return true;
}

/* *ret_usage: it is what was asked for that is wrong. */
static bool run(const struct cli *cli, struct replay *r, bool *ret_usage, struct cairn_error *err)
{
	cli_catch_signals();
	r->recording = cairn_recording_open(r->path, err);
	if (r->recording == NULL)
		return false;
	*ret_usage = !configure(cli, r, err);
	if (*ret_usage || !rerun_all(r, err))
		return false;
	if (r->usd_max <= 0.0)
		r->usd_max = r->cfg.vlm.limit_usd_per_session;
	return r->provider == NULL || replay_ask_all(r, err);
}

enum cairn_eval_end cairn_eval_replay(const struct cli *cli, json_t *figures)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct cairn_error err = {""};
	const char *dir = cli_value(cli, "report");
	bool usage = r != NULL && !read_options(cli, r), told = usage;
	bool ok = r != NULL && !usage && run(cli, r, &usage, &err);
	if (ok) {
		tell(r, figures);
		ok = replay_passed(r);
		if (dir != NULL && !replay_report(r, dir, &err))
			ok = complain(err.text);
	} else if (!told) {
		complain(r != NULL ? err.text : "out of memory");
	}
	if (r != NULL) {
		cairn_recording_close(&r->recording);
		cairn_text_free(&r->system);
		free(r->steps);
		free(r->others);
		free(r->command);
	}
	free(r);
	return usage ? CAIRN_EVAL_USAGE : ok ? CAIRN_EVAL_PASSED : CAIRN_EVAL_FAILED;
}
