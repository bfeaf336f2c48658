// SPDX-License-Identifier: Apache-2.0
// What stands and moves in the 3D view: ground, bodies, target marks, traces, contact forces.
import * as THREE from "three";
import { Line2 } from "three/addons/lines/Line2.js";
import { LineGeometry } from "three/addons/lines/LineGeometry.js";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { ConvexGeometry } from "three/addons/geometries/ConvexGeometry.js";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";

const creaseAngle = (40 * Math.PI) / 180; // as in the pictures of dcsim render
export const arrowUnit = 0.11; // of the extent: length of the arrow of a force that is large for this run
const linear = (rgb) => new THREE.Color().setRGB(rgb[0], rgb[1], rgb[2], THREE.LinearSRGBColorSpace);

export const themes = {
  light: {
    back: 0xf3f5f8,
    ground: 0xe9ecf1,
    line: 0x8d99a9,
    force: 0xd9480f,
    sky: 0xffffff,
    below: 0xb9c0ca,
    lineOpacity: 0.42,
  },
  dark: {
    back: 0x12161c,
    ground: 0x262c35,
    line: 0x7d8a9c,
    force: 0xffa94d,
    sky: 0xdfe8f5,
    below: 0x39424f,
    lineOpacity: 0.26,
  },
};

function shapeGeometry(shape) {
  if (!shape.vertices.length) return null;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(shape.vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(shape.triangles, 1));
  return toCreasedNormals(geometry, creaseAngle);
}

// Ground with lines a spacing apart, drawn by its own shader: lines of their own would fight with it for the depth.
function groundMaterial(spacing) {
  const material = new THREE.MeshStandardMaterial({ roughness: 1, metalness: 0, dithering: true });
  material.userData = { line: { value: new THREE.Color() }, opacity: { value: 0 } };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, {
      uLine: material.userData.line,
      uOpacity: material.userData.opacity,
      uSpacing: { value: spacing },
    });
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec2 vPlace;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position.xy;");
    shader.fragmentShader = shader.fragmentShader
      .replace(
        "#include <common>",
        "#include <common>\nvarying vec2 vPlace;\nuniform vec3 uLine;\nuniform float uOpacity;\nuniform float uSpacing;",
      )
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        vec2 cell = vPlace / uSpacing;
        vec2 width = fwidth(cell);
        vec2 cover = clamp(0.95 - abs(fract(cell - 0.5) - 0.5) / width, 0.0, 1.0) * clamp(1.4 - 4.0 * width, 0.0, 1.0);
        diffuseColor.rgb = mix(diffuseColor.rgb, uLine, uOpacity * max(cover.x, cover.y));`,
      );
  };
  return material;
}

// Extent of what moves and of the targets, without what stands around.
function extentOf(data) {
  const box = new THREE.Box3();
  const point = new THREE.Vector3();
  const moving = data.bodies.filter((body) => body.moves);
  for (const trajectory of [data.best, data.first]) {
    if (!trajectory) continue;
    for (let i = 0; i < trajectory.positions.length; i += 3) {
      const radius = moving[(i / 3) % moving.length].radius;
      point.fromArray(trajectory.positions, i);
      box.expandByPoint(point.clone().addScalar(radius)).expandByPoint(point.addScalar(-radius));
    }
  }
  for (const mark of data.marks) box.expandByPoint(point.fromArray(mark.center));
  if (box.isEmpty()) for (const body of data.bodies) box.expandByPoint(point.fromArray(body.position));
  if (box.isEmpty()) box.expandByPoint(point.set(0, 0, 0));
  const size = box.getSize(new THREE.Vector3()).length();
  return { center: box.getCenter(new THREE.Vector3()), low: box.min.z, size: size > 1e-9 ? size : 1 };
}

// 1, 2 or 5 times a power of ten, near size.
function roundLength(size) {
  const power = Math.pow(10, Math.floor(Math.log10(size)));
  return power * (size / power < 2 ? 1 : size / power < 5 ? 2 : 5);
}

// Whether a shape is a ball about a body's centre of mass, as far as triangles are one: its turn would not be seen.
function isBall(geometry, center) {
  const middle = new THREE.Vector3().fromArray(center);
  const { position } = geometry.attributes;
  const point = new THREE.Vector3();
  let [low, high] = [Infinity, 0];
  for (let i = 0; i < position.count; i++) {
    const distance = point.fromBufferAttribute(position, i).distanceTo(middle);
    low = Math.min(low, distance);
    high = Math.max(high, distance);
  }
  return low > 0.93 * high ? high : 0;
}

// Two great circles of a ball, across each other, darker than the ball.
function turnMark(radius, color) {
  const material = new THREE.MeshStandardMaterial({ color: linear(color).multiplyScalar(0.45), roughness: 0.6, metalness: 0 });
  const group = new THREE.Group();
  for (const axis of [0, 1]) {
    const ring = new THREE.Mesh(new THREE.TorusGeometry(0.985 * radius, 0.035 * radius, 8, 64), material);
    if (axis) ring.rotation.x = Math.PI / 2;
    group.add(ring);
  }
  return group;
}

// Points of a refinement's pairs that belong to a body, as small balls in its frame.
function pairPoints(data, body, extent) {
  const group = new THREE.Group();
  if (data.scene.problem !== "refine") return group;
  for (const pair of data.scene.pairs ?? [])
    for (const [name, at, color] of [
      [pair.object, pair.object_point, 0x2563eb],
      [pair.link, pair.link_point, 0xf97316],
    ]) {
      if (name !== body.name) continue;
      const ball = new THREE.Mesh(
        new THREE.SphereGeometry(0.011 * extent.size, 20, 14),
        new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.85 }),
      );
      ball.position.fromArray(at).sub(new THREE.Vector3().fromArray(body.center));
      group.add(ball);
    }
  return group;
}

// Surfaces of soft bodies: nodes at some of the kept frames, as 16-bit parts of a box.  In between they go straight.
class SoftSurfaces {
  constructor(data, trajectory) {
    this.nodes = trajectory.nodes;
    this.group = new THREE.Group();
    this.meshes = [];
    if (!this.nodes) return;
    this.position = new THREE.BufferAttribute(new Float32Array(3 * this.nodes.count), 3);
    this.meshes = data.surfaces.map(({ body, triangles }) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", this.position);
      geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
      const { color } = data.bodies.find((one) => one.name === body);
      const material = new THREE.MeshStandardMaterial({ color: linear(color), roughness: 0.7, metalness: 0, flatShading: true });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      mesh.userData.name = body;
      this.group.add(mesh);
      return mesh;
    });
  }

  // frame: kept frame, and the part of the way to the next one.
  show(frame) {
    if (!this.meshes.length) return;
    const { frames, places, low, size, count } = this.nodes;
    let k = 0;
    while (k + 2 < frames.length && frames[k + 1] <= frame) k++;
    const next = Math.min(k + 1, frames.length - 1);
    const part = next > k ? Math.min(1, (frame - frames[k]) / (frames[next] - frames[k])) : 0;
    for (let i = 0; i < 3 * count; i++) {
      const here = places[3 * count * k + i];
      const place = here + part * (places[3 * count * next + i] - here);
      this.position.array[i] = low[i % 3] + (size[i % 3] * place) / 65535;
    }
    this.position.needsUpdate = true;
    for (const mesh of this.meshes) mesh.geometry.boundingSphere = null;
  }

  dispose() {
    for (const mesh of this.meshes) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }
}

// A ghost lets what is behind it shine through.
function setGhost(mesh, on) {
  mesh.material.transparent = on;
  mesh.material.opacity = on ? 0.3 : 1;
  mesh.material.depthWrite = !on;
  mesh.castShadow = !on;
  mesh.material.needsUpdate = true;
}

// The bodies of one trajectory, their traces and contact forces.
class Actors {
  constructor(data, trajectory, geometries, extent) {
    this.trajectory = trajectory;
    this.extent = extent;
    this.group = new THREE.Group();
    this.traces = new THREE.Group();
    this.arrows = new THREE.Group();
    this.group.add(this.traces, this.arrows);
    this.bodies = (trajectory.bodies ?? data.bodies).filter((body) => body.moves);
    this.shown = new Set(data.bodies.filter((body) => body.shown).map((body) => body.name));
    this.objects = this.bodies.map((body) => this.#object(body, geometries[body.shape]));
    this.objects.forEach((object, i) => object.add(pairPoints(data, this.bodies[i], extent)));
    this.lines = this.bodies.map((body, i) => this.#trace(body, i));
    this.soft = new SoftSurfaces(data, trajectory);
    this.group.add(this.soft.group);
    this.#makeArrows();
    this.show(0);
  }

  #object(body, geometry) {
    const object = new THREE.Group();
    if (geometry) {
      const material = new THREE.MeshStandardMaterial({ color: linear(body.color), roughness: 0.55, metalness: 0 });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.position.fromArray(body.center).negate();
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.userData.name = body.name;
      object.add(mesh);
      const ball = body.mass > 0 ? isBall(geometry, body.center) : 0;
      if (ball) object.add(turnMark(ball, body.color));
    }
    const axes = new THREE.AxesHelper(1.4 * (body.radius || 0.05 * this.extent.size));
    axes.visible = false;
    axes.userData.axes = true;
    object.add(axes);
    this.group.add(object);
    return object;
  }

  #trace(body, index) {
    if (!this.shown.has(body.name)) return null;
    const { positions, kept } = this.trajectory;
    const count = this.bodies.length;
    const points = new Float32Array(3 * kept);
    for (let f = 0; f < kept; f++)
      for (let k = 0; k < 3; k++) points[3 * f + k] = positions[3 * (f * count + index) + k];
    const moved = points.some((x, i) => Math.abs(x - points[i % 3]) > 1e-4 * this.extent.size);
    if (!moved || kept < 2) return null;
    const line = new Line2(
      new LineGeometry().setPositions(points),
      new LineMaterial({ color: linear(body.color), linewidth: 2 }),
    );
    this.traces.add(line);
    return line;
  }

  // Arrows grow with the square root of the force, so that weight and impacts can be seen together.
  #makeArrows() {
    const forces = this.trajectory.forces;
    if (!forces) return;
    const sizes = [];
    for (let i = 0; i < forces.values.length; i += 3) {
      const size = Math.hypot(forces.values[i], forces.values[i + 1], forces.values[i + 2]);
      if (size > 0) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    this.forceScale = sizes.length ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 1;
    const material = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.92 });
    const shaft = new THREE.CylinderGeometry(0.035, 0.035, 1, 10).translate(0, 0.5, 0);
    const head = new THREE.ConeGeometry(0.11, 0.28, 14).translate(0, 0.14, 0);
    this.arrowMaterial = material;
    this.arrowList = this.bodies.map(() => {
      const arrow = new THREE.Group();
      const parts = { shaft: new THREE.Mesh(shaft, material), head: new THREE.Mesh(head, material) };
      for (const part of Object.values(parts)) {
        part.renderOrder = 3;
        part.frustumCulled = false;
        arrow.add(part);
      }
      arrow.userData = parts;
      this.arrows.add(arrow);
      return arrow;
    });
  }

  // Force on a moving body near a kept frame, N, or null.
  force(index, frame) {
    const forces = this.trajectory.forces;
    if (!forces) return null;
    const last = forces.frames.length - 1;
    const at = this.trajectory.kept > 1 ? Math.round((frame * last) / (this.trajectory.kept - 1)) : 0;
    const start = 3 * (at * this.bodies.length + index);
    const force = new THREE.Vector3().fromArray(forces.values, start);
    return Number.isFinite(force.length()) ? force : null;
  }

  #pointArrow(index, frame) {
    const arrow = this.arrowList[index];
    const force = this.force(index, frame);
    const size = force ? force.length() : 0;
    arrow.visible = size > 1e-4 * this.forceScale;
    if (!arrow.visible) return;
    const unit = arrowUnit * this.extent.size;
    const length = unit * Math.min(2, Math.sqrt(size / this.forceScale));
    const width = 0.4 * unit * Math.min(1, 0.45 + 0.55 * Math.sqrt(size / this.forceScale));
    const headLength = Math.min(0.28 * width, 0.6 * length);
    arrow.position.copy(this.objects[index].position);
    arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), force.normalize());
    arrow.userData.shaft.scale.set(width, length - headLength, width);
    arrow.userData.head.scale.set(width, headLength / 0.28, width);
    arrow.userData.head.position.set(0, length - headLength, 0);
  }

  // Kept frame at time, with the part of the way to the next one.
  place(time) {
    const times = this.trajectory.time;
    let low = 0;
    let high = times.length - 1;
    if (high < 1 || time >= times[high]) return { frame: Math.max(0, high), part: 0 };
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle;
    }
    return { frame: low, part: Math.max(0, (time - times[low]) / (times[high] - times[low])) };
  }

  show(time) {
    const { positions, rotations } = this.trajectory;
    const { frame, part } = this.place(time);
    const count = this.bodies.length;
    this.soft.show(frame + part);
    const end = new THREE.Vector3();
    const turn = new THREE.Quaternion();
    const quaternion = (row, result) =>
      result.set(rotations[4 * row + 1], rotations[4 * row + 2], rotations[4 * row + 3], rotations[4 * row]);
    for (let i = 0; i < count; i++) {
      const row = frame * count + i;
      const object = this.objects[i];
      object.position.fromArray(positions, 3 * row);
      quaternion(row, object.quaternion);
      if (part > 0) {
        object.position.lerp(end.fromArray(positions, 3 * (row + count)), part);
        object.quaternion.slerp(quaternion(row + count, turn), part);
      }
      const line = this.lines[i];
      if (line) line.geometry.instanceCount = part > 0 ? frame + 1 : frame;
      if (this.arrowList) this.#pointArrow(i, frame + Math.round(part));
    }
  }

  // Frees what was made for this trajectory alone.
  dispose() {
    for (const line of this.lines) {
      line?.geometry.dispose();
      line?.material.dispose();
    }
    for (const object of this.objects) for (const mesh of object.children) mesh.material?.dispose();
    this.soft.dispose();
  }

  set ghost(on) {
    for (const object of this.objects)
      for (const mesh of object.children) if (mesh.isMesh) setGhost(mesh, on); // others are marks and points
    for (const mesh of this.soft.meshes) setGhost(mesh, on);
    for (const line of this.lines) {
      if (!line) continue;
      line.material.transparent = on;
      line.material.opacity = on ? 0.45 : 1;
      line.material.needsUpdate = true;
    }
  }
}

// Where an objective wants a body: the ghost of its shape, turned as it is asked for, else as it begins.
function targetGhosts(data, geometries) {
  const group = new THREE.Group();
  const goals = Array.isArray(data.scene.objective) ? data.scene.objective : [];
  for (const { type, body: name, target, rotation } of goals) {
    if ((type !== "reach" && type !== "pose") || typeof name !== "string" || !Array.isArray(target)) continue;
    const body = data.bodies.find((one) => one.name === name);
    const geometry = body && geometries[body.shape];
    if (!geometry || !target.every(Number.isFinite)) continue;
    const [w, x, y, z] = type === "pose" && Array.isArray(rotation) ? rotation : body.rotation;
    const material = new THREE.MeshStandardMaterial({ color: linear(body.color), transparent: true, opacity: 0.22, depthWrite: false });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.position.fromArray(body.center).negate();
    const object = new THREE.Group();
    object.position.fromArray(target);
    object.quaternion.set(x, y, z, w);
    object.add(mesh);
    group.add(object);
  }
  return group;
}

export class World {
  constructor(data) {
    this.scene = new THREE.Scene();
    this.extent = extentOf(data);
    this.geometries = data.shapes.map(shapeGeometry);
    this.marks = new THREE.Group();
    this.ground = new THREE.Group();
    this.scene.add(this.marks, this.ground);
    this.#addLights();
    for (const body of data.bodies) if (!body.moves) this.#addFixed(body, pairPoints(data, body, this.extent));
    if (!this.ground.children.length && !data.bodies.some((body) => !body.moves && this.geometries[body.shape]))
      this.#addGrid(new THREE.Vector3(0, 0, this.extent.low), new THREE.Quaternion(), false);
    for (const mark of data.marks) this.#addMark(mark);
    this.marks.add(targetGhosts(data, this.geometries));
    this.best = new Actors(data, data.best, this.geometries, this.extent);
    this.first = data.first ? new Actors(data, data.first, this.geometries, this.extent) : null;
    this.scene.add(this.best.group);
    if (this.first) this.scene.add(this.first.group);
  }

  // Another best trajectory, of the same bodies; the arrangement of the view stays.
  replaceBest(data, trajectory) {
    this.scene.remove(this.best.group);
    this.best.dispose();
    this.best = new Actors(data, trajectory, this.geometries, this.extent);
    this.scene.add(this.best.group);
  }

  #addLights() {
    const { center, size } = this.extent;
    this.sky = new THREE.HemisphereLight(0xffffff, 0x888888, 1.5);
    this.sky.position.set(0, 0, 1);
    this.sun = new THREE.DirectionalLight(0xffffff, 2);
    this.sun.position.copy(center).add(new THREE.Vector3(-0.45, -0.6, 1.1).multiplyScalar(2 * size));
    this.sun.target.position.copy(center);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -0.75 * size;
    camera.right = camera.top = 0.75 * size;
    camera.near = 0.2 * size;
    camera.far = 6 * size;
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.004 * size;
    this.scene.add(this.sky, this.sun, this.sun.target);
  }

  #addFixed(body, points) {
    const quaternion = new THREE.Quaternion(body.rotation[1], body.rotation[2], body.rotation[3], body.rotation[0]);
    const position = new THREE.Vector3().fromArray(body.position);
    if (body.plane) {
      this.#addGrid(position, quaternion, true);
      return;
    }
    const geometry = this.geometries[body.shape];
    if (!geometry) return;
    const material = new THREE.MeshStandardMaterial({ color: linear(body.color), roughness: 0.85, metalness: 0 });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.position.fromArray(body.center).negate();
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.userData.name = body.name;
    const object = new THREE.Group();
    object.position.copy(position);
    object.quaternion.copy(quaternion);
    object.add(mesh, points);
    this.scene.add(object);
  }

  // A half space is a plane that fades into the distance, with lines a round length apart, below what moves.
  #addGrid(position, quaternion, solid) {
    const spacing = roundLength(this.extent.size / 8);
    const cells = 40;
    const object = new THREE.Group();
    const inverse = quaternion.clone().invert();
    const middle = this.extent.center.clone().sub(position).applyQuaternion(inverse);
    object.position.copy(
      new THREE.Vector3(Math.round(middle.x / spacing) * spacing, Math.round(middle.y / spacing) * spacing, 0)
        .applyQuaternion(quaternion)
        .add(position),
    );
    object.quaternion.copy(quaternion);
    if (solid) {
      const plane = new THREE.Mesh(new THREE.CircleGeometry(60 * this.extent.size, 64), groundMaterial(spacing));
      plane.receiveShadow = true;
      plane.userData.ground = true;
      object.add(plane);
    } else {
      const grid = new THREE.GridHelper(cells * spacing, cells);
      grid.rotateX(Math.PI / 2);
      grid.material = new THREE.LineBasicMaterial({ transparent: true, depthWrite: false });
      grid.userData.grid = true;
      object.add(grid);
    }
    this.gridSpacing = spacing;
    this.ground.add(object);
  }

  // A ring as large as the tolerance and a point at the target, seen through everything; where there is no tolerance the ring
  // is as large as it takes to be seen.
  #addMark(mark) {
    const visible = 0.012 * this.extent.size;
    const radius = mark.radius > 0 ? mark.radius : visible;
    const color = linear(mark.color);
    const object = new THREE.Group();
    const add = (geometry, opacity) => {
      const material = new THREE.MeshBasicMaterial({
        color,
        transparent: true,
        opacity,
        depthTest: false,
        side: THREE.DoubleSide,
      });
      const mesh = new THREE.Mesh(geometry, material);
      mesh.renderOrder = 2;
      object.add(mesh);
    };
    add(new THREE.RingGeometry(0.82 * radius, radius, 48), 0.95);
    add(new THREE.CircleGeometry(0.82 * radius, 48), 0.22);
    add(new THREE.SphereGeometry(Math.min(0.16 * Math.max(radius, visible), 0.3 * visible), 12, 8), 0.95);
    object.position.fromArray(mark.center);
    this.marks.add(object);
  }

  setTheme(name) {
    const theme = themes[name];
    this.scene.background = new THREE.Color(theme.back);
    this.scene.fog = new THREE.Fog(theme.back, 1, 2);
    this.sky.color.set(theme.sky);
    this.sky.groundColor.set(theme.below);
    this.ground.traverse((object) => {
      if (object.userData.ground) {
        object.material.color.set(theme.ground);
        object.material.userData.line.value.set(theme.line);
        object.material.userData.opacity.value = theme.lineOpacity;
      }
      if (object.userData.grid) {
        object.material.color.set(theme.line);
        object.material.opacity = theme.lineOpacity;
      }
    });
    if (this.best.arrowMaterial) this.best.arrowMaterial.color.set(theme.force);
  }

  // The convex parts by which bodies touch, as wires around them.  Arrays of points by the names of bodies.
  addHulls(hulls) {
    const material = new THREE.LineBasicMaterial({ color: 0xd9480f });
    const objects = new Map(this.best.bodies.map((body, i) => [body.name, { body, object: this.best.objects[i] }]));
    for (const { body: name, parts } of hulls) {
      const found = objects.get(name);
      for (const points of found ? parts : []) {
        const corners = [];
        for (let i = 0; i < points.length; i += 3) corners.push(new THREE.Vector3().fromArray(points, i));
        if (corners.length < 4) continue;
        const wires = new THREE.LineSegments(new THREE.EdgesGeometry(new ConvexGeometry(corners), 1), material);
        wires.position.fromArray(found.body.center).negate();
        wires.userData.hull = true;
        wires.visible = false;
        found.object.add(wires);
      }
    }
  }

  // Shows or hides what is marked with a key: "axes" of bodies, "hull".
  showMarked(key, on) {
    for (const actors of [this.best, this.first])
      actors?.group.traverse((object) => {
        if (object.userData[key]) object.visible = on;
      });
  }

  // Far ground melts into the background; what is looked at stays clear.
  setFog(distance) {
    this.scene.fog.near = distance + 1.5 * this.extent.size;
    this.scene.fog.far = distance + 7 * this.extent.size;
  }

  show(time) {
    this.best.show(time);
    if (this.first) this.first.show(time);
  }
}
