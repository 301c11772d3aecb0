#!/bin/sh
# The tests that the tables of attacks and faults name in their last column are tests: somebody who renames or removes one leaves no
# promise behind that nothing shows. Usage: table_tests.sh SOURCE
# shellcheck disable=SC2016 # the backquotes are the pages'
set -eu

cd "$1"
bad=0
count=0
for page in docs/safety.md docs/reliability.md; do
	names=$(sed -n 's/^|.*|\([^|]*\)|$/\1/p' "$page" | grep -E '`' | grep -vE '`(cairn|build|scripts|nice) ' |
		grep -oE '`[a-z0-9-]+`' | tr -d '\140' | sort -u)
	for name in $names; do
		count=$((count + 1))
		file=test_$(echo "$name" | tr - _).c
		grep -rqF "'$name'" test --include=meson.build || find test -name "$file" | grep -q . || {
			echo "$page: there is no test '$name'"
			bad=1
		}
	done
done
[ "$count" -ge 60 ] || { # the pages are laid out anew
	echo "only $count names of tests were found"
	bad=1
}
exit "$bad"
