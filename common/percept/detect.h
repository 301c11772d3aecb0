/* detect.h - things seen in the camera's pictures: when to ask a detector, and what its answers mean in the map.
 *
 * A detector (the simulated one, or any helper process) finds things in one picture and gives for each a label, a box of
 * pixels and points on its surface in the camera's axes. This core decides when a picture is searched, turns answers
 * into the message `detections` by the pose at the time of the picture, and refuses what makes no sense. Labels are
 * data from outside: they are cleaned here, once. Pure: no clock, no socket. */
#ifndef CAIRN_COMMON_PERCEPT_DETECT_H
#define CAIRN_COMMON_PERCEPT_DETECT_H

#include "common/camera/camera_pose.h"
#include "common/config/config.h"
#include "ipc/messages.h"

#define CAIRN_DETECT_ITEMS 32
#define CAIRN_DETECT_POINTS 16
#define CAIRN_DETECT_TILE_COLS 16
#define CAIRN_DETECT_TILE_ROWS 12
#define CAIRN_DETECT_TILES (CAIRN_DETECT_TILE_COLS * CAIRN_DETECT_TILE_ROWS)
#define CAIRN_DETECT_POSES 128
/* Two boxes of one label that share more than this of their union are one thing. */
#define CAIRN_DETECT_OVERLAP_MAX 0.6

/* A point in the camera's axes, metres. */
struct cairn_detect_point {
	float right_m, down_m, ahead_m;
};

/* One thing in a picture. Points: on the surface that is seen, at its extremes; none: the detector knows no depth. */
struct cairn_detected {
	char label[40], colour[16], state[24]; /* colour and state may be empty */
	float confidence;
	float px[4]; /* left, top, right, bottom */
	struct cairn_detect_point points[CAIRN_DETECT_POINTS];
	uint32_t point_count;
	uint32_t
	    track; /* the detector's own number of the thing, the same in each picture; 0: it follows none */
};

/* What a detector says of one picture. */
struct cairn_detected_list {
	uint64_t look;                       /* the question that it answers */
	int64_t t_ns;                        /* of the picture */
	uint32_t width_px, height_px;        /* of the picture that the boxes are in */
	float nearest_m[CAIRN_DETECT_TILES]; /* as in the message; 0: not known */
	struct cairn_detected items[CAIRN_DETECT_ITEMS];
	uint32_t count, left_out; /* left out: items that did not fit or made no sense */
};

struct cairn_detector {
	const struct cairn_config *cfg; /* borrowed */
	struct {
		int64_t t_ns;
		struct cairn_pose2 pose;
	} poses[CAIRN_DETECT_POSES]; /* a ring */
	uint32_t pose_head, pose_count;
	uint64_t map_id;
	uint32_t map_epoch;
	bool tracked;
	uint64_t look;      /* asked last; 0: nothing yet */
	int64_t t_asked_ns; /* 0: no answer is awaited */
	int64_t t_due_ns, t_answer_ns;
	struct cairn_pose2 looked_from;
	uint32_t still_looks, last_count;
	double rate_hz;
	uint64_t asked, late, refused, left_out;
};

/* cfg is borrowed. */
void cairn_detector_init(struct cairn_detector *detector, const struct cairn_config *cfg);

/* What the agent is looking for, in words, while it works at a task; "" when it has none, or has ended it. Borrowed. */
const char *cairn_detector_task(const struct cairn_msg_agent *agent);
void cairn_detector_on_pose(struct cairn_detector *detector, const struct cairn_msg_pose *pose, int64_t t_ns);

/* Whether a picture should be searched now; then *ret_look is the number of the question, and it counts as asked. Never
 * while one is out, unless that is late. */
bool cairn_detector_due(struct cairn_detector *detector, int64_t now_ns, uint64_t *ret_look);

/* An answer: true, and the message to be published. False, with the reason in err and counted: not asked for, late, of a
 * time without a pose, or malformed. Things that make no sense are left out one by one. */
bool cairn_detector_answer(struct cairn_detector *detector, const struct cairn_detected_list *sights,
    int64_t now_ns, struct cairn_msg_detections *ret, struct cairn_error *err);

/* Things of a picture as a message, most certain first, by the pose of the camera in the map; one that is another once more is left out
 * without a word. Map, counters and times are the caller's. Returns how many made no sense or did not fit. */
uint32_t cairn_detect_place(const struct cairn_config *cfg, const struct cairn_detected_list *list,
    const struct cairn_camera_pose *camera, struct cairn_msg_detections *ret);

/* Depth picture in, points for the sights without any: the surface in the middle of each box and what hangs together with
 * it in depth; and nearest_m, where the detector has told none. depth_mm: width_px * height_px of the sights, 0 = unknown. */
void cairn_detect_depth(
    const struct cairn_config *cfg, const uint16_t *depth_mm, struct cairn_detected_list *sights);

#endif
