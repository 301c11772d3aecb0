// What all stages log, newest below, with a filter by stage, level and text.
import { byId, el, setText, visible } from './text.js';

const KEPT = 1500, SHOWN = 400;
const LEVELS = { debug: 0, trace: 0, info: 1, warn: 2, warning: 2, error: 3, fatal: 3, D: 0, I: 1, W: 2, E: 3, F: 3 };

export class Logs {
	lines = [];
	stages = new Set();
	open = false;

	constructor(link) {
		this.link = link;
		this.list = byId('log');
		link.addEventListener('log', (e) => this.take(e.detail.lines ?? []));
		link.addEventListener('hello', () => this.open && this.load());
		for (const id of ['log-stage', 'log-level', 'log-text'])
			byId(id).addEventListener('input', () => this.draw());
	}

	// Only while it is looked at.
	show(open) {
		if (open === this.open)
			return;
		this.open = open;
		this.link.wantLogs(open);
		if (open)
			this.load();
	}

	async load() {
		const r = await fetch('/api/logs?last=300', { cache: 'no-store' }).catch(() => null);
		const body = r?.ok ? await r.json().catch(() => null) : null;
		const lines = Array.isArray(body) ? body : body?.lines;
		if (!lines)
			return;
		this.lines = [];
		this.take(lines);
	}

	take(lines) {
		this.lines.push(...lines);
		if (this.lines.length > KEPT)
			this.lines.splice(0, this.lines.length - KEPT);
		for (const l of lines)
			if (l.stage && !this.stages.has(l.stage)) {
				this.stages.add(l.stage);
				byId('log-stage').append(el('option', { value: l.stage }, l.stage));
			}
		this.pending ??= setTimeout(() => {
			this.pending = null;
			this.draw();
		}, 200);
	}

	draw() {
		const stage = byId('log-stage').value, level = Number(byId('log-level').value), text = byId('log-text').value.toLowerCase();
		const wanted = this.lines.filter((l) => (!stage || l.stage === stage) && (LEVELS[l.level] ?? 1) >= level && (!text || `${l.stage} ${l.text}`.toLowerCase().includes(text))).slice(-SHOWN);
		const atEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 40;
		this.list.replaceChildren(...wanted.map((l) => {
			const rank = LEVELS[l.level] ?? 1;
			return el('li', { 'data-tone': rank === 3 ? 'bad' : rank === 2 ? 'warn' : '' }, el('time', {}, timeOf(l.t)), el('span', { class: 'log-stage' }, l.stage), el('span', { class: 'log-text' }, said(l.text)));
		}));
		if (wanted.length === 0)
			this.list.append(el('li', { class: 'empty' }, this.lines.length > 0 ? 'No line passes the filter.' : 'No line yet.'));
		if (atEnd)
			this.list.scrollTop = this.list.scrollHeight;
		setText(byId('logs-count'), wanted.length);
	}
}

// The stage, its own clock, level and place in the source stand in front of each line of a log file.
const said = (text) => text.replace(/^\d+\.\d+ [EWID] \S+ \S+:\d+ /, '');

// ISO time to the time of day; anything else as it is.
function timeOf(t) {
	const at = typeof t === 'number' ? new Date(t * 1000) : new Date(t);
	return Number.isNaN(at.getTime()) ? visible(t) : at.toLocaleTimeString([], { hour12: false });
}
