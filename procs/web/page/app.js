// The page of cairn: puts the parts together. Each part is a module that knows the link (what is sent and asked), the
// store (the newest of each topic) and its own piece of the document.
import { byId } from './text.js';
import { Link } from './link.js';
import { Store } from './store.js';
import { Rights } from './rights.js';
import { Theme } from './theme.js';
import { Stops } from './stop.js';
import { Status } from './status.js';
import { Camera } from './camera.js';
import { Steer } from './steer.js';
import { Hand } from './hand.js';
import { MapPanel } from './map.js';
import { MapTools } from './map_tools.js';
import { Decisions } from './decisions.js';
import { Trace } from './trace.js';
import { Tabs } from './tabs.js';
import { Plots } from './plot.js';
import { Stages } from './stages.js';
import { Places } from './places.js';
import { House } from './house.js';
import { Task } from './task.js';
import { Events } from './events.js';
import { Voice } from './voice.js';
import { Logs } from './logs.js';
import { openSheet } from './sheets.js';

const link = new Link();
const store = new Store(link);
const theme = new Theme();
const rights = new Rights(link);
new Stops(link, store); // first: a fault in what follows leaves the stops in reach
const map = new MapPanel(link, store, theme);
const decisions = new Decisions(link, store);
map.decisions = () => decisions.marks();
const house = new House(link, store, rights, map);
new MapTools(link, store, map, rights, decisions, house);
new Trace(decisions, map);
new Status(link, store);
const camera = new Camera(link, store, theme);
decisions.pictureOf = (snapshot) => camera.pictureOf(snapshot);
new Steer(link, store);
new Hand(link, rights);
new Stages(link, store, rights);
new Places(link, store, rights, map);
new Task(link, store, map, house);
new Events(link, store);
new Voice(link, store);
const plots = new Plots(link, store, theme);
const logs = new Logs(link);
const tabs = new Tabs();
tabs.onchange = (name) => {
	plots.show(name === 'plot');
	logs.show(name === 'logs');
	house.show(name === 'house');
};
plots.show(true);

byId('open-help').addEventListener('click', () => openSheet(byId('help')));

document.addEventListener('keydown', (e) => {
	if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.('input, textarea, select'))
		return;
	if (e.key === '?')
		openSheet(byId('help'));
	else if (e.key === 't')
		theme.next();
});

rights.take([]);
// A key in the address counts from the first connection on, unless the server takes its time.
await Promise.race([rights.fromAddress(), new Promise((resolve) => setTimeout(resolve, 2000))]);
link.start();
