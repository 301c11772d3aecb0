// The places of the map as a table: openings with their reasons, rooms, things found, candidates, zones.
import { byId, clock, el, metres, place, setText, share, words } from './text.js';
import { ask } from './rights.js';
import { rooms } from './house.js';
import { frontierRows } from './map_tools.js';

export class Places {
	constructor(link, store, rights, map) {
		Object.assign(this, { link, store, rights, map });
		store.watch(['frontiers', 'mission', 'rooms', 'scene', 'discoveries', 'candidates', 'zones'], () => this.drawSoon());
	}

	// A table that changes under the finger can not be used: once a second at most.
	drawSoon() {
		this.timer ??= setTimeout(() => {
			this.timer = null;
			this.draw();
		}, this.drawn ? 1000 : 0);
		this.drawn = true;
	}

	rows() {
		const { store } = this, rows = [];
		for (const f of frontierRows(store))
			rows.push({ kind: 'opening', name: f.name, why: `${f.kind}; ${f.why}`, x: f.x, y: f.y, go: f.reach });
		for (const c of store.data('candidates')?.items ?? [])
			rows.push({ kind: 'candidate', name: `C${c.id}${c.name ? ` ${c.name}` : ''}`, why: `${words(c.kind)}; score ${share(c.score)}, ${metres(c.path_m, 1)} to drive`, x: c.x_m, y: c.y_m, go: true });
		for (const d of store.data('discoveries')?.items ?? [])
			rows.push({ kind: words(d.kind), name: d.label, why: [d.notes, d.room && `from ${d.room}`, clock(d.unix_s)].filter(Boolean).join('; '), x: d.x_m, y: d.y_m, go: true });
		const named = new Set(rows.map((r) => r.name));
		for (const r of rooms(store.data('scene'), store.data('rooms')))
			if (!named.has(r.name))
				rows.push({ kind: 'room', name: r.name, why: r.area_m2 > 0 ? `${r.area_m2.toFixed(1)} m²` : '', x: r.x_m, y: r.y_m, go: true });
		for (const z of store.data('zones')?.items ?? [])
			rows.push({ kind: z.kind === 'keepout' ? 'keep-out zone' : 'slow zone', name: z.name, why: `by ${words(z.author)}`, x: z.corners[0]?.x_m, y: z.corners[0]?.y_m, zone: z.author !== 'config' });
		return rows;
	}

	draw() {
		const body = byId('place-rows'), rows = this.rows(), known = new Map([...body.children].map((tr) => [tr.dataset.key, tr]));
		setText(byId('places-count'), rows.length);
		let before = null;
		for (const r of rows) {
			const key = `${r.kind}/${r.name}`;
			let tr = known.get(key);
			known.delete(key);
			if (!tr)
				tr = this.make(r, key);
			setText(tr.children[2], place(r.x, r.y));
			setText(tr.children[3], r.why);
			tr.at = r;
			if (before ? before.nextSibling !== tr : body.firstChild !== tr)
				before ? before.after(tr) : body.prepend(tr);
			before = tr;
		}
		for (const gone of known.values())
			gone.remove();
		if (rows.length === 0)
			body.replaceChildren();
	}

	make(r, key) {
		const tr = el('tr', { 'data-key': key }, el('td', { class: 'dim' }, r.kind), el('th', { scope: 'row' }, r.name), el('td', { class: 'num' }), el('td', { class: 'note' }), el('td', {}, el('div', { class: 'line' })));
		tr.dataset.key = key;
		const tools = tr.lastChild.firstChild;
		const look = el('button', { type: 'button', class: 'button small', 'aria-label': `Show ${r.name} on the map`, onclick: () => this.map.show(tr.at.x, tr.at.y) }, 'Show');
		tools.append(look);
		if (r.go)
			tools.append(this.rights.mark(el('button', { type: 'button', class: 'button small', 'data-right': 'drive', 'aria-label': `Go to ${r.name}`, onclick: (e) => ask(this.link, e.currentTarget, 'goto', `${tr.at.x.toFixed(2)} ${tr.at.y.toFixed(2)}`) }, 'Go')));
		if (r.zone)
			tools.append(this.rights.mark(el('button', { type: 'button', class: 'button small', 'data-right': 'configure', 'aria-label': `Forget the zone ${r.name}`, onclick: (e) => ask(this.link, e.currentTarget, 'zone', `forget ${r.name}`) }, 'Forget')));
		return tr;
	}
}
