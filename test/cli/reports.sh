#!/bin/sh
# What a sanitizer has found in a program that nobody waits for: shown, and counted as failed (scripts/sanitizers.sh,
# scripts/count_tests.py). 77: the compiler has no sanitizers.
set -eu
root=$1
cc=${2:-cc}
unset ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/broken.c" <<'END'
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int shared;
static volatile int most = INT_MAX;

static void *race(void *ctx)
{
	for (int i = 0; i < 1000; i++)
		shared++;
	return ctx;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char *volatile p = malloc(8);
	if (argc > 1 && strcmp(argv[1], "use") == 0) {
		free(p);
		return p[1];
	}
	if (argc > 1 && strcmp(argv[1], "overflow") == 0)
		most = most + argc;
	if (argc > 1 && strcmp(argv[1], "race") == 0 && pthread_create(&thread, NULL, race, NULL) == 0) {
		race(NULL);
		pthread_join(thread, NULL);
	}
	if (argc > 1 && strcmp(argv[1], "leak") == 0)
		p = NULL;
	free(p);
	return 0;
}
END
"$cc" -g -fsanitize=address,undefined "$dir/broken.c" "$root/test/support/ub_reports.c" -o "$dir/broken" -pthread 2>/dev/null || exit 77
"$cc" -g -fsanitize=thread "$dir/broken.c" -o "$dir/racing" -pthread 2>/dev/null || exit 77
cat >"$dir/log" <<'LOG'
{"name": "a test that noticed nothing", "stdout": "ok 1 - a\n1..1\n", "result": "OK"}
LOG

# shellcheck source=scripts/sanitizers.sh
. "$root/scripts/sanitizers.sh"
sanitizer_options "$root" "$dir/reports"
expect() { # FAILED TEXT
	code=0
	said=$(python3 "$root/scripts/count_tests.py" --reports "$dir/reports" "$dir/log") || code=$?
	case "$said" in
	*"$2"*"1 passed, $1 failed") [ "$code" -eq "$((${1} > 0))" ] && return ;;
	esac
	echo "not '$2' and $1 failed, but ($code): $said"
	exit 1
}
"$dir/broken" nothing
"$dir/racing" nothing
expect 0 ""
"$dir/broken" leak && exit 1
expect 1 "detected memory leaks"
"$dir/broken" use && exit 1
expect 2 "heap-use-after-free"
"$dir/broken" overflow && exit 1
expect 3 "signed integer overflow"
"$dir/racing" race && exit 1
expect 4 "data race"
sanitizer_options "$root" "$dir/reports" # the next run begins without
expect 0 ""
