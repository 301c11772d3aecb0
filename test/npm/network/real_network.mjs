// The CenterNet of @vladmandic/human as an ONNX file, searched by cairn with ONNX Runtime; TensorFlow.js, which runs the original, is the
// reference. Every thing that cairn finds is one of the reference's, box within 2 px and score within 0.02, and the other way round.
//
//   real_network.mjs CAIRN FRAMES FOLDER
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { loadGraphModel } from '@tensorflow/tfjs-converter';
import '@tensorflow/tfjs-backend-wasm';
import { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
import { convert } from './onnx_writer.mjs';

const [cairn, frames, folder] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const SIZE = 512, SCORE_MIN = 0.3, BOX_PX = 2, SCORE = 0.02, PICTURES_MIN = 20, THINGS_MIN = 40;

const human = join(dirname(require.resolve('@vladmandic/human')), '..');
const modelPath = join(human, 'models', 'centernet.json');
const labels = [...readFileSync(join(human, 'src', 'object', 'labels.ts'), 'utf8').matchAll(/label: '([^']+)'/g)].map((m) => m[1]);
const library = join(dirname(require.resolve('onnxruntime-node/package.json')), 'bin', 'napi-v6', process.platform, process.arch,
	'libonnxruntime.so.1');
const keep = join(folder, 'given');
mkdirSync(keep, { recursive: true });
writeFileSync(join(folder, 'centernet.onnx'),
	convert(modelPath, [['tower_0/keypoints', [1, labels.length, 128, 128]], ['tower_0/wh', [1, 4, 128, 128]]], SIZE));
writeFileSync(join(folder, 'labels.txt'), labels.join('\n') + '\n');

// Counted in the pictures: two cups, three chairs behind the table (a fourth before it is never found), two monitors on the wall.
const settings = { 'detect.source': 'network', 'detect.model': join(folder, 'centernet.onnx'),
	'detect.model_labels': join(folder, 'labels.txt'), 'detect.model_fit': 'stretch', 'detect.model_white': 255,
	'detect.confidence_min': SCORE_MIN, 'detect.onnxruntime': library, 'robot.camera_hfov_rad': 2 * Math.atan(320 / 585) };
const args = ['eval', 'detector', '--json', '--frames', frames, '--keep', keep,
	...Object.entries(settings).flatMap(([k, v]) => ['--set', `${k}=${v}`]),
	...['cup=2', 'chair=3', 'tv=2'].flatMap((e) => ['--expect', e])];
let said;
try {
	said = JSON.parse(execFileSync(cairn, args, { maxBuffer: 1 << 26, stdio: ['ignore', 'pipe', 'inherit'] }));
} catch (e) {
	console.error('cairn eval detector failed', e.stdout?.toString().slice(0, 2000));
	process.exit(1);
}
const figures = said.figures ?? said;

setWasmPaths(join(dirname(require.resolve('@tensorflow/tfjs-backend-wasm/package.json')), 'dist/'));
await tf.setBackend('wasm');
const model = JSON.parse(readFileSync(modelPath, 'utf8')), weights = readFileSync(modelPath.replace('.json', '.bin'));
const network = await loadGraphModel({ load: async () => ({ modelTopology: model.modelTopology,
	weightSpecs: model.weightsManifest[0].weights,
	weightData: weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.length) }) });

function readPpm(path) {
	const file = readFileSync(path), [, width, height] = file.toString('latin1', 0, 32).match(/^P6\n(\d+) (\d+)\n255\n/).map(Number);
	return { width, height, rgb: file.subarray(file.length - 3 * width * height) };
}

async function reference(frame) {
	const { width, height, rgb } = readPpm(join(keep, `frame-${String(frame).padStart(6, '0')}.ppm`));
	const picture = tf.image.resizeBilinear(tf.tensor(Float32Array.from(rgb), [1, height, width, 3]), [SIZE, SIZE], false, true);
	const data = await network.execute(picture, 'tower_0/detections').data(), found = [];
	for (let i = 0; i < data.length; i += 6) {
		const [left, top, right, bottom, score, label] = data.subarray(i, i + 6);
		const across = (x) => Math.min(Math.max((x * width) / SIZE, 0), width), down = (y) => Math.min(Math.max((y * height) / SIZE, 0), height);
		found.push({ label: labels[label], score, box: [across(left), down(top), across(right), down(bottom)] });
	}
	return found.sort((a, b) => b.score - a.score);
}

const off = (a, b) => Math.max(...a.box.map((x, i) => Math.abs(x - b.box[i])));
const share = (a, b) => {
	const w = Math.min(a[2], b[2]) - Math.max(a[0], b[0]), h = Math.min(a[3], b[3]) - Math.max(a[1], b[1]);
	const both = Math.max(w, 0) * Math.max(h, 0), area = (r) => (r[2] - r[0]) * (r[3] - r[1]);
	return both / (area(a) + area(b) - both);
};
let things = 0, worstPx = 0, worstScore = 0;
const wrong = [];
for (const { frame, things: ours } of figures.pictures) {
	const theirs = await reference(frame);
	for (const a of ours) {
		const b = theirs.filter((t) => t.label === a.label).sort((x, y) => off(a, x) - off(a, y))[0];
		if (b === undefined || off(a, b) > BOX_PX || Math.abs(a.score - b.score) > SCORE) wrong.push(['ours alone', frame, a, b]);
		else {
			worstPx = Math.max(worstPx, off(a, b));
			worstScore = Math.max(worstScore, Math.abs(a.score - b.score));
		}
		things++;
	}
	for (const b of theirs.filter((t) => t.score >= SCORE_MIN + SCORE)) {
		const near = ours.some((a) => a.label === b.label && (off(a, b) <= BOX_PX || (share(a.box, b.box) > 0.5 && a.score >= b.score - SCORE)));
		if (!near) wrong.push(['theirs alone', frame, b]);
	}
}
console.log(`${figures.pictures.length} pictures, ${things} things: boxes within ${worstPx.toFixed(3)} px, scores within ${worstScore.toFixed(5)}`);
for (const e of figures.expected) console.log(`${e.label}: ${e.found} found, halves ${e.repeat_m.toFixed(3)} m apart`);
wrong.forEach((w) => console.error(JSON.stringify(w)));
if (wrong.length > 0 || figures.pictures.length < PICTURES_MIN || things < THINGS_MIN) process.exit(1);
