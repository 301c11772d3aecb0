// Any number of any topic over time: one small plot a field, each with its own scale, all with one time axis.
import { byId, el, setText, unitOf, visible } from './text.js';
import { answerAt } from './rights.js';

const KEPT_S = 600, PLOTS_MAX = 6, HZ = 10;
const FIRST = [['motion', 'v_mps'], ['motion', 'nearest_m'], ['vlm.stats', 'latency_mean_s']];

// All numbers in a message: {path -> value}. Lists of named things are told by name, short lists of numbers by index.
export function numbersOf(value, path = '', out = new Map()) {
	if (typeof value === 'number' || typeof value === 'boolean') {
		out.set(path, Number(value));
	} else if (typeof value === 'string' && /^-?\d{1,19}$/.test(value)) {
		out.set(path, Number(value));
	} else if (Array.isArray(value)) {
		value.slice(0, 32).forEach((item, i) => numbersOf(item, `${path}[${typeof item?.name === 'string' && item.name ? item.name : i}]`, out));
	} else if (value && typeof value === 'object') {
		for (const [key, item] of Object.entries(value))
			numbersOf(item, path ? `${path}.${key}` : key, out);
	}
	return out;
}

export class Plots {
	plots = []; // {topic, field, times, values, node, canvas}

	constructor(link, store, theme) {
		Object.assign(this, { link, store, theme });
		link.addEventListener('hello', (e) => this.takeHello(e.detail));
		store.link.addEventListener('message', (e) => this.take(e.detail));
		byId('plot-topic').addEventListener('change', () => this.chooseTopic());
		byId('plot-add').addEventListener('click', (e) => this.addChosen(e.currentTarget));
		byId('plot-span').addEventListener('change', () => this.draw());
		theme.onChange(() => this.draw());
		new ResizeObserver(() => this.draw()).observe(byId('plots'));
		setInterval(() => this.open && !document.hidden && this.draw(), 250);
		for (const [topic, field] of FIRST)
			this.add(topic, field);
	}

	show(open) {
		this.open = open;
		if (open)
			requestAnimationFrame(() => this.draw());
	}

	takeHello({ topics }) {
		const select = byId('plot-topic'), before = select.value;
		select.replaceChildren(...(topics ?? []).filter((t) => t.hz > 0 || t.type !== t.name).map((t) => el('option', { value: t.name, title: t.help }, t.name)));
		select.value = (topics ?? []).some((t) => t.name === before) ? before : (topics ?? []).some((t) => t.name === 'pose') ? 'pose' : topics?.[0]?.name ?? '';
		this.chooseTopic();
	}

	// The fields are read from the topic's newest message: it is asked for until one has come.
	chooseTopic() {
		const topic = byId('plot-topic').value;
		this.link.want('plot.fields', [...(this.asked ? [this.asked] : [])], 0);
		this.asked = topic;
		const known = this.store.data(topic);
		if (known)
			return this.fillFields(known);
		byId('plot-field').replaceChildren(el('option', { value: '' }, 'waiting for a message\u2026'));
		if (topic)
			this.link.want('plot.fields', [topic], 1);
	}

	fillFields(data) {
		byId('plot-field').replaceChildren(...[...numbersOf(data).keys()].slice(0, 400).map((f) => el('option', { value: f }, f)));
	}

	addChosen(button) {
		const topic = byId('plot-topic').value, field = byId('plot-field').value;
		if (!topic || !field)
			return answerAt(button, { ok: false, text: `nothing has come of ${topic || 'any topic'} yet` });
		if (this.plots.length >= PLOTS_MAX)
			return answerAt(button, { ok: false, text: `${PLOTS_MAX} plots at most: remove one` });
		if (this.plots.some((p) => p.topic === topic && p.field === field))
			return answerAt(button, { ok: false, text: 'is there already' });
		this.add(topic, field);
	}

	add(topic, field) {
		const canvas = el('canvas', { role: 'img', 'aria-label': `${topic}.${field} over time` }), value = el('b');
		const plot = { topic, field, times: [], values: [], canvas, value, ...unitOf(field) };
		plot.node = el('div', { class: 'plot' }, el('div', { class: 'plot-head' }, el('span', { class: 'plot-name' }, `${topic}.${field}`), value, el('button', { type: 'button', class: 'icon small', 'aria-label': `Remove the plot of ${topic}.${field}`, onclick: () => this.remove(plot) }, '\u00d7')), canvas);
		canvas.addEventListener('pointermove', (e) => this.point(e.offsetX));
		canvas.addEventListener('pointerleave', () => this.point(null));
		byId('plots').append(plot.node);
		this.plots.push(plot);
		this.link.want(`plot.${topic}.${field}`, [topic], HZ);
		this.draw();
	}

	remove(plot) {
		plot.node.remove();
		this.plots = this.plots.filter((p) => p !== plot);
		this.link.want(`plot.${plot.topic}.${plot.field}`, [plot.topic], 0);
		this.draw();
	}

	point(x) {
		this.at = x;
		this.draw();
	}

	take({ topic, data, age_ms }) {
		if (topic === this.asked && byId('plot-field').value === '')
			this.fillFields(data);
		const now = performance.now() / 1000 - (age_ms ?? 0) / 1000;
		for (const p of this.plots) {
			if (p.topic !== topic)
				continue;
			const v = numbersOf(data).get(p.field);
			p.times.push(now);
			p.values.push(v === undefined ? NaN : v * p.scale);
			const old = p.times.findIndex((t) => t > now - KEPT_S);
			if (old > 200) {
				p.times.splice(0, old);
				p.values.splice(0, old);
			}
		}
	}

	draw() {
		if (!this.open)
			return;
		const span = Number(byId('plot-span').value), now = performance.now() / 1000;
		for (const p of this.plots)
			this.drawOne(p, now - span, now);
	}

	drawOne(p, from, to) {
		const { canvas } = p, w = canvas.clientWidth, h = canvas.clientHeight, scale = window.devicePixelRatio || 1;
		if (w === 0 || h === 0)
			return;
		canvas.width = w * scale;
		canvas.height = h * scale;
		const c = canvas.getContext('2d'), t = (n) => this.theme.color(n), left = 44, right = w - 8, top = 6, bottom = h - 16;
		c.setTransform(scale, 0, 0, scale, 0, 0);
		let first = p.times.findIndex((x) => x >= from);
		first = first < 0 ? p.times.length : Math.max(0, first - 1);
		let lo = Infinity, hi = -Infinity;
		for (let i = first; i < p.values.length; i++)
			if (Number.isFinite(p.values[i])) {
				lo = Math.min(lo, p.values[i]);
				hi = Math.max(hi, p.values[i]);
			}
		if (!(lo <= hi))
			[lo, hi] = [0, 1];
		const pad = hi > lo ? (hi - lo) * 0.08 : Math.max(0.5, Math.abs(hi) * 0.1);
		lo -= lo >= 0 && lo < pad ? lo : pad;
		hi += pad;
		const X = (x) => left + ((x - from) / (to - from)) * (right - left), Y = (y) => bottom - ((y - lo) / (hi - lo)) * (bottom - top);
		axes(c, t, { left, right, top, bottom, lo, hi, from, to, X, Y });
		c.save();
		c.beginPath();
		c.rect(left, 0, right - left, h);
		c.clip();
		c.strokeStyle = t('--accent');
		c.lineWidth = 1.6;
		c.lineJoin = 'round';
		c.beginPath();
		let pen = false;
		for (let i = first; i < p.values.length; i++) {
			const ok = Number.isFinite(p.values[i]) && !(i > 0 && p.times[i] - p.times[i - 1] > 5);
			if (Number.isFinite(p.values[i]))
				pen && ok ? c.lineTo(X(p.times[i]), Y(p.values[i])) : c.moveTo(X(p.times[i]), Y(p.values[i]));
			pen = Number.isFinite(p.values[i]);
		}
		c.stroke();
		c.restore();
		this.tell(p, c, t, { left, right, top, bottom, from, to, X, Y });
	}

	// The newest value, or the one under the pointer.
	tell(p, c, t, g) {
		let i = p.values.length - 1;
		if (this.at !== null && this.at !== undefined && this.at >= g.left) {
			const at = g.from + ((this.at - g.left) / (g.right - g.left)) * (g.to - g.from);
			i = p.times.findLastIndex((x) => x <= at);
			c.strokeStyle = t('--dim');
			c.lineWidth = 1;
			c.beginPath();
			c.moveTo(this.at, g.top);
			c.lineTo(this.at, g.bottom);
			c.stroke();
			if (i >= 0 && Number.isFinite(p.values[i])) {
				c.fillStyle = t('--accent');
				c.beginPath();
				c.arc(this.at, g.Y(p.values[i]), 3.5, 0, 7);
				c.fill();
			}
		}
		const v = p.values[i];
		setText(p.value, Number.isFinite(v) ? `${short(v)} ${visible(p.unit)}` : '\u2013');
	}
}

function axes(c, t, { left, right, top, bottom, lo, hi, from, to, X, Y }) {
	c.font = `10.5px ${t('--sans')}`;
	c.fillStyle = t('--dim');
	c.strokeStyle = t('--line');
	c.lineWidth = 1;
	c.textAlign = 'right';
	c.textBaseline = 'middle';
	const step = niceStep((hi - lo) / Math.max(2, (bottom - top) / 26));
	c.beginPath();
	for (let y = Math.ceil(lo / step) * step; y <= hi; y += step) {
		const py = Math.round(Y(y)) + 0.5;
		c.moveTo(left, py);
		c.lineTo(right, py);
		c.fillText(short(Math.abs(y) < step / 1e6 ? 0 : y), left - 6, py);
	}
	c.stroke();
	c.textBaseline = 'alphabetic';
	const seconds = to - from, tick = seconds <= 30 ? 10 : seconds <= 120 ? 30 : 120;
	for (let s = 0; s < seconds; s += tick) {
		c.textAlign = s === 0 ? 'right' : 'center';
		c.fillText(s === 0 ? 'now' : `\u2212${s < 120 ? `${s} s` : `${s / 60} min`}`, X(to - s), bottom + 13);
	}
}

function niceStep(rough) {
	const power = 10 ** Math.floor(Math.log10(rough)), m = rough / power;
	return (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10) * power;
}

function short(v) {
	const a = Math.abs(v);
	return a >= 1e5 ? v.toExponential(1) : a >= 100 ? v.toFixed(0) : a >= 10 ? v.toFixed(1) : a === 0 ? '0' : a < 0.01 ? v.toPrecision(2) : v.toFixed(2);
}
