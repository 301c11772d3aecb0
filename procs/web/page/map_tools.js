// What a click on the map does: tell of what lies there, go there, or set the corners of a zone.
import { byId, el, metres, place, share, words } from './text.js';
import { answerAt, ask } from './rights.js';
import { things } from './house.js';
import { drawArea } from './map_layers.js';
import { gapOf } from './narrow.js';

const NEAR_PX = 14;

export class MapTools {
	corners = null; // of the zone being drawn

	constructor(link, store, map, rights, decisions, house) {
		Object.assign(this, { link, store, map, rights, decisions, house });
		this.box = byId('popover');
		map.onclick = (x, y, px, py) => (this.corners ? this.addCorner(x, y) : this.open(x, y, px, py));
		map.ontrack = (x, y) => this.track(x, y);
		map.overlay = (d) => this.draw(d);
		byId('map-zone').addEventListener('click', () => (this.corners ? this.endZone() : this.startZone()));
		document.addEventListener('keydown', (e) => e.key === 'Escape' && this.cancel());
		document.addEventListener('pointerdown', (e) => !this.box.hidden && !this.box.contains(e.target) && e.target !== map.canvas && !this.corners && this.close());
	}

	cancel() {
		this.close();
		if (this.corners)
			this.endZone();
	}

	// Things with a name near a place: [{title, rows, x, y, open}], nearest first.
	near(x, y) {
		const found = [], reach = NEAR_PX / this.map.view.zoom, on = (id) => this.map.layers.get(id);
		const add = (ix, iy, thing) => {
			const d = Math.hypot(ix - x, iy - y);
			if (d <= reach)
				found.push({ x: ix, y: iy, d, ...thing });
		};
		if (on('frontiers'))
			for (const f of frontierRows(this.store))
				add(f.at_x, f.at_y, { title: f.name, x: f.x, y: f.y, rows: [[f.kind, f.why]] });
		if (on('candidates'))
			for (const c of this.store.data('candidates')?.items ?? [])
				add(c.x_m, c.y_m, { title: `Candidate C${c.id}`, rows: [[words(c.kind), `score ${share(c.score)}: goal ${share(c.goal)}, room ${share(c.clearance)}, new ${share(c.novelty)}, drivable ${share(c.feasibility)}`], ['Way', metres(c.path_m, 1)]] });
		if (on('discoveries'))
			for (const i of this.store.data('discoveries')?.items ?? [])
				add(i.x_m, i.y_m, { title: i.label, rows: [[words(i.kind), i.notes || (i.room ? `seen from ${i.room}` : 'no notes')]] });
		if (on('things'))
			for (const t of things(this.store.data('scene')))
				add(t.x_m, t.y_m, { title: t.name, rows: [['Thing', [t.roomName, t.relation, t.what, `seen ${t.seen} times`].filter(Boolean).join('; ')]], open: Number(t.picture) > 0 && (() => this.house.open(t)) });
		if (on('decisions'))
			for (const i of this.decisions.marks())
				add(i.x_m, i.y_m, { title: i.what, rows: [['Decision', i.said || i.verdict]], open: () => this.decisions.open(i.id) });
		return found.sort((a, b) => a.d - b.d)[0];
	}

	open(x, y, px, py) {
		if (!this.box.hidden)
			return this.close();
		const thing = this.near(x, y), gx = thing?.x ?? x, gy = thing?.y ?? y, ground = this.map.raster.at(gx, gy);
		const go = el('button', { type: 'button', class: 'button primary', 'data-right': 'drive', onclick: (e) => this.go(e.currentTarget, gx, gy) }, 'Go there');
		const body = [el('h3', { id: 'popover-title' }, thing?.title ?? 'Go to this place?')];
		for (const [term, text] of thing?.rows ?? [])
			body.push(el('p', {}, el('b', {}, `${term}: `), text));
		body.push(el('p', { class: 'dim' }, `${place(gx, gy)}, ${ground === 'floor' ? 'known floor' : ground === 'wall' ? 'a wall: the way ends before it' : 'not seen yet'}`));
		const buttons = el('div', { class: 'line' }, go, thing?.open && el('button', { type: 'button', class: 'button', onclick: thing.open }, 'Open'), el('button', { type: 'button', class: 'button', onclick: () => this.close() }, 'Cancel'));
		this.place([...body, buttons, el('p', { class: 'answer', role: 'status' })], px, py);
		this.rights.mark(go);
		this.target = [gx, gy];
		go.focus({ preventScroll: true });
		this.map.redraw();
	}

	place(children, px, py) {
		const { box, map } = this;
		box.replaceChildren(...children);
		box.hidden = false;
		const w = box.offsetWidth, h = box.offsetHeight;
		const left = Math.max(8, Math.min(map.view.width - w - 8, px - w / 2)), below = py + 16 + h < map.view.height;
		box.style.setProperty('left', `${left}px`);
		box.style.setProperty('top', `${below ? py + 16 : Math.max(8, py - h - 16)}px`);
	}

	async go(button, x, y) {
		const answer = await ask(this.link, button, 'goto', `${x.toFixed(2)} ${y.toFixed(2)}`);
		if (answer.ok)
			setTimeout(() => this.target?.[0] === x && this.close(), 1200);
	}

	close() {
		const inside = this.box.contains(document.activeElement);
		this.box.hidden = true;
		this.target = null;
		if (inside)
			this.map.canvas.focus({ preventScroll: true });
		this.map.redraw();
	}

	startZone() {
		this.close();
		this.corners = [];
		byId('map-zone').setAttribute('aria-pressed', 'true');
		this.zoneForm();
	}

	endZone() {
		this.corners = this.cursor = null;
		byId('map-zone').setAttribute('aria-pressed', 'false');
		this.close();
	}

	addCorner(x, y) {
		this.corners.push([x, y]);
		this.zoneForm();
		this.map.redraw();
	}

	track(x, y) {
		if (!this.corners)
			return;
		this.cursor = [x, y];
		this.map.redraw();
	}

	// The form of a zone stays in the corner of the map, out of the way of the clicks.
	zoneForm() {
		const n = this.corners.length, old = this.box.querySelector('#zone-name')?.value ?? '', kept = this.box.querySelector('#zone-kind')?.value;
		const kind = el('select', { id: 'zone-kind' }, el('option', { value: 'keepout' }, 'keep out'), el('option', { value: 'slowdown' }, 'slow down'));
		kind.value = kept ?? 'keepout';
		const name = el('input', { id: 'zone-name', type: 'text', maxlength: '30', placeholder: 'stairs', autocomplete: 'off', value: old });
		name.value = old;
		const save = el('button', { type: 'submit', class: 'button primary', 'data-right': 'configure', disabled: n < 3 }, 'Keep the zone');
		const form = el('form', { onsubmit: (e) => this.saveZone(e, kind.value, name.value) },
			el('h3', { id: 'popover-title' }, 'Draw a zone'),
			el('p', { class: 'dim' }, n < 3 ? `Set the corners on the map: ${n} of at least 3 (Enter sets one in the middle of the view)` : `${n} corners`),
			el('div', { class: 'line' }, el('label', { for: 'zone-kind' }, 'Kind'), kind),
			el('div', { class: 'line' }, el('label', { for: 'zone-name' }, 'Name'), name),
			el('div', { class: 'line' }, save, el('button', { type: 'button', class: 'button', disabled: n === 0, onclick: () => this.corners.pop() && this.zoneForm() }, 'Undo'), el('button', { type: 'button', class: 'button', onclick: () => this.endZone() }, 'Cancel')),
			el('p', { class: 'answer', role: 'status' }));
		this.place([form], 0, -8);
		this.rights.mark(save);
		this.map.redraw();
	}

	async saveZone(e, kind, name) {
		e.preventDefault();
		const word = name.trim().replace(/\s+/g, '_');
		const save = e.currentTarget.querySelector('[type=submit]');
		if (word === '')
			return answerAt(save, { ok: false, text: 'give the zone a name' });
		const answer = await ask(this.link, save, 'zone', `${kind} ${word} ${this.corners.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(' ')}`);
		if (answer.ok)
			setTimeout(() => this.endZone(), 1200);
	}

	draw(d) {
		const { c, view, t } = d;
		if (this.target) {
			const [px, py] = view.toPixel(...this.target);
			c.strokeStyle = t('--text');
			c.lineWidth = 1.5;
			c.beginPath();
			c.arc(px, py, 8, 0, 7);
			c.moveTo(px - 13, py);
			c.lineTo(px + 13, py);
			c.moveTo(px, py - 13);
			c.lineTo(px, py + 13);
			c.stroke();
		}
		if (this.corners?.length > 0) {
			drawArea(d, this.cursor ? [...this.corners, this.cursor] : this.corners, t('--accent'));
			c.fillStyle = t('--accent');
			for (const [x, y] of this.corners) {
				const [px, py] = view.toPixel(x, y);
				c.fillRect(px - 3, py - 3, 6, 6);
			}
		}
	}
}

// The openings with why they are or are not worth a visit, those in reach first.
export function frontierRows(store) {
	const f = store.data('frontiers'), given = store.data('mission')?.given_up ?? [];
	return (f?.items ?? []).map((i) => {
		const gone = given.find((g) => Math.hypot(g.x_m - i.x_m, g.y_m - i.y_m) < 0.5);
		const worth = i.detour_m === 0 ? 'the best one now' : i.detour_m > 0 ? `${metres(i.detour_m, 1)} of detour against the best` : 'not worth a visit';
		const gap = gapOf(f, i), shut = gap ? `behind a gap of ${metres(gap.width_m, 2)} at ${place(gap.x_m, gap.y_m)}, ${metres(gap.short_m, 2)} too narrow` : 'out of reach on the known floor';
		const why = gone ? `given up: ${gone.reason}` : i.distance_m < 0 ? shut : `${metres(i.distance_m, 1)} to drive, ${i.gain_m2.toFixed(1)} m\u00b2 unknown behind it, ${worth}`;
		return { id: i.id, name: `F${i.id}`, kind: `${words(i.kind)}, ${metres(i.width_m, 1)} wide`, why, at_x: i.x_m, at_y: i.y_m, x: i.goal_x_m, y: i.goal_y_m, reach: !gone && i.distance_m >= 0 };
	});
}
