#!/bin/sh
# The unit tests of the cores under valgrind's memcheck: reads of memory that was never written, which the address sanitizer does not see.
#
#   scripts/valgrind.sh [FOLDER [SECONDS]]    a build folder with tests (build-check); no program is begun after SECONDS (3600)
#
# Everything runs 20 to 50 times slower, so the tests that drive whole runs are left out: they take minutes as it is, and the
# objects they drive have tests of their own here. One line at the end. Exit: 0 nothing found, 1 something was, 77 there is no valgrind.
set -eu

cd "$(dirname -- "$0")/.."
folder=${1:-build-check}
seconds=${2:-3600}
if ! command -v valgrind >/dev/null; then
	echo "valgrind: not installed: skipped" >&2
	exit 77
fi
# Long even without valgrind, or timed by the wall clock (sockets, processes, counted allocations).
left_out='annotate|annotator|choice-closed-loop|costmap|eval-.*|explore|gateway-.*|hybrid|jump|map-log.*|map-loops|mapper|overlay|planner.*|report.*'
left_out="$left_out"'|sequencer-closed-loop|sim_render|sim_stops|soak-meter|spawn|steady-memory|stops.*|text|view|vlm_pilot|world_.*|ways|edt|astar|arena.*'
tests=$(meson test -C "$folder" --suite unit --list 2>/dev/null | sed -n 's/^.* \/ //p' | grep -Evx "$left_out" | sort)
begin=$(date +%s)
rm -rf "$folder/valgrind"
mkdir "$folder/valgrind"

# One program; each of its cases is a process of its own, and time is not what is tested here.
cat >"$folder/valgrind/run-one.sh" <<'END'
program="$1/test/unit/test_$(printf '%s' "$2" | tr - _)"
if [ ! -x "$program" ] || [ "$(date +%s)" -ge "$3" ]; then
	exit 0
fi
out=$1/valgrind/$2.log
CK_TIMEOUT_MULTIPLIER=50 valgrind -q --error-exitcode=9 --leak-check=no "$program" >"$out" 2>&1 && exit 0
echo "valgrind: $2"
grep -E '^==|^not ok' "$out" | head -n 40
exit 1
END
status=0
printf '%s\n' "$tests" | xargs -P "$(nproc)" -I NAME sh "$folder/valgrind/run-one.sh" "$folder" NAME "$((begin + seconds))" || status=1
ran=$(find "$folder/valgrind" -name '*.log' | wc -l)
echo "valgrind: $ran of $(printf '%s\n' "$tests" | wc -l) programs, $(cat "$folder"/valgrind/*.log | grep -c '^ok' || true) tests passed," \
	"$(cat "$folder"/valgrind/*.log | grep -c '^not ok' || true) failed, $(($(date +%s) - begin)) s"
exit "$status"
