/* prompt_view.c - the annotator's text of a snapshot (common/percept/text.h), told with fewer tokens.
 *
 * The facts stay, the words that the system text explains once go: the twelve sectors become one line in
 * centimetres (their labels are thresholds of these), bearings "130R" or "20L". A line that is not understood
 * goes through as it is, cleaned. A level floor is not worth a line. */
#include <math.h>
#include <string.h>

#include "common/base/geom.h"
#include "common/vlm/prompt_private.h"

#define SECTORS 12
#define LEVEL_DEG 2.0
#define LINE_CAP 400

struct view_writer {
	struct cairn_text *out;
	int sector_cm[SECTORS]; /* -1: no return */
	int sector_count;
};

static int to_cm(double m)
{
	return (int)lround(fmin(m, 1e4) * 100.0);
}

char cairn_prompt_side(const char *word)
{
	return strncmp(word, "right", 5) == 0 ? 'R' : 'L';
}

/* Sectors come in their order; a line out of it is somebody else's. */
static bool take_sector(struct view_writer *w, const char *line)
{
	int deg, used = 0;
	double m;
	if (sscanf(line, "%d %n", &deg, &used) != 1 || used == 0 || deg != 30 * w->sector_count ||
	    w->sector_count == SECTORS)
		return false;
	bool none = strncmp(line + used, "--", 2) == 0;
	if (!none && (sscanf(line + used, "%lf", &m) != 1 || !(m >= 0.0)))
		return false;
	w->sector_cm[w->sector_count++] = none ? -1 : to_cm(m);
	return true;
}

static void write_sectors(struct view_writer *w)
{
	static const char *const quarters[] = {"front", ", right", ", back", ", left"};
	for (int i = 0; i < w->sector_count; i++) {
		if (i % 3 == 0)
			cairn_text_add(w->out, quarters[i / 3]);
		if (w->sector_cm[i] < 0)
			cairn_text_add(w->out, " --");
		else
			cairn_text_addf(w->out, " %d", w->sector_cm[i]);
	}
	cairn_text_add(w->out, w->sector_count > 0 ? "\n" : "");
	w->sector_count = 0;
}

static bool add_nearest(struct cairn_text *out, const char *line)
{
	double m, deg;
	char side[8];
	if (sscanf(line, "Nearest obstacle: %lfm at %lf deg %7[a-z]", &m, &deg, side) == 3)
		cairn_text_addf(out, "nearest %d %.0f%c\n", to_cm(m), deg, cairn_prompt_side(side));
	else if (sscanf(line, "Nearest obstacle: %lfm ahea%1[d]", &m, side) == 2)
		cairn_text_addf(out, "nearest %d ahead\n", to_cm(m));
	else
		return false;
	return true;
}

static bool add_gaps(struct cairn_text *out, const char *line)
{
	if (strncmp(line, "Gaps: ", 6) != 0)
		return false;
	bool first = true;
	for (const char *at = line + 6; at != NULL; first = false) {
		double width_m, deg, away_m;
		char side[8];
		if (sscanf(at, " %lfm wide at %lf deg %7[a-z], %lfm", &width_m, &deg, side, &away_m) != 4)
			break;
		cairn_text_addf(out, "%s%d %.0f%c %d", first ? "gaps " : ", ", to_cm(width_m), deg,
		    cairn_prompt_side(side), to_cm(away_m));
		at = strchr(at, ';');
		at = at != NULL ? at + 1 : NULL;
	}
	if (!first)
		cairn_text_add(out, "\n");
	return !first || strcmp(line, "Gaps: none") == 0;
}

static bool add_feasibility(struct cairn_text *out, const char *line)
{
	float f[6];
	if (sscanf(line,
		"Feasibility: forward %f, forward_left %f, forward_right %f, left %f, right %f, backward %f",
		&f[0], &f[1], &f[2], &f[3], &f[4], &f[5]) != 6)
		return false;
	cairn_text_add(out, "feasible");
	for (int i = 0; i < 6; i++)
		cairn_text_addf(out, "%s %s %.0f", i > 0 ? "," : "",
		    cairn_enum_text(&cairn_enum_direction, i), 100.0 * fmin((double)f[i], 1.0));
	cairn_text_add(out, "\n");
	return true;
}

static bool add_robot(struct cairn_text *out, const char *line)
{
	double x, y, deg, speed, roll, pitch, driven, wide, high, seen;
	char point[4], tracking[8];
	if (sscanf(line, "Position: x %lf m, y %lf m from the start; heading %lf deg (%3[A-Z]); speed %lf",
		&x, &y, &deg, point, &speed) == 5) {
		cairn_text_addf(out, "x %.1f y %.1f heading %.0f %s, %.1f m/s\n", cairn_tenth(x),
		    cairn_tenth(y), deg, point, cairn_tenth(speed));
		return true;
	}
	/* The time and the number of frontiers are told below. */
	if (sscanf(line,
		"Travelled %lf m in %*f s; map %lf x %lf m, coverage %lf%%, %*u frontiers; tracking %7[a-z]",
		&driven, &wide, &high, &seen, tracking) == 5) {
		cairn_text_addf(out, "%.0f m driven; map %.0f x %.0f m, %.0f%% seen; tracking %s\n", driven,
		    wide, high, seen, tracking);
		return true;
	}
	if (strncmp(line, "Battery: ", 9) == 0) {
		cairn_text_addf(out, "%s%s\n", strchr(line, '%') != NULL ? "battery " : "", line + 9);
		return true;
	}
	if (strncmp(line, "Camera: picture without depth", 29) == 0) { /* why, is nothing to a model */
		cairn_text_add(out, "no distances in the picture\n");
		return true;
	}
	return sscanf(line, "Tilt: roll %lf, pitch %lf", &roll, &pitch) == 2 && fabs(roll) < LEVEL_DEG &&
	       fabs(pitch) < LEVEL_DEG;
}

static void add_line(struct view_writer *w, const char *line)
{
	if (take_sector(w, line))
		return;
	write_sectors(w);
	if (strncmp(line, "SENSORS (", 9) == 0)
		cairn_text_add(w->out, "SENSORS\n");
	else if (!add_nearest(w->out, line) && !add_gaps(w->out, line) && !add_feasibility(w->out, line) &&
		 !add_robot(w->out, line))
		cairn_text_addf(w->out, "%s\n", line);
}

/* Line by line, so that no control character of a broken frame gets through. */
void cairn_prompt_add_view(struct cairn_text *out, const char *text, size_t bytes)
{
	struct view_writer w = {.out = out};
	size_t left = bytes < CAIRN_PROMPT_SNAPSHOT_BYTES_MAX ? bytes : CAIRN_PROMPT_SNAPSHOT_BYTES_MAX;
	for (const char *at = text; left > 0;) {
		const char *end = memchr(at, '\n', left);
		size_t n = end != NULL ? (size_t)(end - at) : left;
		char line[LINE_CAP];
		cairn_text_clean(line, sizeof(line), at, n);
		if (line[0] != '\0')
			add_line(&w, line);
		size_t used = end != NULL ? n + 1 : n;
		at += used;
		left -= used;
	}
	write_sectors(&w);
}
