#!/bin/sh
# Makes the machine ready, builds with every warning an error, and runs tests.
#
#   scripts/check.sh                                    before every push: format, shell scripts, every test but those of whole
#                                                       stacks, and one of these (house); at most 8 minutes on two cores
#   scripts/check.sh --all                              every test
#   scripts/check.sh --build                            none: it is made ready for them
#   scripts/check.sh TEST OR OPTION OF "meson test"...  these tests
#
# CAIRN_SANITIZE=address,undefined builds with these sanitizers (or: thread), CAIRN_COVERAGE=1 with counters of the lines that
# are reached (scripts/coverage.sh), each into a folder of its own.
# The last line is "N passed, N failed", with ", N skipped" behind it when data or rights were missing; single test
# cases are counted, and each report of a sanitizer as one that failed, whatever became of the test it comes from.
# Exit: 0 all passed, 1 not, 2 the machine could not be made ready.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
what=tests
case "${1-}" in
'') what=presubmit ;;
--all | --build)
	what=${1#--}
	shift
	;;
esac
scripts/setup.sh
if [ "$what" = presubmit ]; then
	if command -v shellcheck >/dev/null && command -v clang-format >/dev/null; then
		shellcheck scripts/*.sh test/cli/*.sh test/e2e/*.sh debian/*.post* debian/tests/drive debian/tests/consumer .ci/run
		scripts/format.sh --check
	else
		echo "check.sh: shellcheck or clang-format is missing: format and scripts are not checked (scripts/setup.sh --ci)" >&2
	fi
fi

sanitize=${CAIRN_SANITIZE-}
reports=
folder=build-check
if [ -n "$sanitize" ]; then
	folder=$folder-$(printf '%s' "$sanitize" | tr ',' '-')
	reports=$root/$folder-reports
	# shellcheck source=scripts/sanitizers.sh
	. scripts/sanitizers.sh
	sanitizer_options "$root" "$reports"
fi
coverage=false
if [ -n "${CAIRN_COVERAGE-}" ]; then
	folder=$folder-coverage
	coverage=true
fi
if [ "$folder" = build-check ]; then
	build() {
		scripts/build.sh "$folder" -Dwerror=true --buildtype=release
	}
else
	# Slower programs: a test's own limit of time grows as meson's does.
	set -- --timeout-multiplier 4 "$@"
	export CK_TIMEOUT_MULTIPLIER="${CK_TIMEOUT_MULTIPLIER:-4}"
	# Built quickly (meson.build): of debug information no more than the line that a report names. Warnings are for the release build
	# to refuse: here some are false.
	build() {
		scripts/build.sh "$folder" -Db_sanitize="${sanitize:-none}" -Db_coverage="$coverage" \
			-Db_lundef=false --buildtype=debugoptimized -Doptimization=1 -Dc_args=-g1
	}
fi
rm -f "$folder"/meson-logs/testlog*.json
if ! build; then
	echo "0 passed, 1 failed"
	exit 1
fi
[ "$what" != build ] || exit 0

# One more than there are processors: many tests wait for something most of their time.
MESON_TESTTHREADS=${MESON_TESTTHREADS:-$(($(nproc) + 1))}
export MESON_TESTTHREADS
status=0
tests() { # NAME OF THE LOG, OPTIONS...
	log=$1
	shift
	meson test -C "$folder" --no-rebuild --print-errorlogs --logbase "$log" "$@" || status=1
}
case "$what" in
presubmit)
	tests testlog --no-suite e2e "$@"
	tests testlog-stack "$@" house
	;;
*) tests testlog "$@" ;;
esac
python3 scripts/count_tests.py --slowest 10 ${reports:+--reports "$reports"} "$folder"/meson-logs/testlog*.json || status=1
exit "$status"
