// The newest message of each topic, with its age, and who is told when one comes.

export class Store extends EventTarget {
	latest = new Map(); // topic -> {data, t_ns, born, gone}; born = performance.now() when what it tells was true
	watchers = [];

	constructor(link) {
		super();
		this.link = link;
		link.addEventListener('message', (e) => this.take(e.detail));
		link.addEventListener('gone', (e) => this.gone(e.detail.topic));
	}

	take(m) {
		this.latest.set(m.topic, { data: m.data ?? {}, t_ns: m.t_ns, born: performance.now() - (m.age_ms ?? 0), gone: false });
		this.dispatchEvent(new CustomEvent(m.topic, { detail: m.data ?? {} }));
		this.mark(m.topic);
	}

	gone(topic) {
		const known = this.latest.get(topic);
		if (known)
			known.gone = true;
		this.mark(topic);
	}

	data(topic) {
		return this.latest.get(topic)?.data ?? null;
	}

	// Seconds since what the newest message tells was true; null = never heard.
	age(topic) {
		const known = this.latest.get(topic);
		return known ? (performance.now() - known.born) / 1000 : null;
	}

	// Whether the newest message may be shown as the present.
	fresh(topic) {
		const known = this.latest.get(topic);
		return this.link.state === 'open' && known !== undefined && !known.gone;
	}

	// Each message, as it comes.
	on(topic, fn) {
		this.addEventListener(topic, (e) => fn(e.detail));
	}

	// Each command of an operator: every stage that takes some tells them on a topic of its own.
	onCommanded(fn) {
		this.link.addEventListener('hello', (e) => this.link.want('commanded', (e.detail.topics ?? []).map((t) => t.name).filter((n) => n.startsWith('commanded')), 5));
		this.link.addEventListener('message', (e) => e.detail.topic.startsWith('commanded') && fn(e.detail.data));
	}

	// fn once a picture of the screen at most, when any of the topics has changed.
	watch(topics, fn) {
		this.watchers.push({ topics: new Set(topics), fn, due: false });
	}

	mark(topic) {
		let any = false;
		for (const w of this.watchers)
			if (topic === null || w.topics.has(topic))
				any = w.due = true;
		if (any && !this.drawing)
			this.drawing = requestAnimationFrame(() => this.draw());
	}

	draw() {
		this.drawing = 0;
		for (const w of this.watchers) {
			if (!w.due)
				continue;
			w.due = false;
			try {
				w.fn();
			} catch (e) {
				console.error(e); // one panel that fails takes no other with it
			}
		}
	}
}
