// Safety events: what held the robot back, who demanded a stop, what a layer changed. Newest first, since the page was opened.
import { bearing, byId, clock, el, metres, setText, words } from './text.js';

const SHOWN = 200;

// The same but for its figures is the same event.
const alike = (text) => text.replace(/-?\d+(\.\d+)?/g, '');

export class Events {
	count = 0;

	constructor(link, store) {
		this.list = byId('events');
		this.last = {};
		link.want('events', ['estop'], 2);
		link.want('events', ['motion'], 10);
		store.on('motion', (m) => this.takeMotion(m));
		store.on('estop', (e) => this.changed('estop', e.stop ? e.reason : '', () => this.add('bad', 'watchdog', e.stop ? `demands a stop: ${e.reason}` : 'demands no stop any more')));
		store.on('health', (h) => this.changed('health', h.problem, () => this.add(h.ok ? 'ok' : 'bad', 'health', h.ok ? 'nothing to complain about' : h.problem)));
		store.on('tier', (t) => this.changed('tier', t.tier, () => this.add(t.tier === 'normal' || t.tier === 'waiting' ? '' : 'warn', 'model', `${words(t.tier)}: ${t.reason}`)));
		store.on('result', (r) => this.takeResult(r));
		store.onCommanded((c) => this.changed(`commanded ${c.service}`, `${c.id} ${c.ok}`, () => this.add(c.verb === 'stop' ? 'bad' : c.ok ? '' : 'warn', 'operator', `${c.verb} ${c.arg}: ${c.ok ? '' : 'refused, '}${c.text} (${c.who})`), true));
		link.addEventListener('state', (e) => this.changed('link', e.detail.state, () => this.add(e.detail.state === 'open' ? 'ok' : 'bad', 'page', e.detail.state === 'open' ? 'connected' : 'connection lost')));
		this.drawEmpty();
	}

	// fn when a value differs from the one before; the first one is only told when it matters by itself.
	changed(key, value, fn, first = false) {
		const before = this.last[key];
		this.last[key] = value;
		if (before !== value && (before !== undefined || first))
			fn();
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
		const first = this.list.firstChild;
		if (first?.dataset.what === what && first.dataset.text === alike(text)) {
			first.times = (first.times ?? 1) + 1; // the same again: counted
			setText(first.lastChild, `${first.times} times`);
			setText(first.querySelector('.event-text'), text);
			setText(first.querySelector('time'), clock(Date.now() / 1000));
		} else {
			const li = el('li', {}, el('time', {}, clock(Date.now() / 1000)), el('span', { class: 'tag', 'data-tone': tone }, what), el('span', { class: 'event-text' }, text), el('span', { class: 'dim' }));
			li.dataset.what = what;
			li.dataset.text = alike(text);
			this.list.prepend(li);
		}
		while (this.list.children.length > SHOWN)
			this.list.lastChild.remove();
		this.count++;
		setText(byId('safety-count'), this.count);
	}

	drawEmpty() {
		this.list.append(el('li', { class: 'empty' }, 'Nothing since this page was opened.'));
	}
}
