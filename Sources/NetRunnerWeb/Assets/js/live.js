// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { byId } from "./dom.js";
import { Camera, CameraError } from "./camera.js";
import { Comparison } from "./compare.js";
import { sampleImages } from "./examples.js";
import { Inference } from "./inference.js";
import { InputPanels, needsPanel } from "./inputPanels.js";
import { LiveDisplay } from "./liveDisplay.js";
import { t } from "./messages.js";
import { isForDrawings } from "./models.js";
import { Pad } from "./pad.js";
import { isPicture, isVideo } from "./pictures.js";
import { Running } from "./running.js";
import { Sources } from "./sources.js";
import { Stage } from "./stage.js";
import { StageControls } from "./stageControls.js";
import { StageNotes } from "./stageNotes.js";
import { Strip } from "./strip.js";
import { Timeline } from "./timeline.js";
import { Welcome } from "./welcome.js";

/** The view that runs a model on the camera, a video, images, a drawing, a sound or values. */
export class LiveView {
  root = document.querySelector("[data-view=live]");
  #app;
  #stage = new Stage();
  #camera = new Camera(this.#stage.video);
  #pad = new Pad(this.#stage.pad);
  #timeline = new Timeline(this.#stage.video);
  #display;
  #comparison;
  #running;
  #strip;
  #sources;
  #panels;
  #notes;
  #controls;
  #welcome;
  #mode = null;
  /** The camera that was chosen last and can be found; {} is the one that the preferences name. */
  #wanted = {};
  /** Counts the chosen sources, so that what was read for an earlier one is dropped. */
  #choice = 0;
  #isShown = false;
  #isPaused = false;
  #isModelNew = false;
  #photos = [];

  constructor(app) {
    this.#app = app;
    this.#display = new LiveDisplay(app, this.#stage);
    const inference = new Inference(app, this.#display);
    this.#panels = new InputPanels(app, this.#stage, inference, this.#display);
    this.#comparison = new Comparison(app, this.#stage, this.#display);
    this.#notes = new StageNotes(this.#stage, {
      camera: () => this.#useCamera(),
      photo: () => this.#takePhoto(),
      files: () => this.#sources.ask("files"),
      video: () => this.#sources.ask("video"),
      samples: () => this.#useSamples(),
      models: () => app.go("models"),
    });
    this.#running = new Running(app, this.#stage, {
      display: this.#display, inference, comparison: this.#comparison, notes: this.#notes,
    });
    this.#controls = new StageControls({
      camera: () => this.#useCamera(),
      pause: () => (this.#panels.isOpen ? this.#panels.toggle() : this.#togglePause()),
      flip: () => this.#flip(),
      photo: () => this.#takePhoto(),
      clear: () => this.#clearPad(),
      step: (by) => this.#strip.step(by),
    });
    this.#welcome = new Welcome(app, {
      camera: () => this.#useCamera(),
      files: () => this.#sources.ask("files"),
      samples: () => this.#useSamples(),
      draw: () => this.#usePad(),
    });
    this.#strip = new Strip(byId("strip"), app.api);
    this.#sources = new Sources({
      camera: (wanted = {}) => this.#useCamera(wanted),
      photo: () => this.#takePhoto(),
      files: (files) => this.receive(files.map((file) => ({ path: file.name, file }))),
      video: (file) => this.#useVideo(file),
      samples: () => this.#useSamples(),
      draw: () => this.#usePad(),
      canDraw: () => isForDrawings(app.models.selected),
    });
    this.#listen();
  }

  show() {
    this.#isShown = true;
    this.#welcome.show();
    const { selected } = this.#app.models;
    if (!selected?.can_run) this.#explainModel(selected);
    else if (this.#mode === null) this.#startFirst();
    else if (this.#mode === "camera" && !this.#isPaused) this.#useCamera();
    else this.#resume();
    if (this.#isModelNew && this.#mode !== null) this.#changeModel();
  }

  hide() {
    this.#isShown = false;
    this.#running.stop();
    this.#camera.stop();
    this.#panels.pause();
    if (this.#mode === "video") this.#stage.video.pause();
  }

  /** Receives what was dropped, pasted or chosen. */
  receive(entries) {
    const video = entries.find(({ file }) => isVideo(file));
    const pictures = entries.filter(({ file }) => isPicture(file));
    if (this.#panels.take(entries.map(({ file }) => file))) return;
    if (this.#panels.isOpen && (video || pictures.length > 0)) {
      this.#app.notices.warn(t("The selected model doesn't take images."));
    } else if (pictures.length > 0) this.#usePictures(pictures.map(({ path, file }) => ({ name: path, file })));
    else if (video) this.#useVideo(video.file);
    else if (!this.#app.importModel(entries)) {
      this.#app.notices.warn(t("It contains nothing that the selected model takes, and no model."));
    }
  }

  #listen() {
    const { models, settings, connection } = this.#app;
    this.#camera.onend = () => this.#explainCamera(new CameraError("ended"));
    this.#strip.onchoose = (picture) => this.#running.showStill(picture, this.#iterations);
    this.#pad.onchange = () => this.#runDrawing();
    this.#timeline.onseek = () => {
      if (this.#mode === "video" && this.#isPaused) this.#running.showPausedFrame();
    };
    this.#comparison.onchange = () => this.#changeComparison();
    this.#stage.ontap = () => this.#togglePause();
    this.#stage.onswipe = (side) => this.#swipe(side);
    addEventListener("keydown", (event) => this.#isShown && this.#controls.key(event, this.#mode));
    models.addEventListener("select", () => this.#changeModel());
    settings.addEventListener("change", ({ detail }) => {
      if (detail.name === "facing" || detail.name === null) this.#wanted = {};
      if (detail.name !== "theme" && detail.name !== "facing") this.#again();
    });
    connection.addEventListener("back", () => this.#again());
  }

  // Sources

  async #startFirst() {
    const { models } = this.#app;
    if (needsPanel(models.selected)) return this.#usePanel();
    // What a camera sees is rarely a digit, and everything else would get a digit's name, too.
    if (models.onlyReadDigits && (await this.#showSamples())) return;
    const problem = await this.#startCamera(this.#wanted);
    if (!problem) return;
    if (!(await this.#showSamples())) return this.#explainCamera(problem);
    if (this.#mode === "pictures") this.#notes.noticeCamera(problem);
  }

  async #useCamera(wanted = this.#wanted) {
    this.#wanted = wanted;
    const problem = await this.#startCamera(wanted);
    if (problem?.code === "none" && Object.keys(wanted).length > 0) return this.#useCamera({});
    if (problem) this.#explainCamera(problem);
  }

  /** Starts the camera. Resolves to the error if it is still wanted and didn't start, otherwise to null. */
  async #startCamera(wanted) {
    const { settings, models } = this.#app;
    this.#change("camera");
    this.#sources.show("camera", t("Camera"));
    this.#notes.waitForCamera();
    const choice = this.#choice;
    const facing = wanted.facing ?? (settings.values.facing || models.selected?.device_position || "back");
    try {
      if (!(await this.#camera.start({ ...wanted, facing }))) return null;
    } catch (error) {
      if (choice !== this.#choice) return null;
      return error instanceof CameraError ? error : new CameraError("failed", error.message);
    }
    this.#running.begin(this.#camera.id, true);
    this.#resume();
    return null;
  }

  async #useVideo(file) {
    this.#change("video");
    this.#sources.show("video", file.name);
    this.#running.begin("video", true);
    const choice = this.#choice;
    try {
      await this.#timeline.open(file);
      if (choice === this.#choice) this.#resume();
    } catch (error) {
      // A pause, such as that of a view that is left, is an AbortError. The video then plays later.
      if (choice !== this.#choice || error.name === "AbortError") return;
      this.#notes.explainVideo(file.name, error.message);
    }
  }

  #usePictures(pictures, name = pictures.length > 1 ? t("Images") : t("Image"), index = 0) {
    this.#change("pictures");
    this.#sources.show("pictures", name);
    this.#running.begin("pictures", false);
    this.#strip.open(pictures, index);
  }

  async #useSamples() {
    if (await this.#showSamples()) return;
    this.#change("none");
    this.#sources.show("samples", t("Samples"));
    this.#notes.explainNoSamples();
  }

  /**
   * Shows the model's samples. Resolves to false if there are none, unless something else was chosen
   * meanwhile.
   */
  async #showSamples() {
    const choice = this.#choice;
    const samples = await sampleImages(this.#app.api, this.#app.models.selected);
    if (samples.length > 0 && choice === this.#choice) this.#usePictures(samples, t("Samples"));
    return samples.length > 0 || choice !== this.#choice;
  }

  #usePad() {
    this.#change("pad");
    this.#sources.show("pen", t("Drawing"));
    this.#running.begin("pad", false);
    this.#clearPad();
    this.#stage.showPad();
  }

  /** Shows the controls of a model that doesn't take images. */
  async #usePanel() {
    const { models } = this.#app;
    this.#change("panel");
    this.#running.begin(models.selected.takes, false);
    const choice = this.#choice;
    try {
      await this.#panels.open(models.selected);
    } catch (error) {
      if (choice === this.#choice) this.#display.explain({
        text: t("The model's inputs can't be shown."), detail: error.message,
        action: [t("Try again"), () => this.#usePanel()],
      });
    }
  }

  /** Ends the current source before another one starts. */
  #change(mode) {
    this.#running.stop();
    this.#camera.stop();
    this.#timeline.close();
    this.#strip.close();
    this.#panels.close();
    this.#running.renew();
    this.#mode = mode;
    this.#choice += 1;
    this.#isPaused = false;
    this.#comparison.allow(mode !== "panel");
    this.#running.forget();
    byId("camera-notice").hidden = true;
    this.#showControls();
  }

  async #takePhoto() {
    if (this.#mode !== "camera" || !this.#camera.isOn) return this.#sources.ask("photo");
    const choice = this.#choice;
    const file = await this.#running.photo();
    if (!file || choice !== this.#choice) return;
    this.#photos.push({ name: t("photo {n}", { n: this.#photos.length + 1 }), file });
    this.#usePictures([...this.#photos], t("Photos"), this.#photos.length - 1);
  }

  async #flip() {
    if (this.#mode !== "camera") return;
    const choice = this.#choice;
    const other = await this.#camera.other();
    if (choice !== this.#choice) return;
    if (!other) return this.#app.notices.tell(t("There is only one camera."));
    if (other.facing) this.#app.settings.set("facing", other.facing);
    this.#useCamera(other);
  }

  #swipe(side) {
    if (this.#mode === "camera") this.#flip();
    else if (this.#mode === "pictures") this.#strip.step(side === "left" ? 1 : -1);
  }

  // Running

  async #runDrawing() {
    const picture = await this.#pad.picture();
    if (this.#mode === "pad") await this.#running.showDrawing(picture);
  }

  /** Resumes where it stopped. */
  #resume() {
    if (this.#isMoving) {
      if (this.#isPaused || (this.#mode === "camera" && !this.#camera.isOn)) return;
      this.#stage.showVideo(this.#mode === "camera" && this.#camera.facing === "front");
      this.#stage.video.play().catch(() => {});
      if (this.#isShown) this.#running.start();
    }
    this.#showControls();
  }

  /**
   * Runs the model again on what is shown, after the model, a preference or the server has changed.
   */
  async #again() {
    if (!this.#isShown) return;
    if (this.#isMoving && !this.#isPaused) this.#resume();
    else if (this.#mode === "panel") await this.#panels.run();
    else if (this.#mode === "pictures" && !this.#running.picture) this.#strip.choose(this.#strip.index);
    else await this.#running.again(this.#iterations);
  }

  /** Whether the images are the frames of a video or of the camera. */
  get #isMoving() {
    return this.#mode === "camera" || this.#mode === "video";
  }

  /** How often the model runs on an image, of which the times are the means. */
  get #iterations() {
    return this.#mode === "pictures" ? this.#app.settings.values.iterations : 1;
  }

  #changeModel() {
    this.#isModelNew = !this.#isShown;
    if (!this.#isShown) return;
    if (this.#mode === null) return this.show();
    const { selected } = this.#app.models;
    if (!selected?.can_run) return this.#explainModel(selected);
    if (needsPanel(selected) || this.#mode === "panel") return this.#startFirst();
    if (this.#mode === "pad" && !isForDrawings(selected)) return this.#useSamples();
    this.#beginAgain();
  }

  #changeComparison() {
    this.#running.stop();
    this.#beginAgain();
  }

  /** Starts over with the same source. */
  #beginAgain() {
    const source = this.#mode === "camera" ? this.#camera.id : this.#mode;
    this.#running.begin(source, this.#isMoving);
    this.#again();
  }

  #togglePause() {
    if (!this.#isMoving) return;
    if (!this.#isPaused && this.#mode === "camera" && !this.#camera.isOn) return;
    this.#isPaused = !this.#isPaused;
    if (this.#isPaused) {
      this.#running.stop();
      this.#stage.video.pause();
      this.#running.showPause();
    } else if (this.#mode === "camera" && !this.#camera.isOn) {
      this.#useCamera();
    }
    this.#app.announcer.say(this.#isPaused ? t("Paused") : t("Running"));
    this.#resume();
    this.#showControls();
  }

  #clearPad() {
    this.#running.renew();
    this.#pad.clear();
    this.#running.forget();
    this.#display.hint(t("Draw with a finger, a pen or the mouse."));
  }

  // Display

  #showControls() {
    this.#controls.show(this.#mode, { isCameraOn: this.#camera.isOn, isPaused: this.#isPaused });
  }

  /** Explains that the server has no models, or that the selected one can't run. If the list failed to load, the page says so. */
  #explainModel(model) {
    this.#change(null);
    this.#running.begin("", false);
    if (model) this.#notes.explainModel(this.#app.models.nameOf(model), model.reason);
    else if (this.#app.models.isKnown) this.#notes.explainNoModel();
  }

  #explainCamera(error) {
    this.#running.stop();
    this.#running.begin("", false);
    this.#notes.explainCamera(error);
    this.#showControls();
  }
}
