// A whole stack with the stage ros2-bridge, and beside it a participant of another vendor's DDS (peer.cpp, Fast DDS): it finds every
// topic with the type, hash and quality of service that nodes of ROS 2 expect, reads each in full, and what it writes becomes
// what an operator could say, where a key lets it in.
//
//   node test_bridge.mjs, with the tool in $CAIRN_PROGRAM and the peer in $ROS2_PEER, in a network namespace of its own (bridge.sh)
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Peer, decode, topics, until } from './dds.mjs';
import { Stack } from './stack.mjs';

const DOMAIN = '42';
const stack = new Stack();
const note = () => stack.newest('heartbeat.ros2-bridge').note;
let peer;

before(async () => {
	await stack.up(DOMAIN, 'ros2.take_goal=true', 'ros2.take_cmd_vel=true', 'ros2.take_initialpose=true');
	peer = new Peer(DOMAIN);
});

after(async () => {
	if (peer)
		await peer.end();
	await stack.down();
});

test('another vendor finds the node, and each topic as nodes of ROS 2 expect it', async () => {
	await peer.finds(['/cmd_vel', '/goal_pose', '/initialpose'], /^typehash=RIHS01_[0-9a-f]{64};$/);
	assert.match(note(), /^0 of 20 topics read, 1 sent, /, 'nobody reads, and nothing is sent but what is latched');
});

test('each topic is read in full by another vendor, and is what its definition says', async () => {
	for (const [name, type, reliability, durability] of topics)
		peer.read(`rt${name}`, type, reliability, durability);
	const missing = () => topics.map(([name]) => name).filter((name) => !peer.samples.has(`rt${name}`));
	await until(() => missing().length === 0, 'each topic', 60000).catch((e) => {
		throw new Error(`${e.message}; missing: ${missing()}`);
	});
	for (const [name, type] of topics)
		for (const { hex } of peer.samples.get(`rt${name}`))
			decode(hex, type);
	const last = (name) => decode(peer.samples.get(`rt${name}`).at(-1).hex, topics.find((row) => row[0] === name)[1]);
	const scan = last('/scan'), image = last('/camera/color/image_raw'), depth = last('/camera/depth/image_raw'), info = last('/camera/color/camera_info');
	assert.ok(scan.ranges.length > 100 && scan.ranges.some((r) => r > 0.1 && r < 16));
	assert.ok(Math.abs(scan.header.stamp.sec - Date.now() / 1000) < 300);
	assert.deepEqual([image.encoding, depth.encoding, image.header.frame_id], ['rgb8', '16UC1', 'camera_optical']);
	assert.equal(image.data.length, image.height * image.step);
	assert.equal(depth.data.length, depth.height * depth.step);
	assert.deepEqual([info.width, info.height], [image.width, image.height]);
	assert.deepEqual([...last('/camera/color/image_raw/compressed').data.slice(0, 2)], [0xff, 0xd8]);
	assert.deepEqual(last('/tf_static').transforms.map((t) => t.child_frame_id), ['laser', 'camera_optical']);
	assert.equal(last('/tf').transforms.at(-1).child_frame_id, 'base_link');
	const map = last('/map');
	assert.equal(map.data.length, map.info.width * map.info.height);
	assert.equal(map.header.frame_id, 'map');
	const names = last('/diagnostics').status.map((s) => s.name);
	assert.ok(names.includes('cairn: motor') && names.includes('cairn: ros2-bridge'), `${names}`);
	assert.match(JSON.parse(last('/cairn/decision').data).data.id, /^[0-9]+$/);
});

const zero = { x: 0, y: 0, z: 0 };
const stamped = (x, y, frame_id) => ({ header: { stamp: { sec: 0, nanosec: 0 }, frame_id }, pose: { position: { x, y, z: 0 }, orientation: { ...zero, w: 1 } } });

// Nobody keeps a goal for a reader that has not seen its writer yet, so it is said until it is heard.
async function goal(message, heard, what) {
	await until(() => {
		peer.write('/goal_pose', 'geometry_msgs/msg/PoseStamped', message);
		return heard();
	}, what);
}

test('a goal is the command goto of an operator, and one of another frame is refused', async () => {
	await goal(stamped(0.3, 0, 'odom'), () => stack.file('logs', 'ros2-bridge.log').includes("its frame is 'odom'"), 'the refusal');
	const commands = () => stack.file('state', 'commands.jsonl').split('\n').filter((line) => line.includes('"goto"'));
	await goal(stamped(0.4, 0.1, 'map'), () => commands().length > 0, 'the command');
	const { command } = JSON.parse(commands()[0]);
	assert.match(command.who, /ros2$/);
	assert.equal(command.ok, true);
});

test('a robot that is not lost is not put elsewhere: the reason is said', async () => {
	const { pose } = stamped(5, 5, 'map');
	await until(() => {
		peer.write('/initialpose', 'geometry_msgs/msg/PoseWithCovarianceStamped', { ...stamped(5, 5, 'map'), pose: { pose, covariance: Array(36).fill(0) } });
		return stack.file('logs', 'ros2-bridge.log').includes('refused: the robot is not lost');
	}, 'the refusal');
	const { x_m, y_m } = stack.newest('pose');
	assert.ok(Math.hypot(x_m - 5, y_m - 5) > 0.5, `${x_m} ${y_m}`);
});

const twist = (v, w) => peer.write('/cmd_vel', 'geometry_msgs/msg/Twist', { linear: { ...zero, x: v }, angular: { ...zero, z: w } });

test('steering drives while it is repeated, and stands when it is silent', async () => {
	const pump = setInterval(() => twist(0.1, 0), 50);
	try {
		await until(() => stack.newest('cmd_vel').source === 'operator' && stack.newest('motion').v_mps > 0, 'steering by hand');
	} finally {
		clearInterval(pump);
	}
	await until(() => stack.newest('motion').v_mps === 0, 'a stand without further messages');
});

test('steering goes never past a stop', async () => {
	stack.tool('estop', 'test');
	await until(() => stack.newest('motion').v_mps === 0, 'the stop');
	const before = Number(note().match(/(\d+) taken/)[1]);
	const pump = setInterval(() => twist(0.1, 0), 50);
	try {
		await until(() => {
			assert.equal(stack.newest('motion').v_mps, 0, 'it stands while the stop is latched');
			return Number(note().match(/(\d+) taken/)[1]) > before + 20;
		}, 'steering that was taken');
	} finally {
		clearInterval(pump);
	}
});
