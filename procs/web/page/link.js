// The connection to the stage `web`: subscriptions, commands and their answers, the way back after a loss.
// Events: state (detail {state, why}), hello, history, message, gone, map, log, fault (what the server made of a wrong request).

const PATIENCE_MS = 6000; // for the answer to a command
const STOP_PATIENCE_MS = 2000; // for the answer to a stop: who waits for it must know soon that it may not have arrived
const SILENCE_MS = 4000;  // nothing at all came: ask whether the server is there
const BACKOFF_MS = [250, 500, 1000, 2000];

export class Link extends EventTarget {
	state = 'connecting';
	hello = null;
	wanted = new Map(); // topic -> Map(owner -> hz)
	waiting = new Map(); // id -> resolve
	nextId = 1;
	tries = 0;
	heard = 0; // performance.now() of the newest word of the server
	logs = false;

	start() {
		this.connect();
		setInterval(() => this.checkSilence(), 1000);
		window.addEventListener('online', () => this.retryNow());
		document.addEventListener('visibilitychange', () => this.onVisibility());
	}

	connect() {
		clearTimeout(this.timer);
		this.timer = null;
		const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
		const socket = new WebSocket(`${scheme}://${location.host}/ws`, 'cairn.v1');
		this.socket = socket;
		socket.onmessage = (e) => socket === this.socket && this.take(e.data);
		socket.onclose = (e) => socket === this.socket && this.lost(e.reason);
	}

	// After a change of rights: the server tells them at the start of a connection.
	reconnect() {
		this.socket?.close();
		this.lost('', true);
	}

	lost(why, quick = false) {
		this.socket = null;
		for (const resolve of this.waiting.values())
			resolve({ ok: false, lost: true, text: 'the connection was lost before an answer came: look whether it was done' });
		this.waiting.clear();
		this.setState('lost', why);
		const wait = quick ? 0 : BACKOFF_MS[Math.min(this.tries++, BACKOFF_MS.length - 1)];
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.connect(), wait);
	}

	retryNow() {
		if (this.state !== 'open' && this.timer)
			this.connect();
	}

	setState(state, why = '') {
		this.state = state;
		this.emit('state', { state, why });
	}

	emit(type, detail) {
		this.dispatchEvent(new CustomEvent(type, { detail }));
	}

	take(text) {
		let m;
		try {
			m = JSON.parse(text);
		} catch {
			console.warn('web: not JSON', text.slice(0, 80));
			return;
		}
		this.heard = performance.now();
		if (m.op === 'hello') {
			this.hello = m;
			this.offered = new Set((m.topics ?? []).map((t) => t.name));
			this.tries = 0;
			this.setState('open');
			this.emit('hello', m);
			this.subscribeAll();
		} else if (m.op === 'reply') {
			const resolve = this.waiting.get(m.id);
			this.waiting.delete(m.id);
			if (resolve)
				resolve({ ok: m.ok === true, text: m.text ?? '' });
		} else if (m.op === 'error') {
			console.warn('web:', m.text);
			this.emit('fault', m.text ?? '');
		} else if (['message', 'gone', 'map', 'log', 'history'].includes(m.op)) {
			this.emit(m.op, m);
		}
	}

	send(object) {
		if (this.socket?.readyState !== WebSocket.OPEN)
			return false;
		this.socket.send(JSON.stringify(object));
		return true;
	}

	// owner wants topics at hz; 0 = no more. A topic comes as often as its most demanding owner wants it.
	want(owner, topics, hz) {
		for (const topic of topics) {
			const owners = this.wanted.get(topic) ?? new Map();
			const before = Math.max(0, ...owners.values());
			hz > 0 ? owners.set(owner, hz) : owners.delete(owner);
			owners.size > 0 ? this.wanted.set(topic, owners) : this.wanted.delete(topic);
			const now = Math.max(0, ...owners.values());
			if (now !== before && this.state === 'open' && !document.hidden && this.offered.has(topic))
				this.send(now > 0 ? { op: 'subscribe', topics: [topic], hz: now } : { op: 'unsubscribe', topics: [topic] });
		}
	}

	subscribeAll() {
		if (document.hidden)
			return;
		const byRate = new Map();
		for (const [topic, owners] of this.wanted) {
			if (!this.offered.has(topic))
				continue; // of another version
			const hz = Math.max(...owners.values());
			byRate.set(hz, [...(byRate.get(hz) ?? []), topic]);
		}
		for (const [hz, topics] of byRate)
			this.send({ op: 'subscribe', topics, hz });
		if (this.logs)
			this.send({ op: 'subscribe_logs', on: true });
	}

	wantLogs(on) {
		this.logs = on;
		if (this.state === 'open')
			this.send({ op: 'subscribe_logs', on });
	}

	// Nobody looks: nothing is sent.
	onVisibility() {
		if (this.state !== 'open')
			return document.hidden ? undefined : this.retryNow();
		if (!document.hidden)
			return this.subscribeAll();
		this.send({ op: 'unsubscribe', topics: [...this.wanted.keys()].filter((t) => this.offered.has(t)) });
		if (this.logs)
			this.send({ op: 'subscribe_logs', on: false });
	}

	async checkSilence() {
		if (this.state !== 'open' || document.hidden || this.probing || performance.now() - this.heard < SILENCE_MS)
			return;
		this.probing = true;
		const socket = this.socket;
		try {
			await fetch('/map.json', { cache: 'no-store', signal: AbortSignal.timeout(2500) });
			this.heard = performance.now(); // the server is there, and has nothing to tell
		} catch {
			if (socket === this.socket && this.state === 'open') {
				socket.close();
				this.lost('the server is silent');
			}
		}
		this.probing = false;
	}

	// A command as on the command line. Always answered: {ok, text}.
	command(name, args = '', patience_ms = PATIENCE_MS) {
		const id = this.nextId++;
		if (!this.send({ op: 'command', id, name, args }))
			return Promise.resolve({ ok: false, lost: true, text: 'no connection: nothing was sent' });
		return new Promise((resolve) => {
			this.waiting.set(id, resolve);
			setTimeout(() => {
				if (this.waiting.delete(id))
					resolve({ ok: false, lost: true, text: `no answer within ${patience_ms / 1000} s: look whether it was done` });
			}, patience_ms);
		});
	}

	// The same over HTTP, for when the WebSocket hangs.
	async post(name, args) {
		const r = await fetch(`/api/command/${name}`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify({ args }),
			keepalive: true,
			signal: AbortSignal.timeout(STOP_PATIENCE_MS),
		});
		return r.json();
	}

	// The end of the mission: over HTTP when the WebSocket has no answer.
	async stop() {
		const answer = await this.command('stop', '', STOP_PATIENCE_MS);
		return answer.lost ? this.post('stop', '').catch(() => answer) : answer;
	}

	// The emergency stop goes both ways at once, and the first yes counts; twice is as good as once.
	async emergencyStop(reason) {
		const must = (answer) => (answer.ok ? answer : Promise.reject(answer));
		try {
			return await Promise.any([this.command('estop', reason, STOP_PATIENCE_MS).then(must), this.post('estop', reason).then(must)]);
		} catch (all) {
			const said = all.errors?.find((e) => e?.text && !e.lost) ?? all.errors?.find((e) => e?.text);
			return { ok: false, text: said?.text ?? 'the robot did not answer' };
		}
	}
}
