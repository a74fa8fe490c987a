// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { bytes } from "./format.js";
import { t } from "./messages.js";

/** Returns the title of an import's error. */
export function importErrorTitle(code) {
  const titles = {
    invalid_url: t("Not an address"),
    address_not_allowed: t("Address not allowed"),
    not_found: t("Nothing found there"),
    server_error: t("The other server failed"),
    connection_failed: t("No connection"),
    too_large: t("Too large"),
    body_too_large: t("Too large"),
    timed_out: t("Took too long"),
    not_a_zip: t("Not a zip"),
    damaged_zip: t("Damaged zip"),
    unsafe_zip: t("Unsafe zip"),
    zip_too_large: t("Too large when unzipped"),
    no_bundle: t("No model in it"),
    several_bundles: t("Several models in the zip"),
    invalid_bundle: t("Not a valid model"),
    not_a_vision_model: t("Net Runner can't show this model"),
    model_is_shipped: t("A shipped model has this id"),
    same_id: t("This model is already here"),
    untrusted: t("Not signed by a trusted key"),
    invalid_document: t("Not a valid document"),
    expired: t("The document has expired"),
    replayed: t("Older than the version here"),
    corrupt: t("Damaged during the download"),
    unauthorized: t("The repository requires a token"),
    disk_full: t("No space left"),
    cannot_write: t("The model can't be stored"),
    no_repository: t("No repository"),
    server_gone: t("Connection lost"),
  };
  return titles[code] ?? t("Not imported");
}

/** Returns a sentence about what to do about an import's error. The server's message has the details. */
export function importErrorText(code) {
  if (code === "same_id") return t("Replace it, or do nothing to keep it.");
  if (canBeTriedAgain(code)) return t("Nothing was imported. Trying again may help.");
  return t("Nothing was imported. The details say what to change.");
}

/** Whether the same import may work a little later. */
export function canBeTriedAgain(code) {
  return [
    "server_error", "connection_failed", "timed_out", "corrupt", "server_gone", "too_busy",
  ].includes(code);
}

/** Describes an import's current state for people. */
export function progressText({ state, received, total }) {
  if (state === "checking") return t("Checking the model");
  const values = { received: bytes(received), total: bytes(total) };
  if (state === "uploading") {
    return total ? t("Sending: {received} of {total}", values) : t("Sending: {received}", values);
  }
  return total ? t("Downloading: {received} of {total}", values) : t("Downloading: {received}", values);
}
