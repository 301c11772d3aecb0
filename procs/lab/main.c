/* cairn-lab - benchmarks and evaluations. `cairn bench`, `cairn eval` and `cairn map-log` are handed over to it, so that the
 * operator's tool on the robot carries none of them. */
#include "procs/lab/bench.h"

static const struct cli_option map_log_options[] = {
    {"out", 'o', "DIR", "write NAME.png and NAME.path.txt (scan x y theta) there"},
    {"trajectory", '\0', "FILE", "take the odometry from the columns odo_x odo_y odo_th of this file"},
    {"relations", '\0', "FILE", "score against these true relations (t1 t2 x y z roll pitch yaw)"},
    {"offset", '\0', "SECONDS", "log time + this = time of the relations"},
    {"range", '\0', "METRES", "longer returns are not mapped (default 15)"}, {0}};

static const struct cli_command commands[] = {
    {"bench", .group = CLI_GROUP_MEASURE, .args = "[NAME [FILE]...]",
	.summary = "measure; without a name: which there are", .arg_max = -1, .json = true,
	.run = cairn_lab_list, .row = cairn_bench_row},
    {"eval", .group = CLI_GROUP_MEASURE, .args = "[NAME [FILE]...]",
	.summary = "judge by a pass mark; without a name: which there are", .arg_max = -1, .json = true,
	.run = cairn_lab_list, .row = cairn_eval_row},
    {"map-log", .group = CLI_GROUP_MEASURE, .args = "FILE...",
	.summary = "map recorded LiDAR logs (CARMEN, BreezySLAM ticks), gzipped or not",
	.details = "The corrected poses that CARMEN logs carry are not used. Speed is by the CPU time of "
		   "this process.",
	.options = map_log_options, .arg_min = 1, .arg_max = -1, .json = true, .run = cairn_map_log_command},
    {"version", .group = CLI_GROUP_SET_UP, .args = "",
	.summary = "version of the program and of the messages", .json = true, .run = cli_version},
    {"help", .group = CLI_GROUP_SET_UP, .args = "[COMMAND [NAME]]",
	.summary = "this list, or the help of a command", .options = cli_help_options, .arg_max = 2,
	.run = cli_help},
};

int main(int argc, char **argv)
{
	static const struct cli_program program = {"cairn-lab", "benchmarks and evaluations of cairn",
	    commands, sizeof(commands) / sizeof(commands[0])};
	return cli_main(&program, argc, argv);
}
