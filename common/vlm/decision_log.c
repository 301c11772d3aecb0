#include "common/vlm/decision_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/file.h"
#include "common/vlm/decision.h"

static void text_field(struct cairn_text *out, const char *key, const char *value)
{
	cairn_text_addf(out, ",\"%s\":", key);
	cairn_text_json_string(out, value != NULL ? value : "");
}

void cairn_decision_log_decision(
    struct cairn_text *out, double unix_s, const struct cairn_decision_note *note)
{
	const struct cairn_msg_decision *d = note->decision;
	char words[160];
	cairn_decision_words(d, words, sizeof(words));
	cairn_text_clear(out);
	cairn_text_addf(out, "{\"t\":%.3f,\"id\":%" PRIu64, unix_s, d->id);
	text_field(out, "what", words);
	text_field(out, "by", cairn_enum_text(&cairn_enum_source, (int)d->source));
	text_field(out, "decider", cairn_enum_text(&cairn_enum_decider, (int)d->decider));
	text_field(out, "reasoning", d->reasoning);
	text_field(out, "why_stop", note->problem);
	text_field(out, "trigger", cairn_enum_text(&cairn_enum_trigger, (int)note->trigger));
	cairn_text_addf(out,
	    ",\"snapshot\":{\"id\":%" PRIu64 ",\"hash\":\"%016" PRIx64 "\",\"epoch\":\"%016" PRIx64
	    "\",\"x_m\":%.3f,\"y_m\":%.3f,\"yaw_rad\":%.4f,\"age_s\":%.3f}",
	    d->snapshot_id, d->frame_hash, d->snapshot_epoch, d->snapshot_x_m, d->snapshot_y_m,
	    d->snapshot_yaw_rad, note->snapshot_age_s);
	cairn_text_addf(out, ",\"prompt\":{\"hash\":\"%016" PRIx64 "\"", d->prompt_hash);
	text_field(out, "context", note->context);
	cairn_text_add(out, "}");
	text_field(out, "provider", note->provider);
	text_field(out, "model", note->model);
	cairn_text_addf(
	    out, ",\"latency_s\":%.3f,\"shadow\":%s", d->latency_s, note->shadow ? "true" : "false");
	if (note->local != NULL)
		text_field(out, "local", note->local);
	cairn_text_add(out, "}\n");
}

void cairn_decision_log_result(struct cairn_text *out, double unix_s, const struct cairn_msg_result *r)
{
	cairn_text_clear(out);
	cairn_text_addf(out, "{\"t\":%.3f,\"result_of\":%" PRIu64, unix_s, r->decision_id);
	text_field(out, "by", cairn_enum_text(&cairn_enum_source, (int)r->source));
	text_field(out, "asked", r->asked);
	text_field(out, "executed", r->executed);
	text_field(out, "outcome", cairn_enum_text(&cairn_enum_outcome, (int)r->outcome));
	text_field(out, "reason", r->reason);
	text_field(out, "suggestion", r->suggestion);
	cairn_text_addf(out, ",\"overridden\":%s,\"distance_m\":%.3f,\"duration_s\":%.3f}\n",
	    r->overridden ? "true" : "false", r->distance_m, r->duration_s);
}

bool cairn_decision_log_append(
    const char *path, const struct cairn_text *line, size_t max_bytes, struct cairn_error *err)
{
	if (line->failed || line->data == NULL) {
		cairn_error_set(err, "out of memory");
		return false;
	}
	return cairn_file_append(path, 0644, line->data, line->len, max_bytes, err);
}
