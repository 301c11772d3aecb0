# shellcheck shell=sh
# For tests in JavaScript: sourced by their scripts. Tests write nothing into the source tree, so their files and the npm packages of
# package-lock.json go into a folder of the build.

# Ends the test as skipped, with the reason, as meson's protocols 'tap' and 'exitcode' want it.
skip() {
	echo "1..0 # SKIP $1"
	exit "${skipped:-0}"
}

fail() {
	echo "$1" >&2
	echo "Bail out! $1"
	exit 1
}

fetch_packages() {
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1
}

install_packages() {
	cmp -s package-lock.json node_modules/installed && return
	if ! fetch_packages && ! fetch_packages; then
		[ -z "${CAIRN_NPM_REQUIRED-}" ] || fail "npm ci failed, see $PWD/npm.log: $(tail -1 npm.log)"
		skip "npm ci failed, see $PWD/npm.log: $(tail -1 npm.log)"
	fi
	cp package-lock.json node_modules/installed
}

# npm_folder SOURCE FOLDER: copies what is in SOURCE, installs the packages and goes there. Where there is no way to the test is skipped,
# or fails with CAIRN_NPM_REQUIRED, as in CI: a registry that is out of reach must not take a dozen tests away unseen. Tests that share a
# folder wait for each other here.
npm_folder() {
	for program in node npm; do
		command -v $program >/dev/null && continue
		[ -z "${CAIRN_NPM_REQUIRED-}" ] || fail "$program is not installed"
		skip "$program is not installed (scripts/setup.sh --ci)"
	done
	mkdir -p "$2"
	exec 9>"$2/.lock"
	flock 9
	cp -ru "$1"/. "$2"
	cd "$2" || exit
	install_packages
	exec 9>&-
}

# Runs a file of tests; what failed is told on standard error, too, where meson shows it.
node_test() {
	exec node --test-reporter=tap --test-reporter-destination=stdout \
		--test-reporter=spec --test-reporter-destination=stderr "$@"
}
