#!/bin/sh
# A whole stack with a colour and a depth camera by V4L2 (fake_v4l2.c): its depth comes into the data plane where the colour camera
# sees it, and into the obstacles; a file that is not of these cameras is told.
# Usage: depth_stack.sh CAIRN FAKE_V4L2
set -eu

cairn=$1
fake=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/cairn-depth-XXXXXX")
run=$folder/run
# The stages have a /tmp of their own, and the file must be seen by them.
file=$PWD/cairn-depth-stack-$$.yaml
up=''
fail() {
	echo "depth_stack.sh: $1" >&2
	tail -n 40 "$folder/up" "$folder/out" "$run/logs/camera-bridge.log" >&2 || true
	exit 1
}
end() {
	"$cairn" down --run "$run" --timeout 20s >/dev/null 2>&1 || true
	[ -z "$up" ] || wait "$up" 2>/dev/null || true
	rm -rf "$folder" "$file"
}
trap end EXIT

# until WHAT COMMAND...: repeated until it holds.
until_holds() {
	what=$1
	shift
	tries=0
	until "$@" >"$folder/out" 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 50 ] || fail "$what"
		sleep 0.2
	done
}
start() {
	LD_PRELOAD=$fake "$cairn" up --run "$run" --headless --stay --set web.endpoint=127.0.0.1:0 --set mission.autostart=false \
		--set robot.camera_device=/dev/cairn-fake-color --set robot.depth_device=/dev/cairn-fake-depth \
		--set "robot.depth_alignment=$file" >"$folder/up" 2>&1 &
	up=$!
}
# 15 mm to the side, with the view of the simulated robot's camera in both: 0.5 m away that is 14 pixels of the 640.
write() { # WIDTH of the depth camera
	cat >"$file" <<YAML
depth: {width: $1, height: 120, fx: 116.9, fy: 116.9, cx: 79.5, cy: 59.5}
color: {width: 640, height: 480, fx: 467.7, fy: 467.7, cx: 319.5, cy: 239.5}
rotation: [1, 0, 0, 0, 1, 0, 0, 0, 1]
translation_m: [0.015, 0, 0]
YAML
}

write 160
start
until_holds "no depth comes into the data plane" "$cairn" echo camera.depth --run "$run" -n 3 --timeout 5s
until_holds "no pictures come into the data plane" "$cairn" echo camera.rgb --run "$run" -n 3 --timeout 5s
# The box is 0.5 m before the camera and the wall 1 m; ranges count from the camera.
sees_box() {
	"$cairn" echo scan.depth --run "$run" -n 1 --timeout 5s >"$folder/scan" &&
		python3 - "$folder/scan" <<'PY'
import json, sys
scan = json.loads(open(sys.argv[1]).readline())["data"]
hits = [(a, r) for a, r, h in zip(scan["angle_rad"], scan["free_to_m"], scan["hit"]) if h]
near = [a for a, r in hits if 0.45 < r < 0.6]
wall = [a for a, r in hits if 0.9 < r < 1.4]
print(hits)
sys.exit(not (near and wall and abs(sum(near) / len(near) + 0.03) < 0.02))
PY
}
until_holds "the box is not seen 0.03 rad to the right" sees_box
"$cairn" down --run "$run" --timeout 30s >"$folder/out" 2>&1 || fail "it does not end"
wait "$up" 2>/dev/null || true

write 320
start
until_holds "that the file is of another camera is not told" \
	grep -q 'robot.depth_alignment: its depth has another size' "$run/logs/camera-bridge.log"
"$cairn" down --run "$run" --timeout 30s >"$folder/out" 2>&1 || fail "it does not end"
