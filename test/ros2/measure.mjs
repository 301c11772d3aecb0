// What the stage ros2-bridge costs and adds, with topics read by another vendor's DDS: by how much later than at a reader of the bus
// each scan is there (negative: earlier), and the processor time of the stage. Not a test: it prints its figures.
//
//   bridge.sh SOURCE FOLDER measure.mjs, with the environment of the test ros2-stack and $ROS2_PROBE (docs/ros2.md)
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Peer, topics } from './dds.mjs';
import { Stack } from './stack.mjs';

// MEASURE_TOPICS: what the names of those that are read begin with. MEASURE_FIFO=1: stage, peer and reader of the bus before all ordinary
// processes, so that what is measured is the way and not how busy the machine is.
const { ROS2_PROBE, MEASURE_S = '60', MEASURE_TOPICS = '/', MEASURE_FIFO } = process.env;
const fifo = MEASURE_FIFO ? ['chrt', '-f', '30'] : [];
const SAME_NS = 20000000n; // scans are 100 ms apart; the two clocks' offsets are taken at other times
const pause = (s) => new Promise((done) => setTimeout(done, 1000 * s));
const share = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))].toFixed(2);

const stack = new Stack();
await stack.up('43', ...(MEASURE_FIFO ? ['launcher.fifo=watchdog:55 motor:50 sequencer:40 sensor-bridge:35 ros2-bridge:30'] : []));
const peer = new Peer('43', ...fifo);
const there = []; // [stamp, arrival] of scans at the peer
let counted = 0;
const keep = peer.take.bind(peer);
peer.take = (m) => {
	if (!m.sample)
		return keep(m);
	counted++;
	const head = Buffer.from(m.hex, 'hex');
	if (m.sample === 'rt/scan')
		there.push([BigInt(head.readInt32LE(4)) * 1000000000n + BigInt(head.readUInt32LE(8)), BigInt(m.unix_ns)]);
};
const { pid } = stack.status().stages.items.find((s) => s.name === 'ros2-bridge');
const ticks = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).reduce((a, b) => a + Number(b), 0);
const cost = async (s) => {
	const before = ticks(), start = Date.now();
	await pause(s);
	return `${(100 * (ticks() - before) / 100 / ((Date.now() - start) / 1000)).toFixed(1)} % of a core`;
};
console.log(`read by nobody: ${await cost(10)}`);

const chosen = topics.filter(([name]) => name.startsWith(MEASURE_TOPICS));
for (const [name, type, reliability, durability] of chosen)
	peer.read(`rt${name}`, type, reliability, durability, 0);
const [program, ...words] = [...fifo, ROS2_PROBE, stack.run];
const probe = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
const here = []; // and at a reader of the bus
createInterface({ input: probe.stdout }).on('line', (line) => here.push(line.split(' ').map(BigInt)));
await pause(5);
there.length = here.length = counted = 0;
const read = await cost(Number(MEASURE_S));
const near = (a, b) => a - b < SAME_NS && b - a < SAME_NS;
const added = there.flatMap(([stamp, arrival]) => {
	const same = here.find((other) => near(other[0], stamp));
	return same ? [Number(arrival - stamp - (same[1] - same[0])) / 1e6] : [];
}).sort((a, b) => a - b);
console.log(`${(counted / Number(MEASURE_S)).toFixed(0)} messages a second of ${chosen.length} topics: ${read}`);
console.log(`added to ${added.length} scans: p50 ${share(added, 0.5)} ms, p99 ${share(added, 0.99)} ms, at most ${share(added, 1)} ms`);
await peer.end();
probe.kill();
await stack.down();
