// The state of the robot in figures: the bar on top, the mission, money, connection and age.
import { age, byId, compass, duration, el, figures, latency, metres, setText, share, speed, usd, words } from './text.js';

const TONE = { exploring: 'go', goto: 'go', returning: 'go', paused: 'warn', finished: 'ok', idle: '', normal: 'ok', coasting: 'warn', local: 'warn', waiting: '', elevated: 'warn',
	degraded: 'bad', offline: 'bad', good: 'ok', weak: 'warn', lost: 'bad', none: 'warn', driving: 'ok', slowed: 'warn', blocked: 'warn', estop: 'bad', no_command: 'warn', no_scan: 'bad',
	no_device: 'bad', wheel_fault: 'bad', contradiction: 'bad', tilted: 'bad', battery_empty: 'bad', rearming: 'warn',
	waits_for_model: '', stopped: 'warn', battery_low: 'warn', fault: 'bad', waits_for_person: 'warn', guard: 'bad' };

export const tone = (word) => TONE[word] ?? '';

export class Status {
	constructor(link, store) {
		this.link = link;
		this.store = store;
		link.want('status', ['mission', 'motion', 'tier', 'vlm.stats', 'health', 'frontiers', 'battery', 'signal'], 2);
		link.want('status', ['pose'], 10);
		store.watch(['mission', 'tier', 'vlm.stats', 'health', 'battery', 'motion', 'pose'], () => this.drawBar());
		store.watch(['mission', 'frontiers', 'vlm.stats', 'discoveries', 'rooms', 'tier', 'pose', 'signal'], () => this.drawMission());
		link.addEventListener('state', (e) => this.drawLink(e.detail));
		link.addEventListener('hello', (e) => this.takeHello(e.detail));
		setInterval(() => this.drawAges(), 500);
		this.drawBar();
		this.drawMission();
	}

	takeHello(hello) {
		this.limits = hello.limits;
		setText(byId('robot-name'), hello.robot?.name);
		setText(byId('version'), hello.version ? `cairn ${hello.version}` : '');
	}

	drawLink({ state, why }) {
		const chip = byId('link-chip'), lost = byId('lost');
		chip.dataset.tone = state === 'open' ? 'ok' : state === 'lost' ? 'bad' : 'warn';
		setText(byId('link-text'), state === 'open' ? 'live' : state === 'lost' ? 'no connection' : 'connecting');
		document.body.classList.toggle('is-lost', state !== 'open');
		if (state === 'lost' && lost.hidden) {
			this.lostAt = performance.now();
			lost.hidden = false;
			lost.replaceChildren(el('strong', {}, 'Connection lost'), el('span', {}, why ? ` (${why})` : '', ' What is grey is old. Trying again by itself. Stops may not arrive: use the switch on the robot.'),
				el('span', { class: 'since', 'aria-hidden': 'true' }));
		}
		if (state === 'open') {
			lost.hidden = true;
			this.store.mark(null);
		}
	}

	// What is not of now is grey and tells its age.
	drawAges() {
		const since = document.querySelector('#lost .since');
		if (since && !byId('lost').hidden)
			setText(since, `for ${age((performance.now() - this.lostAt) / 1000)}`);
		for (const [panel, topic, out] of [['map', 'pose', 'map-age'], ['mission', 'mission', 'mission-age'], ['camera', 'percept', 'camera-age']]) {
			const s = this.store.age(topic), old = s !== null && (!this.store.fresh(topic) || s > 3);
			byId(panel).classList.toggle('is-old', old);
			setText(byId(out), old ? `${age(s)} old` : '');
		}
	}

	drawBar() {
		const { store } = this;
		const mission = store.data('mission'), motion = store.data('motion'), tier = store.data('tier'), vlm = store.data('vlm.stats'), pose = store.data('pose'), health = store.data('health');
		const now = byId('now');
		now.dataset.tone = mission ? tone(mission.state) : '';
		setText(byId('now-state'), mission ? words(mission.state) : 'no mission known');
		setText(byId('now-activity'), mission ? mission.activity || mission.reason : '');
		const rows = [
			['Wheels', motion ? (motion.state === 'estop' ? 'held' : words(motion.state)) : '\u2013', tone(motion?.state)],
			['Speed', speed(pose?.v_mps)],
			['Heading', compass(pose?.yaw_rad)],
			['Tracking', pose ? pose.tracking : '\u2013', tone(pose?.tracking)],
			['Model', tier ? words(tier.tier) : '\u2013', tone(tier?.tier)],
			['Network', vlm ? vlm.net_tier : '\u2013', tone(vlm?.net_tier)],
			['Latency', latency(vlm?.latency_mean_s)],
			['Battery', store.data('battery') ? `${store.data('battery').voltage_v.toFixed(1)} V` : '\u2013'],
		];
		figures(byId('gauges'), rows);
		const asks = byId('asks');
		const unwell = health && !health.ok && motion?.state !== 'estop'; // an emergency stop has a banner of its own
		const waits = motion?.waits_release && motion.state !== 'estop';
		asks.hidden = !(mission?.help || waits || unwell);
		if (mission?.help)
			setText(asks, `The robot asks for help: ${mission.help}`);
		else if (waits)
			setText(asks, `The robot waits for a person to release it: ${motion.reason}`);
		else if (unwell)
			setText(asks, `Not well: ${health.problem}`);
		asks.dataset.tone = mission?.help || waits ? 'warn' : 'bad';
		this.speak(mission?.help ? `The robot asks for help: ${mission.help}` : waits ? 'The robot waits for a person' : '');
	}

	// Who asks for a person may be out of sight of the page: it is said aloud, once, where the browser has a voice and lets the page use it.
	speak(call) {
		if (call && call !== this.spoken)
			window.speechSynthesis?.speak(new SpeechSynthesisUtterance(call));
		this.spoken = call;
	}

	drawMission() {
		const { store } = this;
		const m = store.data('mission'), f = store.data('frontiers'), vlm = store.data('vlm.stats'), pose = store.data('pose'), signal = store.data('signal');
		setText(byId('mission-goal'), m ? m.goal || (m.state === 'exploring' ? 'Explore all' : words(m.reason)) : 'No word of a mission yet');
		byId('coverage').querySelector('progress').value = f?.coverage ?? 0;
		setText(byId('coverage').querySelector('b'), f ? `${share(f.coverage)} \u00b7 ${f.free_m2.toFixed(1)} m\u00b2 of floor` : '\u2013');
		const rows = [
			['Time', m ? duration(m.elapsed_s) + (m.limit_s > 0 ? ` of ${duration(m.limit_s)}` : '') : '\u2013'],
			['Driven', metres(pose?.distance_m, 1)],
			['To the start', metres(m?.home_m, 1)],
			['Openings', f ? `${f.reachable} of ${f.total} in reach` : '\u2013'],
			['Decisions', m ? `${m.decisions}, ${m.refused} refused` : '\u2013'],
			['Overruled', m ? `${m.overrides} by safety` : '\u2013', Number(m?.overrides) > 0 ? 'warn' : ''],
			['Model', vlm ? `${vlm.provider} ${vlm.model}` : '\u2013'],
			['Calls', vlm ? `${vlm.calls}, ${vlm.failures} failed` : '\u2013', Number(vlm?.failures) > 0 ? 'warn' : ''],
			['Tokens', vlm ? `${thousands(vlm.tokens_in)} in, ${thousands(vlm.tokens_out)} out` : '\u2013'],
		];
		if (signal) // what beeper and lights show
			rows.push(['Signal', words(signal.signal), tone(signal.signal)]);
		if (vlm?.novelty >= 0 || vlm?.rule_decisions > 0)
			rows.push(['By rule', `${vlm.rule_decisions}; novelty ${vlm.novelty >= 0 ? vlm.novelty.toFixed(2) : 'not known'}`]);
		if (vlm?.strong_provider)
			rows.push(['Hard decisions', `${vlm.strong_provider}, ${vlm.strong_calls} calls`]);
		if (vlm?.local_provider)
			rows.push(['Without network', `${vlm.local_provider}${vlm.local_decides ? ' decides now' : ''}, ${vlm.local_calls} calls`]);
		if (vlm?.last_error)
			rows.push(['Last failure', vlm.last_error, 'bad']);
		figures(byId('mission-figures'), rows);
		const money = byId('money'), limit = this.limits?.usd_per_session;
		money.querySelector('progress').value = vlm?.budget_share ?? 0;
		money.dataset.tone = (vlm?.budget_share ?? 0) >= 0.8 ? 'bad' : '';
		setText(money.querySelector('b'), vlm ? `${usd(vlm.cost_usd)}${limit > 0 ? ` of ${limit.toFixed(2)}` : ''} \u00b7 ${share(vlm.budget_share)} of the nearest limit` : '\u2013');
		money.title = this.limits ? `No call is made beyond ${this.limits.usd_per_session} USD a session and ${this.limits.usd_per_hour} USD an hour` : '';
	}
}

const thousands = (text) => (Number(text) >= 10000 ? `${Math.round(Number(text) / 1000)}k` : String(text));

