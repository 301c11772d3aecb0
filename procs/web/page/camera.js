// The camera: the picture as the model gets it, renewed with each snapshot, or live; beside it what the LiDAR says.
import { bearing, byId, figures, metres, setText, share } from './text.js';

const RING_M = 3; // a sector this free fills its slice
const KEPT = 80; // pictures of snapshots, about 40 kB each

export class Camera {
	live = false;
	shown = '';
	kept = new Map(); // snapshot -> address of its picture

	constructor(link, store, theme) {
		this.store = store;
		this.theme = theme;
		this.img = byId('camera-picture');
		link.want('camera', ['percept'], 5);
		store.watch(['percept'], () => this.draw());
		store.on('decision', () => this.renew(true));
		link.addEventListener('hello', () => this.choose(this.live));
		link.addEventListener('state', (e) => e.detail.state === 'lost' && this.live && this.img.removeAttribute('src'));
		document.addEventListener('visibilitychange', () => this.choose(this.live));
		byId('camera-seen').addEventListener('click', () => this.choose(false));
		byId('camera-live').addEventListener('click', () => this.choose(true));
		document.querySelector('#camera details').addEventListener('toggle', () => this.renewText());
		this.img.addEventListener('load', () => (byId('camera-none').hidden = true));
		this.img.addEventListener('error', () => (byId('camera-none').hidden = false));
		theme.onChange(() => this.drawSectors());
	}

	choose(live) {
		this.live = live;
		byId('camera-seen').setAttribute('aria-pressed', String(!live));
		byId('camera-live').setAttribute('aria-pressed', String(live));
		this.shown = '';
		if (live && !document.hidden) {
			this.img.src = `/camera.mjpg?t=${Date.now()}`;
			this.img.alt = 'Camera picture, live';
		} else {
			this.renew(true);
		}
	}

	draw() {
		this.renew(false);
		this.drawSectors();
		const p = this.store.data('percept');
		if (!p)
			return;
		figures(byId('percept-figures'), [
			['Nearest', p.nearest_m < 0 ? 'nothing' : `${metres(p.nearest_m)} ${bearing(p.nearest_bearing_rad)}`, p.nearest_m >= 0 && p.nearest_m < 0.3 ? 'warn' : ''],
			['Gaps', p.gaps?.length ? p.gaps.slice(0, 2).map((g) => `${metres(g.width_m)} ${bearing(g.bearing_rad)}`).join(', ') : 'none'],
			['Way ahead clear', share(p.feasibility?.[0])],
			['Picture changed', p.similarity > 0 ? share(1 - p.similarity) : '\u2013'],
			['Snapshot', String(p.snapshot_id)],
		]);
	}

	renew(force) {
		const id = String(this.store.data('percept')?.snapshot_id ?? '');
		if (document.hidden || (id === this.shown && !force))
			return;
		this.shown = id;
		this.fetchPicture(id);
		this.renewText();
	}

	// The newest annotated picture. It is kept for the decision that is made on it, if no newer one has come meanwhile.
	async fetchPicture(id) {
		const r = await fetch('/snapshot.jpg', { cache: 'no-store' }).catch(() => null);
		if (!r?.ok)
			return;
		const url = URL.createObjectURL(await r.blob()), gone = [];
		if (!this.live) {
			this.img.src = url;
			this.img.alt = `What the model sees, snapshot ${id}; its text is below`;
		}
		if (String(this.store.data('percept')?.snapshot_id ?? '') === id) {
			gone.push(this.kept.get(id));
			this.kept.delete(id);
			this.kept.set(id, url);
		} else {
			gone.push(url); // not known of which snapshot it is
		}
		if (this.kept.size > KEPT) {
			const [oldest, its] = this.kept.entries().next().value;
			this.kept.delete(oldest);
			gone.push(its);
		}
		setTimeout(() => gone.forEach((u) => u && URL.revokeObjectURL(u)), 5000); // whoever shows it has read it by then
	}

	// The picture of a snapshot, if this page has seen it; undefined otherwise.
	pictureOf(snapshot_id) {
		return this.kept.get(String(snapshot_id));
	}

	async renewText() {
		if (!document.querySelector('#camera details').open)
			return;
		const r = await fetch('/snapshot.txt', { cache: 'no-store' }).catch(() => null);
		setText(byId('camera-text'), r?.ok ? await r.text() : 'not to be had now');
	}

	// Twelve sectors clockwise from the front: the freer, the farther from the robot in the middle.
	drawSectors() {
		const sectors = this.store.data('percept')?.sector_m;
		const canvas = byId('sectors'), c = canvas.getContext('2d'), t = this.theme;
		const size = canvas.clientWidth || 132, scale = window.devicePixelRatio || 1;
		canvas.width = canvas.height = size * scale;
		c.setTransform(scale, 0, 0, scale, (size * scale) / 2, (size * scale) / 2);
		const outer = size / 2 - 4, inner = 15;
		for (let i = 0; i < 12; i++) {
			const middle = (i * Math.PI) / 6 - Math.PI / 2, half = Math.PI / 12 - 0.025;
			const m = sectors?.[i] ?? null, free = m === null ? 0 : m === 0 ? 1 : Math.min(1, m / RING_M);
			slice(c, inner, outer, middle, half, t.color('--raise'));
			if (m !== null)
				slice(c, inner, inner + (outer - inner) * Math.max(0.04, free), middle, half, t.color(m === 0 ? '--dim' : m < 0.5 ? '--bad' : m < 1 ? '--warn' : '--accent'), 0.85);
		}
		c.fillStyle = t.color('--text');
		c.beginPath();
		c.moveTo(0, -9);
		c.lineTo(6, 7);
		c.lineTo(0, 3.5);
		c.lineTo(-6, 7);
		c.fill();
		if (sectors)
			canvas.setAttribute('aria-label', `LiDAR, free to: front ${metres(sectors[0], 1)}, right ${metres(sectors[3], 1)}, back ${metres(sectors[6], 1)}, left ${metres(sectors[9], 1)}`);
	}
}

function slice(c, inner, outer, middle, half, color, alpha = 1) {
	c.globalAlpha = alpha;
	c.fillStyle = color;
	c.beginPath();
	c.arc(0, 0, outer, middle - half, middle + half);
	c.arc(0, 0, inner, middle + half, middle - half, true);
	c.fill();
	c.globalAlpha = 1;
}
