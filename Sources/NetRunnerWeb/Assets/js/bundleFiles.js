// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";
import { isZip } from "./pictures.js";
import { zipped } from "./zip.js";

/**
 * Looks for a model in dropped files, and returns null if it finds none. Otherwise, the result has one
 * of three members: `zip` is a function that resolves to a zip to import, `file` is a TensorFlow Lite
 * model, and `problem` says why nothing can be imported.
 */
export function modelIn(entries) {
  const zip = entries.find(({ file }) => isZip(file));
  if (zip) return { zip: async () => zip.file };
  const bundles = new Map();
  for (const { path } of entries) {
    const folder = bundleFolder(path) ?? manifestFolder(path);
    if (folder) bundles.set(folder, bundleName(folder));
  }
  const roots = [...bundles.keys()].filter(
    (folder) => ![...bundles.keys()].some((other) => folder.startsWith(`${other}/`))
  );
  if (roots.length > 1) return { problem: t("These are several models. Drop one at a time.") };
  if (roots.length === 1) {
    const [root] = roots;
    const name = bundles.get(root);
    const files = entries.filter(({ path }) => path.startsWith(`${root}/`)).map(
      ({ path, file }) => ({ path: name + path.slice(root.length), file })
    );
    return { zip: () => zipped(files, `${name}.zip`) };
  }
  const bare = entries.find(({ path }) => /\.tflite$/i.test(path));
  if (bare) return { file: bare.file };
  return null;
}

/** Returns the folder of a path that has a bundle's extension. */
function bundleFolder(path) {
  return /^(.*?\.(?:tiobundle|tfbundle))\//i.exec(path)?.[1];
}

/** Returns the folder that directly contains a model.json, whatever the folder's name is. */
function manifestFolder(path) {
  return /^(.*[^/])\/model\.json$/i.exec(path)?.[1];
}

function bundleName(folder) {
  const name = folder.split("/").at(-1);
  return /\.(tiobundle|tfbundle)$/i.test(name) ? name : `${name}.tiobundle`;
}
