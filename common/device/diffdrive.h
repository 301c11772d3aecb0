/* diffdrive.h - the lines of a base with two driven wheels (docs/diffdrive-serial.md), host side.
 *
 * Lines are framed as those of NMEA 0183: '$', letters and numbers with commas, '*', two hexadecimal digits of the exclusive or of
 * what is between, end of line. Bytes in, reports out; any chunking and any bytes are fine. A line whose sum or fields are wrong is
 * counted and forgotten.
 *
 * The base stands when it has heard no speed for CAIRN_DIFFDRIVE_DEAD_MAN_MS; nobody relies on that alone. */
#ifndef CAIRN_COMMON_DEVICE_DIFFDRIVE_H
#define CAIRN_COMMON_DEVICE_DIFFDRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_DIFFDRIVE_BAUD 115200
#define CAIRN_DIFFDRIVE_LINE_MAX 96 /* with its end */
#define CAIRN_DIFFDRIVE_FIELDS_MAX 8
#define CAIRN_DIFFDRIVE_VERSION 1
#define CAIRN_DIFFDRIVE_DEAD_MAN_MS 200
#define CAIRN_DIFFDRIVE_WHEEL_MAX_MMPS 5000

/* ---- commands: each writes one line into out and returns its bytes; nothing ends with a zero ---- */

/* Speeds of the two wheels; clamped to what a field holds, not a number is zero. */
size_t cairn_diffdrive_speed(char out[CAIRN_DIFFDRIVE_LINE_MAX], double left_mps, double right_mps);
/* For a twist of the base. */
size_t cairn_diffdrive_twist(
    char out[CAIRN_DIFFDRIVE_LINE_MAX], double wheel_separation_m, double v_mps, double w_radps);
/* Stands at once, whatever it was told; the same bytes always. */
size_t cairn_diffdrive_stop(char out[CAIRN_DIFFDRIVE_LINE_MAX]);
/* Asks who it is. */
size_t cairn_diffdrive_ask(char out[CAIRN_DIFFDRIVE_LINE_MAX]);
/* Any line, for the base's side: text is what stands between '$' and '*'. 0: too long. */
size_t cairn_diffdrive_line(char out[CAIRN_DIFFDRIVE_LINE_MAX], const char *text);

/* ---- reports ---- */

enum cairn_diffdrive_kind {
	CAIRN_DIFFDRIVE_IDENTITY, /* I,version,gyro */
	CAIRN_DIFFDRIVE_WHEELS,   /* E,left counts,right counts,left mm/s,right mm/s */
	CAIRN_DIFFDRIVE_INERTIAL, /* G,x,y,z mrad/s,x,y,z mm/s2 */
	CAIRN_DIFFDRIVE_BATTERY,  /* B,mV */
	CAIRN_DIFFDRIVE_KINDS
};

struct cairn_diffdrive_report {
	enum cairn_diffdrive_kind kind;
	union {
		struct {
			int version;
			bool gyro; /* it has one, and reports it */
		} identity;
		struct {
			int32_t count[2]; /* left, right; cumulative, they wrap */
			double mps[2];
		} wheels;
		struct {
			double gyro_radps[3], accel_mps2[3];
		} inertial;
		double battery_v;
	};
};

struct cairn_diffdrive_parser {
	char line[CAIRN_DIFFDRIVE_LINE_MAX];
	size_t have;
	bool in_line;           /* a '$' has come */
	uint64_t reports;       /* good ones */
	uint64_t lines_bad;     /* begun, and wrong in sum, length or fields */
	uint64_t lines_unknown; /* right sum, but nothing that is known */
};

void cairn_diffdrive_parser_init(struct cairn_diffdrive_parser *p);
/* Takes bytes up to the end of the first report; returns how many were consumed, *ret_some: *ret_report was filled. */
size_t cairn_diffdrive_feed(struct cairn_diffdrive_parser *p, const uint8_t *data, size_t len,
    struct cairn_diffdrive_report *ret_report, bool *ret_some);

/* What stands between '$' and '*' of a whole line with a right sum, both ends cut, in place; NULL: it is none. For the base's side,
 * too. */
char *cairn_diffdrive_text(char *line);
/* Whole numbers behind the first comma; how many, -1 when there is something else or more than max. */
int cairn_diffdrive_numbers(const char *text, int64_t *ret, int max);

#endif
