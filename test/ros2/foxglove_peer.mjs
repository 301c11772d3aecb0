// Foxglove's own client package as a peer: what it is offered, what it gets, and what the schemas say of that.
import assert from 'node:assert/strict';
import { parse } from '@foxglove/rosmsg';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import protocol from '@foxglove/ws-protocol';
import Ajv from 'ajv/dist/2020.js';
import { WebSocket } from 'ws';

const { FoxgloveClient } = protocol;

export async function until(ask, what, ms = 20000) {
	for (const end = Date.now() + ms; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) {
		const answer = await ask();
		if (answer)
			return answer;
	}
	assert.fail(`${what}: not within ${ms} ms`);
}

// A client that keeps what it is told: channels by topic, messages by topic, services by name.
export class Peer {
	constructor(address, protocol = FoxgloveClient.SUPPORTED_SUBPROTOCOL, options = {}) {
		this.channels = new Map();
		this.services = new Map();
		this.got = new Map();
		this.topics = new Map();
		this.statuses = [];
		this.replies = [];
		this.socket = new WebSocket(address, [protocol], options);
		this.client = new FoxgloveClient({ ws: this.socket });
		this.client.on('serverInfo', (info) => (this.info = info));
		this.client.on('advertise', (list) => list.forEach((c) => this.channels.set(c.topic, c)));
		this.client.on('advertiseServices', (list) => list.forEach((s) => this.services.set(s.name, s)));
		this.client.on('status', (s) => this.statuses.push(s));
		this.client.on('serviceCallResponse', (r) => this.replies.push(r));
		this.client.on('serviceCallFailure', (r) => this.replies.push(r));
		this.client.on('connectionGraphUpdate', (g) => (this.graph = g));
		this.client.on('error', (e) => (this.error = e));
		this.client.on('message', ({ subscriptionId, timestamp, data }) => {
			const topic = this.topics.get(subscriptionId);
			const copy = Buffer.from(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
			if (!this.got.has(topic))
				this.got.set(topic, []);
			this.got.get(topic).push({ timestamp, data: copy });
			if (this.got.get(topic).length > 2000)
				this.got.get(topic).shift();
		});
	}
	async ready() {
		await until(() => this.info && this.channels.size > 0 && this.services.size > 0, 'the greeting');
		return this;
	}
	subscribe(topic) {
		this.topics.set(this.client.subscribe(this.channels.get(topic).id), topic);
	}
	count(topic) {
		return this.got.get(topic)?.length ?? 0;
	}
	numbers(topic) {
		return (this.got.get(topic) ?? []).map(({ data }) => Number(JSON.parse(data).seq));
	}
	close() {
		this.client.close();
	}
	text(reply) {
		assert.ok(reply.data, JSON.stringify(reply));
		return new TextDecoder().decode(reply.data);
	}
	async call(name, payload, encoding = 'json') {
		const before = this.replies.length;
		this.client.sendServiceCallRequest({ serviceId: this.services.get(name)?.id ?? 99, callId: 7, encoding, data: new DataView(new TextEncoder().encode(payload).buffer) });
		return until(() => this.replies[before], `an answer of ${name}`);
	}
}

// Decodes and checks a message of the channel.
export function decoder(channel) {
	if (channel.encoding === 'cdr') {
		assert.equal(channel.schemaEncoding, 'ros2msg');
		const reader = new MessageReader(parse(channel.schema, { ros2: true }));
		return (data) => reader.readMessage(data);
	}
	assert.deepEqual([channel.encoding, channel.schemaEncoding], ['json', 'jsonschema']);
	const validate = new Ajv({ allErrors: true }).compile(JSON.parse(channel.schema));
	return (data) => {
		const message = JSON.parse(data);
		assert.ok(validate(message), `${channel.topic}: ${JSON.stringify(validate.errors)}`);
		return message;
	};
}
