/* pilot_view.h - what the files of the scholar share: a request as it reads it, and the arguments that it writes; nobody else
 * includes it. */
#ifndef CAIRN_COMMON_SIM_PILOT_PILOT_VIEW_H
#define CAIRN_COMMON_SIM_PILOT_PILOT_VIEW_H

#include "common/sim/pilot/pilot_scholar.h"

#define SCHOLAR_THINGS_MAX 24
#define SCHOLAR_ROOMS_MAX 12
#define SCHOLAR_LINE_CAP 256

/* A thing as the request lists it. */
struct scholar_thing {
	char id[48], label[64], room[48], room_name[48];
	char state[8];     /* open, closed, on or off; empty: the detector has told none */
	char on_it[4][48]; /* ids of what stands on it */
	uint32_t on_it_count;
	double x_m, y_m;
	bool stale;
};

/* What the request says of the house. */
struct scholar_view {
	char task[256];
	struct cairn_scholar_question q;
	struct scholar_thing things[SCHOLAR_THINGS_MAX]; /* that the question is about */
	struct scholar_thing other;                      /* the second one that it names */
	bool has_other;
	uint32_t thing_count, openings, room_count;
	struct {
		char id[48], name[48];
		double x_m, y_m; /* its middle */
	} rooms[SCHOLAR_ROOMS_MAX];
	char here[48]; /* id of the room that the robot is in; may be empty */
	bool tick;     /* a call of the whole task, and not of a step of a plan */
	bool asked;    /* the progress log has the conclusion of a Getinfo */
	const char *graph, *graph_end, *memory, *memory_end, *said, /* said: behind the question, by tools */
	    *plan, *plan_end;
};

void scholar_read(const char *text, struct scholar_view *ret);
/* Copies the line at `at`; the next one. */
const char *scholar_line(const char *at, const char *end, char line[SCHOLAR_LINE_CAP]);
/* All that the answer rests on is known. */
bool scholar_knows(const struct scholar_view *view);

/* ---- arguments of a call ---- */

void scholar_begin(struct cairn_text *out, const char *why);
void scholar_text_arg(struct cairn_text *out, const char *name, const char *value); /* NULL: null */
void scholar_list_arg(struct cairn_text *out, const char *name, const char *const *items, size_t count);
/* The room of a thing, in words. */
void scholar_where(const struct scholar_thing *thing, char *dst, size_t cap);

/* ---- things to do ---- */

struct scholar_deed {
	const char *verb, *argument, *target;
};

/* What a task takes, in its order; how many. */
size_t scholar_deeds_of(const struct scholar_view *view, struct scholar_deed ret[2]);
/* The first of them that the log does not tell as done; NULL: all are. */
const struct scholar_deed *scholar_next_deed(
    const struct scholar_view *view, const struct scholar_deed *deeds, size_t n, bool *ret_failed);

/* ---- a way told part by part (pilot_route.c) ---- */

/* The thing of a part; empty: it has none. */
void scholar_route_thing(const char *line, char ret[40]);
/* The arguments of prepare_task, and of write_plan where a part does not fit. */
void scholar_route_prepare(const struct scholar_view *view, struct cairn_text *out);
/* The plan says that the robot stands where the way ends. */
bool scholar_route_stopped(const struct scholar_view *view);
void scholar_route_revise(const struct scholar_view *view, struct cairn_text *out);

/* The arguments of verify_task. */
void scholar_verify(const struct scholar_view *view, struct cairn_text *out);

#endif
