#include "procs/gateway/decision_record.h"

void decision_record_open(struct decision_record *r, struct cairn_stage *stage, struct cairn_dialog *dialog,
    const char *system, const char *folder)
{
	const struct cairn_config_vlm *cfg = &cairn_stage_config(stage)->vlm;
	struct cairn_error why = {""};
	char sent[420];
	*r = (struct decision_record){.stage = stage, .dialog = dialog, .system = system};
	snprintf(r->log_path, sizeof(r->log_path), "%s/decisions.jsonl", folder);
	if (!journal_open(&r->journal, folder, cfg->journal_mb * 1e6, &why))
		cairn_log_error("the journal of before is damaged and put aside: %s", why.text);
	snprintf(sent, sizeof(sent), "%.400s/sent", folder);
	sent_init(&r->sent, sent, cfg->sent_pictures_mb * 1e6);
}

void decision_record_close(struct decision_record *r)
{
	journal_close(&r->journal);
	cairn_text_free(&r->line);
}

static void append_log(struct decision_record *r)
{
	double most = cairn_stage_config(r->stage)->vlm.decision_log_mb * 1e6;
	struct cairn_error err = {""};
	bool ok = cairn_decision_log_append(r->log_path, &r->line, (size_t)most, &err);
	cairn_stage_tried(r->stage, "log a decision", ok ? NULL : err.text);
}

static void told_journal(struct decision_record *r, bool ok, const struct cairn_error *err)
{
	cairn_stage_tried(r->stage, "write the journal", ok ? NULL : err->text);
}

void decision_record_decided(struct decision_record *r)
{
	struct cairn_decision_note note;
	struct cairn_dialog_question q;
	struct cairn_error err = {""}, why = {""};
	char local[160], words[160];
	cairn_dialog_decision_note(r->dialog, &note, local, sizeof(local));
	cairn_decision_log_decision(&r->line, cairn_unix_s(), &note);
	append_log(r);
	cairn_dialog_question(r->dialog, &q);
	told_journal(r, journal_decision(&r->journal, cairn_unix_s(), &r->line, &q, r->system, &err), &err);
	bool kept = sent_keep(&r->sent, note.decision->id, &q, &why);
	cairn_stage_tried(r->stage, "keep the picture of a decision", kept ? NULL : why.text);
	cairn_decision_words(note.decision, words, sizeof(words));
	cairn_log_info("decision %llu after %.2f s: %s%s%s", (unsigned long long)note.decision->id,
	    note.decision->latency_s, words, note.shadow ? "; shadow: " : "", note.shadow ? local : "");
}

void decision_record_ended(struct decision_record *r, const struct cairn_msg_result *result)
{
	struct cairn_error err = {""};
	cairn_decision_log_result(&r->line, cairn_unix_s(), result);
	append_log(r);
	told_journal(r, journal_result(&r->journal, cairn_unix_s(), &r->line, &err), &err);
}
