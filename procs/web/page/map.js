// The map panel: canvas, pan and zoom by mouse, touch and keys, layers with their legend, and what lies under a click.
import { byId, compass, el, metres, place, setText, visible } from './text.js';
import { MapLabels, drawLabel } from './map_labels.js';
import { LAYERS } from './map_layers.js';
import { MapRaster } from './map_raster.js';
import { MapView } from './map_view.js';

const TRAIL_MAX = 6000, TRAIL_STEP_M = 0.04, TRAIL_JUMP_M = 1.0;
const CLICK_PX = 5; // moved less than this, it was a click

export class MapPanel {
	view = new MapView();
	labels = new MapLabels();
	trail = [];
	robot = {};
	layers = new Map(LAYERS.map((l) => [l.id, true]));
	pointers = new Map();
	moved = 0;
	touched = false; // by a person: the view is no longer fitted by itself
	overlay = null; // drawn above all by the tool in use

	constructor(link, store, theme) {
		Object.assign(this, { link, store, theme });
		this.canvas = byId('map-canvas');
		this.raster = new MapRaster(theme);
		this.makeLegend();
		this.listen();
		link.addEventListener('hello', (e) => this.takeHello(e.detail));
		link.addEventListener('history', (e) => this.takeHistory(e.detail));
		link.want('map', ['map'], 2);
		link.addEventListener('map', () => this.loadMap());
		link.addEventListener('state', () => this.redraw());
		store.on('pose', (p) => this.takePose(p));
		store.on('scan', () => (this.scanPose = this.store.data('pose')));
		store.watch(['pose', 'scan', 'zones', 'frontiers', 'candidates', 'rooms', 'scene', 'discoveries', 'nav.path', 'nav.goal', 'mission'], () => this.draw());
		theme.onChange(() => this.redraw());
		new ResizeObserver(() => this.resize()).observe(this.canvas);
	}

	makeLegend() {
		for (const l of LAYERS) {
			const swatch = el('i', { class: 'swatch', 'aria-hidden': 'true' });
			swatch.style.setProperty('background', `var(${l.color})`);
			byId('layers').append(el('li', {}, el('button', { type: 'button', 'aria-pressed': 'true', 'data-layer': l.id, onclick: (e) => this.toggle(l, e.currentTarget) }, swatch, l.label)));
			for (const [topic, hz] of Object.entries(l.topics ?? {}))
				this.link.want(`map.${l.id}`, [topic], hz);
		}
	}

	toggle(layer, button) {
		const on = !this.layers.get(layer.id);
		this.layers.set(layer.id, on);
		button.setAttribute('aria-pressed', String(on));
		for (const [topic, hz] of Object.entries(layer.topics ?? {}))
			this.link.want(`map.${layer.id}`, [topic], on ? hz : 0);
		this.redraw();
	}

	listen() {
		const c = this.canvas;
		c.addEventListener('pointerdown', (e) => this.onDown(e));
		c.addEventListener('pointermove', (e) => this.onMove(e));
		c.addEventListener('pointerup', (e) => this.onUp(e));
		c.addEventListener('pointercancel', (e) => this.pointers.delete(e.pointerId));
		c.addEventListener('pointerleave', () => setText(byId('map-readout'), ''));
		c.addEventListener('wheel', (e) => {
			e.preventDefault();
			this.zoomBy(Math.exp(-Math.max(-240, Math.min(240, e.deltaY)) * 0.0022), e.offsetX, e.offsetY);
		}, { passive: false });
		c.addEventListener('keydown', (e) => this.onKey(e));
		byId('map-in').addEventListener('click', () => this.zoomBy(1.4));
		byId('map-out').addEventListener('click', () => this.zoomBy(1 / 1.4));
		byId('map-fit').addEventListener('click', () => this.fit());
		byId('map-follow').addEventListener('click', () => this.follow(!this.following));
		byId('map-layers').addEventListener('click', (e) => {
			const open = byId('layers').classList.toggle('open');
			e.currentTarget.setAttribute('aria-expanded', String(open));
		});
	}

	takeHello(hello) {
		this.robot = hello.robot ?? {};
		this.loadMap();
	}

	// One fetch at a time; what comes meanwhile is fetched after it.
	async loadMap() {
		if (this.loading) {
			this.again = true;
			return;
		}
		this.loading = true;
		const first = this.raster.info === null;
		try {
			if ((await this.raster.load()) && (first || !this.touched))
				this.fit(false);
		} catch (e) {
			console.warn('map:', e.message);
		}
		this.loading = false;
		this.redraw();
		if (this.again) {
			this.again = false;
			setTimeout(() => this.loadMap(), 400);
		}
	}

	// The way driven before the page was opened, or while the connection was lost.
	takeHistory({ map_id, trail }) {
		if (map_id === this.mapId && trail.length <= this.trail.length)
			return;
		const far = ([x, y], before) => before !== undefined && Math.hypot(x - before[0], y - before[1]) > TRAIL_JUMP_M;
		this.mapId = map_id;
		this.trail = trail.map((p, i) => [...p, far(p, trail[i - 1])]);
		this.redraw();
	}

	takePose(p) {
		if (this.mapId !== undefined && this.mapId !== p.map_id)
			this.trail = []; // another map, with another origin
		this.mapId = p.map_id;
		const last = this.trail.at(-1), step = last ? Math.hypot(p.x_m - last[0], p.y_m - last[1]) : Infinity;
		if (step >= TRAIL_STEP_M)
			this.trail.push([p.x_m, p.y_m, step > TRAIL_JUMP_M]);
		if (this.trail.length > TRAIL_MAX)
			this.trail.splice(0, TRAIL_MAX / 10);
		if (this.following)
			this.view.centreOn(p.x_m, p.y_m);
	}

	resize() {
		const { clientWidth: w, clientHeight: h } = this.canvas;
		if (w === 0 || h === 0)
			return;
		const scale = window.devicePixelRatio || 1;
		this.canvas.width = Math.round(w * scale);
		this.canvas.height = Math.round(h * scale);
		Object.assign(this.view, { width: w, height: h });
		if (!this.touched)
			this.fit(false);
		this.draw();
	}

	fit(byPerson = true) {
		if (byPerson)
			this.touched = false;
		const box = this.raster.box ?? { x0: -3, y0: -3, x1: 3, y1: 3 };
		if (!this.following)
			this.view.fit(box);
		this.redraw();
	}

	follow(on) {
		this.following = on;
		byId('map-follow').setAttribute('aria-pressed', String(on));
		const p = this.store.data('pose');
		if (on && p) {
			this.touched = true;
			this.view.centreOn(p.x_m, p.y_m);
			this.view.zoom = Math.max(this.view.zoom, 70);
		}
		this.redraw();
	}

	zoomBy(factor, px, py) {
		this.touched = true;
		this.view.zoomAt(factor, px, py);
		this.redraw();
	}

	show(x, y) {
		this.follow(false);
		this.touched = true;
		this.view.centreOn(x, y);
		this.redraw();
	}

	onDown(e) {
		this.canvas.setPointerCapture(e.pointerId);
		this.pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
		if (this.pointers.size === 1)
			this.moved = 0;
	}

	onMove(e) {
		const from = this.pointers.get(e.pointerId), to = [e.offsetX, e.offsetY];
		if (!from) {
			const [x, y] = this.view.toMetres(...to);
			setText(byId('map-readout'), `${place(x, y)} ${this.raster.at(x, y)}`);
			this.ontrack?.(x, y);
			return;
		}
		const dx = to[0] - from[0], dy = to[1] - from[1];
		if (this.pointers.size === 2) {
			const other = [...this.pointers].find(([id]) => id !== e.pointerId)[1];
			const before = Math.hypot(from[0] - other[0], from[1] - other[1]), after = Math.hypot(to[0] - other[0], to[1] - other[1]);
			this.view.panBy(dx / 2, dy / 2);
			if (before > 0)
				this.zoomBy(after / before, (to[0] + other[0]) / 2, (to[1] + other[1]) / 2);
			this.moved = Infinity;
		} else {
			this.moved += Math.hypot(dx, dy);
			if (this.moved > CLICK_PX) {
				this.view.panBy(dx, dy);
				this.touched = true;
				if (this.following)
					this.follow(false);
			}
		}
		this.pointers.set(e.pointerId, to);
		this.redraw();
	}

	onUp(e) {
		if (this.pointers.delete(e.pointerId) && this.moved <= CLICK_PX && this.pointers.size === 0)
			this.onclick?.(...this.view.toMetres(e.offsetX, e.offsetY), e.offsetX, e.offsetY);
	}

	onKey(e) {
		const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[e.key];
		if (step && (e.shiftKey || !document.body.classList.contains('is-hand'))) {
			this.view.panBy(...step);
			this.touched = true;
		} else if (e.key === '+' || e.key === '=') {
			this.zoomBy(1.3);
		} else if (e.key === '-') {
			this.zoomBy(1 / 1.3);
		} else if (e.key === '0') {
			this.fit();
		} else if (e.key === 'f') {
			this.follow(!this.following);
		} else if (e.key === 'Enter') {
			this.onclick?.(this.view.x, this.view.y, this.view.width / 2, this.view.height / 2);
		} else {
			return;
		}
		e.preventDefault();
		this.redraw();
	}

	redraw() {
		this.pending ??= requestAnimationFrame(() => {
			this.pending = null;
			this.draw();
		});
	}

	draw() {
		const { view, store } = this, scale = window.devicePixelRatio || 1, c = this.canvas.getContext('2d');
		if (this.canvas.clientWidth === 0)
			return;
		c.setTransform(scale, 0, 0, scale, 0, 0);
		c.fillStyle = this.theme.color('--map-ground');
		c.fillRect(0, 0, view.width, view.height);
		const d = {
			c, view, robot: this.robot, trail: this.trail, raster: this.raster, scanPose: this.scanPose, chosen: this.chosen, labels: this.labels, pose: store.data('pose'), old: !store.fresh('pose'),
			t: (name) => this.theme.color(name), data: (topic) => store.data(topic), clean: visible, decisions: this.decisions?.() ?? [],
		};
		c.globalAlpha = this.link.state === 'open' ? 1 : 0.55;
		this.labels.begin();
		this.reserveScale();
		for (const l of LAYERS)
			if (this.layers.get(l.id))
				l.draw(d);
		this.labels.draw(d);
		c.globalAlpha = 1;
		this.overlay?.(d);
		this.drawScale(d);
		this.describe();
	}

	// Names keep off the scale and off the arrow to the north.
	reserveScale() {
		const { width, height } = this.view;
		this.labels.reserve(0, height - 40, this.view.scaleBar()[1] + 28, 40);
		this.labels.reserve(width - 60, height - 40, 60, 40);
	}

	drawScale(d) {
		const { c, view } = d, [m, px] = view.scaleBar(), y = view.height - 14, text = d.t('--dim');
		c.strokeStyle = text;
		c.lineWidth = 1.5;
		c.beginPath();
		c.moveTo(14, y - 4);
		c.lineTo(14, y);
		c.lineTo(14 + px, y);
		c.lineTo(14 + px, y - 4);
		c.stroke();
		drawLabel(d, `${m} m`, 14 + px / 2, y - 11, text);
		// North is x of the map: to the right.
		const nx = view.width - 26;
		c.beginPath();
		c.moveTo(nx + 8, y - 4);
		c.lineTo(nx - 6, y - 9);
		c.lineTo(nx - 3, y - 4);
		c.lineTo(nx - 6, y + 1);
		c.closePath();
		c.fillStyle = text;
		c.fill();
		drawLabel(d, 'N', nx - 18, y - 4, text, { bold: true });
	}

	// The same in words, for who does not see it; said once a second at most.
	describe() {
		const now = performance.now(), p = this.store.data('pose'), f = this.store.data('frontiers');
		if (now - (this.described ?? -1e4) < 1000)
			return;
		this.described = now;
		const robot = p ? `The robot is at ${place(p.x_m, p.y_m)}, heading ${compass(p.yaw_rad)}.` : 'The place of the robot is not known.';
		const left = f ? `${f.total} openings are left, ${f.reachable} in reach; nearest ${metres(f.items[0]?.distance_m, 1)}.` : '';
		setText(byId('map-words'), `${robot} ${left} The list is under Places. Arrow keys move the view, plus and minus zoom, Enter goes to the middle of the view.`);
	}
}
