// Foxglove's protocol against a whole stack, by Foxglove's own client package: every topic that is advertised and has a publisher
// arrives and is what its schema says, the rest is named with the reason, stops can be called and nothing else, and who reads slowly loses old messages alone.
//
//   node test_foxglove.mjs, with the tool in $CAIRN_PROGRAM
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { Peer, decoder, until } from './foxglove_peer.mjs';

const PROGRAM = process.env.CAIRN_PROGRAM;
const run = mkdtempSync(path.join(tmpdir(), 'cairn-foxglove-'));
const cairn = (...args) => execFileSync(PROGRAM, [...args, '--run', run], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
// Its exit status tells whether all is well: here what it prints counts.
const status = () => {
	try {
		return JSON.parse(cairn('status', '--json'));
	} catch (e) {
		return JSON.parse(e.stdout);
	}
};
const peers = [];
let stack, url;

before(async () => {
	stack = spawn(PROGRAM, ['up', '--run', run, '--headless', '--stay', '--fresh', '--for', '150s', '--set', 'web.endpoint=127.0.0.1:0',
		'--set', 'web.origins=https://app.example', '--set', 'sim.seed=5', ...JSON.parse(process.env.CAIRN_ARGUMENTS ?? '[]')], { stdio: 'ignore' });
	stack.over = new Promise((resolve) => stack.on('exit', resolve));
	const address = await until(() => existsSync(path.join(run, 'web.url')) && readFileSync(path.join(run, 'web.url'), 'utf8').trim(), 'RUN/web.url', 60000);
	url = address.replace('http:', 'ws:');
	await until(() => status().well, 'all stages are up', 60000);
});

function join(protocol) {
	peers.push(new Peer(url, protocol));
	return peers.at(-1).ready();
}

// One that failed leaves nobody behind who watches.
afterEach(() => peers.splice(0).forEach((peer) => peer.close()));

after(async () => {
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

// Why nothing need come here of a topic that is advertised (test_channels.mjs has each of them published); undefined: it must come.
function excuse(topic, rows, stages) {
	const row = rows.find((r) => topic === `/cairn/${r.name}` || topic.startsWith(`/cairn/${r.name}.`));
	if (row === undefined)
		return { '/markers/scene': 'told when the scene has changed' }[topic];
	if (row.from === '*')
		return stages.includes(topic.slice(`/cairn/${row.name}.`.length)) && row.rate_hz > 0 ? undefined : 'of a stage that does not run, or has been told nothing';
	return !row.there ? 'its publisher does not run' : row.rate_hz === 0 ? 'told when something happens' : undefined;
}

test('every advertised topic with a publisher arrives and is what its schema says, under both names of the protocol', async (t) => {
	for (const protocol of ['foxglove.websocket.v1', 'foxglove.sdk.v1']) {
		const peer = await join(protocol);
		assert.equal(peer.socket.protocol, protocol);
		assert.deepEqual(peer.info.capabilities, ['services', 'connectionGraph']);
		const stages = status().stages.items.filter((s) => s.state === 'up' && s.name !== 'roudi').map((s) => s.name);
		const rows = cairn('topics', '--json').trim().split('\n').map((line) => JSON.parse(line)).filter((row) => row.kind === 'topic');
		const due = rows.filter((row) => row.there && row.rate_hz > 0 && row.from !== '*').map((row) => `/cairn/${row.name}`)
			.concat(stages.map((name) => `/cairn/heartbeat.${name}`))
			.concat(['/scan', '/odom', '/tf', '/pose', '/battery_state', '/imu/data', '/markers/zones', '/markers/frontiers', '/map', '/camera/image/compressed', '/camera/depth'])
			.concat(['/cairn/decision', '/cairn/result', '/camera/annotated/compressed', '/plan']);
		assert.ok(due.length > 45, `${due.length} topics`);
		const rest = [...peer.channels.keys()].filter((topic) => !due.includes(topic));
		for (const topic of due)
			assert.ok(peer.channels.has(topic), `${topic} is not advertised`);
		for (const topic of rest)
			assert.ok(excuse(topic, rows, stages), `${topic} is neither waited for nor excused`);
		t.diagnostic(`${due.length} topics are waited for; not so ${rest.map((topic) => `${topic} (${excuse(topic, rows, stages)})`).join(', ')}`);
		for (const row of rows)
			assert.equal(JSON.stringify(JSON.parse(cairn('topics', '--schema', row.name))), [...peer.channels.values()].find((c) => c.topic.startsWith(`/cairn/${row.name}`)).schema);
		for (const topic of peer.channels.keys())
			peer.subscribe(topic);
		await until(() => due.every((topic) => peer.count(topic) > 0), `each of ${due.length} topics`, 40000).catch((e) => {
			throw new Error(`${e.message}; missing: ${due.filter((topic) => peer.count(topic) === 0)}`);
		});
		for (const [topic, messages] of peer.got) {
			const decode = decoder(peer.channels.get(topic));
			for (const { data, timestamp } of messages) {
				decode(data);
				assert.ok(Math.abs(Number(timestamp / 1000000n) - Date.now()) < 60000 || topic.includes('zones'), `${topic} at ${new Date(Number(timestamp / 1000000n)).toISOString()}`);
			}
		}
		await until(() => peer.count('/camera/depth') > 1 && peer.count('/scan') > 5, 'more of them');
		if (protocol === 'foxglove.sdk.v1')
			looked(peer);
		assert.deepEqual(peer.statuses, []);
		peer.close();
	}
});

// What the messages say of the robot, beside being well formed.
function looked(peer) {
	const last = (topic) => decoder(peer.channels.get(topic))(peer.got.get(topic).at(-1).data);
	const scan = last('/scan'), map = last('/map'), depth = last('/camera/depth'), camera = last('/camera/image/compressed');
	assert.ok(scan.ranges.length > 100 && scan.ranges.some((r) => r > 0.1 && r < 16));
	assert.equal(map.data.length, map.info.width * map.info.height);
	assert.ok(map.data.some((cell) => cell === -1) && map.data.some((cell) => cell >= 0 && cell < 50));
	assert.equal(depth.data.length, depth.height * depth.step);
	assert.deepEqual([camera.format, ...camera.data.slice(0, 2)], ['jpeg', 0xff, 0xd8]);
	assert.deepEqual(last('/tf').transforms.map((t) => `${t.header.frame_id}>${t.child_frame_id}`), ['map>odom', 'odom>base_link', 'base_link>laser']);
	const drawn = last('/markers/frontiers').markers, told = last('/cairn/frontiers').data;
	assert.equal(drawn[0].action, 3);
	assert.ok(drawn.length >= 1 + Math.min(told.items.length, 1));
	// The same message in both forms: of the newest each may have another, since each topic comes in its own time.
	const at = (topic, timestamp) => peer.got.get(topic).find((m) => m.timestamp === timestamp)?.data;
	const both = peer.got.get('/pose').map((m) => m.timestamp).findLast((t) => at('/cairn/pose', t));
	const of = (topic) => decoder(peer.channels.get(topic))(at(topic, both));
	const pose = of('/pose').pose.position, json = of('/cairn/pose').data;
	assert.ok(Math.hypot(pose.x - json.x_m, pose.y - json.y_m) < 1e-6, 'JSON has nine digits');
}

// Processes that read pictures for this stack.
const readers = () => readdirSync('/proc').filter((pid) => {
	try {
		return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(`${path.join(PROGRAM, '..', 'cairn-web-frames')}\0${run}`);
	} catch {
		return false;
	}
});

test('pictures are read while somebody has subscribed, and not otherwise', async () => {
	const peer = await join();
	await until(() => readers().length === 0, 'nobody reads pictures');
	peer.subscribe('/scan');
	await until(() => peer.count('/scan') > 5, 'scans');
	assert.equal(readers().length, 0);
	peer.subscribe('/map');
	await until(() => peer.count('/map') > 0, 'a map');
	await until(() => readers().length === 1, 'somebody reads pictures');
	peer.client.unsubscribe([...peer.topics].find(([, topic]) => topic === '/map')[0]);
	await until(() => readers().length === 0, 'nobody reads pictures any more');
	peer.close();
});

test('who reads slowly loses old messages, and nobody else does', async () => {
	const slow = await join(), fast = await join();
	for (const topic of slow.channels.keys())
		slow.subscribe(topic);
	fast.subscribe('/cairn/scan');
	await until(() => slow.count('/cairn/scan') > 2 && slow.count('/camera/depth') > 1 && fast.count('/cairn/scan') > 2, 'both get messages');
	const pid = status().stages.items.find((s) => s.name === 'web').pid;
	const megabytes = () => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]) / 1024;
	slow.socket._socket.pause();
	const first = megabytes(), before = fast.count('/cairn/scan');
	await until(() => fast.count('/cairn/scan') > before + 80, 'scans go on', 30000);
	const numbers = fast.numbers('/cairn/scan'), lost = numbers.at(-1) - numbers[0] + 1 - numbers.length;
	assert.ok(lost <= numbers.length / 10, `the fast client missed ${lost} of ${numbers.length}`);
	const more = megabytes() - first; // 80 scans' time of raw pictures alone would be more than 100
	assert.ok(more < 24, `${more} MB more while a client does not read`);
	slow.socket._socket.resume();
	await until(() => slow.numbers('/cairn/scan').at(-1) >= numbers.at(-1), 'the newest after that');
	const seen = slow.numbers('/cairn/scan');
	assert.ok(seen.some((n, i) => i > 0 && n - seen[i - 1] > 10), 'old ones are left out');
	assert.ok(seen.every((n, i) => i === 0 || n > seen[i - 1]), 'in order');
	slow.close();
	fast.close();
});

test('a client may stop the robot and do nothing else', async () => {
	const peer = await join();
	assert.deepEqual([...peer.services.keys()], ['/stop', '/estop']);
	assert.match((await peer.call('/goto', '{}')).message, /no such service/);
	assert.match((await peer.call('/stop', '[1]')).message, /JSON object/);
	assert.match((await peer.call('/stop', '{}', 'cdr')).message, /encoding "json"/);
	const channel = peer.client.advertise({ topic: '/cmd_vel', encoding: 'json', schemaName: 'x' });
	peer.client.sendMessage(channel, Buffer.from('{}'));
	await until(() => peer.statuses.length === 2, 'two refusals');
	assert.ok(peer.statuses.every((s) => s.level === 2 && /read-only/.test(s.message)));
	peer.client.subscribeConnectionGraph();
	const graph = await until(() => peer.graph, 'the connection graph');
	assert.deepEqual(graph.publishedTopics.find((t) => t.name === '/cairn/pose').publisherIds, ['mapper']);
	const told = ['/cairn/commanded.sequencer', '/cairn/commanded.motor'];
	told.forEach((topic) => peer.subscribe(topic));
	const stopped = await peer.call('/stop', '{"reason":"a test"}');
	assert.equal(JSON.parse(peer.text(stopped)).ok, true);
	const held = await peer.call('/estop', '{"reason":"a cat"}');
	assert.equal(held.callId, 7);
	assert.equal(JSON.parse(peer.text(held)).ok, true);
	await until(() => status().motion.state === 'estop' || /a cat/.test(status().motion.reason), 'the wheels are held');
	await until(() => told.every((topic) => peer.count(topic) > 0), 'both stops are told of');
	peer.close();
});

// Foxglove's own package does not speak of play bars: byte by byte, as rust/foxglove/src/protocol of foxglove-sdk has them.
test('a replay is steered by the play bar of a client that may drive, and bears the times of the recording', async () => {
	const file = path.join(run, 'played.mcap'), folder = mkdtempSync(path.join(tmpdir(), 'cairn-foxglove-'));
	cairn('record', file, '--for', '6s');
	const played = spawn(PROGRAM, ['replay', file, '--run', folder, '--stay', '--paused', '--set', 'web.endpoint=127.0.0.1:0'], { stdio: 'ignore' });
	const over = new Promise((resolve) => played.on('exit', resolve));
	try {
		const address = await until(() => existsSync(path.join(folder, 'web.url')) && readFileSync(path.join(folder, 'web.url'), 'utf8').trim().replace('http:', 'ws:'), 'the page of the replay', 60000);
		const token = execFileSync(PROGRAM, ['web-key', 'bar', '--rights', 'watch,drive', '--run', folder], { encoding: 'utf8' }).match(/#token=([\w-]+)/)[1];
		const open = async (query) => {
			const bar = { states: [], times: [], refusals: [], info: null, socket: new WebSocket(address + query, ['foxglove.sdk.v1']) };
			bar.socket.on('message', (data, binary) => {
				const text = binary ? {} : JSON.parse(data);
				if (text.op === 'serverInfo')
					bar.info = text;
				if (text.op === 'status')
					bar.refusals.push(text.message);
				if (text.op === 'advertise')
					bar.scan = text.channels.find((c) => c.topic === '/scan').id;
				if (binary && data[0] === 5)
					bar.states.push({ status: data[1], ns: data.readBigUInt64LE(2), rate: data.readFloatLE(10), seek: data[14], id: data.toString('utf8', 19) });
				if (binary && data[0] === 1)
					bar.times.push({ log: data.readBigUInt64LE(5), stamp: BigInt(data.readUInt32LE(17)) * 1000000000n + BigInt(data.readUInt32LE(21)) });
			});
			bar.ask = (play, rate, to, id) => {
				const data = Buffer.alloc(19 + id.length);
				data.set([3, play ? 0 : 1]);
				data.writeFloatLE(rate, 2);
				data[6] = to === null ? 0 : 1;
				data.writeBigUInt64LE(to ?? 0n, 7);
				data.writeUInt32LE(id.length, 15);
				data.write(id, 19);
				bar.socket.send(data);
				return until(() => bar.states.find((s) => s.id === id), `the answer to ${id}`);
			};
			await until(() => bar.info?.dataStartTime && bar.states.length > 0 && bar.scan, 'the range of the recording');
			return bar;
		};
		const ns = ({ sec, nsec }) => BigInt(sec) * 1000000000n + BigInt(nsec);
		const watcher = await open(''), bar = await open(`?token=${token}`);
		const first = ns(bar.info.dataStartTime), last = ns(bar.info.dataEndTime);
		assert.ok(bar.info.capabilities.includes('playbackControl'));
		assert.ok(last - first > 4000000000n && last - first < 8000000000n, `${last - first} ns`);
		assert.equal(bar.states[0].status, 1);
		bar.socket.send(JSON.stringify({ op: 'subscribe', subscriptions: [{ id: 1, channelId: bar.scan }] }));
		const refused = await watcher.ask(true, 1, null, 'w');
		assert.equal(refused.status, 1);
		assert.match(watcher.refusals[0], /right to drive/);
		let asked = 0; // a new token counts within a second
		await until(async () => {
			bar.refusals.length = 0;
			await bar.ask(false, 2 + asked, null, `k${asked++}`);
			return bar.refusals.length === 0;
		}, 'the token counts').catch((e) => assert.fail(`${e.message}: ${bar.refusals}`));
		const runs = await bar.ask(true, 2, null, 'p');
		assert.deepEqual([runs.status, runs.rate], [0, 2], bar.refusals.join());
		await until(() => bar.times.length > 5, 'scans');
		for (const { log, stamp } of bar.times) {
			assert.ok(log >= first - 1000000000n && log <= last, `${log} is not of the recording`);
			assert.ok(log - stamp < 1000000n && stamp - log < 1000000n, 'a message says another time than its head');
		}
		const to = first + 1000000000n, back = await bar.ask(false, 1, to, 's');
		assert.deepEqual([back.status, back.rate, back.seek, back.ns / 1000000n], [1, 1, 1, to / 1000000n]);
		await bar.ask(true, 20, null, 'e');
		await until(() => bar.states.at(-1).status === 3 && watcher.states.at(-1).status === 3, 'both are told of the end');
		watcher.socket.close();
		bar.socket.close();
	} finally {
		played.kill('SIGINT');
		await over;
		rmSync(folder, { recursive: true, force: true });
	}
});

test('strangers are not let in', async () => {
	const tried = async (protocol, options, address = url) => {
		const socket = new WebSocket(address, protocol, options);
		return new Promise((done) => {
			socket.on('open', () => (socket.close(), done('open')));
			socket.on('error', (e) => done(e.message));
		});
	};
	assert.notEqual(await tried('foxglove.sdk.v1', { origin: 'https://evil.example' }), 'open');
	assert.equal(await tried('foxglove.sdk.v1', { origin: 'https://app.example' }), 'open');
	assert.notEqual(await tried('cairn.v1', { origin: 'https://app.example' }, `${url}ws`), 'open');
	assert.notEqual(await tried(['foxglove.sdk.v1', 'cairn.v1'], { origin: 'https://app.example' }, `${url}ws`), 'open');
	assert.notEqual(await tried('foxglove.sdk.v1', { headers: { Host: 'evil.example' } }), 'open');
	const far = { headers: { 'X-Forwarded-For': '10.0.0.9' } };
	assert.notEqual(await tried('foxglove.sdk.v1', far), 'open');
	const token = cairn('web-key', 'fox', '--rights', 'watch').match(/#token=([\w-]+)/)[1];
	await until(async () => (await tried('foxglove.sdk.v1', far, `${url}?token=${token}`)) === 'open', 'the token is known');
	assert.notEqual(await tried('foxglove.sdk.v1', far, `${url}?token=${token}x`), 'open');
});
