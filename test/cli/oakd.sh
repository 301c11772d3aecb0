#!/bin/sh
# scripts/oakd_helper.py against a stand-in for depthai (oakd/depthai.py), as `cairn camera-check` finds it: colour and depth of now on one
# another, a camera that is unplugged and comes back, none, depth that does not lie on the picture, and no depthai at all.
#
#   oakd.sh SOURCE CAIRN
set -eu

source=$1 cairn=$2
folder=$(mktemp -d)
helper=
end() {
	[ -z "$helper" ] || kill "$helper" 2>/dev/null || true
	rm -rf "$folder"
}
trap end EXIT

# Fails with what was said: WHAT FILE
fail() {
	echo "oakd: $1; it said:" >&2
	cat "$2" >&2
	exit 1
}

# Waits until a line is in a file: PATTERN FILE
said() {
	tries=0
	until grep -q "$1" "$2" 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -lt 400 ] || fail "'$1' was not said" "$2"
		sleep 0.05
	done
}

start() { # KIND
	OAKD=$1 PYTHONPATH=$source/test/cli/oakd PYTHONDONTWRITEBYTECODE=1 python3 "$source/scripts/oakd_helper.py" "$folder/camera" --size 128x80 --fps 20 2>"$folder/helper" &
	helper=$!
}

stop() {
	kill "$helper"
	wait "$helper" 2>/dev/null || true
	helper=
}

start ""
said 'the camera runs' "$folder/helper"
"$cairn" camera-check "$folder/camera" --for 2s --set camera.width_px=128 --set camera.height_px=80 --set camera.rate_hz=10 >"$folder/check" 2>&1 ||
	fail "camera-check refuses it" "$folder/check"
grep -q 'colour: RGB of 128 x 80' "$folder/check" || fail "no colour" "$folder/check"
grep -q 'depth: .*128 x 80' "$folder/check" || fail "no depth" "$folder/check"
stop

start unplugged
said 'device was disconnected; looking again' "$folder/helper"
tries=0
until [ "$(grep -c 'the camera runs' "$folder/helper")" -eq 2 ]; do
	tries=$((tries + 1))
	[ "$tries" -lt 200 ] || fail "it did not come back" "$folder/helper"
	sleep 0.05
done
stop

start absent
said 'No available devices; looking again' "$folder/helper"
stop

start narrow
status=0
wait "$helper" || status=$?
helper=
if [ "$status" -ne 1 ] || ! grep -q 'depth of 128 x 40 does not lie on a picture of 128 x 80' "$folder/helper"; then
	fail "depth of another size went through" "$folder/helper"
fi

# A folder without the stand-in, and a Python that looks nowhere else.
mkdir "$folder/alone"
cp "$source/scripts/oakd_helper.py" "$source/scripts/camera_helper.py" "$folder/alone/"
if python3 -S -E "$folder/alone/oakd_helper.py" "$folder/none" 2>"$folder/helper"; then
	fail "it runs without depthai" "$folder/helper"
fi
grep -q "no module depthai: pip install" "$folder/helper" || fail "what is missing is not said" "$folder/helper"
