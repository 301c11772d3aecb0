// Gaps that are too narrow for the robot, each once, however many openings lie behind: as common/map/narrow_gap.c tells them.
const SAME_M = 0.3;

export function gapOf(f, i) {
	return i.gap_m > 0 ? { x_m: i.gap_x_m, y_m: i.gap_y_m, width_m: i.gap_m, short_m: Math.max(f.needs_m - i.gap_m, 0) } : null;
}

export function narrowGaps(f) {
	const gaps = [];
	for (const g of (f?.items ?? []).map((i) => gapOf(f, i)))
		if (g && !gaps.some((o) => Math.hypot(o.x_m - g.x_m, o.y_m - g.y_m) < SAME_M))
			gaps.push(g);
	return gaps;
}
