/* dialog_rig.h - a dialogue with a model by hand: mission, snapshots, frontiers and answers, and a clock. */
#ifndef CAIRN_TEST_SUPPORT_DIALOG_RIG_H
#define CAIRN_TEST_SUPPORT_DIALOG_RIG_H

#include "common/base/geom.h"
#include "common/vlm/dialog.h"
#include "common/sim/pilot/pilot_api.h"
#include "common/vlm/prompt.h"
#include "test/support/runner.h"

#define MS CAIRN_NS_PER_MS
#define PICTURE_TOKENS 2833 /* gpt-4o-mini, in low detail */
#define TEXT                                                                                                 \
	"SENSORS (LiDAR, 12 sectors of 30 deg, clockwise from the front)\n0 2.4m CLEAR\n30 1.3m NEAR\n"      \
	"Nearest obstacle: 0.42m at 130 deg right\nGaps: none\nFeasibility: forward 0.80, backward "         \
	"0.10\nROBOT\n"

static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9};
static const uint8_t view_jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 9, 9, 0xFF, 0xD9};
static struct cairn_dialog *dialog;
static struct cairn_config cfg;
static struct cairn_msg_mission mission;
static struct cairn_header mission_hdr;
static int64_t now_ns;
static const char *body;
static size_t body_bytes;
static struct cairn_msg_decision decision;
static double similarity, nearest_m; /* of the snapshots */
static enum cairn_choice_vlm_mode mode = CAIRN_CHOICE_VLM_MODE_TOOLS;

static inline void say_mission(bool wants)
{
	mission.wants_decision = wants;
	mission_hdr.t_ns = now_ns;
	mission_hdr.seq++;
	cairn_dialog_mission(dialog, &mission, &mission_hdr);
}

static bool with_view; /* snapshots have a second picture, from above */

static inline bool snapshot(bool image_needed, enum cairn_trigger trigger)
{
	static uint64_t id;
	uint8_t payload[4096];
	struct cairn_snapshot_head head = {.snapshot_id = ++id,
	    .x_m = 1.0,
	    .y_m = 2.0,
	    .yaw_rad = 0.0,
	    .similarity = similarity,
	    .nearest_m = nearest_m,
	    .trigger = (uint32_t)trigger,
	    .image_needed = image_needed,
	    .text_bytes = sizeof(TEXT) - 1,
	    .jpeg_bytes = sizeof(jpeg),
	    .view_bytes = with_view ? sizeof(view_jpeg) : 0,
	    .version = CAIRN_SNAPSHOT_VERSION};
	for (int i = 0; i < 12; i++)
		head.sector_m[i] = 2.0f;
	for (int i = 0; i < 6; i++)
		head.feasibility[i] = 0.5f;
	memcpy(payload, &head, sizeof(head));
	memcpy(payload + sizeof(head), TEXT, head.text_bytes);
	uint8_t *at = mempcpy(payload + sizeof(head) + head.text_bytes, jpeg, sizeof(jpeg));
	at = mempcpy(at, view_jpeg, head.view_bytes);
	struct cairn_error err = {""};
	return cairn_dialog_snapshot(dialog, payload, (size_t)(at - payload), now_ns, &err);
}

static inline void frontiers(void)
{
	struct cairn_msg_frontiers f = {.items_count = 3, .reachable = 2, .total = 3};
	f.items[0] = (struct cairn_msg_frontier){.id = 3,
	    .x_m = 2.0,
	    .y_m = 3.0,
	    .width_m = 0.9,
	    .distance_m = 1.6,
	    .kind = CAIRN_FRONTIER_KIND_DOORWAY};
	f.items[1] =
	    (struct cairn_msg_frontier){.id = 4, .x_m = 9.0, .y_m = 9.0, .width_m = 0.9, .distance_m = -1.0};
	f.items[2] = (struct cairn_msg_frontier){
	    .id = 5, .x_m = 5.0, .y_m = 2.0, .width_m = 1.5, .distance_m = 4.0, .detour_m = 1.0};
	cairn_dialog_frontiers(dialog, &f, now_ns);
}

static inline void setup(void)
{
	struct cairn_text system = {0};
	struct cairn_error err = {""};
	cairn_config_defaults(&cfg);
	cfg.pilot.picture_tokens = 0; /* as gpt-4o-mini counts: PICTURE_TOKENS */
	snprintf(cfg.vlm.prompts, sizeof(cfg.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	cfg.vlm.mode = mode;
	bool loaded = cairn_prompt_load(&cfg, &system, &err);
	ck_assert_msg(loaded, "%s", err.text);
	dialog = cairn_dialog_new(&cfg.vlm, cfg.safety.decision_max_age_s, system.data, &err);
	ck_assert_msg(dialog != NULL, "%s", err.text);
	cairn_text_free(&system);
	now_ns = 100 * CAIRN_NS_PER_S;
	similarity = nearest_m = 0.0;
	mission = (struct cairn_msg_mission){.state = CAIRN_MISSION_STATE_EXPLORING, .elapsed_s = 12.0};
	mission_hdr = (struct cairn_header){.version = 1, .epoch = 77, .valid = true};
	say_mission(true);
	frontiers();
	snapshot(true, CAIRN_TRIGGER_RESULT);
}

static inline enum cairn_dialog_act poll_dialog(void)
{
	return cairn_dialog_poll(dialog, now_ns, &body, &body_bytes);
}

static inline void answer(int status, const char *text)
{
	struct cairn_dialog_outcome o = {.status = status,
	    .body = text,
	    .body_bytes = strlen(text),
	    .retry_after_s = -1.0,
	    .error = "no route"};
	now_ns += 400 * MS;
	cairn_dialog_ended(dialog, now_ns, &o);
}

#define REPLY(calls)                                                                                         \
	"{\"choices\":[{\"message\":{\"content\":\"Because.\",\"tool_calls\":[" calls                        \
	"]}}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50}}"
#define CALL(id, name, args)                                                                                 \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"" args \
	"\"}}"
#define GO CALL("c1", "navigate_to_goal", "{\\\"kind\\\":\\\"frontier\\\",\\\"frontier_id\\\":3}")
#define REPORT                                                                                               \
	CALL("c2", "report_discovery",                                                                       \
	    "{\\\"label\\\":\\\"hall\\\",\\\"notes\\\":null,\\\"significance\\\":\\\"room\\\"}")

static inline const char *last_error(void)
{
	static struct cairn_msg_vlm_stats stats;
	cairn_dialog_stats(dialog, now_ns, &stats);
	return stats.last_error;
}

static inline void drive_result(double distance_m)
{
	struct cairn_msg_result r = {.decision_id = decision.id,
	    .outcome = CAIRN_OUTCOME_FAILED,
	    .source = CAIRN_SOURCE_MODEL,
	    .distance_m = distance_m};
	cairn_dialog_result(dialog, &r, now_ns);
}

static inline void again(void)
{
	now_ns += 1100 * MS;
	say_mission(true);
	frontiers();
	snapshot(true, CAIRN_TRIGGER_RESULT);
}

#endif
