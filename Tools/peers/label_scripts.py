# TensorIO for Swift
# Copyright the TensorIO for Swift authors
# Licensed under the Apache License, Version 2.0
# SPDX-License-Identifier: Apache-2.0
"""Scripts that browse_label.py runs in the page, to see what a test can't reach with a mouse and keys."""

# Labels of 20,000 classes are searched as a person types, and the time until each list is drawn is measured.
TYPE_AHEAD = """
const done = arguments[0];
import("/js/labelPanel.js").then(({ LabelPanel }) => {
  const labels = Array.from({ length: 20000 }, (_, place) => `label ${place} of many`);
  const panel = new LabelPanel({});
  document.body.append(panel.root);
  panel.setModel({ labels, kind: "classification" }, false);
  const field = panel.root.querySelector("input");
  const times = [..."label 19999"].map((_, place, all) => {
    const start = performance.now();
    field.value = all.slice(0, place + 1).join("");
    field.dispatchEvent(new Event("input"));
    panel.root.getBoundingClientRect();
    return performance.now() - start;
  });
  const found = panel.root.querySelector(".choice [class=label-choice-name]").textContent;
  const count = panel.root.querySelectorAll(".choice").length;
  panel.root.remove();
  done({ slowest: Math.max(...times), found, count });
});
"""

# A grid of 10,000 images, of which only the visible ones are drawn.
GRID = """
const done = arguments[0];
import("/js/labelGrid.js").then(async ({ LabelGrid }) => {
  const canvas = new OffscreenCanvas(32, 32);
  canvas.getContext("2d").fillRect(0, 0, 32, 32);
  const blob = await canvas.convertToBlob();
  const read = async () => blob;
  const photos = Array.from({ length: 10000 }, (_, place) => ({ name: `${place}.png`, read }));
  const grid = new LabelGrid(() => {});
  document.querySelector("main").append(grid.root);
  const start = performance.now();
  grid.show(photos, () => null, photos[9000]);
  grid.root.getBoundingClientRect();
  const took = performance.now() - start;
  const shown = () => [...grid.root.querySelectorAll("[role=option]")];
  const first = shown().some(({ title }) => title === "9000.png");
  grid.root.scrollTop = 0;
  await new Promise((resolve) => setTimeout(resolve, 600));
  const isAtStart = shown().some(({ title }) => title === "0.png");
  const hasThumbnails = shown()[0].querySelector("canvas") !== null;
  const count = shown().length;
  grid.root.remove();
  done({ took, first, isAtStart, hasThumbnails, count });
});
"""

# Closes an image while a box is drawn on it, and names files of which several would have the same name.
CLOSE_AND_NAME = """
const done = arguments[0];
const scripts = ["annotator", "annotationKeys", "labeling"].map((name) => import(`/js/${name}.js`));
Promise.all(scripts).then(([{ Annotator }, { annotatorKey }, { namedPhotos }]) => {
  const frame = document.createElement("div");
  const annotator = new Annotator(frame, { change: () => {}, select: () => {} });
  const drawing = frame.querySelector("svg");
  drawing.setPointerCapture = () => {};
  const errors = [];
  addEventListener("error", ({ message }) => errors.push(message));
  const point = (type, clientX) => drawing.dispatchEvent(new PointerEvent(type, { isPrimary: true, clientX }));
  annotator.open({ width: 100, height: 100 }, []);
  point("pointerdown", 10);
  point("pointermove", 40);
  annotator.close();
  point("pointerup", 40);
  const file = new File([], "b.png");
  const entries = ["a/b.png", "c/b.png", "x/a-b.png"].map((path) => ({ path, file }));
  const names = namedPhotos(entries, () => false).map(({ name }) => name);
  const isLeft = !annotatorKey(annotator, { key: "b" }) && frame.querySelector(".draft").children.length === 0;
  done({ isLeft: isLeft && errors.length === 0 && annotator.shapes.length === 0, names });
});
"""
