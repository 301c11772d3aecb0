#!/bin/sh
# What scripts/safety.sh makes of the verdicts of `cairn eval safety`, played here by a program that says what it is told.
set -eu
script=$1
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
mkdir "$dir/procs"
cat >"$dir/procs/cairn" <<'END'
#!/bin/sh
here=$(dirname -- "$0")
part=both
case "$*" in
*"--without sequencer,motor"*) part=neither ;;
*"--without sequencer"*) part=motor ;;
*"--without motor"*) part=sequencer ;;
esac
case "$*" in *diffdrive*) part=$part-two ;; esac
[ "$part" != both ] || : >"$here/../safety-2.state"
cat "$here/$part"
exit "$(cat "$here/$part.status")"
END
chmod +x "$dir/procs/cairn"

say() { # PART STATUS CONTACTS ARRIVED FINISHED
	echo "$2" >"$dir/procs/$1.status"
	cat >"$dir/procs/$1" <<END
{"finished": $5, "hours": 2.0, "contacts": $3, "clearance_min_m": 0.02, "against_map_follower": {"missed": 0},
 "judged": {"untouched": true, "arrived": $4}}
END
}
good() {
	say both 0 0 true true
	say motor 0 0 true true
	say sequencer 0 0 true true
	say motor-two 0 0 true true
	say sequencer-two 0 0 true true
	say neither 1 3 true true
}
expect() { # EXIT-STATUS WHAT
	code=0
	"$script" 2 "$dir" >"$dir/out" 2>&1 || code=$?
	[ "$code" -eq "$1" ] && return
	echo "$2: exit $code, not $1"
	cat "$dir/out"
	exit 1
}

good
expect 0 "all is well"
say both 1 0 false true
expect 1 "goals were missed, without a contact"
grep -q 'FAILED with both layers: not arrived' "$dir/out"
good
say motor 1 1 true true
expect 1 "a contact of the motor stage alone"
good
say sequencer 1 1 true true
expect 1 "a contact of the sequencer alone"
good
say motor-two 1 1 true true
expect 1 "a contact of the motor stage alone, turning in place"
good
say sequencer-two 1 1 true true
expect 1 "a contact of the sequencer alone, turning in place"
good
say neither 0 0 true true
expect 1 "a test that tests nothing"
good
say both 1 0 true false
expect 1 "interrupted"
[ -e "$dir/safety-2.state" ] || {
	echo "what was finished before the interruption is gone"
	exit 1
}
good
expect 0 "gone on with"
[ ! -e "$dir/safety-2.state" ] || {
	echo "a finished run would be taken for an interrupted one"
	exit 1
}
: >"$dir/procs/both"
expect 1 "a program that says nothing"
