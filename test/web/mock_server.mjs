// Plays the stage `web` for the page: the same protocol, with messages, a map and decisions that a real run left behind
// (recorded/). For tests of the page alone and for work on it: `node mock_server.mjs [PORT]`.
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { deflateSync, gunzipSync } from 'node:zlib';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';

const here = dirname(fileURLToPath(import.meta.url));
const page = process.env.CAIRN_PAGE || join(here, '../../procs/web/page');
const recorded = (name) => readFileSync(join(here, 'recorded', name));
const TYPES = { '.html': 'text/html; charset=utf-8', '.css': 'text/css; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.svg': 'image/svg+xml' };
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'";
const ANY = new Set(['stop', 'estop']);
const COMMANDS = { explore: 'drive', task: 'drive', tell: 'drive', talk: 'drive', hush: 'any', stop: 'any', goto: 'drive', home: 'drive', pause: 'drive', resume: 'drive', zone: 'configure', estop: 'any', release: 'drive', restart: 'configure' };
const SEES_M = 2.6; // how far around its way the robot is taken to have seen

const messages = gunzipSync(recorded('messages.jsonl.gz')).toString().trim().split('\n').map((l) => {
	const [ms, topic, data] = JSON.parse(l);
	if (topic === 'scan') {
		data.angle_rad = data.range_cm.map((_, i) => data.angle0_rad + i * data.step_rad);
		data.range_m = data.range_cm.map((c) => c / 100);
		delete data.range_cm;
	}
	return { ms, topic, data };
});
// Not in the recording: things of a house, and the view that shows one of them.
const thing = (id, label, more) => ({ id, kind: 'object', label, colour: '', room: 'room_1', x_m: 1, y_m: 0.5, z_m: 0.4, yaw_rad: 0, box_m: [0.8, 0.3, 0, 1.2, 0.7, 0.8], confidence: 0.93, container: false, occludes: false, open: false, state: '',
	first_unix_s: 1.79e9, last_unix_s: Date.now() / 1000 - 12, seen: 7, stale: false, area_m2: 0, picture: '0', source: '', ...more });
export const sampleScene = () => ({
	nodes: [{ id: 'room_1', kind: 'room', label: 'kitchen', colour: '', x_m: 1, y_m: 0, area_m2: 9 }, thing('cup_3', 'cup', { colour: 'red', x_m: 1.1, picture: '12' }), thing('table_1', 'table', {}), thing('fridge_2', 'fridge', { container: true, open: true, x_m: 2, stale: true })],
	edges: [{ src: 'cup_3', relation: 'on', dst: 'table_1' }, { src: 'room_1', relation: 'contains', dst: 'table_1' }],
	version: '4', objects: 3, stale: 1, rooms: 1, here: 'room_1',
});
export const sampleTask = (more) => ({ task_id: '5', task: 'Where is the red cup?', state: 'searching', step: 'looks in the kitchen', plan: [{ text: '1 find the cup' }, { text: '2 look at it' }], revisions: 1, queries: 9, repeated: 2,
	tokens_in: '23456', tokens_out: '812', usd: 0.012, steps: 31, function_errors: 0, elapsed_s: 75, limit: 'none', answer: '', evidence: '', confidence: 0, ...more });
const decisions = gunzipSync(recorded('decisions.jsonl.gz')).toString().trim().split('\n').map((l) => JSON.parse(l));

function crc32(buffer) {
	let c = ~0;
	for (const b of buffer) {
		c ^= b;
		for (let k = 0; k < 8; k++)
			c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
	}
	return ~c >>> 0;
}

// A grey picture as PNG.
function png(width, height, grey) {
	const chunk = (type, body) => {
		const out = Buffer.alloc(12 + body.length);
		out.writeUInt32BE(body.length, 0);
		out.write(type, 4, 'latin1');
		body.copy(out, 8);
		out.writeUInt32BE(crc32(out.subarray(4, 8 + body.length)), 8 + body.length);
		return out;
	};
	const head = Buffer.alloc(13);
	head.writeUInt32BE(width, 0);
	head.writeUInt32BE(height, 4);
	head[8] = 8;
	const rows = Buffer.alloc((width + 1) * height);
	for (let y = 0; y < height; y++)
		grey.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
	return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

// The recorded map as map_server writes it: 254 free, 0 wall, 205 unknown.
const map = (() => {
	const pgm = gunzipSync(recorded('map.pgm.gz'));
	const [head] = pgm.toString('latin1').match(/^P5\s(?:#[^\n]*\n)?(\d+)\s(\d+)\s(\d+)\s/);
	const [, width, height] = head.match(/(\d+)\s(\d+)\s\d+\s$/).map(Number);
	return { width, height, resolution_m: 0.05, origin_x_m: -1.6, origin_y_m: -4.8, grey: pgm.subarray(head.length).map((g) => (g >= 250 ? 255 : g)) };
})();

export class Mock {
	clients = new Set();
	commands = [];
	teleop = [];
	latest = new Map();
	way = [];
	mapVersion = 1;
	refuse = new Map(); // command -> text
	silent = false; // answers no command
	holds = null; // reason of the emergency stop

	constructor({ tokens = { 'key-of-the-test': ['watch', 'drive', 'configure'] }, speed = 1 } = {}) {
		this.tokens = tokens;
		this.speed = speed;
	}

	async start(port = 0) {
		this.server = createServer((req, res) => this.http(req, res));
		this.sockets = new WebSocketServer({ server: this.server, path: '/ws', handleProtocols: (set) => (set.has('cairn.v1') ? 'cairn.v1' : false) });
		this.sockets.on('connection', (socket, req) => this.meet(socket, req));
		await new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
		this.port = this.server.address().port;
		this.url = `http://127.0.0.1:${this.port}/`;
		this.begun = Date.now();
		this.next = 0;
		this.say('scene', sampleScene());
		this.timer = setInterval(() => this.play(), 20);
		return this;
	}

	async stop() {
		clearInterval(this.timer);
		for (const c of this.clients)
			c.socket.terminate();
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	// Plays the recording, from the beginning again at its end.
	play() {
		const at = (Date.now() - this.begun) * this.speed;
		while (this.next < messages.length && messages[this.next].ms <= at) {
			const m = messages[this.next++];
			this.say(m.topic, m.data);
		}
		if (this.next === messages.length) {
			this.begun = Date.now();
			this.next = 0;
		}
	}

	// Plays at once up to a time of the recording.
	jump(ms) {
		while (this.next < messages.length && messages[this.next].ms <= ms) {
			const m = messages[this.next++];
			this.say(m.topic, m.data);
		}
		this.begun = Date.now() - ms / this.speed;
	}

	say(topic, data) {
		if (topic === 'motion' && this.holds)
			data = { ...data, state: 'estop', reason: this.holds, v_mps: 0, w_radps: 0 };
		if (topic === 'pose') {
			const last = this.way.at(-1);
			if (!last || Math.hypot(last[0] - data.x_m, last[1] - data.y_m) > 0.3) {
				this.way.push([data.x_m, data.y_m]);
				this.mapVersion++;
				for (const c of this.clients)
					if (c.wanted.has('map'))
						c.send({ op: 'map', version: String(this.mapVersion) });
			}
		}
		const message = { op: 'message', topic, t_ns: String(process.hrtime.bigint()), age_ms: 1, data };
		this.latest.set(topic, { message, at: Date.now() });
		for (const c of this.clients)
			c.offer(message);
	}

	rightsOf(req) {
		const cookie = /(?:^|; )cairn=([^;]*)/.exec(req.headers.cookie ?? '')?.[1];
		return this.tokens[cookie] ?? ['watch'];
	}

	meet(socket, req) {
		const client = {
			socket, wanted: new Map(), sent: new Map(), pending: new Map(), rights: this.rightsOf(req),
			send: (o) => socket.readyState === 1 && socket.send(JSON.stringify(o)),
			offer(m) {
				const hz = this.wanted.get(m.topic), now = Date.now();
				if (!hz)
					return;
				const wait = (this.sent.get(m.topic) ?? 0) + 1000 / hz - 15 - now;
				const due = this.pending.has(m.topic); // the newest goes out when its turn comes
				this.pending.set(m.topic, m);
				if (!due)
					setTimeout(() => this.release(m.topic), Math.max(wait, 0)).unref();
			},
			release(topic) {
				this.sent.set(topic, Date.now());
				this.send(this.pending.get(topic));
				this.pending.delete(topic);
			},
		};
		this.clients.add(client);
		socket.on('close', () => this.clients.delete(client));
		socket.on('message', (text) => this.take(client, JSON.parse(text)));
		client.send({
			op: 'hello', version: '0.1.0', rights: client.rights, now_ns: String(process.hrtime.bigint()),
			topics: [...new Set([...messages.map((m) => m.topic), 'scene', 'agent', 'heard', 'spoken', 'signal'])].sort().map((name) => ({ name, type: name.replace('.', '_'), hz: 10, help: '' })).concat([{ name: 'map', type: 'map', hz: 0, help: '' }, { name: 'logs', type: 'logs', hz: 0, help: '' }]),
			commands: Object.entries(COMMANDS).map(([name, right]) => ({ name, right, args: '', help: '' })),
			robot: { name: 'rosmaster-a1', footprint_front_m: 0.27, footprint_rear_m: 0.08, footprint_half_width_m: 0.1, lidar_x_m: 0.1, lidar_y_m: 0, turn_radius_min_m: 0.3, wheelbase_m: 0.229, speed_max_mps: 0.5 },
			limits: { usd_per_hour: 0.5, usd_per_session: 1 },
		});
	}

	take(client, m) {
		if (m.op === 'subscribe')
			for (const topic of m.topics) {
				client.wanted.set(topic, m.hz);
				const known = this.latest.get(topic);
				if (known && topic !== 'decision' && topic !== 'result')
					client.send({ ...known.message, age_ms: Date.now() - known.at });
			}
		else if (m.op === 'unsubscribe')
			m.topics.forEach((topic) => client.wanted.delete(topic));
		else if (m.op === 'teleop')
			this.drive(client, m);
		else if (m.op === 'command' && !this.silent)
			client.send({ op: 'reply', id: m.id, ...this.obey(client.rights, m.name, m.args) });
		else if (m.op === 'subscribe_logs')
			client.logs = m.on;
	}

	drive(client, m) {
		if (client.rights.includes('drive'))
			this.teleop.push({ ...m, at: Date.now() });
		else
			client.send({ op: 'error', text: 'teleop: needs the right to drive' });
	}

	obey(rights, name, args) {
		this.commands.push({ name, args, at: Date.now() });
		if (!ANY.has(name) && !rights.includes(COMMANDS[name]))
			return { ok: false, text: `refused: ${name} needs the right to ${COMMANDS[name]}` };
		if (this.refuse.has(name))
			return { ok: false, text: this.refuse.get(name) };
		if (name === 'estop' || name === 'release') {
			this.holds = name === 'estop' ? `operator: ${args}` : null;
			this.say('motion', { ...this.latest.get('motion')?.message.data, state: 'idle', reason: '' });
		}
		return { ok: true, text: { explore: 'exploring', goto: 'driving there', estop: 'the wheels are held', release: 'released', stop: 'stopped' }[name] ?? 'done' };
	}

	seen() {
		const grey = Buffer.alloc(map.width * map.height, 205);
		for (let y = 0; y < map.height; y++)
			for (let x = 0; x < map.width; x++) {
				const mx = map.origin_x_m + (x + 0.5) * map.resolution_m, my = map.origin_y_m + (map.height - y - 0.5) * map.resolution_m;
				if (this.way.some(([wx, wy]) => (wx - mx) ** 2 + (wy - my) ** 2 < SEES_M ** 2))
					grey[y * map.width + x] = map.grey[y * map.width + x];
			}
		return grey;
	}

	async http(req, res) {
		const { pathname: path } = new URL(req.url, this.url);
		const json = (code, body, headers = {}) => res.writeHead(code, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers }).end(JSON.stringify(body));
		const picture = () => res.writeHead(200, { 'Content-Type': 'image/jpeg', 'Cache-Control': 'no-store' }).end(recorded('picture.jpg'));
		if (req.method === 'POST') {
			let body = '';
			for await (const chunk of req)
				body += chunk;
			body = body ? JSON.parse(body) : {};
			if (path === '/api/login') {
				const rights = this.tokens[body.token];
				return rights ? json(200, { rights }, { 'Set-Cookie': `cairn=${body.token}; HttpOnly; SameSite=Strict; Path=/` }) : json(403, { error: 'login: this key is not known here; make one with cairn web-key' });
			}
			if (path === '/api/logout')
				return json(200, { rights: ['watch'] }, { 'Set-Cookie': 'cairn=; Max-Age=0; Path=/' });
			if (this.silent)
				return;
			const answer = this.obey(this.rightsOf(req), path.split('/').at(-1), body.args ?? '');
			return json(answer.ok ? 200 : 409, answer);
		}
		if (path === '/map.json')
			return json(200, { version: String(this.mapVersion), resolution_m: map.resolution_m, origin_x_m: map.origin_x_m, origin_y_m: map.origin_y_m, width: map.width, height: map.height });
		if (path === '/map.png')
			return res.writeHead(200, { 'Content-Type': 'image/png', 'Cache-Control': 'no-store' }).end(png(map.width, map.height, this.seen()));
		if (path === '/snapshot.txt')
			return res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8' }).end(decisions.find((d) => d.prompt)?.prompt.context ?? '');
		if (/^\/(snapshot|camera)\.jpg$|^\/camera\.mjpg$|\/picture\.jpg$/.test(path))
			return picture();
		if (path === '/api/views/12')
			return json(200, { id: 12, unix_s: 1.79e9, map_id: '1', camera: {}, shows: [{ id: 'cup_3', label: 'cup', box: [200, 150, 260, 220] }] });
		if (path === '/api/decisions')
			return json(200, this.decisions ?? decisions);
		if (path.startsWith('/api/decisions/')) {
			const one = (this.decisions ?? decisions).find((d) => String(d.id) === path.split('/').at(-1));
			return one ? json(200, one) : json(404, { error: 'no such decision' });
		}
		if (path === '/api/logs')
			return json(200, { lines: this.lines ?? sampleLog() });
		const file = path === '/' ? 'index.html' : path.slice(1);
		try {
			if (!/^[a-z_]+\.(html|css|js|svg)$/.test(file))
				throw new Error('not a file of the page');
			res.writeHead(200, { 'Content-Type': TYPES[extname(file)], 'Content-Security-Policy': CSP, 'X-Content-Type-Options': 'nosniff' }).end(readFileSync(join(page, file)));
		} catch {
			json(404, { error: `${path}: nothing here` });
		}
	}
}

function sampleLog() {
	const t = new Date().toISOString();
	return [
		{ t, stage: 'launcher', level: 'info', text: 'robot-sim is up' },
		{ t, stage: 'mapper', level: 'info', text: 'tracking good at 0.00 0.00 -0.0 deg' },
		{ t, stage: 'motor', level: 'info', text: 'blocked: obstacle in the stop zone right' },
		{ t, stage: 'gateway', level: 'warn', text: 'answer after 9.1 s: slower than its limit' },
		{ t, stage: 'sequencer', level: 'error', text: 'RUN/state/zones.bin: no space left on the device; make room' },
	];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const mock = await new Mock().start(Number(process.argv[2] ?? 8099));
	mock.jump(45000);
	console.log(`${mock.url}#token=key-of-the-test`);
}
