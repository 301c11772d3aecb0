// onnx.proto3 written field by field: as much of it as the tests' networks need.

const varint = (n) => {
	const out = [];
	for (let x = BigInt.asUintN(64, BigInt(n)); ; x >>= 7n) {
		if (x < 128n) return Buffer.from([...out, Number(x)]);
		out.push(Number(x & 127n) | 128);
	}
};
const int = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const bytes = (field, b) => Buffer.concat([varint((field << 3) | 2), varint(b.length), b]);
const text = (field, s) => bytes(field, Buffer.from(s));
const real = (field, x) => {
	const b = Buffer.alloc(4);
	b.writeFloatLE(x);
	return Buffer.concat([varint((field << 3) | 5), b]);
};

const FLOAT = 1, INT64 = 7;
const tensor = (name, dims, type, raw) =>
	Buffer.concat([...dims.map((d) => int(1, d)), int(2, type), text(8, name), bytes(9, raw)]);
export const floats = (name, dims, values) => tensor(name, dims, FLOAT, Buffer.from(Float32Array.from(values).buffer));
export const longs = (name, values) =>
	tensor(name, [values.length], INT64, Buffer.from(BigInt64Array.from(values.map(BigInt)).buffer));
const attribute = (name, v) => {
	if (typeof v === 'string') return Buffer.concat([text(1, name), text(4, v), int(20, 3)]);
	if (Array.isArray(v)) return Buffer.concat([text(1, name), ...v.map((x) => int(8, x)), int(20, 7)]);
	if (v instanceof Number) return Buffer.concat([text(1, name), real(2, v), int(20, 1)]);
	return Buffer.concat([text(1, name), int(3, v), int(20, 2)]);
};
export const node = (op, inputs, outputs, attributes = {}) =>
	Buffer.concat([...inputs.map((i) => text(1, i)), ...outputs.map((o) => text(2, o)), text(4, op),
		...Object.entries(attributes).map(([k, v]) => bytes(5, attribute(k, v)))]);
const value = (name, dims) => {
	const shape = Buffer.concat(dims.map((d) => bytes(1, int(1, d))));
	return Buffer.concat([text(1, name), bytes(2, bytes(1, Buffer.concat([int(1, FLOAT), bytes(2, shape)])))]);
};

// inputs and outputs: [name, dims] each, of 32-bit reals.
export const model = (name, nodes, initializers, inputs, outputs) => {
	const graph = Buffer.concat([...nodes.map((n) => bytes(1, n)), text(2, name), ...initializers.map((i) => bytes(5, i)),
		...inputs.map((v) => bytes(11, value(...v))), ...outputs.map((v) => bytes(12, value(...v)))]);
	return Buffer.concat([int(1, 8), text(2, 'cairn test'), bytes(7, graph), bytes(8, int(2, 13))]);
};
