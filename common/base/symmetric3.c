#include "common/base/symmetric3.h"

#include <math.h>

double cairn_symmetric3_invert(const double m[3][3], double out[3][3])
{
	double c00 = m[1][1] * m[2][2] - m[1][2] * m[1][2], c01 = m[0][2] * m[1][2] - m[0][1] * m[2][2],
	       c02 = m[0][1] * m[1][2] - m[0][2] * m[1][1];
	double det = m[0][0] * c00 + m[0][1] * c01 + m[0][2] * c02;
	double minor = m[0][0] * m[1][1] - m[0][1] * m[0][1];
	if (!(m[0][0] > 0.0 && minor > 0.0 && det > 0.0) || !isfinite(det))
		return 0.0;
	double k = 1.0 / det, c12 = m[0][1] * m[0][2] - m[0][0] * m[1][2];
	double c11 = m[0][0] * m[2][2] - m[0][2] * m[0][2];
	out[0][0] = c00 * k;
	out[0][1] = out[1][0] = c01 * k;
	out[0][2] = out[2][0] = c02 * k;
	out[1][1] = c11 * k;
	out[1][2] = out[2][1] = c12 * k;
	out[2][2] = minor * k;
	return det;
}
