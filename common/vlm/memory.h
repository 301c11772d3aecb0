/* memory.h - what the robot remembers about the house and its own last actions, for stateless model calls.
 *
 * A plain struct of fixed size. Labels and notes come from a model: they are cleaned, bounded text, quoted
 * wherever they are shown, and never markup, path or format string. The text for the prompt stays near 200
 * tokens however long the session is: whole entries, newest first, and a count of the rest (memory_text.c).
 * Saved as YAML, atomically (memory_file.c). */
#ifndef CAIRN_COMMON_VLM_MEMORY_H
#define CAIRN_COMMON_VLM_MEMORY_H

#include "common/external/notes.h"
#include "common/vlm/ledger.h"
#include "common/vlm/tools.h"

#define CAIRN_MEMORY_ROOMS 24 /* at most; vlm.rooms_max may be less */
#define CAIRN_MEMORY_ROOM_OBJECTS 6
#define CAIRN_MEMORY_DISCOVERIES 100 /* at most; vlm.discoveries_max may be less */
#define CAIRN_MEMORY_DEAD_ENDS 24
#define CAIRN_MEMORY_RESULTS 5
#define CAIRN_MEMORY_OBSERVATIONS 8
/* Bounds of the texts, together at most 215 tokens at four bytes each. */
#define CAIRN_MEMORY_TEXT_BYTES 430
#define CAIRN_MEMORY_ACTIONS_BYTES 430

/* When a room or thing was reported, and on which picture it was seen. */
struct cairn_memory_sight {
	uint64_t id;          /* rises with each report that was new; 0: reported before ids were kept */
	double unix_s;        /* 0: not known */
	uint64_t snapshot_id; /* 0: not known */
	char picture[40];     /* file name; empty: no picture was sent */
};

struct cairn_memory_room {
	char name[CAIRN_TOOL_LABEL_CAP];
	char entered_from[CAIRN_TOOL_LABEL_CAP]; /* empty: the first one */
	double x_m, y_m;                         /* where it was reported, map frame */
	struct cairn_memory_sight sight;
	uint32_t visits;
	uint32_t openings_left, openings_most; /* frontiers near it: now, and the most there ever were */
	uint32_t objects_count;
	char objects[CAIRN_MEMORY_ROOM_OBJECTS][CAIRN_TOOL_LABEL_CAP];
};

struct cairn_memory_discovery {
	char label[CAIRN_TOOL_LABEL_CAP];
	char notes[CAIRN_TOOL_NOTES_CAP];
	char room[CAIRN_TOOL_LABEL_CAP];
	uint32_t significance; /* enum cairn_significance */
	double x_m, y_m;
	struct cairn_memory_sight sight;
};

/* A dead end: where the robot stood, which way it faced (yaw of the map), and what closed the way. */
struct cairn_memory_place {
	double x_m, y_m, yaw_rad;
	char reason[48];
};

/* What a picture showed in full detail (observe_scene), where it was taken and which way it looked (yaw of the map). */
struct cairn_memory_observation {
	double x_m, y_m, yaw_rad;
	char focus[16]; /* what was looked for */
	char text[CAIRN_TOOL_NOTES_CAP];
};

/* An ended decision, as the next prompts tell it. */
struct cairn_memory_result {
	uint64_t decision_id;
	uint32_t outcome; /* enum cairn_outcome */
	uint32_t source;  /* enum cairn_source */
	bool overridden;
	char asked[96], executed[96], reason[160], suggestion[160];
	char cause[48]; /* "lidar ahead 0.31 m": what had it changed or stopped; empty: unknown */
	double distance_m, duration_s, turned_rad;
};

/* A room or thing that made room for a newer one. */
struct cairn_memory_gone {
	char label[CAIRN_TOOL_LABEL_CAP];
	char picture[40]; /* as of its sight */
	bool room;
};

/* Lists are oldest first. */
struct cairn_memory {
	uint32_t rooms_count, discoveries_count, dead_ends_count, results_count, observations_count;
	int32_t current_room;                             /* index into rooms, -1 unknown */
	uint32_t openings_left, openings_elsewhere;       /* reachable frontiers; those near no room */
	uint64_t claims_held, claims_right, claims_wrong; /* of the model about the map (message features) */
	double duration_s;                                /* of the session, over restarts */
	char known_things
	    [512]; /* line of the scene graph (scene/scene.h): labels in it are in quotes; "" = none */
	char local_scene[256]; /* line of the stage local, labels in quotes; "" = none. Of the
				  moment: of a session before it says nothing */
	char notes_outside
	    [CAIRN_NOTES_LINE_BYTES]; /* of programs outside (external/notes.h), in quotes; "" = none */
	uint64_t forgotten;           /* entries dropped for room */
	uint64_t reports;             /* ids given so far */
	uint64_t dropped;             /* of forgotten: rooms and things */
	char dropped_label[CAIRN_TOOL_LABEL_CAP]; /* of the last of these */
	uint32_t gone_count;                      /* what made room for the newest report */
	struct cairn_memory_gone gone[CAIRN_MEMORY_DISCOVERIES];
	/* kept; 0 or more than there is room for: CAIRN_MEMORY_ROOMS, CAIRN_MEMORY_DISCOVERIES */
	uint32_t rooms_max, discoveries_max;
	struct cairn_memory_room rooms[CAIRN_MEMORY_ROOMS];
	struct cairn_memory_discovery discoveries[CAIRN_MEMORY_DISCOVERIES];
	struct cairn_memory_place dead_ends[CAIRN_MEMORY_DEAD_ENDS];
	struct cairn_memory_result results[CAIRN_MEMORY_RESULTS];
	struct cairn_memory_observation observations[CAIRN_MEMORY_OBSERVATIONS];
};

void cairn_memory_init(struct cairn_memory *memory);

/* Takes a checked report_discovery made at (x_m, y_m). True if it was new; the same label nearby only
 * updates. Where there is no room left the oldest object makes it, then the oldest landmark, then the oldest hazard;
 * of rooms the oldest. dropped and gone tell of it. */
bool cairn_memory_report(
    struct cairn_memory *memory, const struct cairn_tool_call *report, double x_m, double y_m);
/* Takes a result; one with the decision id of a kept one replaces it, and one that goes on with what was replaced by the same is
 * added to it. Texts are cleaned. */
void cairn_memory_add_result(struct cairn_memory *memory, const struct cairn_msg_result *result);
/* Remembers a dead end, met facing yaw_rad, unless one is known within 1 m. The reason is cleaned. True if it was new. */
bool cairn_memory_add_dead_end(
    struct cairn_memory *memory, double x_m, double y_m, double yaw_rad, const char *reason);
/* Remembers what a picture showed; one of the same place, direction and focus makes way. The text is cleaned, and cut behind
 * a word where it is too long. What is kept of it; text itself where the place is not finite. */
const char *cairn_memory_add_observation(
    struct cairn_memory *memory, double x_m, double y_m, double yaw_rad, const char *focus, const char *text);
/* The robot is at (x_m, y_m): the current room is the one reported nearest to there, unknown farther than 4 m from all. Of
 * two that are about as near it stays the one it was. True when it has changed. */
bool cairn_memory_at(struct cairn_memory *memory, double x_m, double y_m);

/* Counts the reachable frontiers for each room (the nearest one reported within 4 m). */
void cairn_memory_frontiers(struct cairn_memory *memory, const struct cairn_msg_frontiers *frontiers);
/* Explored share of a room, 0..1: of the openings it ever had, those that are gone. */
double cairn_memory_explored(const struct cairn_memory_room *room);

/* When and on which picture the newest report was seen, for the owner to fill in; NULL: nothing was reported. */
struct cairn_memory_sight *cairn_memory_newest(struct cairn_memory *memory);

/* Rooms and things for the bus, in the order of their ids. */
void cairn_memory_discoveries(const struct cairn_memory *memory, struct cairn_msg_discoveries *ret);
/* The rooms as places, for the bus. */
void cairn_memory_places(const struct cairn_memory *memory, struct cairn_msg_places *ret);

/* The MEMORY lines (with a heading), at most CAIRN_MEMORY_TEXT_BYTES. */
void cairn_memory_text(const struct cairn_memory *memory, struct cairn_text *out);
/* The LAST ACTIONS lines (with a heading), newest first, at most CAIRN_MEMORY_ACTIONS_BYTES: what was asked
 * and what came of it for all that fit, of an overridden one also by which sensor; then what was executed instead,
 * reasons and suggestions, the newest first, whole or not at all. */
void cairn_memory_actions_text(const struct cairn_memory *memory, struct cairn_text *out);

/* The same as text: added to out, and read back (empty with the reason when it is damaged). */
bool cairn_memory_write(
    const struct cairn_memory *memory, const struct cairn_ledger *ledger, struct cairn_text *out);
bool cairn_memory_read(struct cairn_memory *memory, struct cairn_ledger *ledger, const char *text,
    size_t count, struct cairn_error *err);

/* Memory and ledger: writes path.new, syncs it, renames it over path. */
bool cairn_memory_save(const struct cairn_memory *memory, const struct cairn_ledger *ledger, const char *path,
    struct cairn_error *err);
/* False with the reason when there is a file that is damaged; *memory is empty and *ledger zero then. No
 * file: true, empty. */
bool cairn_memory_load(
    struct cairn_memory *memory, struct cairn_ledger *ledger, const char *path, struct cairn_error *err);

#endif
