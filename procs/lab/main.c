/* cairn-lab - benchmarks and evaluations. `cairn bench`, `cairn eval` and `cairn map-log` are handed over to it, so that the
 * operator's tool on the robot carries none of them. */
#include "procs/lab/bench.h"
#include "procs/lab/fleet_sim.h"
#include "procs/lab/furnish.h"

static const struct cli_option map_log_options[] = {
    {"out", 'o', "DIR", "write NAME.png and NAME.path.txt (scan x y theta) there"},
    {"trajectory", '\0', "FILE", "take the odometry from the columns odo_x odo_y odo_th of this file"},
    {"relations", '\0', "FILE", "score against these true relations (t1 t2 x y z roll pitch yaw)"},
    {"offset", '\0', "SECONDS", "log time + this = time of the relations"},
    {"range", '\0', "METRES", "longer returns are not mapped (default 15)"}, {0}};

static const struct cli_option fleet_sim_options[] = {
    {"for", '\0', "TIME", "simulated time, then what is under way is ended (default: until interrupted)"},
    {"rate", '\0', "FACTOR", "simulated seconds in a second (default 1)"},
    {"first", '\0', "N", "number of the first robot (default 0), where several of these share a broker"},
    {"orders", '\0', NULL, "be their master control, too: one order after the other for each"},
    {"mischief", '\0', NULL,
	"with cancels, pauses, zone sets, wrong messages and emergency stops among them"},
    {"state", '\0', "DIR", "keep orders there, and go on with them"},
    {"log", '\0', "FILE", "write every message sent there, one a line, with its topic"},
    {"set", '\0', "KEY=VALUE...", "one key (fleet.broker, fleet.version); may be repeated"}, {0}};

static const struct cli_option furnish_options[] = {
    {"seed", '\0', "N", "seed of everything random (default 1)"}, {0}};

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
    {"fleet-sim", .group = CLI_GROUP_MEASURE, .args = "N",
	.summary = "simulated robots under a fleet's master control (VDA 5050, docs/fleet.md)",
	.details = "Robots sim-000, sim-001, ... at the broker 127.0.0.1:1883, each alone in a hall of 12 x "
		   "12 m, the corner "
		   "(0, 0) of its map 'map'.\nAt the end: orders, messages, latency. Status 1 when an order "
		   "was lost or done twice.",
	.options = fleet_sim_options, .arg_min = 1, .arg_max = 1, .json = true, .run = cairn_fleet_sim},
    {"furnish", .group = CLI_GROUP_MEASURE, .args = "PLAN FILE",
	.summary = "a HouseExpo floor plan with furniture by chance, as a world to drive in",
	.details =
	    "Writes a YAML world (docs/worlds.md) for 'cairn up --world FILE'. The rooms of the plan need "
	    "labels.",
	.options = furnish_options, .arg_min = 2, .arg_max = 2, .run = cairn_furnish_command},
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
