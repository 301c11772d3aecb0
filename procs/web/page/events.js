// Safety events: what held the robot back, who demanded a stop, what a layer changed. Newest first; those from before the page was
// opened are told by the server.
import { bearing, byId, clock, el, metres, setText, words } from './text.js';

const SHOWN = 200;

// The same but for its figures is the same event.
const alike = (text) => text.replace(/-?\d+(\.\d+)?/g, '');

export class Events {
	count = 0;
	at = null; // ms of the day at which an event of before was; null: now
	until = -Infinity; // what was before is known already

	constructor(link, store) {
		this.list = byId('events');
		this.last = {};
		link.want('events', ['estop'], 2);
		link.want('events', ['motion'], 10);
		this.handlers = {
			motion: (m) => this.takeMotion(m),
			estop: (e) => this.changed('estop', e.stop ? e.reason : '', () => this.add('bad', 'watchdog', e.stop ? `demands a stop: ${e.reason}` : 'demands no stop any more')),
			health: (h) => this.changed('health', h.problem, () => this.add(h.ok ? 'ok' : 'bad', 'health', h.ok ? 'nothing to complain about' : h.problem)),
			tier: (t) => this.changed('tier', t.tier, () => this.add(t.tier === 'normal' || t.tier === 'waiting' ? '' : 'warn', 'model', `${words(t.tier)}: ${t.reason}`)),
			result: (r) => this.takeResult(r),
			commanded: (c) => this.changed(`commanded ${c.service}`, `${c.id} ${c.ok}`, () => this.add(c.verb === 'stop' ? 'bad' : c.ok ? '' : 'warn', 'operator', `${c.verb} ${c.arg}: ${c.ok ? '' : 'refused, '}${c.text} (${c.who})`), true),
		};
		for (const topic of ['motion', 'estop', 'health', 'tier', 'result'])
			store.on(topic, this.handlers[topic]);
		store.onCommanded(this.handlers.commanded);
		link.addEventListener('history', (e) => this.takeHistory(e.detail.events));
		link.addEventListener('state', (e) => this.takeState(e.detail.state));
		this.drawEmpty();
	}

	// fn when a value differs from the one before; the first one is only told when it matters by itself.
	changed(key, value, fn, first = false) {
		const before = this.last[key];
		this.last[key] = value;
		if (before !== value && (before !== undefined || first || this.at !== null))
			fn();
	}

	takeState(state) {
		const open = state === 'open';
		if (this.open && !open)
			this.until = Date.now();
		this.open = open;
		this.changed('link', state, () => this.add(open ? 'ok' : 'bad', 'page', open ? 'connected' : 'connection lost'));
	}

	// The messages that were events before; after a loss only those of meanwhile.
	takeHistory(events) {
		for (const { topic, age_ms, data } of events) {
			this.at = Date.now() - age_ms;
			if (this.at > this.until)
				this.handlers[topic.split('.')[0]]?.(data);
		}
		this.at = null;
	}

	takeMotion(m) {
		const calm = m.state === 'idle' || m.state === 'driving';
		this.changed('motion', calm ? '' : `${m.state} ${alike(m.reason)}`, () => {
			if (!calm)
				this.add(m.state === 'slowed' ? 'warn' : m.state === 'blocked' ? 'warn' : 'bad', m.state === 'estop' ? 'emergency stop' : words(m.state), m.reason + (m.cause !== 'none' && m.cause_m >= 0 ? `; ${m.cause} at ${metres(m.cause_m)} ${bearing(m.cause_bearing_rad)}` : ''));
		}, !calm);
	}

	takeResult(r) {
		if (r.outcome === 'refused')
			this.add('warn', 'refused', `${r.asked}: ${r.reason}`);
		else if (r.overridden)
			this.add('warn', 'overruled', `${r.asked}: ${r.reason}`);
	}

	add(tone, what, text) {
		this.list.querySelector('.empty')?.remove();
		const at = this.at ?? Date.now(), before = [...this.list.children].find((li) => li.at <= at) ?? null;
		if (before?.dataset.what === what && before.dataset.text === alike(text)) {
			before.times = (before.times ?? 1) + 1; // the same again: counted
			before.at = at;
			setText(before.lastChild, `${before.times} times`);
			setText(before.querySelector('.event-text'), text);
			setText(before.querySelector('time'), clock(at / 1000));
		} else {
			const li = el('li', {}, el('time', {}, clock(at / 1000)), el('span', { class: 'tag', 'data-tone': tone }, what), el('span', { class: 'event-text' }, text), el('span', { class: 'dim' }));
			li.dataset.what = what;
			li.dataset.text = alike(text);
			li.at = at;
			this.list.insertBefore(li, before);
		}
		while (this.list.children.length > SHOWN)
			this.list.lastChild.remove();
		this.count++;
		setText(byId('safety-count'), this.count);
	}

	drawEmpty() {
		this.list.append(el('li', { class: 'empty' }, 'Nothing so far.'));
	}
}
