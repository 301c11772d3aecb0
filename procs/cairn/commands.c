/* commands.c - every command of the operator's tool, one row each. Those of a sister program have their options there. */
#include "procs/cairn/commands.h"

static const struct cli_option explore_options[] = {
    {"for", '\0', "TIME", "time allowed: 90s, 10m, 1h; without it until nothing is left"},
    {"goal", '\0', "WORDS",
	"what to look for (\"find the bathroom\"), or where to (X Y): the model is told, and reaching it "
	"ends the "
	"exploration"},
    {0}};
static const struct cli_option goto_options[] = {{"wait", '\0', NULL, "wait for the end, and tell it"}, {0}};
static const struct cli_option hear_options[] = {
    {"do", '\0', NULL, "give the commands to the stack that runs; without it they are told only"},
    {"awake", '\0', NULL, "as behind push-to-talk: the first command needs no wake word"},
    {"names", '\0', "NAME,NAME...",
	"rooms and things that can be named; without it those of the stack that runs"},
    {"set", '\0', "KEY=VALUE...", "one key, laid over everything; may be repeated"}, {0}};
static const struct cli_option say_options[] = {{"out", '\0', "FILE", "write a WAV file instead of speaking"},
    {"set", '\0', "KEY=VALUE...", "one key, laid over everything (voice.synthesizer=flite); may be repeated"},
    {0}};
static const struct cli_option version_options[] = {
    {"run-dir", '\0', NULL, "only the run directory that all commands would use here"}, {0}};
static const struct cli_option up_options[] = {
    {"goal", '\0', "WORDS", "what to look for, in words, or where to (X Y) (mission.goal)"},
    {"for", '\0', "TIME", "time allowed for the mission, the way home included: 90s, 10m (mission.limit_s)"},
    {"headless", '\0', NULL, "no screen; a line on standard error now and then"},
    {"summary", '\0', "FILE", "write the summary there too, as one JSON object"},
    {"world", '\0', "FILE", "house to drive in (sim.world): YAML, HouseExpo JSON or PGM raster"},
    {"config", '\0', "FILE...", "configuration laid over config/cairn.yaml; may be repeated"},
    {"set", '\0', "KEY=VALUE...", "one key, laid over everything; may be repeated"},
    {"fresh", '\0', NULL, "begin anew: map, memory, zones and discoveries of the runs before are set aside"},
    {"record", '\0', NULL, "record everything into files (record.enabled; docs/recordings.md)"},
    {"stay", '\0', NULL, "stay up when the mission has ended"}, {0}};
static const struct cli_option service_options[] = {
    {"config", '\0', "FILE", "configuration the service is to use"},
    {"dir", '\0', "DIR", "where the unit goes (default /etc/systemd/system)"},
    {"print", '\0', NULL, "print the unit, write nothing"},
    {"package", '\0', "PREFIX",
	"the unit of a package: programs in PREFIX/bin, user cairn, /etc/cairn/cairn.yaml"},
    {0}};
static const struct cli_option down_options[] = {
    {"timeout", '\0', "TIME", "wait this long for the end (default 30s)"}, {0}};
static const struct cli_option logs_options[] = {
    {"follow", 'f', NULL, "go on with new lines until Ctrl-C"},
    {"lines", 'n', "N", "last lines shown of each stage (default 20)"},
    {"level", '\0', "LEVEL", "only error, warn, info or debug and worse"},
    {0},
};
#define OF_OPTION                                                                                            \
	{                                                                                                    \
		"of", '\0', "RUN",                                                                           \
		    "of an earlier run: its name by 'cairn runs', the beginning of one, or last"             \
	}
static const struct cli_option decisions_options[] = {{"lines", 'n', "N", "the newest N (default 10)"},
    {"prompt", '\0', NULL, "the text that the model was given, too"},
    {"refused", '\0', NULL, "the commands that were refused, instead of those that were done"}, OF_OPTION,
    {0}};
static const struct cli_option scene_options[] = {{"tree", '\0', NULL, "by rooms, with relations"}, {0}};
static const struct cli_option topics_options[] = {
    {"markdown", '\0', NULL, "the reference page docs/bus.md, with all fields"},
    {"schema", '\0', "TOPIC", "the JSON Schema of what 'cairn echo TOPIC' prints"}, {0}};
static const struct cli_option look_options[] = {
    {"out", 'o', "FILE",
	"where the picture goes; a second one beside it: FILE-above.jpg. Without it, pictures of decisions "
	"stay where they are kept, and others go to snapshot.jpg"},
    {"now", '\0', NULL, "what the robot would show the model now, instead of a decision"},
    {"save", '\0', "FILE", "the whole snapshot of now too, for 'cairn ask --snapshot'"}, OF_OPTION, {0}};
static const struct cli_option bringup_options[] = {
    {"write", '\0', "FILE", "write what was found there (default bringup.yaml)"},
    {"config", '\0', "FILE...", "lay this file over config/cairn.yaml; may be repeated"},
    {"set", '\0', "KEY=VALUE...", "lay a single section.key over that; may be repeated"}, {0}};
static const struct cli_option calibrate_options[] = {
    {"write", '\0', "FILE", "write what was found there (default PART.yaml)"},
    {"config", '\0', "FILE...",
	"lay this file over config/cairn.yaml; may be repeated: what is known of the "
	"robot"},
    {"set", '\0', "KEY=VALUE...", "lay a single section.key over that; may be repeated"}, {0}};
static const struct cli_option doctor_options[] = {
    {"dry", '\0', NULL,
	"call no provider; without it each is asked for its list of models, which costs nothing"},
    {"world", '\0', "FILE", "house to drive in (sim.world)"},
    {"config", '\0', "FILE...", "lay this file over config/cairn.yaml; may be repeated"},
    {"set", '\0', "KEY=VALUE...", "lay a single section.key over that; may be repeated"}, {0}};
static const struct cli_option camera_options[] = {{"for", '\0', "TIME", "look so long (default 5 s)"},
    {"config", '\0', "FILE...", "lay this file over config/cairn.yaml; may be repeated"},
    {"set", '\0', "KEY=VALUE...", "lay a single section.key over that; may be repeated"}, {0}};
static const struct cli_option devices_options[] = {
    {"no-probe", '\0', NULL, "do not ask at the serial ports who speaks there"},
    {"sys", '\0', "DIR", "look there instead of /sys"}, {"dev", '\0', "DIR", "look there instead of /dev"},
    {"config", '\0', "FILE...", "lay this file over config/cairn.yaml; may be repeated"},
    {"set", '\0', "KEY=VALUE...", "lay a single section.key over that; may be repeated"}, {0}};
static const struct cli_option ask_options[] = {
    {"yes", '\0', NULL, "send it, once, and show what the model decides; a paid provider charges for it"},
    {"dry-run", '\0', NULL, "print the request instead of sending it; the key is shown as ***"},
    {"provider", '\0', "NAME", "which of vlm.providers (default vlm.provider)"},
    {"snapshot", '\0', "FILE", "of 'cairn look --save'; without it the newest one of the stack"},
    {"strip-images", '\0', NULL, "each picture's size and hash instead of its base64"},
    {"body", '\0', NULL, "the body alone, without the headers"},
    {"config", '\0', "FILE...", "lay this file over config/cairn.yaml; may be repeated"},
    {"set", '\0', "KEY=VALUE...", "lay a single section.key over that; may be repeated"}, {0}};
static const struct cli_option map_options[] = {
    {"png", '\0', "FILE",
	"draw it: robot, way, doorways, frontiers, candidates, rooms and things found or in the scene graph"},
    {"save", '\0', "NAME",
	"write NAME.pgm and NAME.yaml as ROS's map_server does, and what was found there to "
	"NAME.discoveries.yaml"},
    {"rle", '\0', NULL, "print it as run-length text, as a model may be given it"},
    {"tokens", '\0', "N", "of that text at most, about (default 800)"},
    {"state", '\0', "FILE", "the map of this state file instead of RUN/state/map.bin"},
    {"load", '\0', "FILE", "a map_server map (its YAML file) instead"},
    {0},
};
static const struct cli_option echo_options[] = {
    {"count", 'n', "N", "end after N messages; without it at Ctrl-C"},
    {"timeout", '\0', "TIME", "give up (status 3) after so long without a message"},
    {0},
};
static const struct cli_option hz_options[] = {{"for", '\0', "TIME", "measure this long (default 3s)"}, {0}};
static const struct cli_option plot_options[] = {
    {"for", '\0', "TIME", "this long; without it until Ctrl-C in a terminal, 10s otherwise"},
    {"png", '\0', "FILE", "draw a picture into FILE instead"}, {0}};
static const struct cli_option record_options[] = {
    {"for", '\0', "TIME", "record this long; without it until Ctrl-C"},
    {"no-frames", '\0', NULL, "messages alone"},
    {"repair", '\0', NULL, "make FILE, which was cut off, a whole file with an index; nothing is recorded"},
    {0}};
static const struct cli_option audit_options[] = {
    {"html", '\0', "FILE", "write the page there too, with the pictures inside"},
    {"of", '\0', "RUN", "of an earlier run: last, or a name of 'cairn runs'"}, {0}};
static const struct cli_option replay_options[] = {
    {"with", '\0', "STAGES",
	"stages to run on it: mapper, annotator, gateway, pilot, scene, recorder, ...; the page always does"},
    {"rate", '\0', "FACTOR", "so many times as fast (default 1)"},
    {"start", '\0', "SECONDS", "begin so far behind the start of the recording"},
    {"topics", '\0', "TOPICS", "play these topics and frames only, separated by blanks"},
    {"loop", '\0', NULL, "begin again at the end"},
    {"paused", '\0', NULL, "wait for a key or 'cairn player play'"},
    {"stay", '\0', NULL, "stay up at the end"},
    {"config", '\0', "FILE...", "lay this file over config/cairn.yaml; may be repeated"},
    {"set", '\0', "KEY=VALUE...", "lay a single section.key over that; may be repeated"}, {0}};
static const struct cli_option recording_options[] = {
    {"repair", '\0', "NEW", "write what can be read into NEW, with an index"},
    {"ros2", '\0', "NEW", "write its messages of ROS 2 alone into NEW, for 'ros2 bag play -s mcap NEW'"},
    {0}};
static const struct cli_option config_options[] = {
    {"defaults", '\0', NULL, "the defaults alone"},
    {"effective", '\0', NULL, "what the stack in the run directory was started with"},
    {"markdown", '\0', NULL, "the reference page docs/config.md"},
    {"config", '\0', "FILE...", "lay this file over config/cairn.yaml; may be repeated"},
    {"set", '\0', "KEY=VALUE...", "lay a single section.key over that; may be repeated"},
    {0},
};

static const struct cli_option keygen_options[] = {{"dir", '\0', "DIR", "where the files go (default: here)"},
    {"robot", '\0', "FILE", "the robot's public key (robot.pub), for the key of an operator"}, {0}};
static const struct cli_option key_options[] = {
    {"rights", '\0', "RIGHTS", "as a line of remote.allow_file: watch, drive, configure, comma-separated"},
    {0}};
static const struct cli_option web_key_options[] = {
    {"rights", '\0', "RIGHTS", "watch, drive, configure, comma-separated (default watch)"},
    {"revoke", '\0', NULL, "take the token of NAME back"}, {0}};
static const struct cli_option mcp_options[] = {
    {"url", '\0', "URL", "the page of a robot elsewhere, as 'cairn web-key' prints it, without the token"},
    {"ca", '\0', "FILE", "certificate that the robot's own is checked against"}, {0}};
static const struct cli_option open_options[] = {{"print", '\0', NULL, "print the address only"}, {0}};
#define VERB(ID, args_text, opts, min, max, function)                                                        \
	.args = args_text, .options = opts, .arg_min = min, .arg_max = max,                                  \
	.verb = &cairn_commands[CAIRN_COMMAND_##ID], .remote = true, .run = function

static const struct cli_command commands[] = {
    {"up", .group = CLI_GROUP_RUN, .args = "", .summary = "start the stack, drive, and sum up at the end",
	.details =
	    "Ends when the mission has ended, at Ctrl-C, or by 'cairn down'. Status 0 when the run has "
	    "passed:\n"
	    "it ended as asked, touched nothing, scans came, decisions were executed, the model gave "
	    "usable\n"
	    "answers and no stage kept dying. 1 when not, 2 when something was wrong before it started "
	    "('cairn doctor').",
	.options = up_options, .run = cli_up},
    {"down", .group = CLI_GROUP_RUN, .args = "", .summary = "end everything in good order and wait for it",
	.options = down_options, .remote = true, .run = cli_down},
    {"status", .group = CLI_GROUP_WATCH, .args = "", .summary = "stages, mission, pose, model and health",
	.details = "Status 1 when a stage is not up or the watchdog complains.", .json = true, .remote = true,
	.run = cli_status},
    {"restart", .group = CLI_GROUP_RUN, .summary = "end a stage and start it again",
	VERB(RESTART, "STAGE", NULL, 1, 1, cli_ask_verb)},
    {"explore", .group = CLI_GROUP_DRIVE,
	.summary = "explore until nothing is left or the time is up, then drive home",
	VERB(EXPLORE, "", explore_options, 0, 0, cli_ask_verb)},
    {"goto", .group = CLI_GROUP_DRIVE,
	.summary = "drive to a point of the map, or to a room, thing or place by its name",
	.details =
	    "X and Y are metres from the start: x the way the robot faced then, y to its left. NAME: of a "
	    "room\n"
	    "or a thing that was found (cairn discoveries), of choice.waypoints, or of the scene graph "
	    "(cairn\n"
	    "scene; not over --connect); the nearest of several.\n"
	    "Then the robot goes on with what was interrupted. Status 1 when no way leads there, as far as "
	    "the\n"
	    "map tells within some seconds; with --wait, when the robot was not there in the end.",
	VERB(GOTO, "X Y | NAME", goto_options, 1, -1, cli_goto)},
    {"task", .group = CLI_GROUP_DRIVE,
	.summary = "give the robot a task in words: the agent plans, searches and answers",
	.details = "\"where is the sofa?\", \"is there a bathtub?\", \"how many chairs are in the "
		   "kitchen?\". Needs the "
		   "stage agent (--set agent.enabled=true), which asks a model often: see agent.limit_usd. "
		   "Stop, pause, home, "
		   "goto and the emergency stop beat it. With --wait the answer is told: status 0 when there "
		   "is one, 1 when not.",
	VERB(TASK, "TEXT", goto_options, 1, -1, cli_task)},
    {"survey", .group = CLI_GROUP_DRIVE,
	.summary =
	    "look at the floor that no picture has shown, so that the scene graph has what stands there",
	.details =
	    "An exploration goes by the LiDAR, which maps a room from its door; the camera has seen less. "
	    "Needs the stage agent (--set agent.enabled=true) and a camera, and asks no model. Stop, pause, "
	    "home, goto and the emergency stop beat it; 'cairn agent' tells how far it is. With --wait the "
	    "summary is told: status 0 when it is through. mission.survey=true does it after each "
	    "exploration.",
	VERB(SURVEY, "", goto_options, 0, 0, cli_task)},
    {"home", .group = CLI_GROUP_DRIVE, .summary = "drive back to the start and end the mission there",
	VERB(HOME, "", NULL, 0, 0, cli_ask_verb)},
    {"locate", .group = CLI_GROUP_DRIVE, .summary = "tell a lost robot where it is on its map",
	.details = "It looks there first, and believes it only when what it sees fits. Refused while it is "
		   "not lost, or "
		   "where it has never been near. X and Y in metres of the map.",
	VERB(MAPPER_LOCATE, "X Y [YAW_DEG]", NULL, 2, 3, cli_ask_verb)},
    {"pause", .group = CLI_GROUP_DRIVE, .summary = "hold the mission: stand still, ask the model nothing",
	VERB(PAUSE, "", NULL, 0, 0, cli_ask_verb)},
    {"resume", .group = CLI_GROUP_DRIVE, .summary = "go on with a mission that was paused",
	VERB(RESUME, "", NULL, 0, 0, cli_ask_verb)},
    {"zone", .group = CLI_GROUP_DRIVE,
	.summary = "draw a zone of the map that the robot keeps out of, or drives slowly in",
	.details = "'zone keepout NAME X,Y X,Y X,Y ...', 'zone slowdown NAME ...', 'zone forget NAME'; a "
		   "name is one word. When the zones could not be read, or are of another map, the robot "
		   "stands: draw "
		   "or check them, then 'zone confirm'.",
	VERB(ZONE, "KIND NAME [X,Y]... | forget NAME | confirm", NULL, 1, -1, cli_ask_verb)},
    {"stop", .group = CLI_GROUP_DRIVE, .summary = "end the mission and stand still where the robot is",
	.details =
	    "When the sequencer does not answer, the motor stage is asked for an emergency stop instead.",
	VERB(STOP, "", NULL, 0, 0, cli_stop)},
    {"estop", .group = CLI_GROUP_DRIVE, .summary = "emergency stop: latched, asked of the motor stage itself",
	VERB(MOTOR_STOP, "[REASON]", NULL, 0, -1, cli_ask_verb)},
    {"release", .group = CLI_GROUP_DRIVE, .summary = "release the emergency stop",
	VERB(MOTOR_RELEASE, "", NULL, 0, 0, cli_ask_verb)},
    {"talk", .group = CLI_GROUP_DRIVE,
	.summary = "push-to-talk: the robot listens for a command without its wake word",
	.details = "Needs the stage listen (voice.listen_device, docs/voice.md).",
	VERB(VOICE_TALK, "", NULL, 0, 0, cli_ask_verb)},
    {"tell", .group = CLI_GROUP_DRIVE,
	.summary = "tell the robot something in writing, as if it had been heard behind push-to-talk",
	.details = "Needs the stage listen (voice.listen_device, docs/voice.md).",
	VERB(VOICE_TELL, "TEXT", NULL, 1, -1, cli_ask_verb)},
    {"hear", .group = CLI_GROUP_DRIVE, .args = "FILE",
	.summary =
	    "what the robot would understand of a WAV file: words, confidence, what it would do and say",
	.details = "Needs no stack. Columns: words, confidence, what becomes of it, command, answer. With "
		   "--do the commands are given to "
		   "the stack that runs; status 1 when one was refused.",
	.options = hear_options, .arg_min = 1, .arg_max = 1, .json = true, .run = cli_hear},
    {"automatic", .group = CLI_GROUP_DRIVE,
	.summary = "give the robot back to its fleet: orders are accepted again",
	.details = "Needs the stage fleet (fleet.broker, docs/fleet.md). A person's command makes the fleet "
		   "wait for this.",
	VERB(FLEET_AUTOMATIC, "", NULL, 0, 0, cli_ask_verb)},
    {"manual", .group = CLI_GROUP_DRIVE,
	.summary = "take the robot from its fleet: its order is dropped, others are refused",
	.details = "Needs the stage fleet (fleet.broker, docs/fleet.md).",
	VERB(FLEET_MANUAL, "", NULL, 0, 0, cli_ask_verb)},
    {"say", .group = CLI_GROUP_DRIVE,
	.summary = "say something aloud: by the stage speak where it runs, else by this machine's "
		   "loudspeaker, or into a file",
	VERB(SPEECH_SAY, "TEXT", say_options, 1, -1, cli_say)},
    {"hush", .group = CLI_GROUP_DRIVE, .summary = "be silent: cut what the robot is saying",
	.details = "Needs the stage speak (voice.speak_device, docs/voice.md).",
	VERB(SPEECH_HUSH, "", NULL, 0, 0, cli_ask_verb)},
    {"logs", .group = CLI_GROUP_WATCH, .args = "[STAGE]", .summary = "what the stages have logged",
	.options = logs_options, .arg_max = 1, .json = true, .remote = true, .run = cli_logs},
    {"agent", .group = CLI_GROUP_WATCH, .args = "",
	.summary = "the agent's task: plan, step, cost, answer and evidence", .json = true, .remote = true,
	.run = cli_agent},
    {"decisions", .group = CLI_GROUP_WATCH, .args = "",
	.summary = "the last decisions and operator commands: who, why, and what became of it",
	.details = "From state/decisions.jsonl, commands.jsonl and refused.jsonl of the run directory, which "
		   "outlive the "
		   "stack.",
	.options = decisions_options, .json = true, .remote = true, .run = cli_decisions},
    {"audit", .group = CLI_GROUP_WATCH, .args = "[TIME | ID]",
	.summary = "is the journal of decisions as it was written; and why did the robot do that at 14:03:22",
	.details = "Without an argument the chain of hashes is verified. With a time of day or a decision's "
		   "number: one page about that\n"
		   "decision, with what was seen, said, judged and driven. Status 1 when the journal or a "
		   "picture was changed.",
	.options = audit_options, .arg_max = 1, .run = cli_audit},
    {"discoveries", .group = CLI_GROUP_WATCH, .args = "",
	.summary = "rooms and things that the model has reported: what, where, when, seen on which picture",
	.details = "Of a running robot (at most a second old) or as the last run left it.", .json = true,
	.run = cli_discoveries},
    {"find", .group = CLI_GROUP_WATCH,
	.summary = "how far away a thing is, in which direction, and where on the map",
	.details = "The nearest one that is called so, of what the stage scene knows just now; 'door' knows "
		   "doorways, too. Status 1 when it is not in memory.",
	.json = true, VERB(SCENE_FIND, "WHAT", NULL, 1, -1, cli_ask_verb)},
    {"scene", .group = CLI_GROUP_WATCH,
	.args = "[recall TEXT | resolve NAME | show NODE | call NAME [at X Y]]",
	.summary = "what is in the house: rooms, things, what they are to each other; where a thing is "
		   "and whence it is seen; the picture that shows it best; what a room is called",
	.details = "Of a running robot as it is now, else as the last run left it. Status 1 when it is not "
		   "in memory. "
		   "'call' gives the room that the robot is in, or the one at X Y, a name that outranks "
		   "all others and is kept; 'call -' takes it back. "
		   "TEXT may be JSON: {\"text\": \"mug\", \"room\": \"kitchen\", \"on\": \"table\", "
		   "\"in\": \"cupboard\", \"near\": [1, 2], \"within_m\": 2, \"seen_since_s\": 3600}.",
	.options = scene_options, .arg_max = -1, .json = true, .run = cli_scene},
    {"topics", .group = CLI_GROUP_WATCH, .args = "",
	.summary = "every topic, frame and service, and which are there now", .options = topics_options,
	.json = true, .remote = true, .run = cli_topics},
    {"look", .group = CLI_GROUP_WATCH, .args = "[ID]",
	.summary = "text and pictures as the model was given them, of the newest decision or of this one",
	.details = "The ID is that of 'cairn decisions'. Which pictures are kept: vlm.sent_pictures_mb.",
	.options = look_options, .arg_max = 1, .remote = true, .run = cli_look},
    {"runs", .group = CLI_GROUP_WATCH, .args = "", .summary = "the runs of which decisions are kept, by date",
	.details = "'cairn decisions --of RUN' and 'cairn look ID --of RUN' look into them; launcher.runs_mb "
		   "bounds them.",
	.json = true, .run = cli_runs},
    {"ask", .group = CLI_GROUP_SET_UP, .args = "",
	.summary = "the request to a model as it would be sent (--dry-run), or its answer (--yes)",
	.details = "With an empty memory and no frontiers: only the snapshot is that of the robot. Nothing "
		   "is driven.",
	.options = ask_options, .json = true, .run = cli_dry},
    {"bringup", .group = CLI_GROUP_SET_UP, .args = "",
	.summary = "a new robot's signs, axes and scales, found step by step with a person beside it",
	.details =
	    "No stack may run. Each step says what to do and what to see; Enter goes on, s leaves a step "
	    "out, q ends.\n"
	    "docs/robots.md.",
	.options = bringup_options, .run = cli_bringup},
    {"calibrate", .group = CLI_GROUP_SET_UP, .args = "odometry|steering|lidar|camera",
	.summary = "one part of a robot that is otherwise known, found anew with its uncertainty",
	.details =
	    "odometry: counts per metre and their sign, pushed straight ahead. steering: sign and "
	    "scale, it drives 0.4 m. "
	    "lidar: upside\ndown, yaw, gyro axis, and where it sees the robot itself, turned and "
	    "pushed. For these no stack may "
	    "run.\ncamera: pitch, roll and height by the floor in the depth pictures of the running stack; "
	    "the robot stands before "
	    "free floor.",
	.options = calibrate_options, .arg_min = 1, .arg_max = 1, .run = cli_calibrate},
    {"doctor", .group = CLI_GROUP_SET_UP, .args = "",
	.summary = "what 'cairn up' checks before it starts anything, and a call to each provider",
	.details = "Starts nothing. Status 2 when something is wrong that 'cairn up' would end with.",
	.options = doctor_options, .json = true, .run = cli_doctor},
    {"camera-check", .group = CLI_GROUP_SET_UP, .args = "SOCKET|DEVICE|URL",
	.summary = "try a camera or a helper: what it sends, how fast and how old, and what is wrong",
	.details = "Reads a helper's socket, a V4L2 device (/dev/v4l/by-id/NAME) or an MJPEG stream "
		   "(http://...) as the "
		   "stage camera-bridge would (docs/cameras.md). Status 1 when it cannot be used.",
	.options = camera_options, .arg_min = 1, .arg_max = 1, .run = cli_camera_check},
    {"devices", .group = CLI_GROUP_SET_UP, .args = "",
	.summary = "what is plugged in: base, LiDAR, cameras, what they would be used for, what is missing",
	.details =
	    "Asks at each serial port who speaks there, so that base and LiDAR cannot be mixed up; nothing "
	    "moves. Not while a stack runs. Status 1 when base or LiDAR are missing or the wrong way round.",
	.options = devices_options, .run = cli_devices},
    {"map", .group = CLI_GROUP_WATCH, .args = "",
	.summary = "the map: areas, doorways, visits; as a picture, as text, as files for ROS",
	.details = "Of a running robot (at most a second old) or of one that has ended.",
	.options = map_options, .json = true, .remote = true, .run = cli_map},
    {"echo", .group = CLI_GROUP_WATCH, .args = "TOPIC", .summary = "the messages of a topic as JSON lines",
	.details = "heartbeat.STAGE names the heartbeat of one stage. Of frames the headers are shown.",
	.options = echo_options, .arg_min = 1, .arg_max = 1, .remote = true, .run = cli_echo},
    {"hz", .group = CLI_GROUP_WATCH, .args = "TOPIC", .summary = "rate, age and losses of a topic",
	.options = hz_options, .arg_min = 1, .arg_max = 1, .json = true, .remote = true, .run = cli_hz},
    {"plot", .group = CLI_GROUP_WATCH, .args = "TOPIC.FIELD", .summary = "a number of a topic over time",
	.details =
	    "As in pose.v_mps, nav.status.remaining_m, imu.gyro_radps[2] or frontiers.items[0].gain_m2.",
	.options = plot_options, .arg_min = 1, .arg_max = 1, .remote = true, .run = cli_plot},
    {"teleop", .group = CLI_GROUP_DRIVE, .args = "",
	.summary = "steer by hand, with the keys of this terminal",
	.details = "A mission that is under way is paused; 'cairn resume' goes on with it. Collision checks, "
		   "zones and limits\n"
		   "hold as for any motion, and the robot stops when no key is held.",
	.run = cli_teleop},
    {"open", .group = CLI_GROUP_WATCH, .args = "", .summary = "the page of the running stack, in a browser",
	.options = open_options, .run = cli_open},
    {"record", .group = CLI_GROUP_WATCH, .args = "FILE [TOPIC]...",
	.summary = "what the stack tells and shows, into an MCAP file",
	.details = "All topics and frames, or these. The file opens in Foxglove Studio and its forks: each "
		   "topic as\n"
		   "/cairn/TOPIC in JSON with its schema; scan, odometry, pose, path, battery, inertial "
		   "unit, map and\n"
		   "pictures as messages of ROS 2. Of a run that loses its power it can be read up to the "
		   "last second.\n"
		   "'cairn up --record' records without a command of its own (docs/recordings.md).",
	.options = record_options, .arg_min = 1, .arg_max = -1, .json = true, .run = cli_record},
    {"replay", .group = CLI_GROUP_WATCH, .args = "FILE",
	.summary = "play a recording onto a bus of its own, with stages of your choice on it",
	.details = "No robot is needed, and nothing that could move one runs. What the stages of --with "
		   "publish comes from\n"
		   "them, everything else from the recording. Keys: space, '.', ',', ';', '+', '-', q. "
		   "docs/recordings.md.",
	.options = replay_options, .arg_min = 1, .arg_max = 1, .run = cli_replay},
    {"import", .group = CLI_GROUP_WATCH, .args = "LOG|FOLDER FILE",
	.summary = "a LiDAR log or a folder of RGB-D frames as a recording",
	.details = "LOG: CARMEN (ODOM and FLASER lines) or BreezySLAM's ticks, gzipped or not. FOLDER: "
		   "frame-NNNNNN.color.jpg,\n"
		   ".depth.png and .pose.txt, as of 7-Scenes. FILE must not be there yet.",
	.arg_min = 2, .arg_max = 2, .run = cli_import},
    {"player", .group = CLI_GROUP_WATCH, .args = "play | pause | step [S] | seek S | rate FACTOR | where",
	.summary = "steer a replay that runs, from another terminal or a script", .arg_min = 1, .arg_max = 2,
	.run = cli_player},
    {"recording", .group = CLI_GROUP_WATCH, .args = "FILE",
	.summary = "what an MCAP file holds, and whether it is whole",
	.details = "Every checksum is checked. Status 1 when the file was cut off or damaged.",
	.options = recording_options, .arg_min = 1, .arg_max = 1, .json = true, .run = cli_recording},
    {"exec", .group = CLI_GROUP_CONNECT, .args = "-- COMMAND [ARGUMENT]...",
	.summary = "run a command where it can reach the stack's shared memory",
	.details = "For consumers of frames (iceoryx): enters the stack's mount namespace if it has one of "
		   "its own,\n"
		   "and sets CAIRN_RUN.",
	.arg_min = 1, .arg_max = -1, .run = cli_exec},
    {"new-stage", .group = CLI_GROUP_SET_UP, .args = "NAME",
	.summary = "write a working stage of this name into the source tree, to be filled with life",
	.details =
	    "A core, its ports, a program, a message and topic of its own, a test, and rows in the tables. "
	    "Needs the\n"
	    "source: the tool that was built in a checkout writes into it. What was written and what to do "
	    "next is told.",
	.arg_min = 1, .arg_max = 1, .run = cli_new_stage},
    {"config", .group = CLI_GROUP_SET_UP, .args = "",
	.summary = "the configuration as 'cairn up' would take it, checked", .options = config_options,
	.json = true, .run = cli_config},
    {"bench", .group = CLI_GROUP_MEASURE, .summary = "measure; without a name: which there are",
	.program = "cairn-lab"},
    {"eval", .group = CLI_GROUP_MEASURE, .summary = "judge by a pass mark; without a name: which there are",
	.program = "cairn-lab"},
    {"map-log", .group = CLI_GROUP_MEASURE,
	.summary = "map recorded LiDAR logs (CARMEN, BreezySLAM ticks), gzipped or not",
	.program = "cairn-lab"},
    {"fleet-sim", .group = CLI_GROUP_MEASURE,
	.summary = "simulated robots under a fleet's master control (VDA 5050, docs/fleet.md)",
	.program = "cairn-lab"},
    {"furnish", .group = CLI_GROUP_MEASURE,
	.summary = "a HouseExpo floor plan with furniture by chance, as a world to drive in",
	.program = "cairn-lab"},
    {"keygen", .group = CLI_GROUP_CONNECT, .args = "NAME",
	.summary = "a pair of keys for an operator elsewhere, or for the robot (docs/remote.md)",
	.details =
	    "Writes NAME.key, to be kept secret by whoever uses it, and NAME.pub. Existing files are kept.",
	.options = keygen_options, .arg_min = 1, .arg_max = 1, .run = cli_keygen},
    {"key", .group = CLI_GROUP_CONNECT, .args = "FILE",
	.summary = "the public half of a key, or the line that lets it in",
	.details = "cairn key anna.pub --rights watch,drive >> allow.list", .options = key_options,
	.arg_min = 1, .arg_max = 1, .run = cli_key},
    {"web-key", .group = CLI_GROUP_CONNECT, .args = "[NAME]",
	.summary = "a token for the page and its HTTP interface, with a QR code (docs/web.md)",
	.details = "A name that has one gets another. Only the hash of a token is kept. Without a name: "
		   "whose there are.",
	.options = web_key_options, .arg_max = 1, .run = cli_web_key},
    {"mcp", .group = CLI_GROUP_CONNECT, .args = "",
	.summary =
	    "the robot as a tool of agent programs: Model Context Protocol on standard input and output",
	.details =
	    "Started by an agent program (docs/mcp.md). CAIRN_WEB_TOKEN in the environment is its token; "
	    "without one it\nmay watch and stop.",
	.options = mcp_options, .run = cli_mcp},
    {"install-service", .group = CLI_GROUP_RUN, .args = "",
	.summary = "a systemd unit that brings the stack up at boot and keeps it up",
	.details =
	    "A real robot stands until 'cairn explore' sends it out, unless mission.autostart is true.",
	.options = service_options, .run = cli_install_service},
    {"version", .group = CLI_GROUP_SET_UP, .args = "",
	.summary = "version of the program and of the messages", .options = version_options, .json = true,
	.run = cli_version},
    {"help", .group = CLI_GROUP_SET_UP, .args = "[COMMAND [NAME]]",
	.summary = "this list, or the help of a command", .options = cli_help_options, .arg_max = 2,
	.run = cli_help},
};

int main(int argc, char **argv)
{
	static const struct cli_program program = {"cairn",
	    "lets a vision-language model drive an indoor robot, safely", commands,
	    sizeof(commands) / sizeof(commands[0])};
	return cli_main(&program, argc, argv);
}
