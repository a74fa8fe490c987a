// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { isOfDataset } from "./pictures.js";

/**
 * Sends the files of a folder, a few at once. Resolves to the upload's identifier. Progress is
 * `{files, allFiles, bytes, allBytes}`.
 */
export async function uploadFolder(api, entries, { progress, signal, connection, lanes = 4 }) {
  const kept = entries.filter(({ path }) => isOfDataset(path));
  const state = {
    files: 0, allFiles: kept.length, bytes: 0,
    allBytes: kept.reduce((sum, { file }) => sum + file.size, 0)
  };
  const { id } = await api.makeUpload(signal);
  progress(state);
  let next = 0;
  const lane = async () => {
    while (next < kept.length) {
      signal.throwIfAborted();
      const { path, file } = kept[next];
      next += 1;
      await persistently(() => api.putFile(id, path, file, signal), { signal, connection });
      state.files += 1;
      state.bytes += file.size;
      progress(state);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } catch (error) {
    api.deleteUpload(id).catch(() => {});
    throw error;
  }
  return id;
}

/** Retries while the server is busy or gone. */
async function persistently(work, { signal, connection }) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (error.code === "server_gone" && attempt < 20) await connection.whenBack();
      else if (error.code === "too_busy" && attempt < 20) await new Promise(
        (resolve) => setTimeout(resolve, 1000 * error.retryAfter)
      );
      else throw error;
    }
  }
}
