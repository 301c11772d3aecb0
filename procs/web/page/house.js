// What is in the house (topic `scene`): the things as a table with the pictures that show them best, and one of them large, with
// its outline and what is known of it.
import { age, byId, clock, el, metres, place, setText, share, visible, words } from './text.js';
import { ask } from './rights.js';
import { openSheet } from './sheets.js';

const HZ = 0.5; // a thing does not move

// The things of a message of `scene`, newest first, with the words that people read.
export function things(scene) {
	const nodes = scene?.nodes ?? [], rooms = new Map(nodes.filter((n) => n.kind === 'room').map((n) => [n.id, n.label || n.id]));
	const relations = new Map();
	for (const e of scene?.edges ?? [])
		if (e.relation === 'on' || e.relation === 'contains')
			relations.set(e.relation === 'on' ? e.src : e.dst, e.relation === 'on' ? { by: e.dst, text: `on ${words(e.dst)}` } : { by: e.src, text: `in ${words(e.src)}` });
	return nodes.filter((n) => n.kind === 'object').map((n) => ({
		...n, name: [n.colour, n.label].filter(Boolean).join(' '), roomName: rooms.get(n.room) ?? '', relation: rooms.has(relations.get(n.id)?.by) ? '' : relations.get(n.id)?.text ?? '', // the room has a name of its own
		what: [n.container && (n.open ? 'open' : 'may hold things'), n.state, n.stale && 'not where it was'].filter(Boolean).join(', '),
	}));
}

// The rooms, named ones first: those of the graph, and those that the model has reported and the graph does not know by that name.
export function rooms(scene, reported) {
	const known = (scene?.nodes ?? []).filter((n) => n.kind === 'room').map((n) => ({ name: n.label || n.id.replace('_', ' '), named: n.label !== '', x_m: n.x_m, y_m: n.y_m, area_m2: n.area_m2 }));
	const names = new Set(known.map((r) => r.name));
	const more = (reported?.items ?? []).filter((r) => !names.has(r.name)).map((r) => ({ name: r.name, named: true, x_m: r.x_m, y_m: r.y_m, area_m2: 0 }));
	return [...known, ...more].sort((a, b) => b.named - a.named);
}

export class House {
	constructor(link, store, rights, map) {
		Object.assign(this, { link, store, rights, map, sheet: byId('view') });
		store.watch(['scene'], () => this.draw());
	}

	show(on) {
		this.shown = on;
		this.link.want('house', ['scene'], on ? HZ : 0);
		this.draw();
	}

	draw() {
		const scene = this.store.data('scene');
		setText(byId('house-count'), scene ? scene.objects : '');
		if (!this.shown)
			return;
		const list = things(scene), body = byId('house-rows'), known = new Map([...body.children].map((tr) => [tr.dataset.key, tr]));
		byId('house-none').hidden = list.length > 0;
		let before = null;
		for (const t of list) {
			const tr = known.get(t.id) ?? this.make(t);
			known.delete(t.id);
			this.fill(tr, t);
			if (before ? before.nextSibling !== tr : body.firstChild !== tr)
				before ? before.after(tr) : body.prepend(tr);
			before = tr;
		}
		for (const gone of known.values())
			gone.remove();
	}

	make(t) {
		const open = el('button', { type: 'button', class: 'thumb', onclick: () => this.open(tr.at) }, el('img', { alt: '', width: '56', height: '42', loading: 'lazy' }));
		const show = el('button', { type: 'button', class: 'button small', onclick: () => this.map.show(tr.at.x_m, tr.at.y_m) }, 'Show');
		const go = el('button', { type: 'button', class: 'button small', 'data-right': 'drive', onclick: (e) => ask(this.link, e.currentTarget, 'goto', `${tr.at.x_m.toFixed(2)} ${tr.at.y_m.toFixed(2)}`) }, 'Go');
		const tr = el('tr', {}, el('td', {}, open), el('th', { scope: 'row' }), el('td', { class: 'note' }), el('td', { class: 'num' }), el('td', { class: 'num' }), el('td', {}, el('div', { class: 'line' }, show, this.rights.mark(go))));
		tr.dataset.key = t.id;
		open.firstChild.addEventListener('error', () => (open.hidden = true));
		for (const [button, what] of [[open, 'Picture of'], [show, 'Show on the map:'], [go, 'Go to']])
			button.setAttribute('aria-label', `${what} ${visible(t.name)} (${visible(t.id)})`);
		return tr;
	}

	fill(tr, t) {
		const [view, name, where, seen, at] = tr.children, open = view.firstChild;
		tr.at = t;
		if (tr.picture !== t.picture) {
			tr.picture = t.picture;
			open.hidden = Number(t.picture) === 0;
			if (!open.hidden)
				open.firstChild.src = pictureOf(t);
		}
		setText(name, t.name);
		setText(where, [t.roomName, t.relation, t.what].filter(Boolean).join('; '));
		setText(seen, `${t.seen} times, ${ago(t)}`);
		setText(at, place(t.x_m, t.y_m));
		tr.classList.toggle('stale', t.stale);
	}

	// The picture that shows it best, with an outline around it.
	async open(t) {
		const canvas = el('canvas', { role: 'img', 'aria-label': `Picture of ${visible(t.name)}` }), note = el('p', { class: 'dim', role: 'status' });
		const rows = [['Room', t.roomName], ['Relation', t.relation], ['State', t.what], ['Where', place(t.x_m, t.y_m)], ['Height of its middle', metres(t.z_m)], ['Size', size(t.box_m)], ['Certain', share(t.confidence)],
			['Seen', `${t.seen} times`], ['First', clock(t.first_unix_s)], ['Last', `${clock(t.last_unix_s)} (${ago(t)})`], ['Seen by', t.source], ['Id', t.id]];
		const dl = el('dl', { class: 'figures' });
		for (const [term, value] of rows)
			if (value)
				dl.append(el('div', {}, el('dt', {}, term), el('dd', {}, value)));
		setText(byId('view-title'), t.name);
		byId('view-body').replaceChildren(el('div', { class: 'trace-left' }, canvas, note), el('div', { class: 'trace-right' }, dl));
		openSheet(this.sheet);
		const image = new Image();
		image.src = pictureOf(t);
		const [loaded, view] = await Promise.all([image.decode().then(() => true, () => false), fetch(`/api/views/${encodeURIComponent(String(t.picture))}`, { cache: 'no-store' }).then((r) => (r.ok ? r.json() : null), () => null)]);
		if (!canvas.isConnected)
			return;
		if (loaded)
			drawView(canvas, image, view?.shows ?? [], t.id);
		else
			canvas.replaceWith(el('p', { class: 'none' }, 'No picture of it is kept any more'));
		setText(note, loaded && view ? `taken ${clock(view.unix_s)}, view ${view.id}` : '');
	}
}

const pictureOf = (t) => `/api/views/${encodeURIComponent(String(t.picture))}/picture.jpg`;
const ago = (t) => (t.last_unix_s > 0 ? `${age(Math.max(0, Date.now() / 1000 - t.last_unix_s))} ago` : '');
const size = (b) => (b?.length === 6 && b[3] > b[0] ? `${words([0, 1, 2].map((i) => (b[i + 3] - b[i]).toFixed(2)).join(' \u00d7 '))} m` : '');

function drawView(canvas, image, shows, id) {
	const c = canvas.getContext('2d');
	canvas.width = image.naturalWidth;
	canvas.height = image.naturalHeight;
	c.drawImage(image, 0, 0);
	for (const s of shows) {
		const [left, top, right, bottom] = s.box, is = s.id === id;
		c.lineWidth = is ? 3 : 1;
		for (const [color, by] of [['#000a', c.lineWidth], [is ? '#6cb6ff' : '#fffb', 0]]) {
			c.strokeStyle = color;
			c.strokeRect(left - by, top - by, right - left + 2 * by, bottom - top + 2 * by);
		}
	}
}
