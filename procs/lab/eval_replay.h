/* eval_replay.h - what the files of `cairn eval replay` share. */
#ifndef CAIRN_PROCS_LAB_EVAL_REPLAY_H
#define CAIRN_PROCS_LAB_EVAL_REPLAY_H

#include "common/eval/replay.h"

/* What another model said to a recorded question. */
struct replay_other {
	bool asked;
	enum cairn_eval_replay_agreement agreement;
	char words[160];
};

struct replay {
	const char *path, *provider; /* provider: NULL: nobody is asked */
	char *command;
	const char *state; /* answers of --ask are kept there; NULL: nowhere */
	struct cairn_config cfg;
	uint32_t unknown_keys;
	struct cairn_recording *recording;
	struct cairn_text system;
	struct cairn_eval_replay_step *steps;
	uint32_t count, changes[CAIRN_RERUN_CHANGE_COUNT], same_prompts;
	/* --ask */
	struct replay_other *others;
	char model[CAIRN_CONFIG_TEXT_CAP];
	uint32_t asked, kept, agreements[CAIRN_RERUN_NO_ANSWER + 1];
	struct cairn_ledger ledger;
	double usd_max, dearest_usd;      /* of all that one question led to */
	uint32_t failed, failed_in_a_row; /* questions that no service answered; they are asked again */
	char failed_why[200];
	char stopped[200]; /* why not all were asked */
};

/* What is kept of a question that was asked: it is paid for. One without an answer (other.asked false) is only paid for. */
struct replay_kept {
	struct replay_other other;
	uint64_t calls, failures, tokens_in, tokens_out;
	double cost_usd;
};

/* "refused: only 0.2 m free that way", "to (1.20, 0.40), 2.3 m of way, 0.15 m/s": what became of an answer. */
void replay_words(const struct cairn_eval_replay_side *side, char *dst, size_t cap);
/* Decisions that end otherwise: answer, verdict, reason, target. */
uint32_t replay_changed(const struct replay *r);
/* What is decided does not change, something could be compared, and whoever was to be asked answered everything. How it
 * is driven is told, but depends on milliseconds. */
bool replay_passed(const struct replay *r);
const char *replay_agreement_name(enum cairn_eval_replay_agreement agreement);
/* Of those asked: the share that agrees, with its 95 % interval (Wilson). */
void replay_share(const struct replay *r, double *ret_share, double *ret_low, double *ret_high);
/* Puts each question that a decision came of, the others having nothing to agree with, to r->provider. What stopped it: r->stopped. */
bool replay_ask_all(struct replay *r, struct cairn_error *err);
/* On the terminal one line that changes; into a file one in ten and the last, of what takes long. */
void replay_progress(const char *what, uint32_t done, uint32_t count, const struct replay *paid);
bool replay_report(const struct replay *r, const char *dir, struct cairn_error *err);

#endif
