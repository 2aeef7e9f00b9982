// Drawing by WebGL, and by a 2D canvas where there is none: far triangles first. No library.

const VERTEX = `
attribute vec3 position, normal, other;
attribute vec4 colour;
attribute float side;
uniform vec3 right, up, forward, eye, key, lens;
uniform vec2 viewport;
uniform float floorHeight, lineWidth;
uniform int mode;
varying vec3 vPoint, vNormal;
varying vec4 vColour;
varying float vSide;
vec4 project(vec3 p) {
  vec3 q = p - eye;
  float depth = dot(q, forward);
  vec2 plane = vec2(dot(q, right), dot(q, up)) * 2.0 * lens.x / viewport;
  float near = lens.y, far = lens.z;
  return vec4(plane, (far + near) / (far - near) * depth - 2.0 * far * near / (far - near), depth);
}
void main() {
  vec3 p = position;
  if (mode == 1) p -= key * (p.y - floorHeight) / key.y;
  vPoint = p; vNormal = normal; vColour = colour; vSide = side;
  gl_Position = project(p);
  if (mode == 3) {
    vec4 q = project(other);
    vec2 along = (q.xy / q.w - gl_Position.xy / gl_Position.w) * viewport;
    vec2 across = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(1.0, 0.0);
    float width = max(lineWidth * lens.x, 1.3 * gl_Position.w);
    gl_Position.xy += across * side * width * 2.0 / viewport;
  }
}`;

const FRAGMENT = `
precision highp float;
precision highp int;
uniform vec3 eye, key, fill, flatColour;
uniform float reach, even;
uniform int mode;
varying vec3 vPoint, vNormal;
varying vec4 vColour;
varying float vSide;
void main() {
  if (mode == 1 || mode == 2) { gl_FragColor = vec4(flatColour, 1.0); return; }
  if (mode == 4) {
    float away = min(length(vPoint.xz) / (2.2 * reach), 1.0);
    gl_FragColor = vec4(flatColour, 0.22 * (1.0 - away));
    return;
  }
  vec3 back = normalize(eye - vPoint);
  vec3 colour = pow(vColour.rgb, vec3(2.2));
  float light;
  float gloss = 0.0;
  if (mode == 3) {
    light = 0.25 + 0.75 * sqrt(max(0.0, 1.0 - vSide * vSide));
  } else {
    vec3 n = normalize(vNormal);
    if (dot(n, back) < 0.0) n = -n;
    light = 0.18 + 0.24 * (0.5 + 0.5 * n.y) + 0.66 * max(dot(n, key), 0.0) + 0.16 * max(dot(n, fill), 0.0);
    light += even * (0.95 - light);
    gloss = 0.07 * pow(max(dot(n, normalize(back + key)), 0.0), 30.0);
  }
  gl_FragColor = vec4(pow(colour * light + gloss, vec3(1.0 / 2.2)), 1.0);
}`;

const PAPER = { light: [0.969, 0.973, 0.98], dark: [0.086, 0.094, 0.11] };

function makeRenderer(canvas, scene) {
  const options = { antialias: true, alpha: false };
  const gl = location.hash === "#canvas" ? null : canvas.getContext("webgl", options);
  const hasWideIndices = gl && (scene.meta.vertices < 65536 || gl.getExtension("OES_element_index_uint"));
  return hasWideIndices ? new GlRenderer(gl, canvas, scene) : new Painter(canvas.getContext("2d"), scene);
}

/** The different sides of all triangles, as pairs of vertices. */
function sidesOf(scene) {
  const seen = new Set(), sides = [];
  const n = scene.meta.points;
  for (let t = 0; t < scene.triangles.length; t++) {
    const [a, b] = [scene.triangles[t], scene.triangles[t % 3 === 2 ? t - 2 : t + 1]];
    const [p, q] = [scene.points[a], scene.points[b]];
    const key = Math.min(p, q) * n + Math.max(p, q);
    if (!seen.has(key)) { seen.add(key); sides.push(a, b); }
  }
  return new Uint32Array(sides);
}

class GlRenderer {
  constructor(gl, canvas, scene) {
    Object.assign(this, { gl, scene, name: "webgl" });
    this.build();
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => { this.build(); this.update(); draw(); });
  }

  build() {
    const { gl, scene } = this;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) fail(gl.getShaderInfoLog(shader));
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) fail(gl.getProgramInfoLog(this.program));
    gl.useProgram(this.program);
    this.at = {};
    for (const name of ["position", "normal", "other", "colour", "side"]) {
      this.at[name] = gl.getAttribLocation(this.program, name);
    }
    const uniforms = ["right", "up", "forward", "eye", "key", "fill", "lens", "viewport", "floorHeight", "lineWidth", "mode",
      "flatColour", "reach", "even"];
    this.uniform = Object.fromEntries(uniforms.map((name) => [name, gl.getUniformLocation(this.program, name)]));
    this.buffers = {};
    this.points = new Float32Array(3 * scene.meta.vertices);
    const wide = scene.meta.vertices >= 65536;
    this.indexKind = wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT;
    const indices = (list) => (wide ? list : new Uint16Array(list));
    this.sides = sidesOf(scene);
    this.fill("triangles", indices(scene.triangles), gl.ELEMENT_ARRAY_BUFFER);
    this.fill("sides", indices(this.sides), gl.ELEMENT_ARRAY_BUFFER);
    const grid = this.grid();
    this.gridPoints = grid.length / 3;
    this.fill("grid", grid);
    gl.enable(gl.DEPTH_TEST);
    gl.polygonOffset(1, 1);
  }

  fill(name, data, target = this.gl.ARRAY_BUFFER) {
    const { gl } = this;
    this.buffers[name] ||= gl.createBuffer();
    gl.bindBuffer(target, this.buffers[name]);
    gl.bufferData(target, data, gl.DYNAMIC_DRAW);
  }

  /** Lines on the floor, in steps of 1, 2 or 5. */
  grid() {
    const { reach, floor } = this.scene;
    const power = 10 ** Math.floor(Math.log10(reach / 6));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= reach / 6);
    const half = Math.ceil((2.2 * reach) / step) * step;
    const lines = [];
    // Short pieces, so that they can fade.
    for (let x = -half; x <= half + step / 2; x += step) {
      for (let z = -half; z < half - step / 2; z += step) {
        lines.push(x, floor, z, x, floor, z + step, z, floor, x, z + step, floor, x);
      }
    }
    return new Float32Array(lines);
  }

  /** Takes the scene's new frame over. */
  update() {
    const { scene, points } = this;
    for (let v = 0; v < scene.meta.vertices; v++) {
      const p = 3 * scene.points[v];
      for (let k = 0; k < 3; k++) points[3 * v + k] = scene.positions[p + k];
    }
    this.fill("position", points);
    this.fill("normal", scene.normals);
    this.fill("colour", scene.colours);
    if (scene.edges.length > 0) this.updateLines();
  }

  /** Every line is a ribbon of two triangles that the vertex shader widens across the view. */
  updateLines() {
    const { scene, points } = this;
    const count = 3 * scene.edges.length;
    const [position, other, side] = [new Float32Array(3 * count), new Float32Array(3 * count), new Float32Array(count)];
    const colour = new Uint8Array(4 * count);
    // Corners by end and side; seen from the other end, sides are exchanged.
    const corners = [[0, 1], [0, -1], [1, -1], [1, -1], [0, -1], [1, 1]];
    for (let e = 0, c = 0; e < scene.edges.length; e += 2) {
      for (const [end, sign] of corners) {
        const [v, w] = [scene.edges[e + end], scene.edges[e + 1 - end]];
        position.set(points.subarray(3 * v, 3 * v + 3), 3 * c);
        other.set(points.subarray(3 * w, 3 * w + 3), 3 * c);
        colour.set(scene.colours.subarray(4 * v, 4 * v + 4), 4 * c);
        side[c++] = sign;
      }
    }
    this.fill("linePosition", position);
    this.fill("lineOther", other);
    this.fill("lineSide", side);
    this.fill("lineColour", colour);
  }

  bind(names) {
    const { gl } = this;
    for (const attribute of Object.keys(this.at)) {
      const location = this.at[attribute];
      if (location < 0) continue;
      const buffer = names[attribute];
      if (!buffer) { gl.disableVertexAttribArray(location); continue; }
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[buffer]);
      gl.enableVertexAttribArray(location);
      if (attribute === "colour") gl.vertexAttribPointer(location, 4, gl.UNSIGNED_BYTE, true, 0, 0);
      else gl.vertexAttribPointer(location, attribute === "side" ? 1 : 3, gl.FLOAT, false, 0, 0);
    }
  }

  draw(camera, state) {
    const { gl, uniform, scene } = this;
    const paper = PAPER[state.dark ? "dark" : "light"];
    gl.viewport(0, 0, ...camera.size);
    gl.clearColor(...paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    for (const name of ["right", "up", "forward", "eye", "key", "fill"]) gl.uniform3fv(uniform[name], camera[name]);
    gl.uniform3f(uniform.lens, camera.focal, camera.near, camera.far);
    gl.uniform2fv(uniform.viewport, camera.size);
    gl.uniform1f(uniform.floorHeight, scene.floor);
    gl.uniform1f(uniform.reach, scene.reach);
    gl.uniform1f(uniform.even, state.array < 0 ? 0 : 0.4);
    const solid = { position: "position", normal: "normal", colour: "colour" };
    if (camera.eye[1] > scene.floor) this.drawFloor(paper, state.dark);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    this.bind(solid);
    this.elements(0, "triangles", scene.triangles.length, gl.TRIANGLES);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (state.wire) {
      gl.uniform3fv(uniform.flatColour, state.dark ? [0.02, 0.02, 0.03] : [0.12, 0.13, 0.16]);
      this.elements(2, "sides", this.sides.length, gl.LINES);
    }
    if (scene.edges.length > 0) this.drawLines();
  }

  elements(mode, name, count, kind) {
    const { gl } = this;
    gl.uniform1i(this.uniform.mode, mode);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers[name]);
    if (count > 0) gl.drawElements(kind, count, this.indexKind, 0);
  }

  /** The grid, and the bodies flattened along the key light. */
  drawFloor(paper, dark) {
    const { gl, uniform, scene } = this;
    gl.disable(gl.DEPTH_TEST);
    gl.uniform3fv(uniform.flatColour, paper.map((x) => x * (dark ? 0.62 : 0.88)));
    this.bind({ position: "position" });
    this.elements(1, "triangles", scene.triangles.length, gl.TRIANGLES);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform3fv(uniform.flatColour, dark ? [0.8, 0.85, 0.9] : [0.3, 0.34, 0.4]);
    gl.uniform1i(uniform.mode, 4);
    this.bind({ position: "grid" });
    gl.drawArrays(gl.LINES, 0, this.gridPoints);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
  }

  drawLines() {
    const { gl, uniform, scene } = this;
    this.bind({ position: "linePosition", other: "lineOther", side: "lineSide", colour: "lineColour" });
    gl.uniform1i(uniform.mode, 3);
    for (const part of scene.meta.parts.filter((part) => part.edges[1] > part.edges[0])) {
      gl.uniform1f(uniform.lineWidth, part.radius);
      gl.drawArrays(gl.TRIANGLES, 6 * part.edges[0], 6 * (part.edges[1] - part.edges[0]));
    }
  }
}

/** Draws far triangles first; no depth of pixels. */
class Painter {
  constructor(context, scene) {
    if (!context) fail("This browser has neither WebGL nor a 2D canvas: open the page in another one.");
    Object.assign(this, { context, scene, name: "canvas" });
  }

  update() {}

  draw(camera, state) {
    const { context, scene } = this;
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const [width, height] = camera.size;
    context.fillStyle = `rgb(${PAPER[state.dark ? "dark" : "light"].map((x) => Math.round(255 * x))})`;
    context.fillRect(0, 0, width, height);
    const seen = [];
    for (let i = 0; i < scene.positions.length; i += 3) {
      const q = [0, 1, 2].map((k) => scene.positions[i + k] - camera.eye[k]);
      const depth = dot(q, camera.forward), scale = camera.focal / depth;
      seen.push([width / 2 + scale * dot(q, camera.right), height / 2 - scale * dot(q, camera.up), depth]);
    }
    const shapes = [];
    const collect = (list, size) => {
      for (let i = 0; i < list.length; i += size) {
        const corners = Array.from(list.subarray(i, i + size), (v) => seen[scene.points[v]]);
        const depth = corners.reduce((sum, c) => sum + c[2], 0) / size;
        if (corners.every((c) => c[2] > camera.near)) shapes.push({ vertex: list[i], corners, depth });
      }
    };
    collect(scene.triangles, 3);
    collect(scene.edges, 2);
    shapes.sort((a, b) => b.depth - a.depth);
    for (const { vertex, corners } of shapes) {
      const normal = Array.from(scene.normals.subarray(3 * vertex, 3 * vertex + 3));
      const sign = dot(normal, camera.forward) > 0 ? -1 : 1;
      const light = corners.length < 3 ? 1
        : 0.45 + 0.5 * Math.max(0, sign * dot(normal, camera.key)) + 0.15 * Math.max(0, sign * dot(normal, camera.fill));
      const colour = Array.from(scene.colours.subarray(4 * vertex, 4 * vertex + 3), (x) => Math.min(255, Math.round(x * light)));
      context.beginPath();
      corners.forEach(([x, y]) => context.lineTo(x, y));
      context.closePath();
      context.fillStyle = context.strokeStyle = `rgb(${colour})`;
      if (state.wire) context.strokeStyle = state.dark ? "#000" : "#333";
      context.lineWidth = corners.length < 3 ? 2.5 : 0.7;
      context.fill();
      context.stroke();
    }
  }
}
