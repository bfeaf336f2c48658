// SPDX-License-Identifier: Apache-2.0
// The 3D view: renderer, camera, and which trajectories are drawn where.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { isDark, onThemeChange } from "./dom.js";
import { World } from "./world.js";

const wide = 16 / 9; // the aspect for which the camera was chosen

export class Stage {
  constructor(canvas, data) {
    this.canvas = canvas;
    this.start = data.camera;
    this.world = new World(data);
    this.mode = "best";
    this.toggles = { marks: true, forces: false, traces: true };
    this.hidden = new Set(); // bodies without a trace
    this.unseen = new Set(); // bodies that are not drawn
    this.time = 0;
    this.drawn = 0; // frames drawn so far
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.camera = new THREE.PerspectiveCamera(this.start.fov_deg, wide);
    this.camera.up.fromArray(this.start.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", () => this.request());
    this.setTheme();
    onThemeChange(() => this.setTheme());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(canvas.parentElement);
    this.home();
    this.resize();
  }

  // Another one takes its place: browsers have room for few of these.
  dispose() {
    this.gone = true;
    cancelAnimationFrame(this.pending);
    this.observer.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  setTheme() {
    this.world.setTheme(isDark() ? "dark" : "light");
    this.request();
  }

  home() {
    this.camera.position.fromArray(this.start.eye);
    this.controls.target.fromArray(this.start.target);
    this.controls.update();
    this.request();
  }

  // From where the target is looked at: along -x, -y or -z of the world, at the present distance.
  look(direction) {
    const away = new THREE.Vector3().fromArray(direction).normalize();
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.position.copy(this.controls.target).addScaledVector(away, distance);
    this.controls.update();
    this.request();
  }

  // The picture that is seen, as PNG.
  picture() {
    this.draw();
    return new Promise((done) => this.canvas.toBlob(done, "image/png"));
  }

  // What is seen while shows, a function, is at work, as a film; null where the browser records none.
  async film(shows) {
    const type = ["video/mp4;codecs=avc1.42E01E", "video/webm;codecs=vp9", "video/webm"].find((one) => window.MediaRecorder?.isTypeSupported(one));
    if (!type || !this.canvas.captureStream) return null;
    const parts = [];
    const recorder = new MediaRecorder(this.canvas.captureStream(60), { mimeType: type, videoBitsPerSecond: 12e6 });
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const ended = new Promise((done) => (recorder.onstop = done));
    recorder.start();
    await shows();
    recorder.stop();
    await ended;
    return new Blob(parts, { type: type.split(";")[0] });
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.size = { width, height };
    this.request();
  }

  set(mode) {
    this.mode = this.world.first ? mode : "best";
    if (this.world.first) this.world.first.ghost = this.mode === "overlay";
    this.request();
  }

  toggle(name, on) {
    this.toggles[name] = on;
    this.request();
  }

  // Shows or hides a body, in all trajectories.
  setVisible(name, on) {
    if (on) this.unseen.delete(name);
    else this.unseen.add(name);
    this.request();
  }

  setTrace(name, on) {
    if (on) this.hidden.delete(name);
    else this.hidden.add(name);
    this.request();
  }

  show(time) {
    this.time = time;
    this.world.show(time);
    this.request();
  }

  // Draws before the next picture of the screen, once for any number of requests.
  request() {
    if (this.pending || this.gone) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  #arrange(best, first) {
    const { world, toggles } = this;
    world.marks.visible = toggles.marks;
    for (const [actors, on] of [
      [world.best, best],
      [world.first, first],
    ]) {
      if (!actors) continue;
      actors.group.visible = on;
      actors.traces.visible = toggles.traces;
      actors.arrows.visible = toggles.forces;
      actors.objects.forEach((object, i) => (object.visible = !this.unseen.has(actors.bodies[i].name)));
      for (const mesh of actors.soft.meshes) mesh.visible = !this.unseen.has(mesh.userData.name);
      actors.lines.forEach((line, i) => line && (line.visible = !this.hidden.has(actors.bodies[i].name)));
    }
  }

  #view(left, width, height) {
    const { camera, renderer } = this;
    const aspect = width / height;
    // What is in view of the wide camera stays in view of a narrow one.
    const slope = Math.tan((this.start.fov_deg * Math.PI) / 360) * Math.max(1, wide / aspect);
    camera.fov = (360 / Math.PI) * Math.atan(slope);
    camera.aspect = aspect;
    const distance = camera.position.distanceTo(this.controls.target);
    camera.near = Math.max(1e-3 * this.world.extent.size, 2e-3 * distance);
    camera.far = distance + 100 * this.world.extent.size;
    camera.updateProjectionMatrix();
    this.world.setFog(distance);
    renderer.setViewport(left, 0, width, height);
    renderer.setScissor(left, 0, width, height);
    renderer.render(this.world.scene, camera);
  }

  draw() {
    if (!this.size) return;
    const { width, height } = this.size;
    this.renderer.setScissorTest(true);
    if (this.mode === "side") {
      const half = Math.floor(width / 2);
      this.#arrange(false, true);
      this.#view(0, half, height);
      this.#arrange(true, false);
      this.#view(half, width - half, height);
    } else {
      this.#arrange(this.mode !== "first", this.mode !== "best");
      this.#view(0, width, height);
    }
    this.drawn++;
  }

  // Name of the body under a point of the canvas (CSS pixels), or null.
  pick(x, y) {
    const { width, height } = this.size;
    const half = width / 2;
    const side = this.mode === "side";
    const left = side && x >= half ? half : 0;
    const point = new THREE.Vector2(((x - left) / (side ? half : width)) * 2 - 1, 1 - (2 * y) / height);
    const caster = new THREE.Raycaster();
    this.#arrange(this.mode !== "first" && (!side || x >= half), this.mode !== "best" && (!side || x < half));
    caster.setFromCamera(point, this.camera);
    const named = [];
    this.world.scene.traverseVisible((object) => object.userData.name !== undefined && named.push(object));
    const hit = caster.intersectObjects(named, false)[0];
    return hit ? hit.object.userData.name : null;
  }
}
