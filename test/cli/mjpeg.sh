#!/bin/sh
# MJPEG over HTTP as `cairn camera-check URL` reads it: from a server of this test's own, good and bad, and from ustreamer where it is
# installed (package ustreamer), a server that nobody here has written.
#
#   mjpeg.sh SOURCE CAIRN
set -eu

source=$1 cairn=$2
folder=$(mktemp -d)
server='' streamer=''
end() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	[ -z "$streamer" ] || kill "$streamer" 2>/dev/null || true
	rm -rf "$folder"
}
trap end EXIT

# Pictures are docs/snapshot.jpg with a comment of their own, 20 a second.
cat >"$folder/server.py" <<'PY'
import http.server, sys, time
jpeg = open(sys.argv[1], "rb").read()

class Camera(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def part(self, i, length=True):
        comment = b"\xff\xfe\x00\x08" + b"%06d" % i
        whole = jpeg[:2] + comment + jpeg[2:]
        size = b"Content-Length: %d\r\n" % len(whole) if length else b""
        self.wfile.write(b"--cut\r\nContent-Type: image/jpeg\r\n" + size + b"\r\n" + whole + b"\r\n")
        self.wfile.flush()
        time.sleep(0.05)

    def do_GET(self):
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.end_headers()
            return
        if self.path == "/missing":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if self.path == "/page" else "multipart/x-mixed-replace; boundary=cut")
        self.end_headers()
        try:
            if self.path == "/page":
                self.wfile.write(b"<html>")
            elif self.path == "/huge":
                self.wfile.write(b"--cut\r\nContent-Length: 999999999\r\n\r\n")
                time.sleep(20)
            elif self.path == "/silent":
                time.sleep(20)
            else:
                base = int(time.time() * 100) % 900000
                for i in range(20 if self.path == "/short" else 10000):
                    self.part(base + i, self.path != "/unsized")
        except OSError:
            pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera)
server.daemon_threads = True
open(sys.argv[2] + ".part", "w").write(str(server.server_port))
import os
os.rename(sys.argv[2] + ".part", sys.argv[2])
server.serve_forever()
PY
python3 "$folder/server.py" "$source/docs/snapshot.jpg" "$folder/port" &
server=$!

# FILE: until it is there.
wait_for() {
	tries=0
	while [ ! -e "$1" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 400 ] || {
			echo "$1 does not come" >&2
			exit 1
		}
		sleep 0.05
	done
}
wait_for "$folder/port"
port=$(cat "$folder/port")

# PATH SECONDS STATUS PATTERN
check() {
	status=0
	"$cairn" camera-check "http://127.0.0.1:$port/$1" --for "$2s" --set camera.rate_hz=5 >"$folder/said" 2>&1 || status=$?
	if [ "$status" -ne "$3" ] || ! grep -q "$4" "$folder/said"; then
		echo "$1: status $status instead of $3, or not '$4' in:" >&2
		cat "$folder/said" >&2
		exit 1
	fi
}

check good 2 0 'colour: JPEG of [0-9]* x [0-9]*, .*Hz'
check unsized 2 0 'colour: JPEG of [0-9]* x [0-9]*, .*Hz'
check moved 2 0 'colour: JPEG of [0-9]* x [0-9]*, .*Hz'
check missing 1 1 'answers with status 404: check the path'
check page 1 1 'it sends text/html: no stream of pictures'
check huge 1 1 'a picture of more than 8 MB'
check silent 7 1 'no picture of use for 5 s'
# One that ends after a second is asked again, and goes on.
check short 5 0 'times lost'
grep -q 'pictures arrive again' "$folder/said"

kill "$server"
wait "$server" 2>/dev/null || true
server=''
check good 1 1 '[Cc]onnect'

# Without a camera it sends a picture of its own, always the same: enough to see that its stream is read.
if command -v ustreamer >/dev/null; then
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' >"$folder/port"
	port=$(cat "$folder/port")
	ustreamer --device=/dev/none --host=127.0.0.1 --port="$port" >"$folder/ustreamer" 2>&1 &
	streamer=$!
	tries=0
	until grep -q -i 'listening' "$folder/ustreamer"; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || {
			cat "$folder/ustreamer" >&2
			exit 1
		}
		sleep 0.05
	done
	check stream 4 1 'colour: JPEG of 640 x 480'
	grep -q 'were sent before: the camera has stopped looking' "$folder/said"
else
	echo "ustreamer is not installed: not tried against it"
fi
