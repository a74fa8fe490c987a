// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** The labels that a text may mean: those that begin with it, then those that have it; at most ten. */
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

/** Which of ten choices a key picks: 1 to 9, and 0 for the tenth; -1 for other keys. */
export function choiceOfKey(key) {
  if (!/^[0-9]$/.test(key)) return -1;
  return key === "0" ? 9 : Number(key) - 1;
}

/** The key that picks a choice. */
export function keyOfChoice(place) {
  return String((place + 1) % 10);
}

/** Photos of entries, each with a name of its own: its file's, or all of its path where two share one. */
export function namedPhotos(entries) {
  const names = entries.map(({ path }) => path.split("/").pop());
  const isShared = (name) => names.indexOf(name) !== names.lastIndexOf(name);
  return entries.map(({ path, file, address }, place) => ({
    name: isShared(names[place]) ? path.replaceAll("/", "-") : names[place], file, address,
  }));
}

/** Where the next photo without a label is, after a place and then from the beginning; -1 for none. */
export function nextUnlabelled(photos, labels, after) {
  const order = photos.map((_, place) => (after + 1 + place) % photos.length);
  return order.find((place) => !labels.has(photos[place].name)) ?? -1;
}
