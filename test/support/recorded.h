/* recorded.h - a recording for tests of what reads one: two questions, their answers, and what became of them. */
#ifndef CAIRN_TEST_SUPPORT_RECORDED_H
#define CAIRN_TEST_SUPPORT_RECORDED_H

#include <math.h>

#include "common/base/geom.h"
#include "common/vlm/exchange.h"
#include "common/vlm/prompt.h"
#include "common/vlm/recording.h"
#include "test/support/runner.h"

#define S CAIRN_NS_PER_S
#define VIEW "SENSORS (LiDAR, 12 sectors of 30 deg, clockwise from the front)\n0 2.4m CLEAR\nROBOT\n"
#define ANSWER(frontier)                                                                                     \
	"{\"choices\":[{\"message\":{\"content\":\"Because.\",\"tool_calls\":[{\"id\":\"a\",\"type\":"       \
	"\"function\","                                                                                      \
	"\"function\":{\"name\":\"navigate_to_goal\",\"arguments\":\"{\\\"kind\\\":\\\"frontier\\\","        \
	"\\\"frontier_id\\\":" #frontier                                                                     \
	"}\"}}]}}],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":50}}"

static struct cairn_config cfg;
static struct cairn_text lines, system_text;
static struct cairn_error err;
static char path[64];
static const uint8_t jpeg[] = {0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9};

static inline struct cairn_msg_frontiers frontiers_seen(void)
{
	struct cairn_msg_frontiers f = {.items_count = 2, .reachable = 2, .total = 2, .free_m2 = 8.0};
	f.items[0] = (struct cairn_msg_frontier){
	    .id = 3, .x_m = 2.2, .y_m = 0.0, .goal_x_m = 1.8, .width_m = 0.9, .distance_m = 1.8};
	f.items[1] = (struct cairn_msg_frontier){
	    .id = 5, .x_m = 0.0, .y_m = 2.4, .goal_y_m = 2.0, .width_m = 1.5, .distance_m = 2.1};
	return f;
}

static inline void add_asked(int64_t t_ns, uint64_t number)
{
	uint8_t payload[512];
	struct cairn_snapshot_head head = {.snapshot_id = number,
	    .trigger = CAIRN_TRIGGER_RESULT,
	    .image_needed = 1,
	    .text_bytes = sizeof(VIEW) - 1,
	    .jpeg_bytes = sizeof(jpeg),
	    .version = CAIRN_SNAPSHOT_VERSION};
	struct cairn_msg_mission mission = {
	    .state = CAIRN_MISSION_STATE_EXPLORING, .wants_decision = true, .elapsed_s = 5.0};
	struct cairn_msg_frontiers f = frontiers_seen();
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = t_ns};
	struct cairn_memory memory;
	struct cairn_ledger none = {0};
	struct cairn_text text = {0};
	char stamp[32];
	cairn_memory_init(&memory);
	ck_assert(cairn_memory_write(&memory, &none, &text));
	memcpy(payload, &head, sizeof(head));
	memcpy(payload + sizeof(head), VIEW, sizeof(VIEW) - 1);
	memcpy(payload + sizeof(head) + sizeof(VIEW) - 1, jpeg, sizeof(jpeg));
	size_t from = lines.len;
	cairn_recording_begin(&lines, "asked", number, t_ns);
	cairn_recording_message(&lines, CAIRN_TOPIC_MISSION, &at, &mission);
	cairn_recording_message(&lines, CAIRN_TOPIC_FRONTIERS, &at, &f);
	cairn_recording_blob(&lines, "snapshot", payload, sizeof(head) + sizeof(VIEW) - 1 + sizeof(jpeg));
	snprintf(stamp, sizeof(stamp), "%lld", (long long)t_ns);
	cairn_recording_text(&lines, "snapshot_ns", stamp, strlen(stamp));
	cairn_recording_text(&lines, "pictures", "yes", 3);
	cairn_recording_text(&lines, "context", "of another time", 15);
	cairn_recording_text(&lines, "problem", "", 0);
	cairn_recording_text(&lines, "memory", text.data, text.len);
	cairn_recording_end(&lines, from);
	cairn_text_free(&text);
}

static inline void add_exchange(const char *response)
{
	struct cairn_exchange x = {.provider = "pilot",
	    .format = "openai",
	    .url = "http://127.0.0.1:0/v1",
	    .request = "{}",
	    .request_bytes = 2,
	    .status = 200,
	    .response = response,
	    .response_bytes = strlen(response),
	    .retry_after_s = -1.0};
	cairn_exchange_line(&lines, &x);
}

/* Walls far away all round, but for what stands free_m ahead. */
static inline struct cairn_msg_scan scan_of(double ahead_m)
{
	struct cairn_msg_scan s = {
	    .range_min_m = 0.05F, .range_max_m = 12.0F, .angle_rad_count = 360, .range_m_count = 360};
	for (uint32_t i = 0; i < 360; i++) {
		s.angle_rad[i] = (float)((double)i * M_PI / 180.0 - M_PI);
		s.range_m[i] = fabs((double)i - 180.0) < 30.0 ? (float)ahead_m : 4.0F;
	}
	return s;
}

static inline void add_decided_among(int64_t t_ns, const struct cairn_msg_decision *decision, double ahead_m,
    const struct cairn_msg_frontiers *f)
{
	static uint8_t cells[200 * 200];
	struct cairn_frame_header grid = {.magic = CAIRN_FRAME_MAGIC,
	    .version = CAIRN_FRAME_VERSION,
	    .format = CAIRN_FORMAT_GRID8,
	    .width = 200,
	    .height = 200,
	    .stride_bytes = 200,
	    .payload_bytes = sizeof(cells),
	    .origin_x_m = -5.0,
	    .origin_y_m = -5.0,
	    .cell_m = 0.05};
	struct cairn_msg_mission mission = {
	    .state = CAIRN_MISSION_STATE_EXPLORING, .wants_decision = true, .elapsed_s = 5.0};
	struct cairn_msg_pose pose = {.tracking = CAIRN_TRACKING_GOOD, .quality = 0.9};
	struct cairn_msg_motion motion = {.state = CAIRN_MOTOR_STATE_IDLE, .nearest_m = 1.0};
	struct cairn_msg_scan scan = scan_of(ahead_m);
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = t_ns - S / 100};
	size_t from = lines.len;
	cairn_recording_begin(&lines, "decided", decision->id, t_ns);
	cairn_recording_message(&lines, CAIRN_TOPIC_MISSION, &at, &mission);
	cairn_recording_message(&lines, CAIRN_TOPIC_FRONTIERS, &at, f);
	cairn_recording_message(&lines, CAIRN_TOPIC_MOTION, &at, &motion);
	cairn_recording_message(&lines, CAIRN_TOPIC_POSE, &at, &pose);
	cairn_recording_message(&lines, CAIRN_TOPIC_SCAN, &at, &scan);
	cairn_recording_message(&lines, CAIRN_TOPIC_DECISION, &at, decision);
	ck_assert(cairn_recording_grid(&lines, &grid, cells));
	cairn_recording_end(&lines, from);
}

static inline void add_decided(int64_t t_ns, const struct cairn_msg_decision *decision, double ahead_m)
{
	struct cairn_msg_frontiers f = frontiers_seen();
	add_decided_among(t_ns, decision, ahead_m, &f);
}

/* An update of the frontiers that came while a decision was waited for. */
static inline void add_frontiers(int64_t t_ns, const struct cairn_msg_frontiers *f)
{
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = t_ns};
	size_t from = lines.len;
	cairn_recording_begin(&lines, "seen", 0, t_ns);
	cairn_recording_message(&lines, CAIRN_TOPIC_FRONTIERS, &at, f);
	cairn_recording_end(&lines, from);
}

static inline void add_ended(int64_t t_ns, uint64_t id, enum cairn_outcome outcome, const char *reason)
{
	struct cairn_msg_result r = {.decision_id = id,
	    .source = CAIRN_SOURCE_MODEL,
	    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
	    .outcome = outcome};
	struct cairn_header at = {.epoch = 1, .valid = true, .t_ns = t_ns};
	size_t from = lines.len;
	snprintf(r.reason, sizeof(r.reason), "%s", reason);
	cairn_recording_begin(&lines, "ended", id, t_ns);
	cairn_recording_message(&lines, CAIRN_TOPIC_RESULT, &at, &r);
	cairn_recording_end(&lines, from);
}

/* Frontier 3 twice: refused by the recorded sequencer, and accepted. */
static inline void make_lines(void)
{
	struct cairn_profile profile;
	cairn_config_defaults(&cfg);
	snprintf(cfg.vlm.prompts, sizeof(cfg.vlm.prompts), "%s", CAIRN_SOURCE_ROOT "/config/prompts");
	cfg.vlm.connect_timeout_s = 8.0; /* for a machine that is busy; measures nothing */
	cfg.vlm.timeout_s = 30.0;
	cairn_profile_defaults(&profile);
	cairn_text_clear(&lines);
	cairn_text_clear(&system_text);
	ck_assert_msg(cairn_prompt_load(&cfg, &system_text, &err), "%s", err.text);
	cairn_recording_begun(&lines, &cfg, &profile, system_text.data, 1e9);
	for (int64_t i = 1; i <= 2; i++) {
		int64_t t_ns = 100 * S + i * 10 * S;
		struct cairn_msg_decision d = {.id = (uint64_t)((t_ns + S) / 1000),
		    .source = CAIRN_SOURCE_MODEL,
		    .tool = CAIRN_TOOL_NAVIGATE_TO_GOAL,
		    .goal_kind = CAIRN_GOAL_KIND_FRONTIER,
		    .frontier_id = 3,
		    .t_snapshot_ns = t_ns};
		add_asked(t_ns, (uint64_t)i);
		add_exchange(ANSWER(3));
		add_decided(t_ns + S, &d, 4.0);
		add_ended(t_ns + 3 * S, d.id, i == 1 ? CAIRN_OUTCOME_REFUSED : CAIRN_OUTCOME_SUCCESS,
		    i == 1 ? "only 0.10 m free that way" : "there");
	}
	ck_assert(!lines.failed);
}

static inline struct cairn_recording *open_lines(const char *data, size_t bytes)
{
	snprintf(path, sizeof(path), "/tmp/cairn-recording-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_eq(write(fd, data, bytes), (ssize_t)bytes);
	close(fd);
	struct cairn_recording *r = cairn_recording_open(path, &err);
	unlink(path);
	return r;
}

static inline struct cairn_recording *open_made(void)
{
	make_lines();
	struct cairn_recording *r = open_lines(lines.data, lines.len);
	ck_assert_msg(r != NULL, "%s", err.text);
	return r;
}

#endif
