// The stage ros2-bridge's end of DDS (link.c) against a participant of another vendor: each topic is found as nodes of ROS 2 expect it, every
// byte of one message of each type arrives there, who comes late gets what is latched, and what is written there arrives here.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Peer, Talker, decode, dds, encode, nodes, samples, topics, until } from './dds.mjs';

class Link extends Talker {
	put = new Set();
	taken = [];
	counts = [];
	constructor(domain, release) {
		super(process.env.ROS2_LINK, domain, release);
	}
	take(m) {
		this.ready ||= m.ready;
		if (m.put)
			this.put.add(m.put);
		if (m.taken)
			this.taken.push(m);
		if (m.count !== undefined)
			this.counts.push(m.count);
	}
	async count(name) {
		const before = this.counts.length;
		this.say('count', name);
		return until(() => this.counts.length > before && { readers: this.counts.at(-1) }, 'a count');
	}
}

// RTPS fills a sample up to four bytes.
function assertSame(got, want, what) {
	assert.ok(got.startsWith(want) && /^(00){0,3}$/.test(got.slice(want.length)), `${what}: ${got.slice(0, 400)}\n is not ${want.slice(0, 400)}`);
}
const sample = (type) => samples.find((row) => row.name === type).hex;
let link, peer;

before(async () => {
	link = new Link('7', 'jazzy');
	peer = new Peer('7');
	await until(() => link.ready, 'the link');
});

after(() => Promise.all([link.end(), peer.end()]));

test('another vendor finds each topic with its type, its hash and its quality of service', async () => {
	await peer.finds(['/cmd_vel', '/goal_pose', '/initialpose'], /^typehash=RIHS01_[0-9a-f]{64};$/);
	assert.equal(peer.writers.get('rt/scan').user_data, 'typehash=RIHS01_64c191398013af96509d518dac71d5164f9382553fce5c1f8cca5be7924bd828;');
	assert.equal(peer.readers.get('rt/cmd_vel').user_data, 'typehash=RIHS01_9c45bf16fe0983d80e3cfe750d6835843d265a9a6c46bd2e609fcddde6fb8d2a;');
});

test('it finds the node with all that belongs to it', async () => {
	peer.read(...nodes);
	const [{ hex }] = await until(() => peer.samples.get(nodes[0]), 'the node');
	const [node] = decode(hex, nodes[1]).node_entities_info_seq;
	const gid = ({ data }) => Buffer.from(data).toString('hex');
	assert.deepEqual([node.node_namespace, node.node_name], ['/', 'cairn']);
	assert.deepEqual(node.writer_gid_seq.map(gid).sort(), topics.map(([name]) => peer.writers.get(`rt${name}`).gid).sort());
	assert.deepEqual(node.reader_gid_seq.map(gid).sort(), ['rt/cmd_vel', 'rt/goal_pose', 'rt/initialpose'].map((name) => peer.readers.get(name).gid).sort());
});

test('who comes late gets what is latched', async () => {
	assert.equal((await link.count('/map')).readers, 0);
	link.say('/map', sample('nav_msgs/msg/OccupancyGrid'));
	await until(() => link.put.has('/map'), 'written');
	peer.read('rt/map', 'nav_msgs/msg/OccupancyGrid', 'reliable', 'latched');
	const [got] = await until(() => peer.samples.get('rt/map'), 'the map');
	assertSame(got.hex, sample('nav_msgs/msg/OccupancyGrid'), 'the map');
	assert.equal((await link.count('/map')).readers, 1);
});

test('every byte of a message of each topic arrives', async () => {
	for (const [name, type, reliability, durability] of topics.filter(([name]) => name !== '/map'))
		peer.read(`rt${name}`, type, reliability, durability);
	for (const [name, type] of topics) {
		await until(async () => (await link.count(name)).readers === 1, `a reader of ${name}`);
		// What is best effort may be lost, so it is said until it is heard.
		await until(async () => {
			link.say(name, sample(type));
			return peer.samples.has(`rt${name}`);
		}, name);
		for (const got of peer.samples.get(`rt${name}`))
			assertSame(got.hex, sample(type), name);
	}
});

test('a picture of a megabyte arrives whole', async () => {
	const pixels = Uint8Array.from({ length: 640 * 480 * 3 }, (_, i) => (i * 7) & 255);
	const hex = encode({ header: { stamp: { sec: 1, nanosec: 2 }, frame_id: 'camera_optical' }, height: 480, width: 640, encoding: 'rgb8', is_bigendian: 0, step: 1920, data: pixels },
		'sensor_msgs/msg/Image');
	const before = peer.samples.get('rt/camera/color/image_raw').length;
	peer.read('rt/camera/color/image_raw', 'sensor_msgs/msg/Image', 'best_effort', 'volatile', 100);
	await until(async () => {
		link.put.delete('/camera/color/image_raw');
		link.say('/camera/color/image_raw', hex);
		await until(() => link.put.has('/camera/color/image_raw'), 'written');
		return peer.samples.get('rt/camera/color/image_raw').slice(before).some((s) => s.hex.startsWith(hex));
	}, 'the picture');
});

test('what another vendor writes arrives byte by byte', async () => {
	const twist = { linear: { x: 0.25, y: 0, z: 0 }, angular: { x: 0, y: 0, z: -0.5 } };
	await until(async () => {
		peer.write('/cmd_vel', 'geometry_msgs/msg/Twist', twist);
		return link.taken.some((m) => m.taken === '/cmd_vel');
	}, 'the twist');
	assert.equal(link.taken.find((m) => m.taken === '/cmd_vel').hex, sample('geometry_msgs/msg/Twist'));
	// Nobody keeps it for a reader that has not seen the writer yet.
	const goal = await until(async () => {
		peer.say('write', 'rt/goal_pose', dds('geometry_msgs/msg/PoseStamped'), sample('geometry_msgs/msg/PoseStamped'));
		return link.taken.find((m) => m.taken === '/goal_pose');
	}, 'the goal');
	assertSame(goal.hex, sample('geometry_msgs/msg/PoseStamped'), 'the goal');
});

test('nodes of Humble get longer identifiers and no hashes', async () => {
	const old = new Link('8', 'humble'), other = new Peer('8');
	try {
		await until(() => old.ready, 'the link');
		await other.finds(['/cmd_vel', '/goal_pose', '/initialpose'], /^$/);
		other.read(...nodes);
		const [{ hex }] = await until(() => other.samples.get(nodes[0]), 'the node');
		const writers = topics.length, readers = 3;
		// header, own identifier, one node: "/" and "cairn" with their lengths, then two lists
		assert.equal(hex.length / 2, 4 + 24 + 4 + (4 + 2 + 2) + (4 + 6 + 2) + (4 + 24 * readers) + (4 + 24 * writers));
	} finally {
		await Promise.all([old.end(), other.end()]);
	}
});
