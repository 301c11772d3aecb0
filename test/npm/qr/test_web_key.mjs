// The code that `cairn web-key` draws on a terminal, as a phone would see it: characters to pixels, pixels to jsQR, which is no relation of
// libqrencode. What it reads must be the address that is printed beside it, token included.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import jsqr from 'jsqr';

const PROGRAM = process.env.CAIRN_PROGRAM;
const MODULE_PX = 4;
// Ink is dark; each character holds two modules, one above the other.
const HALVES = { '█': [1, 1], '▀': [1, 0], '▄': [0, 1], ' ': [0, 0] };

function folder(config) {
	const run = mkdtempSync(join(tmpdir(), 'cairn-qr-'));
	chmodSync(run, 0o700);
	mkdirSync(join(run, 'state'), { mode: 0o700 });
	writeFileSync(join(run, 'config.yaml'), config, { mode: 0o600 });
	return run;
}

// What the command writes on a terminal: `script` gives it one.
function on_a_terminal(args) {
	const quoted = [PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
	const done = spawnSync('script', ['--quiet', '--return', '--command', quoted, '/dev/null'], { encoding: 'utf8', input: '' });
	assert.equal(done.status, 0, done.stdout + done.stderr);
	return done.stdout.replaceAll('\r', '');
}

const rows_of = (text) => [...text.matchAll(/\x1b\[38;5;16;48;5;231m([█▀▄ ]+)\x1b\[0m/gu)].map((m) => [...m[1]]);

function picture(rows) {
	const width = rows[0].length * MODULE_PX, height = 2 * rows.length * MODULE_PX, data = new Uint8ClampedArray(4 * width * height).fill(255);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) {
			const row = Math.floor(y / MODULE_PX), dark = HALVES[rows[row >> 1][Math.floor(x / MODULE_PX)]][row & 1];
			data.fill(dark ? 0 : 255, 4 * (y * width + x), 4 * (y * width + x) + 3);
		}
	return { data, width, height };
}

for (const [what, config, address] of [
	['an address of this machine', 'web:\n  endpoint: 127.0.0.1:8088\n', /^http:\/\/127\.0\.0\.1:8088\/#token=[\w-]{32}$/],
	['one of a robot with a certificate, by IPv6', 'web:\n  endpoint: "[fd00:1234:5678:9abc:def0:1234:5678:9abc]:65535"\n  cert_file: /etc/cairn/cert.pem\n  key_file: /etc/cairn/key.pem\n',
		/^https:\/\/\[fd00:1234:5678:9abc:def0:1234:5678:9abc\]:65535\/#token=[\w-]{32}$/],
])
	test(`the code that is drawn holds the address and the token: ${what}`, () => {
		const run = folder(config);
		try {
			const text = on_a_terminal(['web-key', 'anna', '--rights', 'watch,drive', '--run', run]);
			const url = text.split('\n').find((line) => line.startsWith('http'));
			assert.match(url, address);
			assert.ok(text.includes(`shown this once: ${url.split('#token=')[1]}`));
			const rows = rows_of(text);
			assert.ok(rows.length > 15 && rows.every((row) => row.length === rows[0].length), text);
			const { data, width, height } = picture(rows);
			const read = jsqr(data, width, height, { inversionAttempts: 'dontInvert' });
			assert.equal(read?.data, url);
			assert.match(readFileSync(join(run, 'state/web.tokens'), 'utf8'), /^anna watch,drive [0-9a-f]{64}$/m);
		} finally {
			rmSync(run, { recursive: true, force: true });
		}
	});

test('no code is written where nobody can see it', () => {
	const run = folder('web:\n  endpoint: 127.0.0.1:8088\n');
	try {
		const text = execFileSync(PROGRAM, ['web-key', 'anna', '--run', run], { encoding: 'utf8' });
		assert.match(text, /#token=[\w-]{32}\n/);
		assert.equal(rows_of(text).length, 0);
	} finally {
		rmSync(run, { recursive: true, force: true });
	}
});
