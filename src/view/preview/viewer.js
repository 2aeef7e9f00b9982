// The data of the page, the camera and the controls. `makeRenderer` (draw.js) draws.
"use strict";

const byId = (id) => document.getElementById(id);

function fail(text) {
  byId("message").textContent = text;
  byId("message").style.display = "block";
  throw new Error(text);
}

/** The bytes of a data element; there must be `length` of them. */
function bytesOf(id, length) {
  const element = byId(id);
  if (!element) fail(`This page is damaged: its part '${id}' is missing.`);
  let text;
  try {
    text = atob(element.textContent);
  } catch (_) {
    fail(`This page is damaged: its part '${id}' cannot be decoded.`);
  }
  if (text.length !== length) {
    fail(`This page is damaged: its part '${id}' has ${text.length} bytes instead of ${length}.`);
  }
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

const meta = JSON.parse(byId("meta").textContent);
const counts = [meta.vertices, meta.vertices, 3 * meta.triangles, 2 * meta.edges];
const topology = new Uint32Array(bytesOf("topology", 4 * counts.reduce((a, b) => a + b)).buffer);
const scene = { meta };
for (const [i, name] of ["points", "parts", "triangles", "edges"].entries()) {
  const start = counts.slice(0, i).reduce((a, b) => a + b, 0);
  scene[name] = topology.subarray(start, start + counts[i]);
}
const [low, high] = meta.bounds;
const [near, far] = meta.focus;
const middle = near.map((x, k) => 0.5 * (x + far[k]));
scene.floor = meta.floor - middle[1];
scene.reach = Math.max(...near.map((x, k) => far[k] - x), 1e-9);
scene.positions = new Float32Array(3 * meta.points);
scene.normals = new Float32Array(3 * meta.vertices);
scene.colours = new Uint8Array(4 * meta.vertices);

const state = {
  index: 0, clock: 0, playing: false, run: 0, speed: 1, array: meta.array, wire: meta.wireframe, dark: meta.dark,
  azimuth: 0, elevation: 0, distance: 1, target: [0, 0, 0],
};

/** Decodes a frame into the scene: positions about the middle of the motion, normals and colours. */
function loadFrame(index) {
  const n = meta.points;
  const data = bytesOf(`f${index}`, n * (6 + meta.arrays.length));
  const places = new Uint16Array(data.buffer, 0, 3 * n);
  for (let i = 0; i < 3 * n; i++) {
    const k = i % 3;
    scene.positions[i] = low[k] - middle[k] + (places[i] / 65535) * (high[k] - low[k]);
  }
  computeNormals();
  const values = state.array < 0 ? null : data.subarray(n * (6 + state.array), n * (7 + state.array));
  for (let v = 0; v < meta.vertices; v++) {
    const part = meta.parts[scene.parts[v]];
    const colour = values && !part.obstacle ? mapped(values[scene.points[v]] / 255) : part.colour;
    scene.colours.set(colour, 4 * v);
    scene.colours[4 * v + 3] = 255;
  }
  state.index = index;
}

/** Normals of the triangles, weighted by area, at their vertices. */
function computeNormals() {
  const { positions: p, normals, points, triangles } = scene;
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const [i, j, k] = [triangles[t], triangles[t + 1], triangles[t + 2]];
    const [a, b, c] = [3 * points[i], 3 * points[j], 3 * points[k]];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const v of [i, j, k]) {
      normals[3 * v] += n[0]; normals[3 * v + 1] += n[1]; normals[3 * v + 2] += n[2];
    }
  }
  for (let v = 0; v < normals.length; v += 3) {
    const length = Math.hypot(normals[v], normals[v + 1], normals[v + 2]) || 1;
    normals[v] /= length; normals[v + 1] /= length; normals[v + 2] /= length;
  }
}

/** The colour map between its given colours. */
function mapped(part) {
  const at = part * (meta.map.length - 1);
  const i = Math.min(Math.floor(at), meta.map.length - 2);
  return meta.map[i].map((x, k) => Math.round(x + (at - i) * (meta.map[i + 1][k] - x)));
}

// ---------------------------------------------------------------- camera

const SLOPE = 0.28, FILL = 0.8;

/** Right, up, forward and the unit vector to a direction in degrees. */
function axes(azimuth = state.azimuth, elevation = state.elevation) {
  const [a, e] = [azimuth, elevation].map((x) => (x * Math.PI) / 180);
  const back = [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)];
  return {
    right: [Math.cos(a), 0, -Math.sin(a)],
    up: [-Math.sin(a) * Math.sin(e), Math.cos(e), -Math.cos(a) * Math.sin(e)],
    forward: back.map((x) => -x),
    back,
  };
}

/** Puts the camera as near as the box of the motion allows. */
function resetView() {
  [state.azimuth, state.elevation] = meta.view;
  const { right, up, forward } = axes();
  const shorter = Math.min(canvas.clientWidth, canvas.clientHeight) || 1;
  const slopes = [canvas.clientWidth, canvas.clientHeight].map((side) => (FILL * SLOPE * (side || 1)) / shorter);
  const most = [-Infinity, -Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const p = near.map((x, k) => ((corner >> k) & 1 ? far[k] : x) - middle[k]);
    const [r, u, f] = [right, up, forward].map((axis) => axis.reduce((sum, x, k) => sum + x * p[k], 0));
    [r - f * slopes[0], -r - f * slopes[0], u - f * slopes[1], -u - f * slopes[1]].forEach((x, i) => {
      most[i] = Math.max(most[i], x);
    });
  }
  const distance = Math.max((most[0] + most[1]) / (2 * slopes[0]), (most[2] + most[3]) / (2 * slopes[1]));
  state.distance = Math.max(distance, 0.1 * scene.reach);
  const [r, u] = [(most[0] - most[1]) / 2, (most[2] - most[3]) / 2];
  state.target = right.map((x, k) => r * x + u * up[k]);
}

/** All that a renderer needs to know of the view. */
function camera() {
  const { right, up, forward, back } = axes();
  const eye = state.target.map((x, k) => x + state.distance * back[k]);
  const key = axes(state.azimuth - 48, 52).back, fill = axes(state.azimuth + 62, 18).back;
  const size = [canvas.width, canvas.height];
  const focal = (0.5 * Math.min(...size)) / SLOPE;
  return { right, up, forward, eye, key, fill, size, focal, near: 0.01 * state.distance, far: state.distance + 20 * scene.reach };
}

// ---------------------------------------------------------------- drawing and controls

const canvas = byId("view");
const renderer = makeRenderer(canvas, scene);
let wanted = false;

function draw() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(() => {
    wanted = false;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const size = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * ratio)));
    if (canvas.width !== size[0] || canvas.height !== size[1]) [canvas.width, canvas.height] = size;
    renderer.draw(camera(), state);
  });
}

function show(index) {
  loadFrame(index);
  byId("scrub").value = index;
  const last = meta.frames.length - 1;
  byId("time").textContent = `frame ${meta.frames[index]} / ${meta.frames[last]}   ${meta.times[index].toFixed(3)} s`;
  renderer.update();
  draw();
}

function setPlaying(playing) {
  if (playing && state.index === meta.frames.length - 1) show(0);
  state.playing = playing;
  state.run += 1;
  state.clock = meta.times[state.index];
  byId("play").textContent = playing ? "Pause" : "Play";
  const run = state.run;
  if (playing) requestAnimationFrame((now) => tick(now, now, run));
}

/** Goes on from the last picture to this one; a later start or stop ends it. */
function tick(now, before, run) {
  if (run !== state.run) return;
  const { times } = meta;
  const last = times.length - 1;
  // The last frame stays for as long as the mean one.
  const end = times[last] + (last > 0 ? (times[last] - times[0]) / last : 1);
  state.clock += (Math.min(now - before, 250) / 1000) * state.speed;
  if (state.clock >= end) state.clock = times[0];
  let index = state.clock < times[state.index] ? 0 : state.index;
  while (index < last && times[index + 1] <= state.clock) index++;
  if (index !== state.index) show(index);
  requestAnimationFrame((next) => tick(next, now, run));
}

function short(x) {
  return x === 0 ? "0" : Math.abs(x) >= 1e-3 && Math.abs(x) < 1e4 ? String(Number(x.toPrecision(3))) : x.toExponential(2);
}

function showLegend() {
  const legend = byId("legend");
  legend.replaceChildren();
  const add = (parent, tag, name, text) => {
    const element = document.createElement(tag);
    element.className = name;
    element.textContent = text || "";
    parent.append(element);
    return element;
  };
  if (state.array < 0) {
    for (const part of meta.parts) {
      const row = add(legend, "div", "part");
      add(row, "i", "").style.background = `rgb(${part.colour})`;
      add(row, "span", "", part.name);
    }
    return;
  }
  const { name, unit, low: from, high: to } = meta.arrays[state.array];
  add(legend, "div", "name", unit ? `${name} (${unit})` : name);
  const bar = add(legend, "div", "bar");
  bar.style.background = `linear-gradient(to top, ${meta.map.map((c) => `rgb(${c})`)})`;
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    add(bar, "span", "", short(from + part * (to - from))).style.top = `${100 * (1 - part)}%`;
  }
}

function colourBy(name) {
  const index = name === "body" ? -1 : meta.arrays.findIndex((array) => array.name === name);
  if (index < 0 && name !== "body") throw new Error(`there is no array '${name}'`);
  state.array = index;
  byId("colour").value = name;
  showLegend();
  show(state.index);
}

function setDark(dark) {
  state.dark = dark;
  byId("dark").checked = dark;
  document.documentElement.classList.toggle("dark", dark);
  draw();
}

function setWire(wire) {
  state.wire = wire;
  byId("wire").checked = wire;
  draw();
}

function seekIndex(index) {
  const bounded = Math.max(0, Math.min(meta.frames.length - 1, index));
  state.clock = meta.times[bounded];
  show(bounded);
}

function listen() {
  const on = (id, event, f) => byId(id).addEventListener(event, f);
  on("play", "click", () => setPlaying(!state.playing));
  on("scrub", "input", () => { setPlaying(false); seekIndex(Number(byId("scrub").value)); });
  on("speed", "change", () => { state.speed = Number(byId("speed").value); });
  on("colour", "change", () => colourBy(byId("colour").value));
  on("wire", "change", () => setWire(byId("wire").checked));
  on("dark", "change", () => setDark(byId("dark").checked));
  on("reset", "click", () => { resetView(); draw(); });
  const keys = {
    " ": () => setPlaying(!state.playing),
    ArrowRight: () => { setPlaying(false); seekIndex(state.index + 1); },
    ArrowLeft: () => { setPlaying(false); seekIndex(state.index - 1); },
    Home: () => seekIndex(0),
    End: () => seekIndex(meta.frames.length - 1),
    w: () => setWire(!state.wire),
    d: () => setDark(!state.dark),
    r: () => { resetView(); draw(); },
  };
  window.addEventListener("keydown", (event) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    event.preventDefault();
    action();
  });
  window.addEventListener("resize", draw);
  const pointers = new Map();
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { length: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };
  on("view", "pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  for (const end of ["pointerup", "pointercancel"]) on("view", end, (event) => pointers.delete(event.pointerId));
  on("view", "pointermove", (event) => {
    const from = pointers.get(event.pointerId);
    if (!from) return;
    const before = pointers.size === 2 ? spread() : null;
    const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
    [from.x, from.y] = [event.clientX, event.clientY];
    if (before) {
      const after = spread();
      zoom(before.length / Math.max(after.length, 1));
      pan(after.x - before.x, after.y - before.y);
    } else if (event.buttons & 6 || event.shiftKey) pan(dx, dy);
    else turn(dx, dy);
    draw();
  });
  on("view", "wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(0.0012 * event.deltaY * (event.deltaMode === 1 ? 30 : 1)));
    draw();
  });
  on("view", "contextmenu", (event) => event.preventDefault());
}

function turn(dx, dy) {
  state.azimuth -= 0.35 * dx;
  state.elevation = Math.max(-89.9, Math.min(89.9, state.elevation + 0.35 * dy));
}

function pan(dx, dy) {
  const { right, up } = axes();
  const perPixel = (2 * SLOPE * state.distance) / Math.min(canvas.clientWidth, canvas.clientHeight);
  state.target = state.target.map((x, k) => x + perPixel * (dy * up[k] - dx * right[k]));
}

function zoom(factor) {
  state.distance = Math.max(0.02 * scene.reach, Math.min(40 * scene.reach, state.distance * factor));
}

function start() {
  document.querySelector("#title b").textContent = meta.name;
  const last = meta.times.length - 1;
  document.querySelector("#title span").textContent =
    `${meta.frames.length} frames, ${(meta.times[last] - meta.times[0]).toFixed(2)} s, ${meta.triangles} triangles`;
  byId("scrub").max = last;
  for (const name of ["body", ...meta.arrays.map((array) => array.name)]) byId("colour").append(new Option(name, name));
  listen();
  resetView();
  setDark(state.dark);
  setWire(state.wire);
  colourBy(state.array < 0 ? "body" : meta.arrays[state.array].name);
}

/** For scripts: numbers are those of the run's frames; `seek` goes to the nearest one that is there. */
window.pliant = {
  get frame() { return meta.frames[state.index]; },
  get frames() { return meta.frames.slice(); },
  get playing() { return state.playing; },
  get renderer() { return renderer.name; },
  play() { setPlaying(true); },
  pause() { setPlaying(false); },
  seek(number) {
    const away = meta.frames.map((frame) => Math.abs(frame - number));
    seekIndex(away.indexOf(Math.min(...away)));
  },
  colorBy: colourBy,
};

start();
