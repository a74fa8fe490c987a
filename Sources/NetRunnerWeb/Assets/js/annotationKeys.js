// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

const directions = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
};

/**
 * Handles a key for an annotator, and returns whether the key had a meaning. It has none while no image
 * is open. Without a selected shape, the arrow keys are left for the images.
 */
export function annotatorKey(annotator, event) {
  if (!annotator.isOpen || event.ctrlKey || event.metaKey || event.altKey) return false;
  const direction = directions[event.key];
  if (direction && (annotator.isDrawing || annotator.selected >= 0)) {
    annotator.nudge(...direction, event.shiftKey);
    return true;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const action = annotator.isDrawing ? drawingActions[key] : actions[key];
  return Boolean(action?.(annotator));
}

/** The keys while a polygon is drawn. */
const drawingActions = {
  " ": done((annotator) => annotator.placeCorner()),
  Enter: done((annotator) => annotator.finish()),
  Backspace: done((annotator) => annotator.removeCorner()),
  Escape: done((annotator) => annotator.cancel()),
};

const actions = {
  b: done((annotator) => annotator.addBox()),
  p: done((annotator) => annotator.startPolygon()),
  t: done((annotator) => annotator.take()),
  Delete: forSelected((annotator) => annotator.remove()),
  Backspace: forSelected((annotator) => annotator.remove()),
  Escape: forSelected((annotator) => {
    annotator.select(-1);
    annotator.focus();
  }),
};

function done(action) {
  return (annotator) => {
    action(annotator);
    return true;
  };
}

function forSelected(action) {
  return (annotator) => {
    if (annotator.selected < 0) return false;
    action(annotator);
    return true;
  };
}
