// What is drawn on the map, one row a layer, from below to above; the legend and the switches are made of the same rows.
// draw(d): d = {c, view, t (colour by name), data (topic -> data), robot, trail, decisions, raster, labels (drawn above all of it)}

import { rooms } from './house.js';
import { RANK } from './map_labels.js';
import { narrowGaps } from './narrow.js';
import { metres } from './text.js';

const TAU = 2 * Math.PI;

export const LAYERS = [
	{ id: 'grid', label: 'Metre grid', color: '--line', draw: drawMetreGrid },
	{ id: 'map', label: 'Floor and walls', color: '--wall', draw: (d) => d.raster.draw(d.c, d.view) },
	{ id: 'zones', label: 'Zones', color: '--bad', topics: { zones: 1 }, draw: drawZones },
	{ id: 'trail', label: 'Way driven', color: '--trail', draw: drawTrail },
	{ id: 'scan', label: 'LiDAR', color: '--scan', topics: { scan: 5 }, draw: drawScan },
	{ id: 'plan', label: 'Planned path and goal', color: '--accent', topics: { 'nav.path': 2, 'nav.goal': 2 }, draw: drawPlan },
	{ id: 'goal', label: 'Goal of the exploration', color: '--ok', topics: { mission: 1 }, draw: drawMissionGoal },
	{ id: 'frontiers', label: 'Openings', color: '--warn', topics: { frontiers: 1 }, draw: drawFrontiers },
	{ id: 'candidates', label: 'Candidates', color: '--violet', topics: { candidates: 1 }, draw: drawCandidates },
	{ id: 'things', label: 'Things seen', color: '--soft', topics: { scene: 0.5 }, draw: drawThings },
	{ id: 'rooms', label: 'Rooms', color: '--text', topics: { rooms: 1, scene: 0.5 }, draw: drawRooms },
	{ id: 'discoveries', label: 'Reported by the model', color: '--ok', topics: { discoveries: 1 }, draw: drawDiscoveries },
	{ id: 'decisions', label: 'Decisions', color: '--dim', draw: drawDecisions },
	{ id: 'robot', label: 'Robot', color: '--robot', draw: drawRobot },
];

function drawMetreGrid({ c, view, t }) {
	const step = view.zoom < 22 ? 5 : 1;
	const [x0, y1] = view.toMetres(0, 0), [x1, y0] = view.toMetres(view.width, view.height);
	c.strokeStyle = t('--map-grid');
	c.lineWidth = 1;
	c.beginPath();
	for (let x = Math.ceil(x0 / step) * step; x <= x1; x += step) {
		const px = Math.round(view.toPixel(x, 0)[0]) + 0.5;
		c.moveTo(px, 0);
		c.lineTo(px, view.height);
	}
	for (let y = Math.ceil(y0 / step) * step; y <= y1; y += step) {
		const py = Math.round(view.toPixel(0, y)[1]) + 0.5;
		c.moveTo(0, py);
		c.lineTo(view.width, py);
	}
	c.stroke();
}

function outline(c, view, points, close) {
	c.beginPath();
	points.forEach(([x, y], i) => {
		const [px, py] = view.toPixel(x, y);
		i === 0 ? c.moveTo(px, py) : c.lineTo(px, py);
	});
	if (close)
		c.closePath();
}

function drawZones(d) {
	const { c, view, t } = d;
	for (const z of d.data('zones')?.items ?? []) {
		const points = z.corners.map((p) => [p.x_m, p.y_m]), color = t(z.kind === 'keepout' ? '--bad' : '--warn');
		drawArea(d, points, color);
		const mx = points.reduce((s, p) => s + p[0], 0) / points.length, my = points.reduce((s, p) => s + p[1], 0) / points.length;
		const [px, py] = view.toPixel(mx, my);
		d.labels.add(`zone/${z.name}`, RANK.zone, `${z.kind === 'keepout' ? 'keep out' : 'slow'}: ${d.clean(z.name)}`, px, py, color);
	}
	c.setLineDash([]);
}

export function drawArea({ c, view }, points, color, close = true) {
	outline(c, view, points, close);
	c.fillStyle = color;
	c.globalAlpha = 0.14;
	c.fill();
	c.globalAlpha = 0.9;
	c.strokeStyle = color;
	c.lineWidth = 1.5;
	c.setLineDash([5, 4]);
	c.stroke();
	c.setLineDash([]);
	c.globalAlpha = 1;
}

function drawTrail({ c, view, t, trail }) {
	if (trail.length < 2)
		return;
	c.strokeStyle = t('--trail');
	c.lineWidth = 2;
	c.lineJoin = c.lineCap = 'round';
	c.globalAlpha = 0.75;
	c.beginPath();
	trail.forEach(([x, y, jump], i) => {
		const [px, py] = view.toPixel(x, y);
		i === 0 || jump ? c.moveTo(px, py) : c.lineTo(px, py);
	});
	c.stroke();
	c.globalAlpha = 1;
}

function drawScan({ c, view, t, data, robot, scanPose }) {
	const scan = data('scan');
	if (!scan || !scanPose)
		return;
	const lx = robot.lidar_x_m ?? 0, ly = robot.lidar_y_m ?? 0, cos = Math.cos(scanPose.yaw_rad), sin = Math.sin(scanPose.yaw_rad);
	const size = Math.max(1.6, Math.min(3, view.zoom * 0.03));
	c.fillStyle = t('--scan');
	for (let i = 0; i < scan.range_m.length; i++) {
		const r = scan.range_m[i];
		if (!(r > 0))
			continue;
		const x = lx + r * Math.cos(scan.angle_rad[i]), y = ly + r * Math.sin(scan.angle_rad[i]);
		const [px, py] = view.toPixel(scanPose.x_m + x * cos - y * sin, scanPose.y_m + x * sin + y * cos);
		c.fillRect(px - size / 2, py - size / 2, size, size);
	}
}

function drawPlan({ c, view, t, data }) {
	const goal = data('nav.goal'), path = data('nav.path');
	if (!goal?.active)
		return;
	if (path && String(path.goal_id) === String(goal.id) && path.points.length > 1) {
		outline(c, view, path.points.map((p) => [p.x_m, p.y_m]), false);
		c.lineJoin = 'round';
		c.strokeStyle = t('--accent');
		c.globalAlpha = 0.25;
		c.lineWidth = 7;
		c.stroke();
		c.globalAlpha = 1;
		c.lineWidth = 2.2;
		c.stroke();
	}
	const [px, py] = view.toPixel(goal.x_m, goal.y_m);
	c.strokeStyle = t('--accent');
	c.lineWidth = 2;
	for (const r of [4, Math.max(9, goal.tolerance_m * view.zoom)]) {
		c.beginPath();
		c.arc(px, py, r, 0, TAU);
		c.stroke();
	}
}

/* What it is out for, once that has a place; where it drives just now is the plan's goal. */
function drawMissionGoal(d) {
	const m = d.data('mission');
	if (!m?.goal_known || !m.goal)
		return;
	const [px, py] = mark(d, m.goal_x_m, m.goal_y_m, d.t('--ok'), 10, false);
	mark(d, m.goal_x_m, m.goal_y_m, d.t('--ok'), 3, true);
	d.labels.add('goal', RANK.zone, `goal: ${d.clean(m.goal_place || m.goal)}`, px, py, d.t('--ok'), { gap: 14, bold: true });
}

function drawFrontiers(d) {
	const { c, view, t } = d, f = d.data('frontiers');
	for (const b of f?.blind ?? [])
		mark(d, b.x_m, b.y_m, t('--dim'), 3, false);
	const given = d.data('mission')?.given_up ?? [];
	for (const i of f?.items ?? []) {
		const gone = given.some((g) => Math.hypot(g.x_m - i.x_m, g.y_m - i.y_m) < 0.5), reach = i.distance_m >= 0 && !gone;
		const [px, py] = view.toPixel(i.x_m, i.y_m);
		const color = reach ? t('--warn') : t('--dim');
		c.fillStyle = color;
		c.globalAlpha = 0.2;
		c.beginPath();
		c.arc(px, py, Math.min(22, Math.max(10, (i.width_m / 2) * view.zoom)), 0, TAU);
		c.fill();
		c.globalAlpha = 1;
		d.labels.add(`opening/${i.id}`, RANK.opening, i.detour_m === 0 && reach ? `F${i.id} next` : `F${i.id}`, px, py, color, { bold: true });
	}
	for (const g of narrowGaps(f)) {
		const [px, py] = mark(d, g.x_m, g.y_m, t('--bad'), 6, false);
		d.labels.add(`narrow/${g.x_m},${g.y_m}`, RANK.opening, `${metres(g.width_m, 2)}, ${metres(g.short_m, 2)} too narrow`, px, py - 16, t('--bad'));
	}
}

function mark({ c, view }, x, y, color, r, filled) {
	const [px, py] = view.toPixel(x, y);
	c.beginPath();
	c.arc(px, py, r, 0, TAU);
	c.lineWidth = 1.5;
	c.strokeStyle = c.fillStyle = color;
	filled ? c.fill() : c.stroke();
	return [px, py];
}

function drawCandidates(d) {
	const { c, view, t } = d;
	for (const i of d.data('candidates')?.items ?? []) {
		const [px, py] = view.toPixel(i.x_m, i.y_m), r = 5;
		c.fillStyle = t('--violet');
		c.beginPath();
		c.moveTo(px, py - r);
		c.lineTo(px + r, py);
		c.lineTo(px, py + r);
		c.lineTo(px - r, py);
		c.fill();
		d.labels.add(`candidate/${i.id}`, RANK.candidate, `C${i.id} ${Math.round(i.score * 100)}`, px, py, t('--violet'), { gap: 10 });
	}
}

// With their names where there is room for them; what was seen most comes first.
function drawThings(d) {
	const { c, view, t } = d, all = (d.data('scene')?.nodes ?? []).filter((n) => n.kind === 'object').sort((a, b) => b.seen - a.seen);
	for (const n of all) {
		const color = t(n.stale ? '--dim' : '--soft'), alpha = n.stale ? 0.5 : 1, [x0, y0, , x1, y1] = n.box_m ?? [];
		c.globalAlpha = alpha;
		if (x1 > x0 && y1 > y0) {
			outline(c, view, [[x0, y0], [x1, y0], [x1, y1], [x0, y1]], true);
			c.lineWidth = 1;
			c.strokeStyle = color;
			c.stroke();
		}
		const [px, py] = mark(d, n.x_m, n.y_m, color, 2, !n.stale);
		d.labels.add(`thing/${n.id}`, RANK.thing, d.clean(n.label), px, py, color, { gap: 6, alpha });
		c.globalAlpha = 1;
	}
}

function drawRooms(d) {
	for (const [i, r] of rooms(d.data('scene'), d.data('rooms')).entries()) { // two may have one name
		const [px, py] = d.view.toPixel(r.x_m, r.y_m);
		d.labels.add(`room/${r.name}/${i}`, RANK.room, d.clean(r.name), px, py, d.t(r.named ? '--text' : '--dim'), { bold: r.named });
	}
}

function drawDiscoveries(d) {
	for (const i of d.data('discoveries')?.items ?? []) {
		if (i.kind === 'room')
			continue;
		const color = d.t(i.kind === 'hazard' ? '--bad' : '--ok');
		const [px, py] = mark(d, i.x_m, i.y_m, color, 4.5, true);
		d.labels.add(`report/${i.id}`, RANK.report, d.clean(i.label), px, py, color, { gap: 9 });
	}
}

function drawDecisions(d) {
	for (const i of d.decisions)
		mark(d, i.x_m, i.y_m, d.t(i.tone ? `--${i.tone}` : '--dim'), i.id === d.chosen ? 7 : 3.5, i.id !== d.chosen);
}

function drawRobot({ c, view, t, robot, pose, old, labels }) {
	if (!pose)
		return;
	const [px, py] = view.toPixel(pose.x_m, pose.y_m), z = view.zoom;
	const front = robot.footprint_front_m ?? 0.25, rear = robot.footprint_rear_m ?? 0.1, half = robot.footprint_half_width_m ?? 0.1;
	const color = old ? t('--dim') : t('--robot');
	labels.reserve(px - 10, py - 10, 20, 20);
	c.save();
	c.translate(px, py);
	c.fillStyle = color;
	c.globalAlpha = 0.16;
	c.beginPath();
	c.arc(0, 0, Math.max(14, 3 * pose.sigma_xy_m * z), 0, TAU); // three standard deviations, or what can be seen
	c.fill();
	c.globalAlpha = 1;
	c.rotate(-pose.yaw_rad);
	const grow = Math.max(1, 13 / ((front + rear) * z)); // far away it stays a mark of its own
	c.scale(grow, grow);
	c.beginPath();
	c.roundRect(-rear * z, -half * z, (front + rear) * z, 2 * half * z, Math.min(4, 0.04 * z));
	c.globalAlpha = 0.35;
	c.fill();
	c.globalAlpha = 1;
	c.lineWidth = 1.6 / grow;
	c.strokeStyle = color;
	c.stroke();
	c.beginPath();
	c.moveTo(front * z * 0.82, 0);
	c.lineTo(front * z * 0.15, -half * z * 0.66);
	c.lineTo(front * z * 0.32, 0);
	c.lineTo(front * z * 0.15, half * z * 0.66);
	c.fill();
	c.restore();
}
