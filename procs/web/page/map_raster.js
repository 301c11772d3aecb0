// The grid of the map: /map.png in the colours of the page. 255 is free, 0 wall, 205 unknown.

const FREE_SHARE = 0.12; // a cell that is less likely taken than this has the full colour of the floor

export class MapRaster {
	info = null;
	canvas = document.createElement('canvas');
	grey = null;
	box = null; // what is known, metres

	constructor(theme) {
		this.theme = theme;
		theme.onChange(() => this.paint());
	}

	// The newest grid. True when there is one now that was not there before.
	async load() {
		const [info, picture] = await Promise.all([
			fetch('/map.json', { cache: 'no-store' }).then((r) => (r.ok ? r.json() : null)),
			fetch('/map.png', { cache: 'no-store' }).then((r) => (r.ok ? r.blob() : null)),
		]);
		if (!info || !picture || !(info.width > 0) || !(info.resolution_m > 0))
			return false;
		const bitmap = await createImageBitmap(picture, { colorSpaceConversion: 'none' });
		if (bitmap.width !== info.width || bitmap.height !== info.height)
			return false; // the map changed between both; the next word of it brings the right pair
		const reader = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', { willReadFrequently: true });
		reader.drawImage(bitmap, 0, 0);
		bitmap.close();
		const rgba = reader.getImageData(0, 0, info.width, info.height).data;
		this.grey = new Uint8Array(info.width * info.height);
		for (let i = 0; i < this.grey.length; i++)
			this.grey[i] = rgba[4 * i];
		this.info = info;
		this.box = this.known();
		this.paint();
		return true;
	}

	known() {
		const { width, height, resolution_m: r, origin_x_m: ox, origin_y_m: oy } = this.info;
		let x0 = width, x1 = -1, y0 = height, y1 = -1;
		for (let y = 0, i = 0; y < height; y++)
			for (let x = 0; x < width; x++, i++)
				if (this.grey[i] < 180 || this.grey[i] > 230) {
					x0 = Math.min(x0, x);
					x1 = Math.max(x1, x);
					y0 = Math.min(y0, y);
					y1 = Math.max(y1, y);
				}
		return x1 < 0 ? null : { x0: ox + x0 * r, x1: ox + (x1 + 1) * r, y0: oy + (height - 1 - y1) * r, y1: oy + (height - y0) * r };
	}

	paint() {
		if (!this.info)
			return;
		const { width, height } = this.info;
		this.canvas.width = width;
		this.canvas.height = height;
		const c = this.canvas.getContext('2d'), out = c.createImageData(width, height);
		const floor = rgb(this.theme.color('--floor')), wall = rgb(this.theme.color('--wall'));
		for (let i = 0; i < this.grey.length; i++) {
			const g = this.grey[i];
			if (g > 195 && g < 215)
				continue; // unknown: the ground of the page shows
			const share = Math.max(0, 1 - g / 255 - FREE_SHARE) / (1 - FREE_SHARE);
			for (let k = 0; k < 3; k++)
				out.data[4 * i + k] = floor[k] + (wall[k] - floor[k]) * share;
			out.data[4 * i + 3] = 255;
		}
		c.putImageData(out, 0, 0);
	}

	draw(c, view) {
		if (!this.info)
			return;
		const { width, height, resolution_m: r, origin_x_m: ox, origin_y_m: oy } = this.info;
		const [px, py] = view.toPixel(ox, oy + height * r);
		c.imageSmoothingEnabled = view.zoom * r < 1.5;
		c.drawImage(this.canvas, px, py, width * r * view.zoom, height * r * view.zoom);
	}

	// What the grid says of a place: 'floor', 'wall' or 'unknown'.
	at(x, y) {
		if (!this.info)
			return 'unknown';
		const { width, height, resolution_m: r, origin_x_m: ox, origin_y_m: oy } = this.info;
		const cx = Math.floor((x - ox) / r), cy = height - 1 - Math.floor((y - oy) / r);
		if (cx < 0 || cy < 0 || cx >= width || cy >= height)
			return 'unknown';
		const g = this.grey[cy * width + cx];
		return g > 230 ? 'floor' : g < 180 ? 'wall' : 'unknown';
	}
}

function rgb(hex) {
	const n = parseInt(hex.slice(1), 16);
	return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}
