// SPDX-License-Identifier: Apache-2.0
// Time: play, pause, scrub, speed, and the keys for them.
import { el, icon } from "./dom.js";

const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  // times: of the frames that can be stepped through, s; show: called with every new time; timeless: frames have numbers, no times.
  constructor(times, show, timeless = false) {
    this.times = times;
    this.timeless = timeless;
    this.end = times[times.length - 1] ?? 0;
    this.show = show;
    this.followers = []; // called with every new time too
    this.time = 0;
    this.speed = 1;
    this.rest = 0; // how long the end has been in view, s
    this.playing = false;
    this.button = el(
      "button",
      { class: "play", type: "button", onclick: () => this.toggle() },
      icon("play"),
      icon("pause"),
    );
    this.slider = el("input", {
      type: "range",
      class: "scrub",
      min: 0,
      max: this.end || 1,
      step: "any",
      value: 0,
      "aria-label": "Time",
      oninput: () => {
        const time = Number(this.slider.value);
        this.pause();
        this.seek(time);
      },
    });
    this.clock = el("output", { class: "clock" });
    this.select = el(
      "select",
      {
        "aria-label": "Speed",
        title: "Speed",
        onchange: () => {
          this.speed = Number(this.select.value);
        },
      },
      ...speeds.map((speed) => el("option", { value: speed, selected: speed === 1 }, `${speed}\u00d7`)),
    );
    if (!(this.end > 0)) for (const control of [this.button, this.slider, this.select]) control.disabled = true;
    this.#update();
  }

  #update() {
    const frame = this.frame();
    this.slider.value = this.time;
    this.slider.style.setProperty("--done", `${this.end > 0 ? (100 * this.time) / this.end : 0}%`);
    const places = this.end < 1 ? 3 : 2;
    this.clock.textContent = this.timeless
      ? `frame ${frame} of ${this.times.length - 1}`
      : `${this.time.toFixed(places)} / ${this.end.toFixed(places)} s`;
    this.clock.title = `frame ${frame} of ${this.times.length - 1}`;
    this.slider.setAttribute("aria-valuetext", this.timeless ? this.clock.textContent : `${this.time.toFixed(places)} seconds`);
    this.button.classList.toggle("playing", this.playing);
    this.button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.button.title = this.playing ? "Pause (space)" : "Play (space)";
  }

  // The frame at or before the present time.
  frame() {
    let frame = 0;
    while (frame + 1 < this.times.length && this.times[frame + 1] <= this.time + 1e-6) frame++;
    return frame;
  }

  // Other frames; the time stays where it is, or at the end if it was there.
  setTimes(times) {
    const atEnd = this.end > 0 && this.time >= this.end && !this.playing;
    this.times = times;
    this.end = times[times.length - 1] ?? 0;
    this.slider.max = this.end || 1;
    for (const control of [this.button, this.slider, this.select]) control.disabled = !(this.end > 0);
    this.seek(atEnd ? this.end : this.time);
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(0, time));
    this.#update();
    this.show(this.time);
  }

  step(frames) {
    this.pause();
    this.seek(this.times[Math.min(this.times.length - 1, Math.max(0, this.frame() + frames))]);
  }

  faster(steps) {
    const next = speeds[Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(this.speed) + steps))];
    this.speed = next;
    this.select.value = next;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.playing || !(this.end > 0)) return;
    if (this.time >= this.end) this.time = 0;
    this.playing = true;
    this.rest = 0;
    this.last = performance.now();
    this.#update();
    this.#next();
  }

  // Plays from the beginning to the end, once; done when that has been seen, or somebody pauses.
  async once() {
    this.pause();
    this.seek(0);
    this.play();
    while (this.playing && this.time < this.end) await new Promise((later) => requestAnimationFrame(later));
    await new Promise((later) => setTimeout(later, 300)); // the last picture stays
    this.pause();
  }

  pause() {
    this.playing = false;
    cancelAnimationFrame(this.request);
    this.#update();
  }

  #next() {
    this.request = requestAnimationFrame((now) => this.#tick(now));
  }

  // The end stays in view for a moment before the loop begins again.
  #tick(now) {
    if (!this.playing) return;
    // A frame that comes late, as after a while in the background, does not skip what there is to see.
    const passed = Math.min(0.25, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    if (this.time >= this.end) {
      this.rest += passed;
      if (this.rest > 0.8) {
        this.rest = 0;
        this.seek(0);
      }
    } else {
      this.seek(this.time + passed * this.speed);
    }
    this.#next();
  }

  // True when the key was one of the player's.
  key(event) {
    const steps = event.shiftKey ? 10 : 1;
    const actions = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.step(-steps),
      ArrowRight: () => this.step(steps),
      Home: () => {
        this.pause();
        this.seek(0);
      },
      End: () => {
        this.pause();
        this.seek(this.end);
      },
      ",": () => this.faster(-1),
      ".": () => this.faster(1),
    };
    if (!actions[event.key]) return false;
    actions[event.key]();
    return true;
  }
}
