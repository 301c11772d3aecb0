#!/bin/sh
# Runs each fuzzer of test/fuzz for SECONDS (60), side by side, from the seeds in test/fuzz/seeds. What a run finds stays
# in build-fuzz/corpus and is where the next one begins; an input that breaks something is in build-fuzz/NAME-*.
#
#   scripts/fuzz.sh [SECONDS]
set -eu

cd "$(dirname -- "$0")/.."
seconds=${1:-60}
if ! command -v clang >/dev/null; then
	echo "fuzz: no clang (packages clang and libclang-rt-14-dev): skipped" >&2
	exit 77
fi
mkdir -p build-fuzz
flags="-std=gnu17 -D_GNU_SOURCE -O1 -g -I. -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined"
core="common/vlm/anthropic.c common/vlm/openai.c common/vlm/gemini.c common/vlm/provider.c common/vlm/decision.c
	common/vlm/json_answer.c common/vlm/json_names.c common/vlm/loose_json.c common/vlm/tools.c common/vlm/text.c
	ipc/messages.c"
status=0
pids=
for name in reply text; do
	# shellcheck disable=SC2086 # lists
	clang $flags "test/fuzz/fuzz_$name.c" $core -o "build-fuzz/fuzz_$name" -ljansson -lm
	mkdir -p "build-fuzz/corpus/$name"
	"build-fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=8192 -timeout=5 -rss_limit_mb=1024 -dict=test/fuzz/words.dict \
		-artifact_prefix="build-fuzz/$name-" "build-fuzz/corpus/$name" "test/fuzz/seeds/$name" >"build-fuzz/$name.log" 2>&1 &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || status=1
done
for name in reply text; do
	echo "fuzz_$name: $(grep -a '^Done\|^stat::\|ERROR\|SUMMARY\|broken' "build-fuzz/$name.log" | tail -n 1)"
done
[ "$status" -eq 0 ] || tail -n 40 build-fuzz/reply.log build-fuzz/text.log
exit "$status"
