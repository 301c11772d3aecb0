// Every channel that the web stage offers by Foxglove's protocol, and what comes of it: the stage alone, all other stages played by
// stand_in.c, which says something on every endpoint of the bus. What is advertised is what arrives, but for the pictures, which need the
// data plane: test_foxglove.mjs waits for those on a whole stack.
//
//   node test_channels.mjs, with the tools in $CAIRN_PROGRAM and $ROS2_STAND_IN
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { Peer, decoder, until } from './foxglove_peer.mjs';

const { CAIRN_PROGRAM, ROS2_STAND_IN } = process.env;
const PICTURES = ['/camera/annotated/compressed', '/camera/depth', '/camera/image/compressed', '/map'];
const DECLARED = { doorbell: 'note', hall: 'detections', air: 'readings', claw: 'skills', grip: 'skill_result' };

const run = mkdtempSync(join(tmpdir(), 'cairn-channels-'));
let web, standIn, address, token;

before(async () => {
	for (const folder of ['bus', 'logs', 'state'])
		mkdirSync(join(run, folder), { mode: 0o700 });
	const topics = join(run, 'topics.yaml');
	writeFileSync(topics, `topics:\n${Object.entries(DECLARED).map(([name, schema]) => `  - name: ${name}\n    schema: ${schema}\n`).join('')}`);
	writeFileSync(join(run, 'config.yaml'), `web:\n  endpoint: 127.0.0.1:0\nexternal:\n  topics: ${topics}\n`, { mode: 0o600 });
	token = execFileSync(CAIRN_PROGRAM, ['web-key', 'anna', '--rights', 'watch,drive', '--run', run], { encoding: 'utf8' }).match(/#token=([\w-]+)/)[1];
	web = spawn(join(dirname(CAIRN_PROGRAM), 'cairn-web'), ['--run', run, '--stage', 'web', '--ready-fd', '3'], { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
	await new Promise((done, fail) => {
		web.stdio[3].once('data', done);
		web.once('exit', () => fail(new Error('the stage web has ended')));
	});
	address = readFileSync(join(run, 'web.url'), 'utf8').trim();
	standIn = spawn(ROS2_STAND_IN, [run, join(run, 'topics.yaml')], { stdio: ['pipe', 'pipe', 'inherit'] });
	standIn.text = '';
	standIn.stdout.on('data', (data) => (standIn.text += data));
});

after(async () => {
	for (const child of [standIn, web])
		if (child && child.exitCode === null) {
			child.kill('SIGTERM');
			await new Promise((done) => child.once('exit', done));
		}
	rmSync(run, { recursive: true, force: true });
});

// What the stage tells itself, and what makes it do so.
const EVENTS = {
	'/cairn/heartbeat.web': () => {},
	'/cairn/commanded.web': async () => { // refused: no token
		const { status } = await fetch(`${address}api/command/goto`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"args":"1 2"}' });
		assert.equal(status, 403);
	},
	'/cairn/teleop': () => {
		const page = new WebSocket(`${address.replace('http', 'ws')}ws`, ['cairn.v1'], { headers: { Authorization: `Bearer ${token}` } });
		page.on('open', () => page.send(JSON.stringify({ op: 'teleop', v_mps: 0.1, steer_rad: 0 })));
		page.on('message', () => page.close());
		return new Promise((done) => page.on('close', done));
	},
};

test('every channel that is advertised brings messages, and each is what its schema says', async (t) => {
	const peer = await new Peer(address.replace('http', 'ws')).ready(), channels = [...peer.channels.keys()];
	const quiet = channels.filter((topic) => !peer.count(topic));
	assert.equal(quiet.length, channels.length);
	channels.forEach((topic) => peer.subscribe(topic));
	const own = (await until(() => standIn.text.includes('arm_done.') && standIn.text, 'the stand-in')).match(/(?<=^- ).+/gm).map((name) => `/cairn/${name}`);
	assert.deepEqual(own.sort(), Object.keys(EVENTS).sort());
	for (const [name, schema] of Object.entries(DECLARED))
		assert.ok(channels.some((topic) => topic.endsWith(`.${name}`)), `${schema} ${name} is not offered`);
	const silent = () => channels.filter((topic) => !peer.count(topic)).sort();
	await until(async () => {
		for (const topic of own.filter((name) => !peer.count(name)))
			await EVENTS[topic]();
		return silent().length <= PICTURES.length;
	}, 'all but the pictures', 60000).catch((e) => assert.fail(`${e.message}: ${silent()}`));
	assert.deepEqual(silent(), PICTURES);
	for (const [topic, messages] of peer.got) {
		const decode = decoder(peer.channels.get(topic));
		messages.forEach(({ data }) => decode(data));
	}
	assert.deepEqual(peer.statuses, []);
	t.diagnostic(`${peer.got.size} of ${channels.length} channels`);
	peer.close();
});
