// Where the map is on the canvas: pan, zoom, and the way from metres to pixels and back. x of the map is to the right, y up.

const ZOOM_MIN = 8, ZOOM_MAX = 400; // pixels a metre

export class MapView {
	x = 0; // middle of the view, metres
	y = 0;
	zoom = 50; // pixels a metre
	width = 1; // of the canvas, CSS pixels
	height = 1;

	toPixel(x, y) {
		return [this.width / 2 + (x - this.x) * this.zoom, this.height / 2 - (y - this.y) * this.zoom];
	}

	toMetres(px, py) {
		return [this.x + (px - this.width / 2) / this.zoom, this.y - (py - this.height / 2) / this.zoom];
	}

	panBy(dx, dy) {
		this.x -= dx / this.zoom;
		this.y += dy / this.zoom;
	}

	// Zooms so that what is under a pixel stays under it.
	zoomAt(factor, px = this.width / 2, py = this.height / 2) {
		const [x, y] = this.toMetres(px, py);
		this.zoom = Math.max(ZOOM_MIN, Math.min(ZOOM_MAX, this.zoom * factor));
		const [nx, ny] = this.toMetres(px, py);
		this.x += x - nx;
		this.y += y - ny;
	}

	centreOn(x, y) {
		this.x = x;
		this.y = y;
	}

	// box: {x0, y0, x1, y1} in metres
	fit(box, margin = 24) {
		const w = Math.max(1, box.x1 - box.x0), h = Math.max(1, box.y1 - box.y0);
		this.centreOn((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
		const zoom = Math.min((this.width - 2 * margin) / w, (this.height - 2 * margin) / h);
		this.zoom = Math.max(ZOOM_MIN, Math.min(160, zoom));
	}

	// A round length for the scale bar, as [metres, pixels].
	scaleBar() {
		const metres = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20].find((m) => m * this.zoom >= 50) ?? 50;
		return [metres, metres * this.zoom];
	}
}
