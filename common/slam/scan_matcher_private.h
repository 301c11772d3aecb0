/* scan_matcher_private.h - what the two halves of the scan matcher share; not for others. */
#ifndef CAIRN_COMMON_SLAM_SCAN_MATCHER_PRIVATE_H
#define CAIRN_COMMON_SLAM_SCAN_MATCHER_PRIVATE_H

#include "common/slam/scan_matcher.h"

#define CAIRN_MATCH_POINTS 512

/* Returns in the robot frame, thinned. */
struct cairn_match_points {
	size_t count;
	float x_m[CAIRN_MATCH_POINTS], y_m[CAIRN_MATCH_POINTS];
	float face_x[CAIRN_MATCH_POINTS], face_y[CAIRN_MATCH_POINTS];
};

/* Refines start below the cell; fills pose, sigmas and cov of *ret. False when the points do not fix the pose
 * at all. */
bool cairn_match_refine(const struct cairn_grid *grid, const struct cairn_match_points *points,
    const struct cairn_match_request *request, struct cairn_pose2 start, struct cairn_match *ret);

/* Fills cov and sigmas of *ret from its info and the prediction. False: they do not fix the pose, and nothing was filled. */
bool cairn_match_conclude(const struct cairn_match_request *request, struct cairn_match *ret);

/* Looks along the axis that the scan fixes least: takes back what info of *ret claims there and the scores do not bear out,
 * concludes anew, and leaves the place along an axis on which all fits alike to the prediction. */
void cairn_match_weigh(const struct cairn_grid *grid, const struct cairn_likelihood_field *field,
    const struct cairn_match_points *points, const struct cairn_match_request *request,
    struct cairn_match *ret);

/* Fills quality, known_share and score of *ret for its pose. */
void cairn_match_judge(const struct cairn_grid *grid, const struct cairn_likelihood_field *field,
    const struct cairn_match_points *points, struct cairn_match *ret);

#endif
