# shellcheck shell=sh
# For tests in JavaScript: sourced by their scripts. Tests write nothing into the source tree, so their files and the npm packages of
# package-lock.json go into a folder of the build.

# Ends the test as skipped, with the reason, as meson's protocols 'tap' and 'exitcode' want it.
skip() {
	echo "1..0 # SKIP $1"
	exit "${skipped:-0}"
}

# npm_folder SOURCE FOLDER: copies what is in SOURCE, installs the packages and goes there; skips where there is no way to.
npm_folder() {
	for program in node npm; do
		command -v $program >/dev/null || skip "$program is not installed (scripts/setup.sh --ci)"
	done
	mkdir -p "$2"
	cp -r "$1"/. "$2"
	cd "$2" || exit
	cmp -s package-lock.json node_modules/installed && return
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1 ||
		skip "npm ci failed, see $2/npm.log: $(tail -1 npm.log)"
	cp package-lock.json node_modules/installed
}

# Runs a file of tests; what failed is told on standard error, too, where meson shows it.
node_test() {
	exec node --test-reporter=tap --test-reporter-destination=stdout \
		--test-reporter=spec --test-reporter-destination=stderr "$@"
}
