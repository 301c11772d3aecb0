/* The mission's table, walked in full, and its saved record. */
#include <errno.h>
#include <math.h>

#include "common/sequencer/mission.h"
#include "common/sequencer/mission_store.h"
#include "test/support/runner.h"

#define BIT(ident) CAIRN_MISSION_BIT(ident)
#define ALL_CONDITIONS (UINT32_C(1) << CAIRN_MISSION_COND_COUNT)
#define OPERATOR (BIT(STOP) | BIT(PAUSE) | BIT(RESUME) | BIT(EXPLORE) | BIT(GOTO) | BIT(HOME) | BIT(TASK))

START_TEST(every_row_is_of_use)
{
	static bool used[64];
	for (int s = 0; s < CAIRN_MISSION_STATE_COUNT; s++) {
		for (uint32_t c = 0; c < ALL_CONDITIONS; c++) {
			const struct cairn_mission_edge *e =
			    cairn_mission_next((enum cairn_mission_state)s, c);
			if (e != NULL)
				used[e - cairn_mission_edges] = true;
		}
	}
	ck_assert_int_lt(cairn_mission_edge_count, 64);
	for (int i = 0; i < cairn_mission_edge_count; i++)
		ck_assert_msg(used[i], "row %d never decides: an earlier one hides it", i);
}
END_TEST

START_TEST(a_stop_wins_over_everything)
{
	uint32_t wrong = 0; /* counted: an assertion for each of these cases would take its time */
	for (int s = 0; s < CAIRN_MISSION_STATE_COUNT; s++) {
		if (s == CAIRN_MISSION_STATE_FINISHED)
			continue;
		for (uint32_t c = 0; c < ALL_CONDITIONS; c++) {
			const struct cairn_mission_edge *e =
			    cairn_mission_next((enum cairn_mission_state)s, c | BIT(STOP));
			bool ok = e != NULL && e->to == CAIRN_MISSION_STATE_FINISHED &&
				  strcmp(e->reason, "stopped") == 0;
			wrong += ok ? 0 : 1;
		}
	}
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(only_an_operator_wakes_what_has_ended_or_is_held)
{
	uint32_t wrong = 0;
	for (uint32_t c = 0; c < ALL_CONDITIONS; c++) {
		if ((c & OPERATOR) != 0)
			continue;
		const struct cairn_mission_edge *e = cairn_mission_next(CAIRN_MISSION_STATE_IDLE, c);
		bool ok = cairn_mission_next(CAIRN_MISSION_STATE_FINISHED, c) == NULL &&
			  cairn_mission_next(CAIRN_MISSION_STATE_PAUSED, c) == NULL &&
			  (e == NULL || (c & BIT(AUTOSTART)) != 0);
		wrong += ok ? 0 : 1;
	}
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

START_TEST(every_state_can_be_reached_from_idle)
{
	bool reached[CAIRN_MISSION_STATE_COUNT] = {[CAIRN_MISSION_STATE_IDLE] = true};
	for (int round = 0; round < CAIRN_MISSION_STATE_COUNT; round++) {
		for (int s = 0; s < CAIRN_MISSION_STATE_COUNT; s++) {
			for (uint32_t c = 0; reached[s] && c < ALL_CONDITIONS; c++) {
				const struct cairn_mission_edge *e =
				    cairn_mission_next((enum cairn_mission_state)s, c);
				if (e != NULL && e->to != CAIRN_MISSION_STATE_COUNT)
					reached[e->to] = true;
			}
		}
	}
	for (int s = 0; s < CAIRN_MISSION_STATE_COUNT; s++)
		ck_assert_msg(reached[s], "%s", cairn_enum_text(&cairn_enum_mission_state, s));
}
END_TEST

START_TEST(a_way_home_is_final_unless_the_model_was_silent)
{
	uint32_t wrong = 0;
	for (uint32_t c = 0; c < ALL_CONDITIONS; c++) {
		if ((c & (OPERATOR | BIT(SILENT_WAY))) != 0)
			continue;
		const struct cairn_mission_edge *e = cairn_mission_next(CAIRN_MISSION_STATE_RETURNING, c);
		wrong += e == NULL || e->to == CAIRN_MISSION_STATE_FINISHED ? 0 : 1;
	}
	ck_assert_uint_eq(wrong, 0);
	const struct cairn_mission_edge *e =
	    cairn_mission_next(CAIRN_MISSION_STATE_RETURNING, BIT(SILENT_WAY) | BIT(MODEL));
	ck_assert_int_eq(e->to, CAIRN_MISSION_STATE_EXPLORING);
	ck_assert_ptr_null(cairn_mission_next(CAIRN_MISSION_STATE_RETURNING, BIT(SILENT_WAY) | BIT(AT_HOME)));
}
END_TEST

START_TEST(conditions_are_named)
{
	char text[200];
	cairn_mission_conditions_text(BIT(STOP) | BIT(TIME_UP) | BIT(STAY), text, sizeof(text));
	ck_assert_str_eq(text, "stop time_up stay");
	cairn_mission_conditions_text(ALL_CONDITIONS - 1, text, 8);
	ck_assert_uint_lt(strlen(text), 8);
}
END_TEST

/* ---- the record ---- */

static struct cairn_mission_record *sample(void)
{
	struct cairn_mission_record *r = calloc(1, sizeof(*r));
	r->state = CAIRN_MISSION_STATE_EXPLORING;
	r->started = true;
	r->t_first_ns = 5;
	r->t_explore_ns = 7;
	r->decisions = 12;
	r->last_decision_id = 99;
	r->decision_epoch = UINT64_MAX;
	r->first_decision_s = 3.5;
	snprintf(r->reason, sizeof(r->reason), "started by itself");
	cairn_frontier_blacklist_failed(&r->explore, 1.0, 2.0, 9.0, 0.5, "no_path");
	return r;
}

START_TEST(a_record_comes_back_as_it_was)
{
	struct cairn_mission_record *r = sample(), *back = calloc(1, sizeof(*back));
	unsigned char *buf = malloc(CAIRN_MISSION_RECORD_BYTES);
	struct cairn_error err = {""};
	ck_assert_int_eq(cairn_mission_record_encode(r, buf, CAIRN_MISSION_RECORD_BYTES - 1), -ENOBUFS);
	ck_assert_int_eq(
	    cairn_mission_record_encode(r, buf, CAIRN_MISSION_RECORD_BYTES), (int)CAIRN_MISSION_RECORD_BYTES);
	ck_assert_msg(
	    cairn_mission_record_decode(back, buf, CAIRN_MISSION_RECORD_BYTES, 10, &err), "%s", err.text);
	ck_assert_mem_eq(back, r, sizeof(*r));
	free(r);
	free(back);
	free(buf);
}
END_TEST

START_TEST(damage_anywhere_is_noticed)
{
	struct cairn_mission_record *r = sample(), *back = calloc(1, sizeof(*back));
	unsigned char *buf = malloc(CAIRN_MISSION_RECORD_BYTES);
	cairn_mission_record_encode(r, buf, CAIRN_MISSION_RECORD_BYTES);
	uint32_t missed = 0;
	for (size_t i = 0; i < CAIRN_MISSION_RECORD_BYTES; i += 3) {
		struct cairn_error err = {""};
		buf[i] ^= (unsigned char)(1u << (i % 8));
		bool taken = cairn_mission_record_decode(back, buf, CAIRN_MISSION_RECORD_BYTES, 10, &err);
		missed += taken || err.text[0] == '\0' ? 1 : 0;
		buf[i] ^= (unsigned char)(1u << (i % 8));
	}
	ck_assert_uint_eq(missed, 0);
	for (size_t n = 0; n < CAIRN_MISSION_RECORD_BYTES; n += 61)
		ck_assert(!cairn_mission_record_decode(back, buf, n, 10, NULL));
	ck_assert_uint_eq(back->decisions, 0); /* untouched by all that */
	free(r);
	free(back);
	free(buf);
}
END_TEST

START_TEST(senseless_records_are_refused_though_their_sum_fits)
{
	unsigned char *buf = malloc(CAIRN_MISSION_RECORD_BYTES);
	struct cairn_mission_record *back = calloc(1, sizeof(*back));
	for (int i = 0; i < 20; i++) {
		struct cairn_mission_record *r = sample();
		int64_t now_ns = 10;
		switch (i) {
		case 0:
			r->state = CAIRN_MISSION_STATE_COUNT;
			break;
		case 1:
			r->limit_s = NAN;
			break;
		case 2:
			r->limit_s = -1.0;
			break;
		case 3:
			now_ns = 6;
			break; /* older than the record: another boot */
		case 4:
			r->explore.count = CAIRN_FRONTIER_BLACKLIST_MEMORY + 1;
			break;
		case 5:
			r->explore.places[0].x_m = INFINITY;
			break;
		case 6:
			memset(r->reason, 'x', sizeof(r->reason));
			break;
		case 7:
			memset(&r->started, 2, 1);
			break;
		case 8:
			memset(&r->silent_way, 0x80, 1);
			break;
		case 9:
			memset(&r->explore.places[0].given_up, 3, 1);
			break;
		case 10:
			r->explore.places[0].t_arrival_ns = 11;
			break;
		case 11:
			r->t_explore_ns = INT64_MIN;
			break;
		case 12:
			r->elapsed_ns = -1;
			break;
		case 13:
			r->t_paused_ns = 6;
			break;
		case 14:
			r->open.decision.tool = CAIRN_TOOL_COUNT;
			break;
		case 15:
			r->open.goal_x_m = NAN;
			break;
		case 16:
			memset(&r->open.again, 2, 1);
			break;
		case 17:
			r->open.t_start_ns = 11;
			break;
		case 18:
			memset(&r->explore.places[0].afar, 2, 1);
			break;
		default:
			memset(r->open.decision.reasoning, 'x', sizeof(r->open.decision.reasoning));
			break;
		}
		cairn_mission_record_encode(r, buf, CAIRN_MISSION_RECORD_BYTES);
		ck_assert_msg(
		    !cairn_mission_record_decode(back, buf, CAIRN_MISSION_RECORD_BYTES, now_ns, NULL),
		    "case %d", i);
		free(r);
	}
	free(back);
	free(buf);
}
END_TEST

CAIRN_TEST_MAIN("mission", every_row_is_of_use, a_stop_wins_over_everything,
    only_an_operator_wakes_what_has_ended_or_is_held, every_state_can_be_reached_from_idle,
    a_way_home_is_final_unless_the_model_was_silent, conditions_are_named, a_record_comes_back_as_it_was,
    damage_anywhere_is_noticed, senseless_records_are_refused_though_their_sum_fits)
