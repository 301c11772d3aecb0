// Networks with the outputs of YOLO and CenterNet, made here, searched by cairn with ONNX Runtime: they find squares of pure colours in a
// picture at places that are known. A wrong order of colours, scale of values, fit, or order of the output's axes moves or renames the boxes.
//
//   yolo_network.mjs SEARCH_PICTURE FOLDER
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { floats, longs, model, node } from './onnx_proto.mjs';

const [program, folder] = process.argv.slice(2);
const library = join(dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json')), 'bin', 'napi-v6',
	process.platform, process.arch, 'libonnxruntime.so.1');
const BOX_PX = 2;

// What the network looks for: weights of red, green and blue, so that the colour gives 1, and all others 0.5 or less.
const COLOURS = { red: [1, -1, -1], green: [-1, 1, -1], blue: [-1, -1, 1], yellow: [0.5, 0.5, -1] };
const PAINT = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255], yellow: [255, 255, 0] };
const labels = Object.keys(COLOURS), C = labels.length;

// The network's picture is divided into tiles; each tile is a box around the pixels of a colour in it.
const WIDE = 320, HIGH = 256, TILE = 64, COLUMNS = WIDE / TILE, ROWS = HIGH / TILE, TILES = COLUMNS * ROWS;
const SCORE = 0.9, AGAIN = 0.5; // of a square; and of the same box once more, which is to be left out

// Each square lies within one tile of the network's picture, stretched or with bars.
const PICTURE = { width: 200, height: 120, squares: [
	{ label: 'red', box: [8, 3, 30, 19] }, { label: 'blue', box: [90, 4, 112, 18] }, { label: 'yellow', box: [165, 30, 195, 52] },
	{ label: 'red', box: [127, 64, 151, 84] }, { label: 'green', box: [6, 101, 29, 114] }] };

function writePicture(path) {
	const { width, height, squares } = PICTURE, rgb = Buffer.alloc(3 * width * height);
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			const s = squares.find(({ box: [l, t, r, b] }) => x >= l && x < r && y >= t && y < b);
			rgb.set(s ? PAINT[s.label] : [60 + (x % 90), 60 + ((x + y) % 90), 60 + (y % 90)], 3 * (y * width + x));
		}
	}
	writeFileSync(path, Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), rgb]));
}

const grid = (f) => Array.from({ length: WIDE * HIGH }, (_, i) => f(i % WIDE, Math.floor(i / WIDE)));

// 'share': 1 in pixels [1, C, h, w] of a colour as bright as 1 is to be, else 0; 'left', ...: of the colour in each tile, 0 where there is none.
function tiles(white, last) {
	const nodes = [], given = [floats('colours', [C, 3, 1, 1], labels.flatMap((l) => COLOURS[l].map((w) => w / white))),
		floats('zero', [], [0]), floats('one', [], [1]), floats('steep', [], [1000]), floats('least', [], [0.75]), floats('most', [], [1.1]),
		floats('score', [], [SCORE]), floats('from_left', [1, 1, HIGH, WIDE], grid((x) => x + 1)),
		floats('from_right', [1, 1, HIGH, WIDE], grid((x) => WIDE - x)), floats('from_top', [1, 1, HIGH, WIDE], grid((_, y) => y + 1)),
		floats('from_bottom', [1, 1, HIGH, WIDE], grid((_, y) => HIGH - y)), floats('wide', [], [WIDE]), floats('high', [], [HIGH])];
	const op = (name, kind, inputs, attributes) => (nodes.push(node(kind, inputs, [name], attributes)), name);
	const step = (name, a, b) => op(name, 'Clip', [op(`${name}/steep`, 'Mul', [op(`${name}/over`, 'Sub', [a, b]), 'steep']), 'zero', 'one']);
	const pool = (name, of) => op(name, 'MaxPool', [of], { kernel_shape: [TILE, TILE], strides: [TILE, TILE] });
	const picture = last ? op('planes', 'Transpose', ['images'], { perm: [0, 3, 1, 2] }) : 'images';
	op('colour', 'Conv', [picture, 'colours'], { kernel_shape: [1, 1] });
	op('share', 'Mul', [step('bright', 'colour', 'least'), step('no_brighter', 'most', 'colour')]);
	op('any', 'ReduceMax', ['share'], { axes: [1], keepdims: 1 });
	const farthest = (from) => pool(`${from}/far`, op(`${from}/any`, 'Mul', ['any', from]));
	op('left', 'Sub', ['wide', farthest('from_right')]);
	op('top', 'Sub', ['high', farthest('from_bottom')]);
	op('right', 'Identity', [farthest('from_left')]);
	op('bottom', 'Identity', [farthest('from_top')]);
	op('scores', 'Mul', [pool('tile', 'share'), 'score']);
	return { nodes, given, op };
}

// [1, 4 + C, N]: every box twice. Before YOLO 8 [1, N, 5 + C], with a score for "something".
function yolo(white, { last = false, transposed = false, something = false } = {}) {
	const { nodes, given, op } = tiles(white, last);
	given.push(floats('half', [], [0.5]), floats('again', [], [AGAIN]), floats('all_one', [1, 1, ROWS, COLUMNS], Array(TILES).fill(1)),
		longs('rows', [1, -1, TILES]));
	const middle = (name, a, b) => op(name, 'Mul', [op(`${name}/sum`, 'Add', [a, b]), 'half']);
	const box = [middle('x', 'left', 'right'), middle('y', 'top', 'bottom'), op('w', 'Sub', ['right', 'left']), op('h', 'Sub', ['bottom', 'top'])];
	const list = (name, scores) => op(name, 'Reshape', [op(`${name}/map`, 'Concat',
		[...box, ...(something ? ['all_one'] : []), scores], { axis: 1 }), 'rows']);
	const both = [list('first', 'scores'), list('second', op('weaker', 'Mul', ['scores', 'again']))];
	const values = (something ? 5 : 4) + C, boxes = 2 * TILES;
	op(transposed ? 'all' : 'boxes', 'Concat', both, { axis: 2 });
	if (transposed) op('boxes', 'Transpose', ['all'], { perm: [0, 2, 1] });
	return model('yolo', nodes, given, [['images', last ? [1, HIGH, WIDE, 3] : [1, 3, HIGH, WIDE]]],
		[['boxes', transposed ? [1, boxes, values] : [1, values, boxes]]]);
}

// Heat [1, C, h, w], and distances [1, 4, h, w] from the cell's corner to the four sides.
function centernet(white) {
	const { nodes, given, op } = tiles(white, false);
	const cells = (f) => Array.from({ length: TILES }, (_, i) => f(i % COLUMNS, Math.floor(i / COLUMNS)) * TILE);
	given.push(floats('cell_x', [1, 1, ROWS, COLUMNS], cells((x) => x)), floats('cell_y', [1, 1, ROWS, COLUMNS], cells((_, y) => y)));
	op('sides', 'Concat', [op('to_left', 'Sub', ['cell_x', 'left']), op('to_top', 'Sub', ['cell_y', 'top']),
		op('to_right', 'Sub', ['right', 'cell_x']), op('to_bottom', 'Sub', ['bottom', 'cell_y'])], { axis: 1 });
	return model('centernet', nodes, given, [['images', [1, 3, HIGH, WIDE]]],
		[['scores', [1, C, ROWS, COLUMNS]], ['sides', [1, 4, ROWS, COLUMNS]]]);
}

const at = (name) => join(folder, name);
writePicture(at('squares.ppm'));
writeFileSync(at('colours.txt'), labels.join('\n') + '\n');

function search(name, network, fit, white) {
	writeFileSync(at(`${name}.onnx`), network);
	const said = execFileSync(program, [library, at(`${name}.onnx`), at('colours.txt'), fit, String(white), at('squares.ppm')],
		{ encoding: 'utf8' });
	return said.trim().split('\n').filter(Boolean).map((line) => {
		const [label, score, ...box] = line.split(' ');
		return { label, score: Number(score), box: box.map(Number) };
	});
}

const off = (a, b) => Math.max(...a.box.map((x, i) => Math.abs(x - b.box[i])));

function assertSquares(things) {
	const told = JSON.stringify(things);
	assert.equal(things.length, PICTURE.squares.length, told);
	for (const square of PICTURE.squares) {
		const same = things.filter((t) => t.label === square.label && off(t, square) <= BOX_PX);
		assert.equal(same.length, 1, `${JSON.stringify(square)} in ${told}`);
		assert.ok(Math.abs(same[0].score - SCORE) < 0.002, told);
	}
	return Math.max(...PICTURE.squares.map((s) => Math.min(...things.filter((t) => t.label === s.label).map((t) => off(t, s)))));
}

const CASES = [
	['yolo8', 'YOLO 8, [1, 4 + C, N], with bars', () => yolo(1), 'letterbox', 1],
	['yolo8-stretched', 'the same, stretched', () => yolo(1), 'stretch', 1],
	['yolo8-last', 'YOLO 8, [1, N, 4 + C], colours last and up to 255', () => yolo(255, { last: true, transposed: true }), 'letterbox', 255],
	['yolo5', 'YOLO 5, [1, N, 5 + C]', () => yolo(1, { transposed: true, something: true }), 'letterbox', 1],
	['centernet', 'CenterNet, [1, C, h, w] and [1, 4, h, w]', () => centernet(255), 'stretch', 255],
];
for (const [name, what, make, fit, white] of CASES) {
	test(`the squares are found in their places by ${what}`, (t) => {
		const worst = assertSquares(search(name, make(), fit, white));
		t.diagnostic(`${name}: boxes within ${worst.toFixed(2)} px`);
	});
}

test('a network that takes values up to 255 finds nothing in values up to 1', () => {
	assert.deepEqual(search('yolo8-dark', yolo(255), 'letterbox', 1), []);
});

test('what ONNX Runtime cannot load is refused with its reason', () => {
	assert.throws(() => search('damaged', yolo(1).subarray(0, 3000), 'letterbox', 1), /damaged\.onnx: .*[Pp]rotobuf/s);
});
