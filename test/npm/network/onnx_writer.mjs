// A graph model of TensorFlow.js as an ONNX file: the operations of the CenterNet of @vladmandic/human up to its heads, no others.
// Pictures and features are NHWC there and NCHW here.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { floats, longs, model as onnxModel, node } from './onnx_proto.mjs';

const half = (h) => {
	const sign = h & 0x8000 ? -1 : 1, exponent = (h >> 10) & 31, rest = h & 1023;
	if (exponent === 0) return sign * rest * 2 ** -24;
	return exponent === 31 ? sign * Infinity : sign * (1 + rest / 1024) * 2 ** (exponent - 15);
};

function readWeights(model, folder) {
	const weights = new Map();
	for (const group of model.weightsManifest) {
		const all = Buffer.concat(group.paths.map((p) => readFileSync(join(folder, p))));
		let at = 0;
		for (const w of group.weights) {
			const count = w.shape.reduce((a, b) => a * b, 1), values = new Array(count);
			const size = w.quantization ? { float16: 2, uint8: 1, uint16: 2 }[w.quantization.dtype] : 4;
			for (let i = 0; i < count; i++, at += size) {
				if (w.quantization?.dtype === 'float16') values[i] = half(all.readUInt16LE(at));
				else if (w.quantization)
					values[i] = (size === 1 ? all[at] : all.readUInt16LE(at)) * w.quantization.scale + w.quantization.min;
				else values[i] = w.dtype === 'int32' ? all.readInt32LE(at) : all.readFloatLE(at);
			}
			weights.set(w.name, { shape: w.shape, values });
		}
	}
	return weights;
}

// [h, w, in, out] to [out, in, h, w]; of a depthwise one [h, w, in, times] to [in * times, 1, h, w].
function filter(w, depthwise) {
	const [h, wide, inner, outer] = w.shape, out = [];
	const push = (i, o) => {
		for (let y = 0; y < h; y++) for (let x = 0; x < wide; x++) out.push(w.values[((y * wide + x) * inner + i) * outer + o]);
	};
	if (depthwise) for (let i = 0; i < inner; i++) for (let o = 0; o < outer; o++) push(i, o);
	else for (let o = 0; o < outer; o++) for (let i = 0; i < inner; i++) push(i, o);
	return { dims: depthwise ? [inner * outer, 1, h, wide] : [outer, inner, h, wide], values: out };
}

export function convert(path, outputs, size) {
	const model = JSON.parse(readFileSync(path, 'utf8')), weights = readWeights(model, dirname(path));
	const byName = new Map(model.modelTopology.node.map((n) => [n.name, n]));
	const nodes = [], initializers = [], done = new Set();
	const list = (n, key) => n.attr[key]?.list?.i?.map(Number) ?? [];
	const string = (s) => Buffer.from(s, 'base64').toString();
	const given = (name) => {
		const w = weights.get(name);
		if (!done.has(name)) {
			// What belongs to the channels stands along the second axis.
			const dims = w.values.length > 1 ? [1, w.values.length, 1, 1] : [];
			initializers.push(floats(name, dims, w.values));
			done.add(name);
		}
		return name;
	};
	const input = (name) => (weights.has(name) ? given(name) : visit(name));
	const convolution = (n, depthwise) => {
		const f = filter(weights.get(n.input[1]), depthwise), ends = (n.attr.fused_ops?.list?.s ?? []).map(string);
		const inputs = [input(n.input[0]), `${n.name}/filter`], strides = list(n, 'strides').slice(1, 3);
		initializers.push(floats(inputs[1], f.dims, f.values));
		if (ends[0] === 'BiasAdd') {
			const b = weights.get(n.input[2]);
			initializers.push(floats(`${n.name}/bias`, [b.values.length], b.values));
			inputs.push(`${n.name}/bias`);
		}
		const after = ends.find((e) => e !== 'BiasAdd'), made = after ? `${n.name}/before` : n.name;
		nodes.push(node('Conv', inputs, [made], { strides, kernel_shape: f.dims.slice(2), auto_pad: 'SAME_UPPER',
			group: depthwise ? f.dims[0] : 1 }));
		if (after) single(after, [made], n.name);
	};
	const single = (op, inputs, name) => {
		if (op === 'Relu6') {
			if (!done.has('zero')) initializers.push(floats('zero', [], [0]), floats('six', [], [6]));
			done.add('zero');
			nodes.push(node('Clip', [...inputs, 'zero', 'six'], [name]));
		} else if (['Relu', 'Sigmoid', 'Mul', 'Add', 'Sub', 'Identity'].includes(op)) nodes.push(node(op, inputs, [name]));
		else throw new Error(`no ${op} here`);
	};
	const visit = (name) => {
		const n = byName.get(name);
		if (done.has(name)) return name;
		done.add(name);
		if (n.op === 'Placeholder') return name;
		if (n.op.endsWith('Conv2D')) convolution(n, false);
		else if (n.op.includes('DepthwiseConv2d')) convolution(n, true);
		else if (n.op === 'Mean') nodes.push(node('ReduceMean', [input(n.input[0])], [name], { axes: [2, 3], keepdims: 1 }));
		else if (n.op === 'ConcatV2') nodes.push(node('Concat', n.input.slice(0, -1).map(input), [name], { axis: 1 }));
		else if (n.op === 'ResizeBilinear') {
			initializers.push(longs(`${name}/size`, weights.get(n.input[1]).values));
			const x = input(n.input[0]), whole = `${name}/whole`, front = `${name}/front`;
			nodes.push(node('Shape', [x], [whole]));
			if (!done.has('two')) initializers.push(longs('none', [0]), longs('two', [2]));
			done.add('two');
			nodes.push(node('Slice', [whole, 'none', 'two'], [front]));
			nodes.push(node('Concat', [front, `${name}/size`], [`${name}/all`], { axis: 0 }));
			nodes.push(node('Resize', [x, '', '', `${name}/all`], [name], { mode: 'linear',
				coordinate_transformation_mode: n.attr.half_pixel_centers?.b ? 'half_pixel' : 'asymmetric' }));
		} else single(n.op, n.input.map(input), name);
		return name;
	};
	outputs.forEach(([name]) => visit(name));
	const first = model.modelTopology.node.find((n) => n.op === 'Placeholder').name;
	return onnxModel('centernet', nodes, initializers, [[first, [1, 3, size, size]]], outputs);
}
