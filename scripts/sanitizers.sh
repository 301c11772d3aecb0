# shellcheck shell=sh
# What programs that are built with sanitizers are told. Sourced by scripts/check.sh.

# sanitizer_options ROOT REPORTS: a report is a failure, and goes to a file REPORTS/report.PID with the place it comes from: a stage
# that is started again takes its own words with it, and only a test that counts restarts would see that anything was wrong.
# scripts/count_tests.py shows and counts them.
sanitizer_options() {
	rm -rf "$2"
	mkdir -p "$2"
	chmod 1777 "$2" # one test runs programs as other users
	to="log_path=$2/report"
	# Undefined behaviour: the library that tells of it does not know where to when there is another sanitizer (test/support/ub_reports.c).
	export CAIRN_UB_REPORTS="$2/report"
	# One test puts a library of its own in front: verify_asan_link_order.
	export ASAN_OPTIONS="$to:abort_on_error=0:detect_stack_use_after_return=1:verify_asan_link_order=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
	export LSAN_OPTIONS="suppressions=$1/test/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
	export TSAN_OPTIONS="$to:halt_on_error=1:second_deadlock_stack=1:suppressions=$1/test/tsan.supp:print_suppressions=0${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
	export UBSAN_OPTIONS="$to:halt_on_error=1:print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
}
