/* text.h - the snapshot as text, for the model.
 *
 *   SENSORS (LiDAR: degrees clockwise from the front, metres)
 *   0 2.4 CLEAR                                12 sectors of 30 deg: 10th percentile, label
 *   30 1.3 NEAR
 *   60 0.8 OBSTACLE
 *   90 -- EMPTY                                no valid return
 *   ...
 *   Nearest obstacle: 0.42m at 130 deg right   or "0.42m ahead" below 1 deg, or "none"
 *   Gaps: 0.85m wide at 20 deg left, 1.9m away; 0.70m wide at 45 deg right, 2.4m away     or "none"
 *   Feasibility: forward 0.80, forward_left 0.55, forward_right 0.40, left 0.30, right 1.00, backward 0.10
 *   ROBOT
 *   Position: x 1.20 m, y -0.40 m from the start; heading 47 deg (NE); speed 0.12 m/s
 *   Travelled 12.3 m in 95 s; map 6.2 x 4.1 m, coverage 63%, 4 frontiers; tracking good
 *   Tilt: roll 0.5, pitch -0.2 deg             only with an inertial unit
 *   Battery: 73%, 42 min                       only with a battery report; "11.8 V" where the charge is not known
 *   Camera: none                               only when something about the picture is missing
 *   Camera: looks 20 deg left of the heading   only of a camera that is turned aside, beside its picture
 *   Picture: arrows to F3; hidden F7           only when candidates are drawn on it (overlay.h)
 *
 * What is missing says so: "SENSORS: no scan" in place of the first block, "Position: unknown", "Travelled
 * unknown", "map unknown"; the time is left out when nobody tells it. Labels follow the measured distance,
 * not the rounded one (1.96 m reads "2.0 NEAR"). Numbers are rounded half away from zero; one that is not
 * finite reads "?", one beyond 99999 is cut. Lines end with a newline; the text holds no byte outside ASCII.
 *
 * Length: at most CAIRN_TEXT_TOKENS_MAX tokens by the estimate below, whatever the scene: the three nearest
 * gaps are told (the message has up to eight), fewer where there is no room for three. There always is for
 * one. */
#ifndef CAIRN_COMMON_PERCEPT_TEXT_H
#define CAIRN_COMMON_PERCEPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "ipc/messages.h"

#define CAIRN_TEXT_CAP 2048 /* always enough */
#define CAIRN_TEXT_GAPS 3
#define CAIRN_TEXT_TOKENS_MAX 350 /* by cairn_text_tokens_estimate */

enum cairn_text_camera {
	CAIRN_TEXT_CAMERA_FULL,     /* picture with depth: nothing to say */
	CAIRN_TEXT_CAMERA_NO_DEPTH, /* "Camera: picture without depth" */
	CAIRN_TEXT_CAMERA_UNPAIRED, /* "Camera: picture without depth (depth 0.23 s apart)" */
	CAIRN_TEXT_CAMERA_NONE      /* "Camera: none" */
};

/* NULL: not known, or too old to be told. */
struct cairn_text_inputs {
	const struct cairn_msg_percept *percept;
	const struct cairn_msg_pose *pose;
	const struct cairn_msg_frontiers *frontiers;
	const struct cairn_msg_mission *mission;
	const struct cairn_msg_imu *imu;
	const struct cairn_msg_battery *battery;
	double battery_min; /* until the robot has to drive home or stops; not above 0: not known */
	enum cairn_text_camera camera;
	double pair_apart_s;   /* CAIRN_TEXT_CAMERA_UNPAIRED */
	double camera_yaw_rad; /* on the robot */
	const char *legend;    /* of what else is drawn on the picture; NULL or "" = nothing */
};

/* Writes the text, NUL-terminated; its length without the NUL. Cut if capacity is too small (never with
 * CAIRN_TEXT_CAP). */
size_t cairn_text_write(char *buf, size_t capacity, const struct cairn_text_inputs *in);

/* What the text will cost, without a vocabulary at hand. Tokenizers of today split before each word, number
 * of up to three digits and punctuation mark, so: a word with its leading blank is one token per eight letters
 * begun (three, if all are capitals), a number one per three digits begun and one for its leading blank, a run
 * of other marks one each, a line end one. On texts of this form it lies 1 to 6 % above what o200k_base and
 * cl100k_base count, the vocabularies of the GPT-4o and GPT-4 families. */
int cairn_text_tokens_estimate(const char *text, size_t bytes);

#endif
