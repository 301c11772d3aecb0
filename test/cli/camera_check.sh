#!/bin/sh
# A camera helper as docs/cameras.md has it, with pictures that a program pipes into it, as `cairn camera-check` finds it: a good one, one
# that sends the same picture again and again, one of damaged pictures, and none.
#
#   camera_check.sh SOURCE CAIRN
set -eu

source=$1 cairn=$2
folder=$(mktemp -d)
helper=
end() {
	[ -z "$helper" ] || kill "$helper" 2>/dev/null || true
	rm -rf "$folder"
}
trap end EXIT

# KIND: pictures 20 times a second; each is docs/snapshot.jpg with a comment of its own (good), as it is (frozen), or cut (damaged).
pictures() {
	python3 - "$source/docs/snapshot.jpg" "$1" <<'PY'
import os, sys, time
jpeg, kind = open(sys.argv[1], "rb").read(), sys.argv[2]
for i in range(10000):
    comment = b"\xff\xfe\x00\x08" + b"%06d" % i
    whole = jpeg if kind == "frozen" else jpeg[:2] + comment + jpeg[2:]
    try:
        sys.stdout.buffer.write(whole if kind != "damaged" else whole[:len(whole) // 2] + b"\xff\xd9")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os._exit(0)
    time.sleep(0.05)
PY
}

# KIND STATUS PATTERN
check() {
	pictures "$1" | "$source/scripts/camera_helper.py" "$folder/camera" &
	helper=$!
	tries=0
	while [ ! -S "$folder/camera" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || {
			echo "the helper does not listen" >&2
			exit 1
		}
		sleep 0.05
	done
	status=0
	"$cairn" camera-check "$folder/camera" --for 2s --set camera.rate_hz=5 >"$folder/said" 2>&1 || status=$?
	kill "$helper"
	wait "$helper" 2>/dev/null || true
	helper=
	rm -f "$folder/camera"
	if [ "$status" -ne "$2" ] || ! grep -q "$3" "$folder/said"; then
		echo "$1: status $status instead of $2, or not '$3' in:" >&2
		cat "$folder/said" >&2
		exit 1
	fi
}

# A file that is no socket stays what it is.
echo mine >"$folder/file"
status=0
"$source/scripts/camera_helper.py" "$folder/file" </dev/null >"$folder/said" 2>&1 || status=$?
if [ "$status" -ne 1 ] || [ "$(cat "$folder/file")" != mine ] || ! grep -q 'file: is no socket' "$folder/said"; then
	echo "a user's file: status $status, or not left as it is" >&2
	cat "$folder/said" >&2
	exit 1
fi

check good 0 'colour: JPEG of [0-9]* x [0-9]*, .*Hz'
check frozen 1 'WRONG: .* were sent before'
check damaged 1 'WRONG: .* refused: a damaged JPEG'

status=0
"$cairn" camera-check "$folder/none" >"$folder/said" 2>&1 || status=$?
[ "$status" -eq 3 ] && grep -q 'is the helper running' "$folder/said"
