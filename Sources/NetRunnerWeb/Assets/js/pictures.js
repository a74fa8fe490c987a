// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

const readable = new Set(["image/jpeg", "image/png", "image/bmp", "image/webp"]);
const junk = /(^|\/)(\.|__MACOSX(\/|$)|Thumbs\.db$|desktop\.ini$)/i;

/** Whether a file looks like an image, by its type or, if it has none, by its name. */
export function isPicture(file) {
  return file.type.startsWith("image/") || /\.(jpe?g|png|bmp|webp)$/i.test(file.name);
}

/** Whether a file is a video. */
export function isVideo(file) {
  return file.type.startsWith("video/");
}

/** Whether a file looks like a zip. */
export function isZip(file) {
  return /zip/.test(file.type) || /\.zip$/i.test(file.name);
}

const sampleEndings = /\.(jpe?g|png|bmp|webp|wav|flac|ogg|npy|npz|bin)$/i;
const tableEndings = /\.(json|jsonl|ndjson|csv|tsv|txt)$/i;

/**
 * Whether a file belongs to a dataset: an image, a recording, an array, or a table or description,
 * but not a system's file.
 */
export function isOfDataset(path) {
  return !junk.test(path) && (sampleEndings.test(path) || tableEndings.test(path));
}

/** Converts files to `{path, file}` with the path in the user's folder, sorted by path. */
export function entriesOf(files) {
  const entries = [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  return sortedEntries(entries);
}

/** Returns the entries sorted by path with numbers in order: 2.png comes before 10.png. */
function sortedEntries(entries) {
  const collator = new Intl.Collator("en", { numeric: true });
  return entries.filter(({ path }) => !junk.test(path)).sort(
    (a, b) => collator.compare(a.path, b.path)
  );
}

/**
 * Resolves to all files of a drop, including those in folders. Call it synchronously, because a
 * drop's items exist only while its event is handled.
 */
export async function droppedEntries(transfer) {
  const roots = [...(transfer.items ?? [])]
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry?.() ?? item.getAsFile())
    .filter(Boolean);
  const found = [];
  for (const root of roots) await collect(root, "", found);
  return sortedEntries(found);
}

async function collect(entry, folder, found) {
  if (entry instanceof File) {
    found.push({ path: entry.name, file: entry });
  } else if (entry.isFile) {
    const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
    found.push({ path: folder + entry.name, file });
  } else if (entry.isDirectory) {
    const reader = entry.createReader();
    // A reader returns at most a hundred entries at a time.
    for (;;) {
      const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (part.length === 0) break;
      for (const each of part) await collect(each, `${folder}${entry.name}/`, found);
    }
  }
}

/** Whether the server reads an image's format. */
function isReadable(file) {
  return readable.has(file.type) || (!file.type && isPicture(file));
}

/** Returns how many bytes of an image the server gets, or null if the browser has to convert it. */
export function sentSize(file) {
  return isReadable(file) ? file.size : null;
}

/**
 * Resolves to an image in a format that the server reads, converted by the browser if necessary.
 */
export async function readablePicture(file) {
  if (isReadable(file)) return file;
  const bitmap = await createImageBitmap(file);
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/**
 * Describes a folder by its paths: its name, its numbers of files, samples and tables, the paths of
 * files that a dataset can't have, and its likely layout. Samples are images, recordings and arrays.
 */
export function folderSummary(paths) {
  const kept = paths.filter(isOfDataset);
  const samples = kept.filter((path) => sampleEndings.test(path));
  const isSoundOnly = samples.length > 0 && samples.every((path) => /\.(wav|flac|ogg)$/i.test(path));
  const top = kept[0]?.split("/")[0] ?? "";
  const hasTop = kept.length > 0 && kept.every((path) => path.startsWith(`${top}/`));
  const inner = samples.map((path) => (hasTop ? path.slice(top.length + 1) : path));
  const folders = new Set(
    inner.filter((path) => path.includes("/")).map((path) => path.split("/")[0])
  );
  const isTestBundle = kept.some((path) => /(^|\/)test\.json$/i.test(path));
  return {
    name: hasTop ? top : "",
    files: kept.length,
    ignored: paths.filter((path) => !isOfDataset(path)),
    samples: samples.length,
    word: isSoundOnly ? "recording" : samples.some((path) => /\.(npy|npz|bin)$/i.test(path)) ? "file" : "image",
    tables: kept.length - samples.length,
    folders: folders.size,
    layout: isTestBundle ? "test_bundle" : folders.size > 1 ? "folders" : "pictures",
  };
}
