// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { language, t } from "./messages.js";

/**
 * Returns an error's text in the page's language. The server's own text, which is in English, follows it, because
 * it has the names and the numbers.
 */
export function serverMessage(code, message) {
  const text = language === "en" ? null : texts[code];
  return text ? t("{text} The server says: {message}", { text, message }) : message;
}

/** What the codes of the server's errors mean. */
const texts = {
  bad_request: t("The request isn't valid."),
  body_too_large: t("The file is too large."),
  body_too_slow: t("The file arrived too slowly."),
  cannot_write: t("The server can't store the file."),
  disk_full: t("The server has no space left."),
  draft_not_found: t("The draft is no longer on the server."),
  example_not_found: t("The example is no longer on the server."),
  folder_not_found: t("The server has no such folder."),
  inference_failed: t("The model failed on this input."),
  internal_error: t("The server failed."),
  invalid_bundle: t("The model's description isn't valid."),
  invalid_dataset: t("The dataset can't be read."),
  invalid_path: t("The path isn't allowed."),
  label_not_found: t("The label is no longer on the server."),
  library_missing: t("A library is missing on the server."),
  model_cannot_run: t("The model can't run here."),
  model_is_shipped: t("Shipped models can't be changed."),
  model_not_found: t("The model is no longer on the server."),
  no_graph: t("The graph of this model can't be shown."),
  no_labels: t("There are no labels yet."),
  no_picture: t("No image was chosen."),
  no_report: t("There is no report."),
  not_a_picture: t("The file is not an image that the server can read."),
  not_a_recording: t("The file is not a recording that the server can read."),
  picture_not_found: t("The image is no longer on the server."),
  picture_too_large: t("The image has too many pixels."),
  recording_too_long: t("The recording is too long."),
  sample_not_found: t("The sample is no longer on the server."),
  shapes_not_found: t("The shapes are no longer on the server."),
  shutting_down: t("The server is shutting down."),
  too_busy: t("The server has too much to do."),
  too_many_pictures: t("There are too many images."),
  too_many_tokens: t("Too many wrong tokens were sent."),
  too_many_uploads: t("There are too many uploads."),
  unknown_label: t("The model has no such label."),
  upload_too_large: t("The upload is too large."),
  version_not_found: t("The repository has no such version."),
  wrong_size: t("The shapes are for an image of another size."),
};
