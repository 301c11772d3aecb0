#!/bin/sh
# Runs the fuzzers of test/fuzz from their seeds, as many side by side as there are processors. What a run finds stays in
# build-fuzz/corpus and is where the next one begins; an input that breaks something is in build-fuzz/NAME-*.
#
#   scripts/fuzz.sh [SECONDS [NAME...]]     every fuzzer (or these) for SECONDS; without: 60 s for what models and services
#                                           send, 20 s for each of the others
#   scripts/fuzz.sh --build                 builds them, and runs none
# CAIRN_FUZZ_SEED (1) decides about the chance in it: the same seed and seeds find the same, so that a run can be repeated.
# Exit: 0 nothing found, 1 something was, 77 there is no clang.
set -eu

cd "$(dirname -- "$0")/.."
if ! command -v clang >/dev/null; then
	echo "fuzz: no clang (packages clang and libclang-rt-14-dev): skipped" >&2
	exit 77
fi
seconds=${1:-}
[ "$seconds" != --build ] || seconds=0
[ $# -eq 0 ] || shift

[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz -Dfuzz=true -Db_sanitize=address,undefined \
	-Db_lundef=false --buildtype=debugoptimized -Doptimization=1 -Dc_args=-g1 >/dev/null
ninja -C build-fuzz fuzzers >build-fuzz/build.log 2>&1 || {
	tail -n 40 build-fuzz/build.log
	exit 1
}
[ "$seconds" != 0 ] || exit 0
build-fuzz/test/fuzz/make_seeds build-fuzz/corpus .
# shellcheck disable=SC2046 # a list of words
[ $# -gt 0 ] || set -- $(find build-fuzz/test/fuzz -maxdepth 1 -type f -name 'fuzz_*' | sed 's,.*/fuzz_,,' | sort)

# One fuzzer; its last words on standard output.
cat >build-fuzz/run-one.sh <<'END'
name=$1
seconds=${2:-20}
case "$name:${2:-}" in reply: | text:) seconds=60 ;; esac
mkdir -p "build-fuzz/corpus/$name"
seeds=
[ ! -d "test/fuzz/seeds/$name" ] || seeds=test/fuzz/seeds/$name
status=0
UBSAN_OPTIONS=halt_on_error=1 "build-fuzz/test/fuzz/fuzz_$name" -seed="${CAIRN_FUZZ_SEED:-1}" -max_total_time="$seconds" -max_len=65536 -timeout=5 \
	-rss_limit_mb=2048 -dict=test/fuzz/words.dict -artifact_prefix="build-fuzz/$name-" "build-fuzz/corpus/$name" $seeds \
	>"build-fuzz/$name.log" 2>&1 || status=1
echo "fuzz_$name: $(grep -a '^Done\|ERROR\|SUMMARY\|broken\|runtime error' "build-fuzz/$name.log" | tail -n 1)"
[ "$status" -eq 0 ] || tail -n 40 "build-fuzz/$name.log"
exit "$status"
END
printf '%s\n' "$@" | xargs -P "$(nproc)" -I NAME sh build-fuzz/run-one.sh NAME "$seconds"
