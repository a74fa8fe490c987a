// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { annotatorKey } from "./annotationKeys.js";
import { shapeOfObject } from "./annotation.js";
import { Annotator } from "./annotator.js";
import { byId, el, isForControl } from "./dom.js";
import { LabelAnswers } from "./labelAnswers.js";
import { LabelBrowser } from "./labelBrowser.js";
import { LabelHead } from "./labelHead.js";
import { LabelKeeper } from "./labelKeeper.js";
import { keyHelp } from "./labelKeys.js";
import { KeptList } from "./labelKept.js";
import { LabelLoop } from "./labelLoop.js";
import { LabelPanel } from "./labelPanel.js";
import { ShapePanel } from "./labelShapes.js";
import { LabelStage } from "./labelStage.js";
import { LabelStart } from "./labelStart.js";
import { labelText, nextOpen, photosForKeepers, uncertainFirst } from "./labeling.js";
import { t, tn } from "./messages.js";
import { isPicture, isZip } from "./pictures.js";

/** The view for labelling images, which can then train or test a model. */
export class LabelView {
  root = document.querySelector("[data-view=label]");
  #app;
  #head;
  #start;
  #panel;
  #shapes;
  #annotator;
  #stage;
  #browser;
  #answers;
  #kept;
  #keys = keyHelp();
  #work;
  #notSent = el("p", { class: "warn", role: "status", id: "label-waiting", hidden: true });
  /** The open images: for a keeper, in the order in which they were opened, and in the chosen one. */
  #photosFor = () => [];
  #opened = [];
  #photos = [];
  #place = 0;
  #task = "image";
  #order = "opened";
  #keepers = new Map();
  #keeper = null;
  #isShown = false;
  /** The current image's size in pixels, or null until it is shown. */
  #size = null;
  #turn = 0;
  #loop;

  constructor(app) {
    this.#app = app;
    this.#answers = new LabelAnswers(app.api);
    const step = (distance) => () => this.#go(this.#place + distance);
    this.#head = new LabelHead(app, {
      useModel: (id) => this.#useModel(id), useTask: (task) => this.#useTask(task),
      useOrder: (order) => this.#useOrder(order), cancel: () => this.#loop.cancel(),
      evaluate: () => this.#loop.evaluate(this.#keeper, this.#isForShapes),
    });
    this.#loop = new LabelLoop(app, this.#head);
    const open = (photos) => this.#open(() => photos);
    this.#start = new LabelStart(app, (entries) => this.receive(entries), open);
    this.#panel = new LabelPanel({
      choose: (label) => this.#choose(label), skip: step(1), back: step(-1), undo: () => this.#undo(),
    });
    this.#stage = new LabelStage(step(1));
    this.#annotator = new Annotator(this.#stage.canvas, {
      change: (shapes, merges) => this.#keepShapes(shapes, merges), select: () => this.#draw(),
    });
    this.#shapes = new ShapePanel(this.#annotator, () => this.#keepShapes([], false));
    this.#panel.slot.append(this.#shapes.root);
    this.#panel.root.append(this.#keys.root);
    this.#browser = new LabelBrowser(this.#stage, {
      open: (photo) => this.#go(this.#photos.indexOf(photo)), change: () => this.#draw(),
    });
    this.#kept = new KeptList(app, open);
    this.#work = el("div", { class: "label-work", hidden: true }, this.#browser.root, this.#panel.root);
    byId("label-root").append(
      this.#head.root, this.#notSent, this.#start.root, this.#work, this.#kept.root
    );
    app.models.addEventListener("load", () => this.#fillModels());
    addEventListener("keydown", (event) => this.#key(event));
  }

  show() {
    this.#isShown = true;
    this.#fillModels();
  }

  hide() {
    this.#isShown = false;
  }

  /** Receives images. */
  receive(entries) {
    const photos = entries.filter(({ file }) => isPicture(file));
    if (photos.length > 0) return this.#open(photosForKeepers(photos));
    if (entries.some(({ file }) => isZip(file))) return this.#app.importModel(entries);
    this.#app.notices.warn(t("There is no image among the files."));
  }

  get #photo() {
    return this.#photos[this.#place];
  }

  get #isForShapes() {
    return this.#task === "shapes";
  }

  // MARK: - The model

  #fillModels() {
    if (!this.#isShown) return;
    const models = this.#app.models.list.filter(({ takes }) => takes === "image");
    const isThere = models.some(({ id }) => id === this.#keeper?.model.id);
    const first = this.#head.preferred(models);
    this.#head.fill(models, isThere ? this.#keeper.model.id : first?.id);
    this.#head.root.hidden = models.length === 0;
    this.#start.hasModels = models.length > 0;
    if (!isThere && first) this.#useModel(first.id);
  }

  async #useModel(id) {
    this.#turn += 1;
    const turn = this.#turn;
    this.#loop.cancel();
    try {
      const model = await this.#app.models.details(id);
      const keeper = this.#keepers.get(id) ?? new LabelKeeper(this.#app, model, () => this.#draw());
      // What waits to be sent is newer than what the server has.
      if (keeper.waitingCount === 0) await keeper.load();
      if (turn !== this.#turn) return;
      this.#keepers.set(id, keeper);
      this.#keeper = keeper;
      this.#answers.model = model;
      this.#annotator.names = model.labels;
      this.#shapes.names = model.labels;
      this.#annotator.label = model.labels[0] ?? "object";
      this.#order = "opened";
      this.#photos = this.#opened = this.#photosFor(keeper);
      this.#useTask(["detection", "segmentation"].includes(model.kind) ? "shapes" : "image");
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#app.notices.warn(error.message);
      if (error.code !== "server_gone") return;
      await this.#app.connection.whenBack();
      if (turn === this.#turn) this.#useModel(id);
    }
  }

  #useTask(task) {
    this.#task = task;
    this.#panel.setModel(this.#keeper.model, this.#isForShapes);
    this.#keys.show(task, this.#keeper.model.labels.length > 0);
    this.#shapes.root.hidden = !this.#isForShapes;
    this.#place = Math.max(0, nextOpen(this.#photos, this.#isDone, -1));
    if (this.#photo) this.#show();
    else this.#draw();
  }

  // MARK: - The images

  #open(photosFor) {
    this.#photosFor = photosFor;
    // The images are shown as soon as the model's labels are loaded.
    if (!this.#keeper) return;
    this.#loop.cancel();
    this.#keeper.forgetHistory();
    this.#photos = this.#opened = photosFor(this.#keeper);
    this.#order = "opened";
    this.#place = Math.max(0, nextOpen(this.#photos, this.#isDone, -1));
    this.#show();
  }

  #isDone = ({ name }) => (
    this.#isForShapes ? this.#keeper.counts.has(name) : this.#keeper.labels.has(name)
  );

  #go(place) {
    if (place < 0 || place >= this.#photos.length) return;
    this.#place = place;
    this.#browser.showOne();
    this.#show();
  }

  #goToNext() {
    const next = nextOpen(this.#photos, this.#isDone, this.#place);
    if (next >= 0) return this.#go(next);
    this.#app.announcer.say(t("All images are labeled."));
    this.#draw();
  }

  /** Shows the current image, and what the model says about it. */
  async #show() {
    const photo = this.#photo;
    const keeper = this.#keeper;
    const isCurrent = () => photo === this.#photo && keeper === this.#keeper;
    this.#size = null;
    this.#annotator.close();
    this.#annotator.suggestions = [];
    this.#draw();
    if (this.#panel.needsText && !this.#isForShapes) this.#panel.focus();
    this.#ask(photo, isCurrent);
    try {
      const [size, document] = await Promise.all([
        this.#stage.open(photo), this.#isForShapes ? keeper.shapes(photo.name) : null,
      ]);
      if (!isCurrent() || !size || !this.#isForShapes) return;
      this.#size = size;
      this.#annotator.open(size, this.#shapesIn(document));
      this.#suggest(this.#answers.known(photo));
      this.#draw();
    } catch (error) {
      const isGone = error.code === "server_gone";
      if (isGone) await this.#app.connection.whenBack();
      if (isCurrent() && isGone) this.#show();
      else if (isCurrent()) this.#app.notices.warn(error.message);
    }
  }

  /** Asks the model about an image, if it can be read, and then about the one that probably comes next. */
  async #ask(photo, isCurrent) {
    const { model } = this.#keeper;
    if (!this.#answers.isAble) {
      return this.#panel.offer(null, model.can_run ? null : {
        text: t("The model can't run here, so it suggests nothing."), button: t("Show the model"),
        action: () => this.#app.go("models", model.id),
      });
    }
    const isWaiting = !this.#answers.known(photo);
    if (isWaiting) this.#panel.offer(null, { text: t("The model is looking at the image.") });
    try {
      const answer = await this.#answers.ask(photo);
      if (!isCurrent()) return;
      this.#panel.offer(this.#isForShapes ? null : answer.answers ?? null);
      this.#suggest(answer);
      this.#draw();
    } catch (error) {
      if (isCurrent()) this.#panel.offer(null, error instanceof DOMException ? null : {
        text: t("The model suggests nothing: {reason}", { reason: error.message }),
        button: error.code === "not_a_picture" ? null : t("Ask again"), action: () => this.#ask(photo, isCurrent),
      });
    }
    if (!isCurrent()) return;
    const next = this.#photos[nextOpen(this.#photos, this.#isDone, this.#place)];
    // If this fails, the image is asked about again when it is shown.
    if (next && next !== photo) this.#answers.ask(next).catch(() => {});
  }

  #suggest(answer) {
    if (!this.#isForShapes || !this.#size) return;
    const shapes = (answer?.objects ?? []).map((object) => shapeOfObject(object, this.#size));
    this.#annotator.suggestions = shapes.filter(Boolean);
  }

  // MARK: - Labels and shapes

  /** Labels the current image and moves on, or labels the selected shape. */
  #choose(label) {
    if (this.#isForShapes) {
      this.#annotator.setLabel(label);
      this.#draw();
      return this.#annotator.focus();
    }
    const photo = this.#photo;
    this.#app.announcer.say(t("{name}, {label}", { name: photo.name, label: labelText(label) }));
    this.#keeper.setLabel(photo, label);
    this.#goToNext();
  }

  #keepShapes(shapes, merges) {
    if (!this.#size) return;
    this.#keeper.setShapes(this.#photo, { ...this.#size, shapes }, merges);
  }

  #undo() {
    const photo = this.#keeper.undo();
    if (!photo) return;
    const place = this.#photos.indexOf(photo);
    if (place >= 0 && place !== this.#place) this.#go(place);
  }

  /** Shows everything but the image again. */
  #draw() {
    const keeper = this.#keeper;
    if (!keeper) return;
    const isOpen = this.#photos.length > 0;
    this.#start.root.hidden = isOpen;
    this.#work.hidden = !isOpen;
    this.#kept.show(keeper);
    this.#head.show({
      task: this.#task, order: this.#order, isOpen, canRank: this.#answers.isAble,
      canEvaluate: this.#loop.canEvaluate(keeper.model, this.#isForShapes),
      hasSome: (this.#isForShapes ? keeper.counts : keeper.labels).size > 0,
    });
    this.#notSent.hidden = !(this.#app.connection.isLost && keeper.waitingCount > 0);
    this.#notSent.textContent = tn(
      keeper.waitingCount, "The server doesn't respond. {n} change waits to be sent.",
      "The server doesn't respond. {n} changes wait to be sent."
    );
    if (!isOpen) return;
    this.#drawShapes();
    this.#browser.show(this.#photos, this.#photo, this.#isDone, (photo) => this.#textOf(photo));
    this.#drawPanel();
  }

  /** Returns the shapes of a document, or none if it is about another image of the same name. */
  #shapesIn(document) {
    const { width, height } = this.#size;
    return document?.width === width && document.height === height ? document.shapes : [];
  }

  /** Shows other shapes than the drawn ones, such as after an undo. */
  #drawShapes() {
    if (!this.#isForShapes || !this.#size) return;
    const kept = this.#shapesIn(this.#keeper.loadedShapes(this.#photo.name));
    const { shapes, isOpen } = this.#annotator;
    if (isOpen && kept !== shapes && (kept.length > 0 || shapes.length > 0)) this.#annotator.replace(kept);
  }

  #drawPanel() {
    const { name } = this.#photo;
    const { canUndo } = this.#keeper;
    const text = this.#textOf(this.#photo);
    if (!this.#isForShapes) {
      const label = this.#keeper.labels.get(name) ?? null;
      const given = text === null ? t("No label yet") : t("Labeled {label}", { label: text });
      return this.#panel.show({ name, text: given, label, isDone: text !== null, canUndo });
    }
    const isDone = this.#isDone(this.#photo);
    const { shapes, selected, label } = this.#annotator;
    this.#shapes.show(isDone);
    this.#panel.show({
      name, text: text ?? t("Nothing drawn yet"), isDone, canUndo, label: shapes[selected]?.label ?? label,
    });
  }

  /** Returns the text of an image's label or shapes, or null if it has none. */
  #textOf(photo) {
    if (!this.#isDone(photo)) return null;
    if (!this.#isForShapes) return labelText(this.#keeper.labels.get(photo.name));
    const count = this.#keeper.counts.get(photo.name);
    return count === 0 ? t("Nothing to find") : tn(count, "{n} shape", "{n} shapes");
  }

  // MARK: - The loop

  /** Changes the order. For the most uncertain images, the model has to see all of them. */
  async #useOrder(order) {
    this.#order = order;
    if (order === "uncertain") await this.#loop.rank(this.#opened, this.#answers);
    const photo = this.#photo;
    this.#photos = this.#order === "uncertain"
      ? uncertainFirst(this.#opened, (each) => this.#answers.known(each)) : this.#opened;
    this.#place = this.#photos.indexOf(photo);
    const first = nextOpen(this.#photos, this.#isDone, -1);
    this.#go(this.#order === "uncertain" && first >= 0 ? first : this.#place);
  }

  // MARK: - Keys

  #key(event) {
    if (!this.#isShown || this.#photos.length === 0 || event.defaultPrevented) return;
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    const isInField = this.#panel.isField(event.target);
    if (isUndo && !this.#panel.hasText) {
      event.preventDefault();
      this.#undo();
    } else if (!event.isComposing && (isInField || !isForControl(event)) && !this.#browser.isGrid) {
      this.#plainKey(event, isInField);
    }
  }

  #plainKey(event, isInField) {
    const isDrawingKey = this.#isForShapes && !isInField && annotatorKey(this.#annotator, event);
    const isZoomKey = !isInField && this.#stage.zoom.key(event);
    if (isDrawingKey || isZoomKey || this.#panel.key(event)) return event.preventDefault();
    if (event.altKey || event.ctrlKey || event.metaKey || this.#panel.hasText) return;
    if (this.#stage.zoom.scrolls(event)) return;
    const step = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1, PageUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      this.#go(this.#place + step);
    } else if (event.key === "Escape") {
      this.#browser.showAll();
    } else if (this.#isForShapes && !isInField && event.key === "Enter") {
      event.preventDefault();
      this.#goToNext();
    } else if (!isInField && (this.#isForShapes ? event.key === "/" : /^\S$/.test(event.key))) {
      if (event.key === "/") event.preventDefault();
      this.#panel.focus();
    }
  }
}
