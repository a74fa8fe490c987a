// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/**
 * Returns at most ten labels that match a text: those that begin with it, then those that contain
 * it.
 */
export function matchingLabels(labels, text, most = 10) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return labels.slice(0, most);
  const lower = labels.map((label) => label.toLowerCase());
  const exact = labels.filter((_, place) => lower[place] === wanted);
  const first = labels.filter(
    (_, place) => lower[place].startsWith(wanted) && lower[place] !== wanted
  );
  const rest = labels.filter(
    (_, place) => lower[place].includes(wanted) && !lower[place].startsWith(wanted)
  );
  return [...exact, ...first, ...rest].slice(0, most);
}

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
 * Makes images with unique names from files: a file's name, or its whole path if two files share a
 * name.
 */
export function namedPhotos(entries) {
  const names = entries.map(({ path }) => path.split("/").pop());
  const isShared = (name) => names.indexOf(name) !== names.lastIndexOf(name);
  return entries.map(({ path, file, address }, place) => ({
    name: isShared(names[place]) ? path.replaceAll("/", "-") : names[place], file, address,
  }));
}

/**
 * Returns the index of the next image without a label, wrapping around at the end, or -1 if there
 * is none.
 */
export function nextUnlabelled(photos, labels, after) {
  const order = photos.map((_, place) => (after + 1 + place) % photos.length);
  return order.find((place) => !labels.has(photos[place].name)) ?? -1;
}
