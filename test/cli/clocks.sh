#!/bin/sh
# Whoever sets the clock on the wall must not be noticed by control, ages and deadlines: they use CLOCK_MONOTONIC. Every use of
# another clock in common/, ipc/ and procs/ stands in the list below with its number and reason; one more, or one less, fails.
set -eu
root=$1

allowed() {
	cat <<'LIST'
procs/lab/bench.c 1 the processor time a thread has used
procs/lab/bench_eval.c 1 the processor time a thread has used
procs/lab/bench_map.c 1 the processor time a thread has used
procs/lab/bench_recorder.c 1 the processor time a thread has used
procs/lab/bench_planner.c 1 the processor time a thread has used
procs/lab/bench_planner_hybrid.c 1 the processor time a thread has used
procs/lab/fleet_master.c 1 messages of VDA 5050 bear the time of day
procs/lab/fleet_sim.c 1 messages of VDA 5050 bear the time of day
procs/lab/eval_scene.c 1 the processor time a thread has used
procs/lab/eval_voice.c 1 the processor time the process has used
procs/cairn/checks_host.c 4 the doctor's check of the clock itself
procs/cairn/found.c 1 shows when a thing was found
procs/cairn/folder.c 1 the name of a folder by the time
procs/cairn/home.c 1 the name of the folder that things are set aside in
procs/cairn/up_prepare.c 1 when a run began, by which it is found again
procs/cli/util.c 1 shows the time that a line of a log tells
procs/recorder/capture.c 1 messages of a recording bear the time of day, by one offset for all
procs/recorder/folder.c 3 names of recordings, and their age by the time of their files
procs/cairn/cmd_audit.c 1 which decision was in force at a time of day
procs/cairn/cmd_recording.c 1 shows when a recording began
common/fleet/fleet_state.c 1 messages of VDA 5050 bear the time of day
common/notify/notify.c 1 a notice says at what time of day it happened
procs/notify/main.c 1 a notice says at what time of day it happened
procs/fleet/main.c 2 messages of VDA 5050 bear the time of day
procs/gateway/discoveries.c 1 the time at which a thing was found
procs/gateway/http.c 1 a service may say until when to wait as a time of day; the wait is a monotonic span of at most an hour
procs/gateway/locate.c 1 how long ago a thing was seen
procs/cairn/cmd_scene.c 1 how long ago a thing was seen
procs/gateway/decision_record.c 4 the time in a line of the log of decisions
procs/gateway/remembered.c 1 what an hour and a day have cost is told by the time of day, over restarts
procs/gateway/recorder.c 2 the name of a folder of recordings
procs/gateway/service.c 1 the time in a recorded exchange
procs/gateway/decision_trace.c 1 the time at which a recording began
procs/lab/map_log.c 1 the processor time the process has used
procs/launcher/report.c 1 the time in a line of the log of commands
procs/web/hub.c 1 messages for Foxglove and lines of the logs bear the time of day
procs/ros2-robot/main.c 2 messages of drivers of ROS bear the time of day
procs/ros2-bridge/main.c 2 messages for nodes of ROS bear the time of day
procs/web/logs.c 1 the time of day of a line of the logs, for the viewer
procs/agent/work.c 1 the time at which a thing was seen, as the scene tells it
procs/scene/questions.c 1 how long ago a thing was seen
procs/scene/seen.c 3 the time at which a thing was seen
procs/shell/stage.c 4 the time of day, for the uses in this list
procs/shell/stage.h 2 the time of day, for the uses in this list
procs/speak/speaker.c 2 quiet hours are a time of day
procs/pilot/server.c 1 the time in an answer, as the interface asks for it
LIST
}

# Lines that read another clock, by file.
found() {
	cd "$1"
	grep -rnE --include='*.c' --include='*.h' \
		'CLOCK_[A-Z_]+|cairn_unix_n?s *\(|gettimeofday *\(|[^_[:alnum:]]time\((NULL|0|&)|(localtime|gmtime)(_r)? *\(|[^r]ftime *\(|pthread_(cond|mutex)_(timed|clock)[a-z]+ *\(|sem_timedwait *\(' \
		common ipc procs | grep -vE 'CLOCK_MONOTONIC' | cut -d: -f1 | sort | uniq -c | awk '{ print $2, $1 }'
}

check() {
	found "$1" >"$log.found" || true
	allowed | cut -d' ' -f1,2 | sort >"$log.allowed"
	diff "$log.allowed" "$log.found"
}

log=$(mktemp -d)/clocks
trap 'rm -rf "$(dirname "$log")"' EXIT
if ! check "$root"; then
	echo "'<': allowed but gone; '>': a use of a clock that may be set, and that the list in test/cli/clocks.sh does not have"
	exit 1
fi

# It can fail: a deadline by the wall clock is found.
mkdir -p "$log.tree"
cp -r "$root/common" "$root/ipc" "$root/procs" "$log.tree/"
echo 'static int64_t deadline(void) { return time(NULL) + 5; }' >>"$log.tree/common/scan/scan.c"
if check "$log.tree" >/dev/null; then
	echo "a deadline by the wall clock was not found"
	exit 1
fi
