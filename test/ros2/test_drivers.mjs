// A robot whose drivers speak ROS 2 alone: a simulated robot (robot.c) behind another vendor's DDS (peer.cpp, Fast DDS), and a whole stack that
// drives it by /scan, /odom, pictures and /cmd_vel. It explores; it stands when a topic falls silent or repeats itself, and when
// the motor stage or the stage between is killed; it touches nothing.
//
//   node test_drivers.mjs, with the tool in $CAIRN_PROGRAM, the peer in $ROS2_PEER and the robot in $ROS2_ROBOT, in a network namespace of its own
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Talker, until } from './dds.mjs';
import { Stack } from './stack.mjs';

const { ROS2_PEER, ROS2_ROBOT, ROS2_WORLD } = process.env;
const DOMAIN = '43';
const settings = ['robot.drive=ros2', 'robot.base_model=diffdrive-serial', 'robot.kinematics=differential', 'robot.lidar_model=helper',
	'robot.wheel_separation_m=0.22', 'robot.turn_radius_min_m=0.2', 'robot.encoder_ticks_per_m=5000', 'robot.encoder_mask=9',
	'robot.footprint_front_m=0.15', 'robot.footprint_rear_m=0.15', 'robot.footprint_half_width_m=0.13', 'robot.lidar_x_m=0', 'robot.camera_x_m=0.12',
	'ros2.scan_from=/scan', 'ros2.odom_from=/odom', 'ros2.cmd_vel_to=/cmd_vel', 'ros2.color_from=/camera/color/image_raw',
	'ros2.depth_from=/camera/depth/image_raw', 'ros2.age_max_s=0.3', 'mission.autostart=true', 'detect.source=helper'];

// The robot with its peer. Node takes no part in what they say to each other: it waits for the tool now and then.
class Robot extends Talker {
	truths = [];
	writers = new Map(); // found, by topic
	constructor() {
		super(ROS2_ROBOT, ROS2_WORLD, '5', ROS2_PEER, DOMAIN);
	}
	take(m) {
		if (m.writer)
			this.writers.set(m.writer, (this.writers.get(m.writer) ?? new Set()).add(m.gid));
		if (m.contacts !== undefined)
			this.truths.shift()(m);
	}
	truth() {
		return new Promise((done) => {
			this.truths.push(done);
			this.say('truth');
		});
	}
}

const stack = new Stack();
let robot;
const note = (stage) => stack.newest(`heartbeat.${stage}`).note;
const moving = async () => Math.abs((await robot.truth()).v_mps) > 0.05;
const told = async () => {
	const t = await robot.truth();
	return Math.abs(t.told_v_mps) + Math.abs(t.told_w_radps);
};
const pid = (name) => stack.status().stages.items.find((s) => s.name === name).pid;

before(async () => {
	robot = new Robot();
	await stack.up(DOMAIN, ...settings);
});

after(async () => {
	await robot?.end();
	await stack.down();
});

// It stands within the limit of a dead device and the way there, and drives on when `again` has put things right.
async function stands(what, ms = 2000) {
	await until(async () => (await told()) === 0 && !(await moving()), `a stand: ${what}`, ms);
	for (let i = 0; i < 10; i++) {
		assert.equal(await told(), 0, `${what}: it stays`);
		await new Promise((done) => setTimeout(done, 30));
	}
}
const drives = (what) => until(moving, `driving ${what}`, 60000);

test('the robot explores through topics of ROS alone', async () => {
	await until(async () => (await robot.truth()).distance_m > 3 && stack.newest('frontiers').free_m2 > 12, 'some of the home', 150000);
	const t = await robot.truth();
	assert.equal(t.contacts, 0);
	assert.ok(t.drives > 100, `${t.drives}`);
	assert.match(note('ros2-robot'), /^drivers speak, /);
	assert.ok(stack.newest('scan.depth').free_to_m.some((m) => m > 0.3), 'the floor is seen in depth');
});

test('what its drivers tell is not told a second time by the bridge', async () => {
	await until(() => robot.writers.has('rt/map'), 'the bridge');
	for (const name of ['rt/scan', 'rt/odom', 'rt/tf', 'rt/tf_static', 'rt/camera/color/image_raw', 'rt/camera/depth/image_raw'])
		assert.equal(robot.writers.get(name)?.size ?? 0, name.startsWith('rt/tf') ? 0 : 1, name);
});

for (const [name, word] of [['scan', 'mute'], ['odom', 'mute'], ['scan', 'repeat'], ['odom', 'repeat']])
	test(`it stands when /${name} ${word === 'mute' ? 'falls silent' : 'says the same again and again'}, and drives on when it speaks`, async () => {
		await drives('before');
		robot.say(word, name);
		await stands(`${word} ${name}`);
		robot.say(word, 'none');
		await drives('again');
	});

test('it stands when the motor stage is killed, and drives on when that is back', async () => {
	await drives('before');
	process.kill(pid('motor'), 'SIGKILL');
	await until(async () => (await told()) === 0, 'zero to the driver', 1000);
	await drives('again');
});

test('it stands when the stage between is killed: the first word of its successor is zero', async () => {
	await drives('before');
	process.kill(pid('ros2-robot'), 'SIGKILL');
	await until(async () => (await told()) === 0, 'zero to the driver', 5000);
	await drives('again');
});

test('nothing was touched', async () => {
	assert.equal((await robot.truth()).contacts, 0);
});
