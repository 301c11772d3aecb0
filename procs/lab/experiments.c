/* experiments.c - every benchmark and every evaluation, with the options that it takes, one row each. */
#include "procs/lab/bench.h"

/* Options that several take in the same meaning. */
#define SEED                                                                                                 \
	{                                                                                                    \
		"seed", '\0', "N", "seed of everything random (default 1)"                                   \
	}
#define SEEDS                                                                                                \
	{                                                                                                    \
		"seeds", '\0', "N", "number of seeds, from --seed on (default 1)"                            \
	}
#define JOBS                                                                                                 \
	{                                                                                                    \
		"jobs", '\0', "N", "processes at once (default: as many as there are processors)"            \
	}
#define VERBOSE                                                                                              \
	{                                                                                                    \
		"verbose", 'v', NULL, "say on standard error what is found as it is found"                   \
	}
#define CONFIG(over)                                                                                         \
	{                                                                                                    \
		"config", '\0', "FILE", "configuration laid over " over                                      \
	}
#define SET                                                                                                  \
	{                                                                                                    \
		"set", '\0', "KEY=VALUE...", "one key, laid over everything; may be repeated"                \
	}
#define USD                                                                                                  \
	{                                                                                                    \
		"usd", '\0', "MAX",                                                                          \
		    "spend at most this on calls of a paid provider (default vlm.limit_usd_per_session)"     \
	}
#define STATE                                                                                                \
	{                                                                                                    \
		"state", '\0', "FILE",                                                                       \
		    "keep what is finished there, and go on from it after an interruption"                   \
	}
#define REPORT                                                                                               \
	{                                                                                                    \
		"report", '\0', "DIR", "write a page with figures there"                                     \
	}
#define REPORT_RESUMED                                                                                       \
	{                                                                                                    \
		"report", '\0', "DIR", "write a page with figures there; an interrupted run goes on from it" \
	}

static const struct cli_option planner_options[] = {
    {"scen", '\0', "FILE...", "scenarios of the MovingAI benchmark, gzipped or not"},
    {"map-dir", '\0', "DIR", "where their maps are; without it beside each scenario"},
    {"houses", '\0', "DIR", "floor plans for the kinematic search, beside random homes"},
    {"textbook", '\0', "N", "problems of each map that the textbook A* is given, too (default 400)"}, {0}};
static const struct cli_option reaction_options[] = {
    {"samples", '\0', "N", "stops measured at each priority (default 1000)"}, {0}};

static const struct cli_option consumers_options[] = {
    {"for", '\0', "TIME", "measured this long, half of it without them (default 2 min)"}, {0}};

#define BENCH(id, text, ...)                                                                                 \
	{                                                                                                    \
		.command = {"bench " #id, .args = "", .summary = text, .arg_min = 1, .arg_max = 1,           \
		    .json = true, .run = cairn_bench_command, ##__VA_ARGS__},                                \
		.name = #id, .run = cairn_bench_##id                                                         \
	}

const struct cairn_bench cairn_benches[] = {
    BENCH(arc, "swept-arc clearance of a footprint among the 720 points of a scan"),
    BENCH(edt, "distance transform of a million cells"),
    BENCH(map,
	"one scan on a map of a million cells: grid update, distances, frontiers; a loop that is closed"),
    BENCH(choice, "a set of candidates on a map of a million cells"),
    {.command = {"bench consumers", .args = "",
	 .summary = "what page, recorder and a Foxglove client add to a driving stack: processor time, scan "
		    "to motor command",
	 .options = consumers_options, .arg_min = 1, .arg_max = 1, .json = true, .run = cairn_bench_command},
	.name = "consumers",
	.run = cairn_bench_consumers},
    BENCH(recorder, "how fast recordings are written to memory: depth, camera, scans"),
    BENCH(codec, "encoding and decoding of a 720-point scan"),
    BENCH(eval,
	"whole explorations in one process by simulated time: how many times faster than real time on one "
	"core"),
    BENCH(gateway,
	"what the gateway adds to a call against bare libcurl, and from a trigger to the first byte"),
    BENCH(
	perception, "scan to text, a whole snapshot against the bare JPEG and against Python, and transport"),
    {.command = {"bench planner", .args = "[FILE]...",
	 .summary = "costmap and kinematic search; with --scen grid search against published lengths and a "
		    "textbook A*",
	 .options = planner_options, .arg_min = 1, .arg_max = -1, .json = true, .run = cairn_bench_command},
	.name = "planner",
	.run = cairn_bench_planner},
    {.command = {"bench reaction", .args = "",
	 .summary = "an obstacle in a scan on the bus to zero speed at the motor board, under load; jitter "
		    "of the loop",
	 .options = reaction_options, .arg_min = 1, .arg_max = 1, .json = true, .run = cairn_bench_command},
	.name = "reaction",
	.run = cairn_bench_reaction},
    BENCH(
	scene, "a picture taken into a scene of 5,000 things, a thing asked for, the map divided into rooms"),
    BENCH(transport, "a frame between two processes against bare iceoryx and ZeroMQ"),
};
const int cairn_bench_count = sizeof(cairn_benches) / sizeof(cairn_benches[0]);

static const struct cli_option arenas_options[] = {{"name", '\0', "N", "only this one of config/arenas"},
    {"mode", '\0', "MODE", "gt (true poses and map) or vision (what the robot itself sees); default both"},
    SEED, SEEDS, JOBS, REPORT_RESUMED,
    {"provider", '\0', "NAME",
	"of vlm.providers: asked with pictures and prompt in the place of the scripted pilot, which is not"},
    USD, {"log", '\0', "DIR", "write DIR/ARENA-MODE-SEED.jsonl: a line for each cycle"}, {0}};
static const struct cli_option chaos_options[] = {{"for", '\0', "TIME", "real time to drive (default 60s)"},
    SEED, SET, {"untimed", '\0', NULL, "tell times without judging them"}, VERBOSE, {0}};
static const struct cli_option corridors_options[] = {{"runs", '\0', "N", "how many logs (default 100)"},
    {"first", '\0', "N", "number of the first log (default 0)"}, SEED, JOBS, STATE, VERBOSE, {0}};
static const struct cli_option dead_ends_options[] = {{"runs", '\0', "N", "how many worlds (default 500)"},
    {"first", '\0', "N", "number of the first world (default 0)"}, SEED,
    {"poses", '\0', "SOURCE", "mapper (as on the robot, the default) or truth (faster)"}, JOBS, STATE,
    VERBOSE, {0}};
static const struct cli_option mounting_options[] = {
    {"runs", '\0', "N", "how many houses for each fault (default 200)"}, SEED, JOBS,
    CONFIG("the default, for another robot: config/robots/NAME.yaml"), {0}};
static const struct cli_option explore_eval_options[] = {
    {"worlds", '\0', "PATH...",
	"a house, or a folder of them; more may follow, and it may be repeated (default: the bundled homes)"},
    {"mode", '\0', "MODE...",
	"frontier, vlm, hybrid, shadow, nearest or greedy; may be repeated (default: all but shadow)"},
    SEED, SEEDS, {"for", '\0', "TIME", "simulated time of a trial (default 10m)"},
    {"poses", '\0', "SOURCE", "mapper (as on the robot, the default) or truth (faster)"},
    {"pilot", '\0', "PROFILE", "of the scripted pilot (default: by the mode)"},
    {"provider", '\0', "NAME",
	"of vlm.providers: asked with pictures and prompt in the modes with a model (default: the scripted "
	"pilot, without)"},
    USD, JOBS, REPORT_RESUMED,
    {"baseline", '\0', "FILE",
	"what each house and mode had seen when it was good: less than that by more than the file allows "
	"fails"},
    CONFIG("the default"), SET, {0}};
static const struct cli_option cost_options[] = {{"for", '\0', "TIME", "real time in each home (default 5m)"},
    CONFIG("the default"), SET, VERBOSE,
    {"by-need", '\0', NULL,
	"every provider of vlm.providers, asked by need in simulated time: calls, pictures and cost of an "
	"hour"},
    {0}};
static const struct cli_option frequency_options[] = {
    SEED, SEEDS, JOBS, REPORT, STATE, CONFIG("the default"), SET, {0}};
static const struct cli_option mapping_options[] = {SEED, {0}};
static const struct cli_option replay_options[] = {
    {"ask", '\0', "NAME",
	"put the recorded questions to this provider, and tell how often it agrees with what was answered"},
    USD, CONFIG("what was recorded"), SET, REPORT,
    {"state", '\0', "FILE", "keep the answers of --ask there, and go on from them after an interruption"},
    {0}};
static const struct cli_option safety_options[] = {{"hours", '\0', "H", "simulated hours (default 5)"}, SEED,
    JOBS, STATE,
    {"without", '\0', "LAYERS", "leave safety layers out: sequencer, motor or both with a comma"}, VERBOSE,
    CONFIG("the default, for another robot: config/robots/NAME.yaml"), {0}};
static const struct cli_option detector_options[] = {
    {"frames", '\0', "DIR", "frame-NNNNNN.color.jpg, .depth.png and .pose.txt as of 7-Scenes"},
    {"expect", '\0', "LABEL=N...", "so many things of this label are there; may be repeated"},
    {"keep", '\0', "DIR", "write what the network was given there, as PPM"},
    {"picture", '\0', "FILE",
	"draw the things from above, those of the halves as blue and orange rings (PNG)"},
    CONFIG("the defaults"), SET, {0}};
static const struct cli_option eqa_options[] = {SEED, SEEDS, VERBOSE, CONFIG("config/cairn.yaml"), SET, USD,
    {"world", '\0', "HOUSE...",
	"file or bundled home to ask about; may be repeated (default: four bundled homes)"},
    {"questions", '\0', "N", "questions for each home and seed (default 6)"},
    {"rows", '\0', "LIST",
	"who answers: agent (the default), explored (the whole house first), agent-known (explored before), "
	"blind, no-scene, no-map, cot; "
	"with commas"},
    REPORT,
    {"provider", '\0', "NAME",
	"who answers the agent's queries, of vlm.providers (default: the scripted pilot)"},
    {0}};
static const struct cli_option instructions_options[] = {SEED, VERBOSE, CONFIG("config/cairn.yaml"), SET, USD,
    {"count", '\0', "N", "routes in all (default 60)"},
    {"world", '\0', "HOUSE...",
	"beside the bundled homes: a file of a house, or a HouseExpo floor plan, which is furnished; may be "
	"repeated"},
    {"split", '\0', "HALF",
	"dev or test: only these houses (default: both). Agent and pilot are tuned on dev alone"},
    {"rows", '\0', "LIST",
	"who follows: agent (the default), no-scene, no-map; with commas; the first is judged"},
    JOBS, REPORT_RESUMED,
    {"provider", '\0', "NAME",
	"who answers the agent's queries, of vlm.providers (default: the scripted pilot)"},
    {0}};
static const struct cli_option scene_eval_options[] = {SEED, SEEDS,
    {"plans", '\0', "DIR", "HouseExpo floor plans with labels there, too: their rooms alone"}, VERBOSE, {0}};
static const struct cli_option voice_options[] = {SEED,
    {"count", '\0', "N", "stops, and commands, in each condition (default 60)"},
    {"sentences", '\0', "N", "sentences that are no command (default 1000)"}, VERBOSE, {0}};
static const struct cli_option tasks_options[] = {{"task", '\0', "NAME", "only this one: T1, T2, ..."},
    {"hostile-hours", '\0', "H", "instead: so many simulated hours of tasks that are answered with malice"},
    SEED, SEEDS, VERBOSE, {0}};
static const struct cli_option soak_options[] = {{"for", '\0', "TIME", "real time to drive (default 30m)"},
    {"world", '\0', "FILE", "house to drive in"}, {0}};
static const struct cli_option storm_options[] = {{"kills", '\0', "N", "how many (default 200)"}, SEED, {0}};

#define EVAL(id, text, opts, whole)                                                                          \
	{                                                                                                    \
		.command = {"eval " #id, .args = "", .summary = text, .options = opts, .arg_min = 1,         \
		    .arg_max = 1, .json = true, .run = cairn_eval_command},                                  \
		.name = #id, .stack = whole, .run = cairn_eval_##id                                          \
	}

const struct cairn_eval cairn_evals[] = {
    EVAL(arenas,
	"small rooms with a task, driven by the scripted pilot through the real cores: goal, contacts, "
	"cycles",
	arenas_options, false),
    EVAL(bus, "the tables of messages, topics, services and stages agree with each other", NULL, false),
    EVAL(chaos,
	"random faults in random processes of a driving stack: contacts, time to stop, time to drive again",
	chaos_options, true),
    EVAL(corridors,
	"corridors of 20 to 60 m driven out and back with odometry that slips, some with a twin beside them: "
	"closed, closed wrongly, how true",
	corridors_options, false),
    {.command = {"eval dead-ends", .args = "",
	 .summary =
	     "corridors that end, 0.45 to 0.70 m wide, some with a person or a box that appears behind: "
	     "home, explored, contacts, what was given up",
	 .options = dead_ends_options, .arg_min = 1, .arg_max = 1, .json = true, .run = cairn_eval_command},
	.name = "dead-ends",
	.run = cairn_eval_dead_ends},
    {.command = {"eval explore", .args = "[--worlds PATH...]",
	 .summary = "houses explored by local exploration, by a model, by a model among candidates, and by "
		    "the textbook, "
		    "paired",
	 .options = explore_eval_options, .arg_min = 1, .arg_max = -1, .json = true,
	 .run = cairn_eval_command},
	.name = "explore",
	.run = cairn_eval_explore},
    EVAL(cost,
	"what an hour of asking at a constant 0.2 Hz costs by the ledger, at the prices of the configured "
	"provider",
	cost_options, true),
    EVAL(detector,
	"the network of detect.model on RGB-D frames with known poses: which things the scene graph has of "
	"them, and where "
	"two halves of the frames put them",
	detector_options, false),
    EVAL(mounting,
	"robots with a sensor or a sign the wrong way round set off through houses: stopped, how far, "
	"contacts; "
	"and those with none",
	mounting_options, false),
    EVAL(recovery, "every process of a driving stack is killed once: time until decisions are driven again",
	NULL, true),
    EVAL(frequency,
	"calls needed when asked by need and at fixed 0.2, 0.5 and 1 Hz, for the same floor seen in the "
	"bundled homes",
	frequency_options, false),
    EVAL(mapping, "the bundled homes explored with slip and drift: pose and walls against the truth",
	mapping_options, false),
    {.command = {"eval replay", .args = "RECORDING",
	 .summary = "a recording of a model's answers (vlm.record) put to the present code: what changes; "
		    "--ask another "
		    "model",
	 .options = replay_options, .arg_min = 2, .arg_max = 2, .json = true, .run = cairn_eval_command},
	.name = "replay",
	.run = cairn_eval_replay},
    EVAL(safety, "hostile pilots in random houses against the real cores: contacts, clearances, stops",
	safety_options, false),
    EVAL(eqa,
	"questions about the bundled homes put to the agent: which it answers, by what evidence, and what "
	"that costs",
	eqa_options, false),
    EVAL(instructions,
	"routes told in words ('take the second door on the left, stop at the lamp') put to the agent: which "
	"it "
	"follows, by which way, and what that costs",
	instructions_options, false),
    EVAL(scene,
	"the bundled homes explored with a detector that misses and misnames: which things and rooms the "
	"scene graph has",
	scene_eval_options, false),
    EVAL(soak, "a stack that drives for half an hour: growth of memory and descriptors, slowing down",
	soak_options, true),
    EVAL(storm, "a busy writer and reader of frames killed 200 times: frames flow again every time",
	storm_options, true),
    EVAL(tasks,
	"tasks with things in the home for tasks, by the reasoner and a simulated arm: brought, handed to a "
	"person, ever called done "
	"and not so",
	tasks_options, false),
    EVAL(voice,
	"stop, commands and other talk spoken by two synthesisers, in noise and among other voices: what was "
	"understood, and what was done "
	"that nobody had said",
	voice_options, false),
};
const int cairn_eval_count = sizeof(cairn_evals) / sizeof(cairn_evals[0]);
