// Where names stand on the map so that each can be read: beside what they belong to, none over another, and from picture to picture in the
// same place while that is free. What is more important is placed first; what finds no place within the map and near enough is left out.

// The order in which names are placed.
export const RANK = { zone: 0, opening: 1, candidate: 2, room: 3, report: 4, thing: 5 };

const HEIGHT = 16, PADDING = 4; // of the ground of a name, pixels
const STEP = 9, STEPS_ON = 4, STEPS_BESIDE = 2; // a name is tried so much farther away each time
const WAYS = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]]; // right, left, below, above, the corners

const apart = (a, b) => a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;

// A text with a ground of its own, so that it can be read over anything; px, py is its middle.
export function drawLabel({ c, t }, text, px, py, color, { bold = false, alpha = 1 } = {}) {
	const w = widthOf({ c, t }, text, bold);
	c.textAlign = 'center';
	c.textBaseline = 'middle';
	c.globalAlpha = 0.82 * alpha;
	c.fillStyle = t('--panel');
	c.beginPath();
	c.roundRect(px - w / 2, py - HEIGHT / 2, w, HEIGHT, 4);
	c.fill();
	c.globalAlpha = alpha;
	c.fillStyle = color;
	c.fillText(text, px, py + 0.5);
	c.globalAlpha = 1;
}

function widthOf({ c, t }, text, bold) {
	c.font = `${bold ? '600 ' : ''}11px ${t('--sans')}`;
	return c.measureText(text).width + 2 * PADDING;
}

export class MapLabels {
	#names = [];
	#taken = []; // of this picture
	#places = new Map(); // of the picture before: key of a name -> number of its place

	begin() {
		this.#names = [];
		this.#taken = [];
	}

	// Names keep off this rectangle.
	reserve(x, y, w, h) {
		this.#taken.push({ x, y, w, h });
	}

	// key: the same from picture to picture. gap: pixels between the point and the name beside it; without one the name stands on the point.
	add(key, rank, text, px, py, color, { gap = null, bold = false, alpha = 1 } = {}) {
		this.#names.push({ key, rank, text, px, py, color, gap, bold, alpha });
	}

	draw(d) {
		const before = this.#places;
		this.#places = new Map();
		const late = (n) => 2 * n.rank + (before.has(n.key) ? 0 : 1); // who has a place keeps it
		for (const n of this.#names.sort((a, b) => late(a) - late(b))) {
			const w = widthOf(d, n.text, n.bold), place = this.#find(n, w, d.view, before.get(n.key));
			if (place < 0)
				continue;
			const r = this.#rect(n, w, place);
			this.#taken.push(r);
			this.#places.set(n.key, place);
			drawLabel(d, n.text, r.x + r.w / 2, r.y + r.h / 2, n.color, n);
		}
	}

	#find(n, w, view, last) {
		const isFree = (place) => {
			const r = this.#rect(n, w, place);
			return r.x >= 0 && r.y >= 0 && r.x + r.w <= view.width && r.y + r.h <= view.height && this.#taken.every((t) => apart(t, r));
		};
		if (last !== undefined && isFree(last))
			return last;
		for (let place = 0; place < (n.gap === null ? STEPS_ON : STEPS_BESIDE) * WAYS.length; place++)
			if (isFree(place))
				return place;
		return -1;
	}

	#rect(n, w, place) {
		const step = Math.floor(place / WAYS.length) * STEP, [ux, uy] = WAYS[place % WAYS.length];
		const dx = n.gap === null ? step : w / 2 + n.gap - PADDING + step, dy = n.gap === null ? step : HEIGHT / 2 + n.gap - PADDING + step;
		return { x: n.px + ux * dx - w / 2, y: n.py + uy * dy - HEIGHT / 2, w, h: HEIGHT };
	}
}
