#!/bin/sh
# A stage that `cairn new-stage` writes builds without a warning, passes its own test, starts with the launcher, reports ready, shows
# in `cairn status` and publishes. In a copy of the source; the programs of the other stages are those that were built already.
# Usage: new_stage.sh SOURCE PROGRAMS FOLDER
set -eu

source=$1
programs=$2
dir=$3/new-stage
name=way-counter
fail() {
	echo "new_stage.sh: $1" >&2
	[ ! -f "$dir/out" ] || tail -30 "$dir/out" >&2
	exit 1
}
rm -rf "$dir"
mkdir -p "$dir/copy"
run=
end() {
	[ -z "$run" ] || "$dir/build/procs/cairn" down --run "$run" --timeout 20s >/dev/null 2>&1 || true
	[ -z "$run" ] || rm -rf "$run"
	rm -rf "$dir/copy" "$dir/build"
}
trap end EXIT
cd "$source"
tar -cf - --exclude=./build* --exclude=./.git --exclude=./node_modules . | tar -C "$dir/copy" -xf -
cd "$dir/copy"

scripts/new-stage.sh Way_Counter . >"$dir/out" 2>&1 && fail "a name that is none was taken"
scripts/new-stage.sh motor . >"$dir/out" 2>&1 && fail "a stage that exists was written over"
grep -q "motor" "$dir/out" || fail "the stage that is there already is not named"
diff -r -q "$source/procs" procs >"$dir/out" || fail "a refusal has changed something"
scripts/new-stage.sh "$name" . >"$dir/out" 2>&1 || fail "the stage was not written"
grep -q "docs.sh" "$dir/out" || fail "what to do next is not told"
scripts/new-stage.sh "$name" . >"$dir/out" 2>&1 && fail "it was written a second time"

# Built without optimization, which is quick, but makes compilers warn of what is none elsewhere: here only the new files count.
meson setup "$dir/build" --buildtype=plain >"$dir/out" 2>&1 || fail "meson setup"
ninja -C "$dir/build" procs/cairn procs/cairn-launcher "procs/cairn-$name" test/unit/test_way_counter >"$dir/out" 2>&1 || fail "the build"
grep "way[_-]counter[^ ]*: warning" "$dir/out" >&2 && fail "it does not build without warnings"
"$dir/build/test/unit/test_way_counter" >"$dir/out" 2>&1 || fail "the stage's own test"
for program in "$programs"/cairn-*; do
	[ ! -x "$program" ] || [ -d "$program" ] || [ -e "$dir/build/procs/${program##*/}" ] || ln -s "$program" "$dir/build/procs/"
done

run=$(mktemp -d /tmp/cairn-new-stage-XXXXXX)
"$dir/build/procs/cairn" up --run "$run" --headless --stay --set web.endpoint=127.0.0.1:0 >"$dir/up" 2>&1 &
up=$!
# A stack that is not there yet answers at once, one that is there when the first message comes.
tries=0
until "$dir/build/procs/cairn" echo way_counter --run "$run" -n 1 --timeout 5s >"$dir/out" 2>&1; do
	tries=$((tries + 1))
	if [ "$tries" -ge 300 ] || ! kill -0 "$up" 2>/dev/null; then
		cat "$dir/up" >&2
		fail "it published nothing"
	fi
	sleep 0.2
done
grep -q way_m "$dir/out" || fail "what it publishes is not its message"
"$dir/build/procs/cairn" status --run "$run" >"$dir/out" 2>&1 || true
grep -q "$name .*m driven" "$dir/out" || fail "'cairn status' does not show it"
"$dir/build/procs/cairn" down --run "$run" --timeout 20s >"$dir/out" 2>&1 || fail "'cairn down'"
wait "$up" || true
rm -rf "$run"
run=
