/* symmetric3.h - symmetric 3x3 matrices: covariances and information of a pose (x, y, yaw). */
#ifndef CAIRN_COMMON_BASE_SYMMETRIC3_H
#define CAIRN_COMMON_BASE_SYMMETRIC3_H

/* Inverse of a positive definite matrix by its cofactors; only its upper triangle is read. The determinant; 0.0, with out as it was,
 * where the matrix is not positive definite (Sylvester's criterion) or not finite. */
double cairn_symmetric3_invert(const double m[3][3], double out[3][3]);

#endif
