"""Prints "N passed, N failed[, N skipped]" for meson's testlog.json, counting the cases inside a TAP program.

Usage: count_tests.py [--slowest N] [--failures LINES] [--reports FOLDER] TESTLOG.json...
Every file in FOLDER is a sanitizer's report: it is shown, and counts as one failed. With --slowest the N programs that took
longest are printed first, with --failures each program that failed, with what failed in it and the last LINES lines it printed. Exit: 0 when something passed and nothing failed, 1 otherwise.
"""
import argparse
import json
import os
import re
import sys

CASE = re.compile(r"^(not )?ok\b(.*)$", re.MULTILINE)
NOTE = re.compile(r"^# SKIP\b", re.MULTILINE)  # of test/support/runner.h, in front of the case's "ok"
REPORT_LINES = 60
PLAN = re.compile(r"^1\.\.(\d+)", re.MULTILINE)


def count(test):
    """(passed, failed, skipped) of one line of the log."""
    output = test.get("stdout") or ""
    good = test["result"] in ("OK", "EXPECTEDFAIL")
    cases = CASE.findall(output)
    plan = PLAN.search(output)
    if test["result"] == "SKIP":
        return 0, 0, 1
    if not cases or plan is None and good:
        return (1, 0, 0) if good else (0, 1, 0)
    failed = sum(1 for no, _ in cases if no)
    skipped = sum(1 for no, text in cases if not no and re.search(r"# *skip", text, re.IGNORECASE))
    skipped += len(NOTE.findall(output))
    passed = len(cases) - failed - skipped
    # Cases that a crash has swallowed; and a program that failed after its last case.
    failed += max(0, int(plan.group(1)) - len(cases)) if plan else 0
    if not good and failed == 0:
        failed = 1
    return passed, failed, skipped


def show_reports(folder):
    """How many there are. The first lines of each say what and where; one that many processes make is long enough once."""
    names = sorted(os.listdir(folder))
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        print(f"---- {name}")
        print("\n".join(lines[:REPORT_LINES]))
        if len(lines) > REPORT_LINES:
            print(f"({len(lines) - REPORT_LINES} more lines)")
    return len(names)


def read(path):
    """The tests of one log, an empty list where there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [json.loads(line) for line in file.read().splitlines()]
    except OSError:
        return []


def show_slowest(tests, count):
    slowest = sorted(tests, key=lambda test: -test.get("duration", 0.0))[:count]
    print("slowest: " + ", ".join(f"{test['name']} {test.get('duration', 0.0):.1f} s" for test in slowest))


def show_failures(tests, lines):
    """A log of all of CI is long, and whoever reads it may be given no more than its end."""
    for test in tests:
        if count(test)[1] == 0:
            continue
        said = (test.get("stdout") or "").splitlines()
        cases = [line for line in said if line.startswith("not ok")]
        print(f"---- failed: {test['name']} ({test['result']}, {test.get('duration', 0.0):.1f} s)")
        print("\n".join(cases + said[-lines:] + (test.get("stderr") or "").splitlines()[-lines:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--slowest", type=int, default=0)
    parser.add_argument("--failures", type=int, default=0)
    parser.add_argument("--reports")
    parser.add_argument("logs", nargs="*")
    args = parser.parse_args()
    passed = skipped = 0
    failed = show_reports(args.reports) if args.reports else 0
    tests = [test for path in args.logs for test in read(path)]
    if args.slowest > 0 and tests:
        show_slowest(tests, args.slowest)
    if args.failures > 0:
        show_failures(tests, args.failures)
    for test in tests:
        p, f, s = count(test)
        passed, failed, skipped = passed + p, failed + f, skipped + s
    if passed + failed == 0:
        failed = 1  # nothing ran: that is no success
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
