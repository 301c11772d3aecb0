// What the tests of the stage ros2-bridge share: the topics as nodes of ROS 2 expect them, and a participant of another vendor (peer.cpp).
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { parse } from '@foxglove/rosmsg';
import { MessageReader, MessageWriter } from '@foxglove/rosmsg2-serialization';

const { ROS2_PEER, ROS2_SAMPLES } = process.env;

// One message of each type of common/ros2: name, schema, hex.
export const samples = execFileSync(ROS2_SAMPLES, { encoding: 'utf8' }).trim().split('\n').map((line) => JSON.parse(line));
const definition = (type) => parse(samples.find((row) => row.name === type).schema, { ros2: true });
export const dds = (type) => type.replace(/^(\w+)\/msg\/(\w+)$/, '$1::msg::dds_::$2_');
export const decode = (hex, type) => new MessageReader(definition(type)).readMessage(Buffer.from(hex, 'hex'));
export const encode = (message, type) => Buffer.from(new MessageWriter(definition(type)).writeMessage(message)).toString('hex');

// name, type, reliability, durability
export const topics = [
	['/scan', 'sensor_msgs/msg/LaserScan', 'best_effort'],
	['/odom', 'nav_msgs/msg/Odometry', 'reliable'],
	['/tf', 'tf2_msgs/msg/TFMessage', 'reliable'],
	['/tf_static', 'tf2_msgs/msg/TFMessage', 'reliable', 'latched'],
	['/amcl_pose', 'geometry_msgs/msg/PoseWithCovarianceStamped', 'reliable'],
	['/map', 'nav_msgs/msg/OccupancyGrid', 'reliable', 'latched'],
	['/camera/color/image_raw', 'sensor_msgs/msg/Image', 'best_effort'],
	['/camera/color/image_raw/compressed', 'sensor_msgs/msg/CompressedImage', 'best_effort'],
	['/camera/color/camera_info', 'sensor_msgs/msg/CameraInfo', 'best_effort'],
	['/camera/depth/image_raw', 'sensor_msgs/msg/Image', 'best_effort'],
	['/camera/depth/camera_info', 'sensor_msgs/msg/CameraInfo', 'best_effort'],
	['/plan', 'nav_msgs/msg/Path', 'reliable'],
	['/battery_state', 'sensor_msgs/msg/BatteryState', 'reliable'],
	['/imu', 'sensor_msgs/msg/Imu', 'best_effort'],
	['/diagnostics', 'diagnostic_msgs/msg/DiagnosticArray', 'reliable'],
	['/cairn/decision', 'std_msgs/msg/String', 'reliable'],
	['/cairn/detections', 'vision_msgs/msg/Detection3DArray', 'reliable'],
	['/cairn/markers/scene', 'visualization_msgs/msg/MarkerArray', 'reliable'],
	['/cairn/markers/zones', 'visualization_msgs/msg/MarkerArray', 'reliable'],
	['/cairn/markers/frontiers', 'visualization_msgs/msg/MarkerArray', 'reliable'],
];
export const nodes = ['ros_discovery_info', 'rmw_dds_common/msg/ParticipantEntitiesInfo', 'reliable', 'latched'];

export async function until(ask, what, ms = 30000) {
	for (const end = Date.now() + ms; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) {
		const answer = await ask();
		if (answer)
			return answer;
	}
	assert.fail(`${what}: not within ${ms} ms`);
}

// A program that says a JSON object a line.
export class Talker {
	constructor(program, ...args) {
		this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
		this.over = new Promise((done) => this.child.on('exit', done));
		createInterface({ input: this.child.stdout }).on('line', (line) => this.take(JSON.parse(line)));
	}
	say(...words) {
		this.child.stdin.write(`${words.join(' ')}\n`);
	}
	end() {
		this.child.stdin.end();
		return this.over;
	}
}

export class Peer extends Talker {
	writers = new Map();
	readers = new Map();
	samples = new Map();
	asked = new Set();
	participants = [];
	written = 0;
	// before: words of a command that runs it
	constructor(domain, ...before) {
		const [program, ...words] = [...before, ROS2_PEER, domain];
		super(program, ...words);
	}
	take(m) {
		if (m.participant !== undefined)
			this.participants.push(m.participant);
		if (m.writer)
			this.writers.set(m.writer, m);
		if (m.reader && !this.asked.has(m.reader)) // it finds its own, too
			this.readers.set(m.reader, m);
		if (m.sample)
			this.samples.set(m.sample, [...(this.samples.get(m.sample) ?? []), m]);
		this.written += m.written ? 1 : 0;
	}
	read(name, type, reliability, durability = 'volatile', count = 3) {
		this.asked.add(name);
		this.say('read', name, dds(type), reliability, durability, count);
	}
	write(name, type, message) {
		this.say('write', `rt${name}`, dds(type), encode(message, type));
	}
	// What is found: the node with its endpoints, and each topic as nodes of ROS 2 expect it.
	async finds(takes, userData) {
		await until(() => [...topics.map(([name]) => `rt${name}`), nodes[0]].every((name) => this.writers.has(name)), 'each topic');
		await until(() => takes.every((name) => this.readers.has(`rt${name}`)), 'each topic that is taken');
		assert.deepEqual([...this.readers.keys()].sort(), takes.map((name) => `rt${name}`).sort());
		assert.ok(this.participants.includes('enclave=/;'), `${this.participants}`);
		for (const [name, type, reliability, durability] of [...topics.map(([name, ...rest]) => [`rt${name}`, ...rest]), nodes]) {
			const found = this.writers.get(name);
			assert.equal(found.type, dds(type), name);
			assert.equal(found.reliable, reliability === 'reliable' ? 1 : 0, name);
			assert.equal(found.latched, durability === 'latched' ? 1 : 0, name);
			assert.match(found.user_data, userData, name);
		}
	}
}
