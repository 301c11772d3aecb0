// Text and numbers for people. Whatever comes from the robot reaches the page through visible() and textContent only:
// a model, a label or a key holder may have written it.

// Control characters, bidirectional overrides and characters without width would hide or reorder what was said.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

export function visible(value) {
	return String(value ?? '').replace(HIDDEN, (c) => `\u2039U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}\u203a`);
}

// Sets the text of a node, and touches the document only when it differs.
export function setText(node, value) {
	const text = visible(value);
	if (node.textContent !== text)
		node.textContent = text;
}

// A node with properties (on* = listener, class, data-*, any attribute) and children (nodes, or texts).
export function el(tag, props = {}, ...children) {
	const node = document.createElement(tag);
	for (const [key, value] of Object.entries(props)) {
		if (value === undefined || value === null || value === false)
			continue;
		if (key.startsWith('on'))
			node.addEventListener(key.slice(2), value);
		else
			node.setAttribute(key, value === true ? '' : visible(value));
	}
	for (const child of children.flat())
		if (child !== null && child !== undefined && child !== '' && child !== false)
			node.append(child instanceof Node ? child : visible(child));
	return node;
}

export const byId = (id) => document.getElementById(id);

// A list of terms and values kept in place: rows = [[term, value, tone], ...].
export function figures(dl, rows) {
	while (dl.children.length > rows.length)
		dl.lastChild.remove();
	rows.forEach(([term, value, tone], i) => {
		const row = dl.children[i] ?? dl.appendChild(el('div', {}, el('dt'), el('dd')));
		setText(row.firstChild, term);
		setText(row.lastChild, value);
		row.dataset.tone = tone ?? '';
	});
}

const DASH = '\u2013';
const finite = (v) => typeof v === 'number' && Number.isFinite(v);

export const metres = (v, digits = 2) => (finite(v) ? `${v.toFixed(digits)} m` : DASH);
export const speed = (v) => (finite(v) ? `${(Math.abs(v) < 0.005 ? 0 : v).toFixed(2)} m/s` : DASH);
export const share = (v) => (finite(v) ? `${Math.round(v * 100)} %` : DASH);
export const usd = (v) => (finite(v) ? `${v < 0.1 ? v.toFixed(4) : v.toFixed(2)} USD` : DASH);
export const place = (x, y) => (finite(x) && finite(y) ? `${x.toFixed(2)}, ${y.toFixed(2)} m` : DASH);
export const megabytes = (v) => (finite(v) ? `${v < 10 ? v.toFixed(1) : Math.round(v)} MB` : DASH);
export const latency = (v) => (finite(v) && v > 0 ? (v < 1 ? `${Math.round(v * 1000)} ms` : `${v.toFixed(1)} s`) : DASH);

export function duration(s) {
	if (!finite(s) || s < 0)
		return DASH;
	const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60, r = Math.floor(s % 60);
	return h > 0 ? `${h}:${String(m).padStart(2, '0')}:${String(r).padStart(2, '0')} h` : `${m}:${String(r).padStart(2, '0')} min`;
}

export function age(s) {
	if (!finite(s))
		return '';
	return s < 90 ? `${Math.round(s)} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;
}

export function clock(unix_s) {
	if (!finite(unix_s) || unix_s <= 0)
		return '';
	return new Date(unix_s * 1000).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });
}

const POINTS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

// Compass degrees of a heading in the map: north is x of the map, clockwise.
export function compass(yaw_rad) {
	if (!finite(yaw_rad))
		return DASH;
	const deg = (((-yaw_rad * 180) / Math.PI) % 360 + 360) % 360;
	return `${POINTS[Math.floor(((deg + 22.5) % 360) / 45)]} ${Math.round(deg) % 360}\u00b0`;
}

// A direction seen from the robot, left positive in the messages, in words.
export function bearing(rad) {
	if (!finite(rad))
		return DASH;
	const deg = Math.round((rad * 180) / Math.PI);
	return deg === 0 ? 'ahead' : `${Math.abs(deg)}\u00b0 ${deg > 0 ? 'left' : 'right'}`;
}

// Unit of a field by the end of its name, and the factor from the message to what people read.
const UNITS = [['_radps', '\u00b0/s', 180 / Math.PI], ['_rad', '\u00b0', 180 / Math.PI], ['_mps2', 'm/s\u00b2', 1], ['_mps', 'm/s', 1], ['_m2', 'm\u00b2', 1],
	['_deg', '\u00b0', 1], ['_ms', 'ms', 1], ['_m', 'm', 1], ['_s', 's', 1], ['_mb', 'MB', 1], ['_v', 'V', 1], ['_usd', 'USD', 1], ['_cores', 'cores', 1]];

export function unitOf(field) {
	const name = field.replace(/\[[^\]]*\]/g, '').replace(/_(mean|p99)$/, '');
	const row = UNITS.find(([end]) => name.endsWith(end));
	return row ? { unit: row[1], scale: row[2] } : { unit: '', scale: 1 };
}

export const words = (s) => String(s ?? '').replace(/_/g, ' ');
