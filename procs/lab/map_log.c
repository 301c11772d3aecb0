/* map_log.c - maps recorded logs, and says how well. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/slam/map_log.h"
#include "common/map/picture.h"
#include "procs/lab/bench.h"

#define RANGE_USE_M 15.0
#define PICTURE_PX 2000

/* The log's name without folders and endings. */
static void name_of(const char *path, char *out, size_t size)
{
	const char *slash = strrchr(path, '/');
	snprintf(out, size, "%s", slash != NULL ? slash + 1 : path);
	static const char *const endings[] = {".gz", ".log", ".dat", ".clf"};
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t have = strlen(out), n = strlen(endings[i]);
		if (have > n && strcmp(out + have - n, endings[i]) == 0)
			out[have - n] = '\0';
	}
}

static bool write_path(const struct cairn_map_log *log, const char *path, struct cairn_error *err)
{
	FILE *out = fopen(path, "we");
	bool ok = out != NULL;
	for (uint32_t i = 0; ok && i < log->scans; i++)
		ok = fprintf(out, "%u %.5f %.5f %.6f\n", i, log->poses[i].x_m, log->poses[i].y_m,
			 log->poses[i].yaw_rad) > 0;
	if (out != NULL)
		ok = fclose(out) == 0 && ok;
	if (!ok)
		cairn_error_set(err, "%s: %s", path, strerror(errno));
	return ok;
}

static bool write_files(
    const struct cairn_map_log *log, const char *dir, const char *name, struct cairn_error *err)
{
	char path[1024], title[300];
	if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
		cairn_error_set(err, "%s: %s", dir, strerror(errno));
		return false;
	}
	snprintf(path, sizeof(path), "%s/%s.path.txt", dir, name);
	if (!write_path(log, path, err))
		return false;
	snprintf(path, sizeof(path), "%s/%s.png", dir, name);
	snprintf(title, sizeof(title), "%s: %u scans", name, log->scans);
	return cairn_picture_of_log(log->mapper, title, PICTURE_PX, path, err);
}

static json_t *score_json(const struct cairn_relation_score *s)
{
	return json_pack("{s:i,s:i,s:f,s:f,s:f,s:f}", "relations", (int)s->relations, "unmatched",
	    (int)s->unmatched, "trans_mean_m", s->mean_m, "trans_sd_m", s->sd_m, "rot_mean_deg",
	    cairn_rad_to_deg(s->mean_rad), "rot_sd_deg", cairn_rad_to_deg(s->sd_rad));
}

static bool add_scores(json_t *out, const struct cairn_map_log *log, const char *relations, double offset_s,
    struct cairn_error *err)
{
	struct cairn_relation_score mapped, odometry;
	if (!cairn_map_log_score(log, log->poses, relations, offset_s, &mapped, err) ||
	    !cairn_map_log_score(log, log->odom, relations, offset_s, &odometry, err))
		return false;
	json_object_set_new(out, "mapped", score_json(&mapped));
	json_object_set_new(out, "odometry", score_json(&odometry));
	return true;
}

static json_t *figures(const struct cairn_map_log *log, const char *name, double cpu_s)
{
	struct cairn_mapper_counts c = cairn_mapper_counts(log->mapper);
	struct cairn_loop_fit fit = cairn_map_log_loop_fit(log->mapper);
	const struct cairn_pose_graph *g = cairn_mapper_graph(log->mapper);
	const struct cairn_grid *grid = cairn_mapper_grid(log->mapper);
	json_t *out = json_pack("{s:s,s:i,s:f,s:f,s:i,s:I,s:I,s:I,s:I,s:I}", "log", name, "scans",
	    (int)log->scans, "cpu_s", cpu_s, "scans_per_s", log->scans / cpu_s, "keyframes",
	    (int)g->node_count, "closures", (json_int_t)c.loops, "closures_dropped",
	    (json_int_t)c.loops_dropped, "closures_tried", (json_int_t)c.loops_tried, "optimised",
	    (json_int_t)c.optimised, "chains", (json_int_t)c.chains);
	struct cairn_mapper_refusals refused = cairn_mapper_refusals(log->mapper);
	json_object_set_new(out, "closures_blind", json_integer((json_int_t)refused.blind));
	json_object_set_new(out, "closures_unlikely", json_integer((json_int_t)refused.unlikely));
	json_object_set_new(out, "lost_share", json_real((double)log->lost / log->scans));
	json_object_set_new(out, "weak_share", json_real((double)log->weak / log->scans));
	json_object_set_new(out, "found_again", json_integer((json_int_t)c.found));
	json_object_set_new(out, "loop_fit",
	    json_pack("{s:i,s:f,s:f,s:f}", "ties", (int)fit.ties, "rms_m", fit.rms_m, "rms_deg",
		cairn_rad_to_deg(fit.rms_rad), "worst_m", fit.worst_m));
	json_object_set_new(out, "free_m2", json_real(grid->free_cells * grid->cell_m * grid->cell_m));
	json_object_set_new(out, "epochs", json_integer(cairn_mapper_epoch(log->mapper)));
	return out;
}

static double cpu_now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool map_one(const struct cli *cli, const char *path, const struct cairn_config *cfg, double offset_s)
{
	struct cairn_error err = {""};
	struct cairn_map_log log;
	char name[256];
	const char *dir = cli_value(cli, "out"), *relations = cli_value(cli, "relations");
	name_of(path, name, sizeof(name));
	double start_s = cpu_now_s();
	bool ok = cairn_map_log_run(&log, path, cli_value(cli, "trajectory"), cfg, &err);
	double cpu_s = cpu_now_s() - start_s;
	ok = ok && (dir == NULL || write_files(&log, dir, name, &err));
	json_t *out = ok ? figures(&log, name, cpu_s) : NULL;
	ok = ok && (relations == NULL || add_scores(out, &log, relations, offset_s, &err));
	if (ok)
		json_dumpf(out, stdout, (cli->json ? JSON_COMPACT : JSON_INDENT(2)) | JSON_REAL_PRECISION(5));
	if (ok)
		printf("\n");
	else
		(void)cli_fail(cli, CLI_FAILED, "%s", err.text);
	fflush(stdout);
	json_decref(out);
	cairn_map_log_free(&log);
	return ok;
}

/* A number of an option; false (and a message) when it is none. */
static bool number_option(const struct cli *cli, const char *name, double *value)
{
	const char *text = cli_value(cli, name);
	char *end = NULL;
	if (text == NULL)
		return true;
	*value = strtod(text, &end);
	if (end != text && *end == '\0' && isfinite(*value))
		return true;
	(void)cli_fail(cli, CLI_USAGE, "--%s: '%s' is not a number", name, text);
	return false;
}

int cairn_map_log_command(const struct cli *cli)
{
	double offset_s = 0.0, range_m = RANGE_USE_M;
	if (!number_option(cli, "offset", &offset_s) || !number_option(cli, "range", &range_m))
		return CLI_USAGE;
	if (!(range_m >= 1.0 && range_m <= 40.0))
		return cli_fail(cli, CLI_USAGE, "--range: 1 to 40 m");
	if (cli->arg_count > 1 &&
	    (cli_value(cli, "trajectory") != NULL || cli_value(cli, "relations") != NULL))
		return cli_fail(cli, CLI_USAGE, "--trajectory and --relations belong to a single log");
	struct cairn_config cfg;
	cairn_config_defaults(&cfg);
	cairn_map_log_config(&cfg, range_m);
	bool ok = true;
	for (int i = 0; i < cli->arg_count; i++)
		ok = map_one(cli, cli->args[i], &cfg, offset_s) && ok;
	return ok ? CLI_OK : CLI_FAILED;
}
