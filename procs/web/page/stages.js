// The stages: state, share of a core, memory, restarts, and a restart by hand.
import { byId, duration, el, megabytes, setText } from './text.js';
import { ask } from './rights.js';

const TONE = { up: 'ok', starting: 'warn', stopping: 'warn', backoff: 'warn', failed: 'bad', down: '' };

export class Stages {
	rows = new Map();

	constructor(link, store, rights) {
		Object.assign(this, { link, store, rights });
		link.want('stages', ['stages'], 1);
		store.watch(['stages'], () => this.draw());
	}

	row(name) {
		const cells = { state: el('td'), cpu: el('td', { class: 'num' }), memory: el('td', { class: 'num' }), restarts: el('td', { class: 'num' }), up: el('td', { class: 'num' }), note: el('td', { class: 'note' }) };
		const bar = el('i'), cpu = el('span');
		cells.cpu.append(el('i', { class: 'load', 'aria-hidden': 'true' }, bar), cpu);
		const tag = cells.state.appendChild(el('span', { class: 'tag' }));
		const button = el('button', { type: 'button', class: 'button small', 'data-right': 'configure', 'aria-label': `Restart ${name}`, onclick: (e) => ask(this.link, e.currentTarget, 'restart', name) }, 'Restart');
		const tr = el('tr', {}, el('th', { scope: 'row' }, name), Object.values(cells), el('td', {}, button));
		this.rights.mark(button);
		byId('stage-rows').append(tr);
		return { tr, tag, bar, cpu, ...cells };
	}

	draw() {
		const items = this.store.data('stages')?.items ?? [], gone = new Set(this.rows.keys());
		for (const s of items) {
			gone.delete(s.name);
			if (!this.rows.has(s.name))
				this.rows.set(s.name, this.row(s.name));
			const r = this.rows.get(s.name);
			setText(r.tag, s.state);
			r.tag.dataset.tone = TONE[s.state] ?? '';
			r.bar.style.setProperty('width', `${Math.min(100, Math.round(s.cpu_cores * 100))}%`);
			setText(r.cpu, `${Math.round(s.cpu_cores * 100)} %`);
			setText(r.memory, megabytes(s.rss_mb));
			setText(r.restarts, s.restarts);
			r.restarts.dataset.tone = s.restarts > 0 ? 'warn' : '';
			setText(r.up, s.state === 'up' ? duration(s.uptime_s) : '\u2013');
			setText(r.note, s.note);
		}
		for (const name of gone) {
			this.rows.get(name).tr.remove();
			this.rows.delete(name);
		}
		const up = items.filter((s) => s.state === 'up').length;
		setText(byId('stages-count'), `${up}/${items.length}`);
		byId('stages-count').dataset.tone = up < items.length ? 'bad' : '';
	}
}
