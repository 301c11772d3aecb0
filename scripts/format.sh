#!/bin/sh
# Formats every C file of the tree as .clang-format says.
#
#   scripts/format.sh [--check]
#
# --check changes nothing: it prints each file that is not formatted, with the first line that differs.
# Exit: 0 everything is formatted, 1 something is not (with --check), 2 clang-format is missing or the usage is wrong.
set -eu

cd "$(dirname -- "$0")/.."
if ! command -v clang-format >/dev/null; then
	echo "format.sh: clang-format is missing; scripts/setup.sh --ci installs it" >&2
	exit 2
fi
case "${1-}" in
'') git ls-files '*.c' '*.h' | xargs -r clang-format -i ;;
--check)
	status=0
	git ls-files '*.c' '*.h' | xargs -r -n 50 clang-format --dry-run -Werror >/dev/null 2>&1 || status=1
	[ "$status" -eq 0 ] && exit 0
	git ls-files '*.c' '*.h' | while read -r file; do
		where=$(clang-format --dry-run -Werror "$file" 2>&1 | sed -n 's/^\([^ ]*:[0-9]*\):[0-9]*: error.*/\1/p' | head -n 1)
		[ -z "$where" ] || echo "$where: not formatted; run scripts/format.sh"
	done
	exit 1
	;;
*)
	echo "usage: scripts/format.sh [--check]" >&2
	exit 2
	;;
esac
