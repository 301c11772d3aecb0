/* scan_matcher.h - where in the map was this scan taken?
 *
 * Two steps. First a correlative search over a window around the prediction (Olson 2009), exact on the grid
 * of cells and rotation steps by branch and bound over the max-pooled field (Hess et al. 2016), so that a
 * poor prediction cannot trap it. Then a refinement below the cell: weighted point-to-line least squares
 * (Gauss and Newton) against the mean returns of the cells, with the prediction as a prior. Where the scan
 * says nothing (along a bare corridor) the prediction decides, and the covariance says so: along the axis that is known
 * least it is taken from the scores of the places beside the match (scan_ambiguity.c). */
#ifndef CAIRN_COMMON_SLAM_SCAN_MATCHER_H
#define CAIRN_COMMON_SLAM_SCAN_MATCHER_H

#include "common/slam/likelihood_field.h"

struct cairn_matcher; /* scratch; about 1.1 MB */

/* Less of the score lost on one side along the weak axis, and nothing tells the place: smooth walls alone lose up to 5 %. */
#define CAIRN_MATCH_DROP_MIN 0.065

struct cairn_match_request {
	struct cairn_pose2 predicted;     /* by odometry, map frame */
	double window_m, window_rad;      /* searched to each side of it; 0 = refine only */
	double prior_xy_m, prior_yaw_rad; /* standard deviation of the prediction */
	double score_min;                 /* places that score less are not worth finding; 0 = any */
};

struct cairn_match {
	struct cairn_pose2 pose;
	double
	    quality; /* share of the returns in known space that lie within a cell of an occupied one; 0..1 */
	double known_share;               /* share of the returns that lie in known space at all */
	double score;                     /* mean of the field over the returns at pose; 0..1 */
	double sigma_xy_m, sigma_yaw_rad; /* of the result; xy: the worst direction */
	double cov[3][3];                 /* x y yaw */
	double info[3][3]; /* what the scan alone says: the inverse of cov without the prediction */
	uint32_t nodes;    /* searched */
	bool truncated;    /* the search was cut short: too many equally good places */
	double
	    along_share; /* what the scan says along the axis it fixes least, as a share of the other: 1 = all the same */
	/* Where that is small: the direction of the axis in the map, and the share of the score that is lost within 1 m of the
	 * match along it, to the side that loses less. blind: that is too little, so that info has 0 along the axis. */
	bool weak_axis, blind;
	double axis_rad, along_drop;
};

struct cairn_matcher *cairn_matcher_new(void);
void cairn_matcher_destroy(struct cairn_matcher **matcher_p);

/* Matches the hits of rays. False when there is nothing to match (fewer than 20 points, or an empty map);
 * *ret is then the prediction with quality 0. field must be up to date with grid. */
bool cairn_match_scan(struct cairn_matcher *matcher, const struct cairn_grid *grid,
    const struct cairn_likelihood_field *field, const struct cairn_rays *rays,
    const struct cairn_match_request *request, struct cairn_match *ret);

#endif
