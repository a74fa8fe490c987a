// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { number } from "./format.js";
import { readablePicture, sentSize } from "./pictures.js";

/** Returns the text of a label, which can also be a number or an array of numbers. */
export function labelText(label) {
  return [label].flat().map((each) => (typeof each === "number" ? number(each) : each)).join(", ");
}

/** A model's labels, which are prepared for searches so that a key takes little time. */
export class LabelSearch {
  #labels;
  #lower;

  constructor(labels) {
    this.#labels = labels;
    this.#lower = labels.map((label) => label.toLowerCase());
  }

  /**
   * Returns at most ten labels that match a text: those that are equal to it, those that begin with
   * it, and those that contain it.
   */
  matching(text, most = 10) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return this.#labels.slice(0, most);
    const [equal, first, rest] = [[], [], []];
    this.#lower.forEach((lower, place) => {
      if (!lower.includes(wanted)) return;
      const kind = lower === wanted ? equal : lower.startsWith(wanted) ? first : rest;
      if (kind.length < most) kind.push(this.#labels[place]);
    });
    return [...equal, ...first, ...rest].slice(0, most);
  }
}

/** How many of the model's answers have keys of their own. */
export const answerCount = 5;

/** Returns which of ten choices a key selects: 1 to 9, 0 for the tenth, and -1 for other keys. */
export function choiceOfKey(key) {
  if (!/^[0-9]$/.test(key)) return -1;
  return key === "0" ? 9 : Number(key) - 1;
}

/** Returns the key that selects a choice. */
export function keyOfChoice(place) {
  return String((place + 1) % 10);
}

/**
 * Returns the labels to choose from, each with the place of its key, or with null. The model's answers
 * have the first five keys, and recent labels have the next five. Without answers, recent labels and
 * the first ones of the model have all ten keys. Short lists are shown to their end.
 */
export function choicesFor(labels, answers, recent, longest = 40) {
  const rest = labels.length <= longest ? labels : [];
  if (answers) {
    const named = answers.slice(0, answerCount).map(({ label, value }, place) => (
      { label, value, place, kind: "answer" }
    ));
    const others = without(recent, named).slice(0, answerCount).map((label, place) => (
      { label, place: answerCount + place, kind: "recent" }
    ));
    return withRest([...named, ...others], rest);
  }
  // The order of a short list is easier to remember than the order of use.
  const first = labels.length <= 10 ? labels : [...new Set([...recent, ...labels.slice(0, 10)])];
  const keyed = first.slice(0, 10).map((label, place) => ({ label, place, kind: "label" }));
  return withRest(keyed, rest);
}

function withRest(choices, rest) {
  const others = without(rest, choices).map((label) => ({ label, place: null, kind: "label" }));
  return [...choices, ...others];
}

function without(labels, choices) {
  const taken = new Set(choices.map(({ label }) => label));
  return labels.filter((label) => !taken.has(label));
}

/** Returns labels with one more in front, each only once. */
export function withRecent(recent, label, most = 10) {
  return [label, ...recent.filter((each) => each !== label)].slice(0, most);
}

/**
 * Makes images with unique names from files: a file's name, or its whole path if two files share a
 * name. A name that is still used gets a number, and so does one for which `isOfAnother(name, size)`
 * says that the server keeps another image. `read()` resolves to an image's bytes in a format that
 * the server reads. `size` is their number, or null if it isn't known.
 */
export function namedPhotos(entries, isOfAnother) {
  const names = entries.map(({ path }) => path.split("/").pop());
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const used = new Set();
  return entries.map(({ path, file }, place) => {
    const isShared = counts.get(names[place]) > 1;
    const size = sentSize(file);
    const name = unusedName(
      isShared ? path.replaceAll("/", "-") : names[place],
      (each) => used.has(each) || isOfAnother(each, size)
    );
    used.add(name);
    return { name, size, read: () => readablePicture(file) };
  });
}

/**
 * Returns a function that makes the images of files for a `LabelKeeper`. It returns the same objects
 * each time, so that changes can be undone after another model was chosen.
 */
export function photosForKeepers(entries) {
  const photos = new Map();
  return (keeper) => {
    if (!photos.has(keeper)) {
      photos.set(keeper, namedPhotos(entries, (name, size) => keeper.isOfAnother(name, size)));
    }
    return photos.get(keeper);
  };
}

/** Returns a name or, if it is used, the name with a number, such as "a-2.png". */
function unusedName(name, isUsed) {
  const [, stem, ending = ""] = /^(.*?)(\.[^.]*)?$/s.exec(name);
  let unused = name;
  for (let number = 2; isUsed(unused); number += 1) unused = `${stem}-${number}${ending}`;
  return unused;
}

/**
 * Returns the index of the next image that isn't done, wrapping around at the end, or -1 if there is
 * none.
 */
export function nextOpen(photos, isDone, after) {
  for (let step = 1; step <= photos.length; step += 1) {
    const place = (after + step) % photos.length;
    if (!isDone(photos[place])) return place;
  }
  return -1;
}

/**
 * Returns how certain a model is of its answer: how far the best answer is ahead of the second one, or
 * the score of the only answer or of the best object.
 */
function certainty({ answers, objects }) {
  if (answers?.length > 1) return answers[0].value - answers[1].value;
  if (answers?.length === 1) return answers[0].value;
  return Math.max(0, ...(objects ?? []).map(({ score }) => score));
}

/** Returns images in the order of certainty, least certain first, and then those without an answer. */
export function uncertainFirst(photos, answerOf) {
  const keyed = photos.map((photo) => {
    const answer = answerOf(photo);
    return { photo, key: answer ? certainty(answer) : Infinity };
  });
  return keyed.sort((a, b) => a.key - b.key || 0).map(({ photo }) => photo);
}
