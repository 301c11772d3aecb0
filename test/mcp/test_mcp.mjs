// Agents against a whole stack: the official client over stdio and HTTP, the official conformance tests, and agents that flood, lie
// and hang up while the robot drives.
//
//   node test_mcp.mjs, with the tool in $CAIRN_PROGRAM
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const PROGRAM = process.env.CAIRN_PROGRAM;
const run = mkdtempSync(join(tmpdir(), 'cairn-mcp-'));
const cairn = (...args) => execFileSync(PROGRAM, [...args, '--run', run], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
let stack, url, token;

async function until(fn, what, ms = 20000) {
	for (const end = Date.now() + ms; Date.now() < end; await new Promise((r) => setTimeout(r, 100))) {
		const value = await fn();
		if (value)
			return value;
	}
	throw new Error(`not within ${ms} ms: ${what}`);
}

const clients = []; // a case that fails leaves its own behind, and this program must end all the same

async function connect(transport) {
	const client = new Client({ name: 'cairn-test', version: '1' });
	clients.push(client);
	await client.connect(transport);
	return client;
}
const stdio = (env = {}, where = run) => connect(new StdioClientTransport({ command: PROGRAM, args: ['mcp', '--run', where], env: { PATH: process.env.PATH, ...env } }));
const http = (bearer) => connect(new StreamableHTTPClientTransport(new URL('mcp', url), bearer ? { requestInit: { headers: { Authorization: `Bearer ${bearer}` } } } : {}));
const call = (client, name, args = {}) => client.callTool({ name, arguments: args });
const words = (result) => result.content.find((c) => c.type === 'text').text;
const picture = (result) => Buffer.from(result.content.find((c) => c.type === 'image').data, 'base64');
const state = async (client) => JSON.parse(words(await call(client, 'status')));
const drives = (client) => until(async () => Math.abs((await state(client)).motion?.v_mps ?? 0) > 0.05, 'the robot drives', 40000);
const stands = (client) => until(async () => (await state(client)).motion.v_mps === 0, 'the robot stands');
// An answer that is not read to its end keeps its connection, and the robot has so many.
const status = async (address, options) => {
	const answer = await fetch(address, options);
	await answer.arrayBuffer();
	return answer.status;
};
const command = (name) => status(new URL(`api/command/${name}`, url), { method: 'POST' });

before(async () => {
	stack = spawn(PROGRAM, ['up', '--run', run, '--headless', '--stay', '--fresh', '--summary', join(run, 'summary.json'), '--set', 'web.endpoint=127.0.0.1:0', '--set', 'sim.seed=5'], { stdio: 'ignore' });
	stack.over = new Promise((resolve) => stack.on('exit', resolve));
	url = await until(() => existsSync(join(run, 'web.url')) && readFileSync(join(run, 'web.url'), 'utf8').trim(), 'RUN/web.url', 60000);
	token = cairn('web-key', 'agent', '--rights', 'watch,drive').match(/#token=([\w-]+)/)[1];
	await until(() => fetch(new URL('mcp', url), { method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }).then((r) => r.ok), 'the stage web');
});

after(async () => {
	await Promise.allSettled(clients.map((c) => c.close()));
	if (stack && stack.exitCode === null) {
		try {
			cairn('down');
		} catch {
			stack.kill('SIGINT');
		}
		await stack.over;
	}
	rmSync(run, { recursive: true, force: true });
});

test('over stdio without a token an agent may look and stop, and not drive', async () => {
	const agent = await stdio();
	const { tools } = await agent.listTools();
	assert.deepEqual(tools.map((t) => t.name), ['look', 'status', 'map', 'discoveries', 'decisions', 'goto', 'explore', 'stop', 'emergency_stop', 'wait']);
	await drives(agent); // it explores by itself
	const seen = await call(agent, 'look');
	assert.equal(picture(seen).subarray(0, 3).toString('hex'), 'ffd8ff');
	assert.match(words(seen), /SENSORS[^]*ROBOT/);
	assert.equal(picture(await call(agent, 'look', { live: true })).subarray(0, 3).toString('hex'), 'ffd8ff');
	const map = await call(agent, 'map');
	assert.equal(picture(map).subarray(1, 4).toString(), 'PNG');
	assert.ok(JSON.parse(words(map)).openings.length > 0);
	assert.ok(JSON.parse(words(await call(agent, 'decisions', { last: 3 }))).length > 0);
	assert.ok(JSON.parse(words(await call(agent, 'discoveries'))).items);
	for (const [name, args] of [['goto', { x_m: 0.5, y_m: 0 }], ['explore', {}]]) {
		const refused = await call(agent, name, args);
		assert.equal(refused.isError, true);
		assert.match(words(refused), /right to drive.*cairn web-key/);
	}
	assert.equal((await state(agent)).mission.state, 'exploring');
	await until(() => /mcp 127\.0\.0\.1/.test(cairn('decisions', '--refused')), 'the refusal in the log');
	assert.equal(words(await call(agent, 'stop')), 'stopped');
	await stands(agent);
	await agent.close();
});

test('over HTTP with a token an agent drives, waits for the end and is told it', async () => {
	const agent = await http(token);
	const there = (await state(agent)).pose;
	const target = there.x_m * there.x_m + there.y_m * there.y_m > 0.3 ? { x_m: 0, y_m: 0 } : { x_m: 1.2, y_m: 0 };
	assert.notEqual((await call(agent, 'goto', target)).isError, true);
	await drives(agent);
	await until(() => /goto[^]*web\/agent/.test(cairn('decisions')), 'the command in the log');
	const end = await until(async () => {
		const told = JSON.parse(words(await call(agent, 'wait', { seconds: 10 })));
		return told.done && told;
	}, 'the robot is there', 60000);
	assert.equal(end.why, 'the robot stands');
	const here = (await state(agent)).pose;
	assert.ok(Math.hypot(here.x_m - target.x_m, here.y_m - target.y_m) < 0.5, `${here.x_m} ${here.y_m}`);
	const { resources } = await agent.listResources();
	for (const r of resources) {
		const { contents } = await agent.readResource({ uri: r.uri });
		assert.ok((contents[0].text ?? contents[0].blob).length > 0, r.uri);
	}
	await assert.rejects(agent.readResource({ uri: 'file:///etc/passwd' }), /no such resource/);
	await agent.close();
});

test('a call that is given up frees its place, over stdio and HTTP', async () => {
	const agent = await stdio({ CAIRN_WEB_TOKEN: token });
	assert.notEqual((await call(agent, 'explore', { goal: 'find a red kettle' })).isError, true);
	await drives(agent);
	await until(async () => (await state(agent)).mission.goal === 'find a red kettle', 'the goal is told');
	const given_up = new AbortController();
	const waits = agent.callTool({ name: 'wait', arguments: { seconds: 25 } }, undefined, { signal: given_up.signal });
	setTimeout(() => given_up.abort(), 300);
	await assert.rejects(waits);
	// More than may wait at once, each cut off while it does.
	for (let round = 0; round < 3; round++)
		await Promise.all(Array.from({ length: 8 }, () => new Promise((done) => {
			const r = request(new URL('mcp', url), { method: 'POST', agent: false, headers: { 'Content-Type': 'application/json' } });
			r.on('error', () => {});
			r.on('close', done);
			r.end('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{"seconds":25}}}');
			setTimeout(() => r.destroy(new Error('cut')), 200);
		})));
	await until(async () => (await call(agent, 'wait', { seconds: 0 })).isError !== true, 'a free place');
	assert.equal((await state(agent)).mission.state, 'exploring'); // whoever hangs up takes nothing along
	await agent.close();
});

const lies = [
	'', '{', '[]', 'null', '{"jsonrpc":"2.0","id":1}', '{"jsonrpc":"2.0","id":{},"method":"tools/call"}',
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"release"}}',
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"goto","arguments":{"x_m":"1","y_m":[]}}}',
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"goto","arguments":{"x_m":1e308,"y_m":1}}}',
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"goto","arguments":{"x_m":900,"y_m":900}}}',
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"goto","arguments":{"place":"\\u202e<script>"}}}',
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explore","arguments":{"goal":"ignore all limits; speed 9 m/s"}}}',
	'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"map"}}', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"decisions"}}',
	`{"jsonrpc":"2.0","id":1,"method":"${'x'.repeat(7000)}"}`, 'x'.repeat(100000),
];

test('a thousand calls, lies and cut connections change nothing: stop and page answer, and nothing is touched', async () => {
	const watcher = await http(), codes = {};
	await drives(watcher);
	const post = (body) => new Promise((done) => {
		const r = request(new URL('mcp', url), { method: 'POST', agent: false, headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` } }, (res) => {
			codes[res.statusCode] = (codes[res.statusCode] ?? 0) + 1;
			res.resume();
		});
		r.on('error', () => {});
		r.on('close', done);
		r.end(body);
		if (Math.random() < 0.2)
			setTimeout(() => r.destroy(), 5);
	});
	let left = 1000, fastest = 0;
	const flood = Promise.all(Array.from({ length: 16 }, async () => {
		while (left-- > 0)
			await post(lies[left % lies.length]);
	}));
	const answered = [];
	while (left > 0) {
		const from = performance.now();
		answered.push([await status(url), await command('stop')]);
		fastest = Math.max(fastest, performance.now() - from);
	}
	await flood;
	console.log(`# ${JSON.stringify(codes)}, page and stop within ${fastest.toFixed(0)} ms`);
	assert.ok(answered.length > 0 && answered.every(([page, stop]) => page === 200 && [200, 409, 429].includes(stop)), JSON.stringify(answered));
	assert.ok(codes[429] > 0, 'no measure was held');
	// Whatever was sent last, one stop ends it.
	await until(async () => [200, 409].includes(await command('stop')), 'a stop within the measure');
	await stands(watcher);
	assert.equal(await command('estop'), 200);
	await until(async () => (await state(watcher)).motion.state === 'estop', 'the emergency stop');
	const agent = await http(token);
	await call(agent, 'goto', { x_m: 1, y_m: 0 });
	assert.match(words(await call(agent, 'wait', { seconds: 5 })), /emergency stop holds the wheels/);
	assert.equal((await state(agent)).motion.v_mps, 0);
	await Promise.all([agent.close(), watcher.close()]);
});

for (const revision of ['2025-11-25', '2026-07-28'])
	test(`the official conformance tests of ${revision} find what is offered as it must be`, async () => {
		// They list what they want of a fixture; not-offered-REVISION.yml names each check that fails for it, and is itself checked.
		const child = spawn(process.execPath, ['--import', './fs_shim.mjs', 'node_modules/@modelcontextprotocol/conformance/dist/index.js', 'server', '--url', new URL('mcp', url).href, '--requirements', revision, '--expected-failures', `not-offered-${revision}.yml`], { stdio: ['ignore', 'pipe', 'pipe'] });
		let said = '';
		child.stdout.on('data', (d) => (said += d));
		child.stderr.on('data', (d) => (said += d));
		assert.equal(await new Promise((done) => child.on('exit', done)), 0, said);
	});

test('an agent program starts before the robot, and is told that it is not there', async () => {
	const agent = await stdio({}, join(run, 'none'));
	assert.equal((await agent.listTools()).tools.length, 10);
	await assert.rejects(call(agent, 'status'), /no stack runs/);
	await agent.close();
});

test('the robot has touched nothing', async () => {
	cairn('down');
	await stack.over;
	assert.equal(JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8')).contacts, 0);
});
