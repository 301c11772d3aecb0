// One decision from end to end: why the model was asked, what it saw, what it said, what the safety layers made of it, what became of it.
import { bearing, byId, clock, compass, el, latency, metres, place, setText, words } from './text.js';
import { openSheet } from './sheets.js';
import { callText, outcomeTone, verdict } from './decisions.js';

export class Trace {
	constructor(decisions, map) {
		this.decisions = decisions;
		this.map = map;
		this.sheet = byId('trace');
		decisions.onopen = (id) => this.open(id);
		this.sheet.addEventListener('keydown', (e) => this.onKey(e));
		this.sheet.addEventListener('close', () => this.choose(null));
	}

	choose(id) {
		this.id = id;
		this.map.chosen = id;
		this.map.redraw();
	}

	onKey(e) {
		if (e.key === 'ArrowLeft' || e.key === 'ArrowRight')
			this.step(e.key === 'ArrowLeft' ? 1 : -1);
	}

	step(by) {
		const ids = this.decisions.all().filter((d) => !d.command).map((d) => String(d.id));
		const next = ids[ids.indexOf(this.id) + by];
		if (next)
			this.open(next);
	}

	async open(id) {
		this.choose(id);
		this.draw(this.decisions.byKey.get(id) ?? { id });
		openSheet(this.sheet);
		const r = await fetch(`/api/decisions/${encodeURIComponent(id)}`, { cache: 'no-store' }).catch(() => null);
		if (this.id !== id || !r?.ok)
			return;
		const more = await r.json().catch(() => null);
		if (more && this.id === id)
			this.draw({ ...this.decisions.byKey.get(id), ...more });
	}

	draw(d) {
		const v = verdict(d), s = d.snapshot ?? {}, r = d.result;
		const picture = this.decisions.picture(d, { alt: 'The picture the model was given' }), note = el('p', { class: 'dim' });
		picture.addEventListener('replaced', () => setText(note, 'The snapshot as this page saw it; of what the model was sent no picture is kept.'));
		picture.addEventListener('missing', () => picture.replaceWith(el('p', { class: 'none' }, 'No picture was kept of this decision')));
		const context = d.prompt?.context ?? '';
		const told = context ? el('pre', { tabindex: '0', role: 'group', 'aria-label': 'Text the model was given' }, context) : null;
		const steps = [
			step('Asked', words(d.trigger) || 'not told', [['By', d.decider === 'rule' ? 'rule: nobody was asked, as nothing new was in sight' : words(d.decider)], ['Service', [d.provider, d.model].filter(Boolean).join(' ')], ['Time', clock(d.t)]]),
			step('Saw', `snapshot ${s.id ?? '\u2013'}`, [['Where', place(s.x_m, s.y_m)], ['Heading', compass(s.yaw_rad)], ['Age then', s.age_s > 0 ? latency(s.age_s) : ''], ['Hash', s.hash]]),
			step('Said', d.reasoning || 'no word of reasoning', [['Answered after', latency(d.latency_s)]]),
			step('Called', callText(d), [['Beside it, without the model', d.local]], 'call'),
			step('Verdict', v.word, [['Why', v.why]], '', v.tone),
			r && step('Driven', r.executed || 'nothing', [['Asked', r.asked], ['Way', metres(r.distance_m)], ['Time', r.duration_s > 0 ? `${r.duration_s.toFixed(1)} s` : ''],
				['Held back by', r.cause && r.cause !== 'none' ? `${r.cause}, ${metres(r.cause_m)} ${bearing(r.cause_bearing_rad)}` : '']]),
			r && step('Became', r.outcome, [['Why', r.outcome === 'refused' ? '' : r.reason], ['Suggested', r.suggestion]], '', outcomeTone(r.outcome)),
			!r && step('Became', d.current ? 'under way' : 'not known yet', []),
		].filter(Boolean);
		this.sheet.replaceChildren(
			el('div', { class: 'head' }, el('h2', { id: 'trace-title' }, callText(d)),
				el('button', { type: 'button', class: 'button small', onclick: () => this.step(1) }, 'Earlier'), el('button', { type: 'button', class: 'button small', onclick: () => this.step(-1) }, 'Later'),
				s.x_m !== undefined && el('button', { type: 'button', class: 'button small', onclick: () => this.showOnMap(s) }, 'On the map'),
				el('button', { type: 'button', class: 'icon', 'aria-label': 'Close', 'data-close': true }, closeIcon())),
			el('div', { class: 'trace' },
				el('div', { class: 'trace-left' },
					picture, note,
					told && el('h3', {}, 'What it was told'), told),
				el('div', { class: 'trace-right' },
					el('ol', { class: 'steps' }, steps),
					el('details', {}, el('summary', {}, 'As it is in the log'), el('pre', { tabindex: '0', role: 'group', 'aria-label': 'The line of the log' }, JSON.stringify({ ...d, prompt: d.prompt ? { hash: d.prompt.hash } : undefined }, null, 2))))));
	}

	showOnMap(s) {
		document.querySelector('[data-show=map]').click();
		const id = this.id;
		this.sheet.close();
		this.choose(id);
		this.map.show(s.x_m, s.y_m);
	}
}

function step(name, text, rows, kind = '', tone = '') {
	const body = el('div', { class: 'step-body' });
	const head = el('p', { class: `step-text ${kind}` });
	setText(head, text);
	if (tone)
		head.classList.add('tag'), (head.dataset.tone = tone);
	body.append(head);
	const dl = el('dl', { class: 'figures' });
	for (const [term, value] of rows)
		if (value && value !== '\u2013')
			dl.append(el('div', {}, el('dt', {}, term), el('dd', {}, value)));
	if (dl.children.length > 0)
		body.append(dl);
	return el('li', { 'data-tone': tone }, el('h3', {}, name), body);
}

function closeIcon() {
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
	svg.setAttribute('aria-hidden', 'true');
	use.setAttribute('href', '#i-close');
	svg.append(use);
	return svg;
}
