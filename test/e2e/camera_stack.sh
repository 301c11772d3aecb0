#!/bin/sh
# A whole stack with a camera over HTTP in place of the helper: its pictures come into the data plane and into what the model is
# given; without them it is told and the robot drives on; the camera that is back is used again. Its state is in a directory of its
# own, to which RUN/state is a link, as in the service.
# Usage: camera_stack.sh SOURCE CAIRN
set -eu

source=$1
cairn=$2
folder=$(mktemp -d /tmp/cairn-camera-XXXXXX)
run=$folder/run
server='' up=''
fail() {
	echo "camera_stack.sh: $1" >&2
	tail -n 40 "$folder/up" "$folder/out" >&2 || true
	exit 1
}
end() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	"$cairn" down --run "$run" --timeout 20s >/dev/null 2>&1 || true
	[ -z "$up" ] || wait "$up" 2>/dev/null || true
	rm -rf "$folder"
}
trap end EXIT

# Pictures are docs/snapshot.jpg with a comment of their own, 20 a second.
cat >"$folder/server.py" <<'PY'
import http.server, os, sys, time
jpeg = open(sys.argv[1], "rb").read()

class Camera(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=cut")
        self.end_headers()
        try:
            while True:
                whole = jpeg[:2] + b"\xff\xfe\x00\x08%06d" % (int(time.time() * 100) % 1000000) + jpeg[2:]
                head = b"--cut\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(whole)
                self.wfile.write(head + whole + b"\r\n")
                time.sleep(0.05)
        except OSError:
            pass

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True

server = Server(("127.0.0.1", int(sys.argv[3])), Camera)
open(sys.argv[2] + ".part", "w").write(str(server.server_port))
os.rename(sys.argv[2] + ".part", sys.argv[2])
server.serve_forever()
PY
# until WHAT COMMAND...: repeated until it holds.
until_holds() {
	what=$1
	shift
	tries=0
	until "$@" >"$folder/out" 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || fail "$what"
		sleep 0.2
	done
}
serve() { # PORT, 0 for any
	rm -f "$folder/port"
	python3 "$folder/server.py" "$source/docs/snapshot.jpg" "$folder/port" "$1" &
	server=$!
	until_holds "the camera's server does not start" test -e "$folder/port"
	port=$(cat "$folder/port")
}
serve 0

"$cairn" up --run "$run" --headless --stay --set web.endpoint=127.0.0.1:0 --set "launcher.state_dir=$folder/state" \
	--set "robot.camera_device=http://127.0.0.1:$port/" >"$folder/up" 2>&1 &
up=$!
until_holds "no picture comes into the data plane" "$cairn" echo camera.rgb --run "$run" -n 3 --timeout 5s
[ -L "$run/state" ] || fail "RUN/state is no link, though launcher.state_dir names another place"
until_holds "no decision was made on a picture" "$cairn" echo decision --run "$run" -n 1 --timeout 5s
until_holds "what the model was given cannot be looked at" "$cairn" look --run "$run" --out "$folder/seen.jpg"
"$cairn" look --now --run "$run" --out "$folder/now.jpg" --save "$folder/now" >"$folder/out" 2>&1 || fail "nothing to look at now"
[ -s "$folder/now" ] || fail "no text of now"
[ "$(head -c 2 "$folder/now.jpg" | od -An -tx1)" = ' ff d8' ] || fail "no picture of now"

kill "$server"
wait "$server" 2>/dev/null || true
until_holds "the loss of the camera is not told" grep -qi "camera" "$run/logs/camera-bridge.log"
serve "$port"
until_holds "the camera that is back is not used" "$cairn" echo camera.rgb --run "$run" -n 3 --timeout 5s
"$cairn" down --run "$run" --timeout 30s >"$folder/out" 2>&1 || fail "it does not end"
[ -n "$(ls -A "$folder/state")" ] || fail "nothing was kept in the state directory"
