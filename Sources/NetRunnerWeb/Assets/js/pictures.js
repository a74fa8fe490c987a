// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

const readable = new Set(["image/jpeg", "image/png", "image/bmp", "image/webp"]);
const junk = /(^|\/)(\.|__MACOSX(\/|$)|Thumbs\.db$|desktop\.ini$)/i;

/** Whether a file looks like a picture, by its type or, without one, by its name. */
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

/** Whether a file belongs to a dataset: pictures and what tells of them, but no system's files. */
export function isOfDataset(path) {
  return !junk.test(path) && /\.(jpe?g|png|bmp|webp|json|csv|txt)$/i.test(path);
}

/** Files as `{path, file}`, with the path that the person's folder has; sorted as people count. */
export function entriesOf(files) {
  const entries = [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  return sortedEntries(entries);
}

/** Entries in the order of their paths: 2.png before 10.png. */
export function sortedEntries(entries) {
  const collator = new Intl.Collator("en", { numeric: true });
  return entries.filter(({ path }) => !junk.test(path)).sort(
    (a, b) => collator.compare(a.path, b.path)
  );
}

/** All files of a drop, those in folders too. The drop's items live only while it is handled. */
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
    // A reader gives a hundred entries at a time.
    for (;;) {
      const part = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (part.length === 0) break;
      for (const each of part) await collect(each, `${folder}${entry.name}/`, found);
    }
  }
}

/** A picture in a format that the server reads: itself, or what the browser makes of it. */
export async function readablePicture(file) {
  if (readable.has(file.type) || (!file.type && isPicture(file))) return file;
  const bitmap = await createImageBitmap(file);
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  canvas.getContext("2d").drawImage(bitmap, 0, 0);
  bitmap.close();
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** What a folder's paths tell of it: its name, its pictures, and how it seems to be laid out. */
export function folderSummary(paths) {
  const kept = paths.filter(isOfDataset);
  const pictures = kept.filter((path) => /\.(jpe?g|png|bmp|webp)$/i.test(path));
  const top = kept[0]?.split("/")[0] ?? "";
  const hasTop = kept.length > 0 && kept.every((path) => path.startsWith(`${top}/`));
  const inner = pictures.map((path) => (hasTop ? path.slice(top.length + 1) : path));
  const folders = new Set(
    inner.filter((path) => path.includes("/")).map((path) => path.split("/")[0])
  );
  const isTestBundle = kept.some((path) => /(^|\/)test\.json$/i.test(path));
  return {
    name: hasTop ? top : "",
    files: kept.length,
    pictures: pictures.length,
    folders: folders.size,
    layout: isTestBundle ? "test_bundle" : folders.size > 1 ? "folders" : "pictures",
  };
}
