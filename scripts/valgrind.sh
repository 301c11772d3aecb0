#!/bin/sh
# The unit tests of the cores under valgrind's memcheck: reads of memory that was never written, which the address sanitizer does not see.
#
#   scripts/valgrind.sh [FOLDER [SECONDS [EACH]]]    a build folder with tests (build-check); no program is begun after SECONDS
#                                                    (3600), and one that takes longer than EACH (0: any time) is cut off
#
# With too few SECONDS for all, the commit decides which are begun: with the next it is another sample. CAIRN_VALGRIND_FIRST=NAME
# begins with that one.
#
# Everything runs 20 to 70 times slower, so the longest are left out: what they drive for hours or search through has tests of its own
# here, of a few minutes at most on a quiet machine. At the end what was begun, the longest of it, and one line (also in
# FOLDER/valgrind/summary).
# Exit: 0 nothing found, 1 something was, 77 there is no valgrind.
set -eu

cd "$(dirname -- "$0")/.."
folder=${1:-build-check}
seconds=${2:-3600}
each=${3:-0}
if ! command -v valgrind >/dev/null; then
	echo "valgrind: not installed: skipped" >&2
	exit 77
fi
# Long even without valgrind; or timed by the wall clock (gateway-.*: an exchange of keys takes seconds here), or counting calls of an
# allocator that valgrind replaces (steady-memory).
left_out='eval-run|eval-safety|map-logs|mapper|sequencer-closed-loop|stops-model|gateway-.*|steady-memory'
tests=$(meson test -C "$folder" --suite unit --list 2>/dev/null | sed -n 's/^.* \/ //p' | grep -Evx "$left_out" | sort)
count=$(printf '%s\n' "$tests" | wc -l)
commit=$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0)
first=$((0x$(printf '%.7s' "$commit") % count + 1))
if [ -n "${CAIRN_VALGRIND_FIRST-}" ]; then
	first=$(printf '%s\n' "$tests" | grep -nFx "$CAIRN_VALGRIND_FIRST" | cut -d: -f1)
	[ -n "$first" ] || {
		echo "valgrind: there is no test $CAIRN_VALGRIND_FIRST among those that run here" >&2
		exit 1
	}
fi
order=$(
	printf '%s\n' "$tests" | tail -n "+$first"
	printf '%s\n' "$tests" | head -n "$((first - 1))"
)
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
code=0
begin=$(date +%s)
CK_TIMEOUT_MULTIPLIER=50 timeout -k 10 "$4" valgrind -q --vgdb=no --error-exitcode=9 --leak-check=no "$program" >"$out" 2>&1 || code=$?
echo "$(($(date +%s) - begin)) s $2" >>"$1/valgrind/seconds"
case "$code" in
0) grep -q '^==' "$out" || exit 0 ;; # a process that a case has ended by a signal tells nobody but the log
124 | 137)
	echo "$2" >>"$1/valgrind/cut-off"
	grep -q '^not ok' "$out" || exit 0
	;;
esac
echo "valgrind: $2"
grep -E '^==|^not ok' "$out" | head -n 40
exit 1
END
status=0
printf '%s\n' "$order" | xargs -P "$(nproc)" -I NAME sh "$folder/valgrind/run-one.sh" "$folder" NAME "$((begin + seconds))" "$each" || status=1
ran=$(find "$folder/valgrind" -name '*.log' | sed 's|.*/||; s|\.log$||' | sort)
touch "$folder/valgrind/cut-off" "$folder/valgrind/seconds"
echo "valgrind: begun: $(echo "$ran" | tr '\n' ' ')"
echo "valgrind: longest: $(sort -rn "$folder/valgrind/seconds" | head -n 5 | tr '\n' ',' | sed 's/,$//; s/,/, /g')"
echo "$(echo "$ran" | grep -c .) of $count programs begun ($(printf '%s\n' "$order" | head -n 1) first; cut off:" \
	"$(tr '\n' ' ' <"$folder/valgrind/cut-off" | grep . || echo none)), $(cat "$folder"/valgrind/*.log | grep -c '^ok' || true) tests passed," \
	"$(cat "$folder"/valgrind/*.log | grep -c '^not ok' || true) failed, $(($(date +%s) - begin)) s" >"$folder/valgrind/summary"
sed 's/^/valgrind: /' "$folder/valgrind/summary"
exit "$status"
