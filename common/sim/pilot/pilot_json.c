#include "common/sim/pilot/pilot_json.h"

#include <math.h>
#include <string.h>

/* {"tool": name, the arguments of the call}. */
static void write_call(
    struct cairn_text *out, const struct cairn_tool_call *call, enum cairn_pilot_fault fault)
{
	struct cairn_text arguments = {0};
	cairn_tool_arguments(&arguments, call);
	bool none = arguments.data == NULL || strcmp(arguments.data, "{}") == 0;
	cairn_text_addf(out, "{\"tool\": \"%s\"%s",
	    fault == CAIRN_PILOT_FAULT_UNKNOWN ? "fly_to" : cairn_tool_name(call->tool), none ? "" : ", ");
	if (fault == CAIRN_PILOT_FAULT_TYPES)
		cairn_text_add(out,
		    "\"direction\": 7, \"speed\": [\"fast\"], \"duration_s\": \"long\", \"target\": {}}");
	else
		cairn_text_add(out, none ? "}" : arguments.data + 1);
	out->failed |= arguments.failed;
	cairn_text_free(&arguments);
}

static void write_rest(struct cairn_text *out, const struct cairn_pilot_choice *choice)
{
	if (choice->has_report) {
		struct cairn_text arguments = {0};
		cairn_tool_arguments(&arguments, &choice->report);
		cairn_text_addf(out, ", \"discovery\": %s", arguments.data != NULL ? arguments.data : "null");
		out->failed |= arguments.failed;
		cairn_text_free(&arguments);
	}
	cairn_text_add(out, ", \"explanation\": ");
	cairn_text_json_string(out, choice->text);
}

static void write_object(
    struct cairn_text *out, const struct cairn_pilot_choice *choice, enum cairn_pilot_fault fault)
{
	cairn_text_add(out, "{\"action\": ");
	write_call(out, &choice->call, fault);
	cairn_text_add(out, ", \"fallback\": {\"tool\": \"stop_robot\", \"reason\": \"uncertain\"}, "
			    "\"world_model_update\": []");
	write_rest(out, choice);
	cairn_text_add(out, "}");
}

/* Bare keys, a comment, Python's words, a comma too many. */
static void write_sloppy(struct cairn_text *out, const struct cairn_pilot_choice *choice)
{
	cairn_text_add(out, "{action: ");
	write_call(out, &choice->call, CAIRN_PILOT_FAULT_SLOPPY);
	cairn_text_add(out, ", // the best one\n'fallback': None, 'sure': True");
	write_rest(out, choice);
	cairn_text_add(out, ",}");
}

static void write_synonyms(struct cairn_text *out, const struct cairn_pilot_choice *choice)
{
	const struct cairn_tool_call *c = &choice->call;
	if (c->tool == CAIRN_TOOL_NAVIGATE_TO_GOAL && c->goal_kind == CAIRN_GOAL_KIND_FRONTIER)
		cairn_text_addf(out,
		    "{\"command\": \"go_to\", \"target\": \"F%.0f\", \"rationale\": \"near\"}",
		    c->frontier_id);
	else if (c->tool == CAIRN_TOOL_ROTATE)
		cairn_text_addf(out, "{\"action\": \"turn_%s\", \"degrees\": %.0f}",
		    c->angle_deg < 0.0 ? "left" : "right", fabs(c->angle_deg));
	else if (c->tool == CAIRN_TOOL_MOVE_TOWARD)
		cairn_text_addf(out,
		    "{\"tool\": \"drive\", \"params\": {\"dir\": \"%s\", \"pace\": \"%s\", \"seconds\": "
		    "%.1f}}",
		    cairn_enum_text(&cairn_enum_direction, c->direction),
		    cairn_enum_text(&cairn_enum_speed, c->speed), c->duration_s);
	else
		write_object(out, choice, CAIRN_PILOT_FAULT_NONE);
}

void cairn_pilot_json(
    struct cairn_text *out, const struct cairn_pilot_choice *choice, enum cairn_pilot_fault fault)
{
	static const char *const before[CAIRN_PILOT_FAULT_COUNT] = {[CAIRN_PILOT_FAULT_FENCE] = "```json\n",
	    [CAIRN_PILOT_FAULT_THINK] =
		"<think>Perhaps {\"action\": \"stop\"}? No, there is free floor.</think>\n",
	    [CAIRN_PILOT_FAULT_PROSE] = "I have looked at {all} sectors. My choice is:\n"};
	static const char *const behind[CAIRN_PILOT_FAULT_COUNT] = {
	    [CAIRN_PILOT_FAULT_FENCE] = "\n```\n", [CAIRN_PILOT_FAULT_PROSE] = "\nTell me how it went."};
	cairn_text_add(out, before[fault] != NULL ? before[fault] : "");
	if (fault == CAIRN_PILOT_FAULT_SLOPPY)
		write_sloppy(out, choice);
	else if (fault == CAIRN_PILOT_FAULT_SYNONYMS)
		write_synonyms(out, choice);
	else
		write_object(out, choice, fault);
	cairn_text_add(out, behind[fault] != NULL ? behind[fault] : "");
}
