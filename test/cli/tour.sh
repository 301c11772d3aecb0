#!/bin/sh
# docs/tour.md names a file and what is in it at every step: both have to be there, and a walk takes at most 14 steps.
# Usage: tour.sh SOURCE
# shellcheck disable=SC2016 # the backquotes are the page's
set -eu

cd "$1"
places() { # FILE OF THE PAGE: "path name" a line
	grep -oE '`(common|ipc|procs|test)/[A-Za-z0-9_./-]+` `[A-Za-z_][A-Za-z0-9_]*`' "$1" | tr -d '\140'
}
check() { # FILE OF THE PAGE
	bad=0
	count=0
	list=$(places "$1")
	while read -r path name; do
		count=$((count + 1))
		if [ ! -f "$path" ]; then
			echo "tour.md: there is no $path"
			bad=1
		elif ! grep -qwF -- "$name" "$path"; then
			echo "tour.md: $path has no $name"
			bad=1
		fi
	done <<LIST
$list
LIST
	if [ "$count" -lt 30 ]; then
		echo "tour.md: only $count places found"
		bad=1
	fi
	if grep -qE '^1[5-9]\. ' "$1"; then
		echo "tour.md: a walk of more than 14 steps"
		bad=1
	fi
	return "$bad"
}
check docs/tour.md

# It does notice.
copy=$(mktemp)
trap 'rm -f "$copy"' EXIT
sed 's/`cairn_motor_step`/`cairn_motor_stepp`/; s,common/vlm/tools.c,common/vlm/tolls.c,' docs/tour.md >"$copy"
if found=$(check "$copy"); then
	echo "tour.sh: a name that is not there was not noticed" >&2
	exit 1
fi
echo "$found" | grep -q 'has no cairn_motor_stepp'
echo "$found" | grep -q 'no common/vlm/tolls.c'
