// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { pathOf } from "./request.js";

/** The server's functions by name. Most of them resolve to the response's JSON. */
export class API {
  #requests;

  constructor(requests) {
    this.#requests = requests;
  }

  server() {
    return this.#requests.json("GET", "server");
  }

  models() {
    return this.#requests.json("GET", "models");
  }

  model(id) {
    return this.#requests.json("GET", pathOf("models", id));
  }

  /** Returns the text of a model's model.json, and its labels by the names of their files. */
  description(id) {
    return this.#requests.json("GET", pathOf("models", id, "description"));
  }

  /** Replaces a model's description. */
  saveDescription(id, description) {
    return this.#requests.json("PUT", pathOf("models", id, "description"), {
      body: JSON.stringify(description), type: "application/json",
    });
  }

  /**
   * Loads a model with a changed description, without saving it. The result has `draft`, which is null if the
   * description can't be used, and `issues`.
   */
  addDraft(id, description) {
    return this.#requests.post(pathOf("models", id, "drafts"), description);
  }

  deleteDraft(id, draft) {
    return this.#requests.send("DELETE", pathOf("models", id, "drafts", draft));
  }

  /** Runs a draft on an image, a recording or the JSON of values. */
  inferDraft(id, draft, body, query) {
    const type = body.type || "application/octet-stream";
    const path = pathOf("models", id, "drafts", draft, "infer");
    return this.#requests.json("POST", path, { query, body, type });
  }

  /** Returns the operators and tensors of a model. */
  graph(id) {
    return this.#requests.json("GET", pathOf("models", id, "graph"));
  }

  /** Measures the operators of a model. */
  profile(id) {
    return this.#requests.json("POST", pathOf("models", id, "profile"));
  }

  deleteModel(id) {
    return this.#requests.send("DELETE", pathOf("models", id));
  }

  uploadModel(file, replace, options) {
    const query = { replace: replace || null };
    return this.#requests.upload("models", file, { type: "application/zip", query, ...options });
  }

  /** Sends a TensorFlow Lite model, of which the server makes a bundle. */
  uploadModelFile(file, replace, options) {
    const query = { name: file.name, replace: replace || null };
    const type = "application/octet-stream";
    return this.#requests.upload("models", file, { type, query, ...options });
  }

  /**
   * Runs a model on an image. The result also has `roundTrip`, the request's time in milliseconds.
   */
  async infer(model, picture, query) {
    const start = performance.now();
    const result = await this.#requests.json("POST", pathOf("models", model, "infer"), {
      query, body: picture, type: picture.type || "application/octet-stream",
    });
    return { ...result, roundTrip: performance.now() - start };
  }

  async samples() {
    return (await this.#requests.json("GET", "samples")).samples;
  }

  async sample(name) {
    return (await this.#requests.send("GET", pathOf("samples", name))).blob();
  }

  async examples(model) {
    return (await this.#requests.json("GET", pathOf("models", model, "examples"))).examples;
  }

  exampleAddress(model, name) {
    return this.#requests.address(pathOf("models", model, "examples", name));
  }

  /** Resolves to the file at one of the API's addresses. */
  async file(address) {
    return (await this.#requests.send("GET", address.slice(this.#requests.base.length))).blob();
  }

  async startImport(url, replace) {
    return (await this.#requests.post("imports", { url, replace })).import;
  }

  async repository() {
    return (await this.#requests.json("GET", "repository")).repository;
  }

  async startRepositoryImport(model, replace) {
    return (await this.#requests.post("imports", { repository_model: model, replace })).import;
  }

  async imports() {
    return (await this.#requests.json("GET", "imports")).imports;
  }

  async import(id) {
    return (await this.#requests.json("GET", pathOf("imports", id))).import;
  }

  cancelImport(id) {
    return this.#requests.send("DELETE", pathOf("imports", id));
  }

  async makeUpload(signal) {
    return (await this.#requests.json("POST", "uploads", { signal })).upload;
  }

  putFile(upload, path, file, signal) {
    const type = file.type || "application/octet-stream";
    return this.#requests.send(
      "PUT", pathOf("uploads", upload, path), { body: file, type, signal }
    );
  }

  deleteUpload(id) {
    return this.#requests.send("DELETE", pathOf("uploads", id));
  }

  async startEvaluation(request) {
    return (await this.#requests.post("evaluations", request)).evaluation;
  }

  async evaluations() {
    return (await this.#requests.json("GET", "evaluations")).evaluations;
  }

  evaluation(id) {
    return this.#requests.json("GET", pathOf("evaluations", id));
  }

  rows(id, query) {
    return this.#requests.json("GET", pathOf("evaluations", id, "rows"), { query });
  }

  /** The answers of all models for one sample, with what there is to draw. */
  photo(id, index) {
    return this.#requests.json("GET", pathOf("evaluations", id, "photos", String(index)));
  }

  /** The whole times of a model's rows in microseconds. */
  async latencies(id, model) {
    const path = pathOf("evaluations", id, "latencies");
    return (await this.#requests.json("GET", path, { query: { model } })).total_us;
  }

  /** Ends an evaluation early, which keeps its results. One that has ended stays as it is. */
  cancelEvaluation(id) {
    return this.#requests.send("POST", pathOf("evaluations", id, "cancel"));
  }

  deleteEvaluation(id) {
    return this.#requests.send("DELETE", pathOf("evaluations", id));
  }

  labels(model) {
    return this.#requests.json("GET", pathOf("models", model, "labels"));
  }

  /** Stores an image with its label, which is a text or a number. */
  putLabel(model, photo, label, picture) {
    const query = typeof label === "number" ? { value: label } : { label };
    const type = picture.type || "application/octet-stream";
    const path = pathOf("models", model, "labels", encodedName(photo));
    return this.#requests.json("PUT", path, { query, body: picture, type });
  }

  deleteLabel(model, photo) {
    return this.#requests.send("DELETE", pathOf("models", model, "labels", encodedName(photo)));
  }

  /** Keeps an image, to which shapes can then be added. */
  putPicture(model, photo, picture) {
    const path = pathOf("models", model, "labels", encodedName(photo), "picture");
    const type = picture.type || "application/octet-stream";
    return this.#requests.send("PUT", path, { body: picture, type });
  }

  async keptPicture(model, photo) {
    const path = pathOf("models", model, "labels", encodedName(photo), "picture");
    return (await this.#requests.send("GET", path)).blob();
  }

  shapes(model, photo) {
    return this.#requests.json("GET", shapesPath(model, photo));
  }

  putShapes(model, photo, shapes) {
    return this.#requests.json("PUT", shapesPath(model, photo), {
      body: JSON.stringify(shapes), type: "application/json",
    });
  }

  deleteShapes(model, photo) {
    return this.#requests.send("DELETE", shapesPath(model, photo));
  }

  /** Makes an upload of the images that were labelled for a model. */
  async uploadLabels(model, format) {
    const path = pathOf("models", model, "labels", "export");
    return (await this.#requests.json("POST", path, { query: { format } })).upload;
  }

  evaluationExport(id, format) {
    return this.#requests.address(pathOf("evaluations", id, "export"), { format });
  }

  labelsExport(model, format) {
    return this.#requests.address(pathOf("models", model, "labels", "export"), { format });
  }

  evaluationPicture(id, index, size) {
    return this.#requests.address(pathOf("evaluations", id, "pictures", String(index)), { size });
  }

  sampleAddress(name) {
    return this.#requests.address(pathOf("samples", name));
  }

  /**
   * Shows an image from the server. With a token, this fetches the image, because an `img` element
   * can't send a header. A lazy image is fetched when it comes near the window, as browsers do it.
   */
  async showPicture(image, address) {
    if (!this.#requests.hasToken) {
      image.src = address;
      return;
    }
    if (image.loading === "lazy") await nearWindow(image);
    const blob = await this.file(address);
    const source = URL.createObjectURL(blob);
    const release = () => URL.revokeObjectURL(source);
    image.addEventListener("load", release, { once: true });
    image.addEventListener("error", release, { once: true });
    // Browsers don't read a lazy image that was removed meanwhile, so its file would never be released.
    image.loading = "eager";
    image.src = source;
  }

  /** Follows a link to a download. With a token, this fetches the file first. */
  async followDownload(event) {
    if (!this.#requests.hasToken) return;
    event.preventDefault();
    const link = event.currentTarget;
    const response = await this.#requests.send(
      "GET", link.getAttribute("href").slice(this.#requests.base.length)
    );
    const named = /filename="?([^";]+)/.exec(response.headers.get("Content-Disposition") ?? "");
    saveBlob(await response.blob(), named?.[1] ?? link.download);
  }
}

/** The functions to call when images come near the window. Images that are removed before are forgotten. */
const approaching = new WeakMap();
const watch = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    if (!isIntersecting) continue;
    watch.unobserve(target);
    approaching.get(target)?.();
    approaching.delete(target);
  }
}, { rootMargin: "400px" });

/** Resolves when an image comes near the window, or never if it is removed before. */
function nearWindow(image) {
  return new Promise((resolve) => {
    approaching.set(image, resolve);
    watch.observe(image);
  });
}

/** Saves a file in the same way as the browser saves downloads. */
function saveBlob(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function shapesPath(model, photo) {
  return pathOf("models", model, "labels", encodedName(photo), "shapes");
}

/** Returns an image's name without slashes, as one part of a URL. */
function encodedName(photo) {
  return photo.replaceAll("/", "-");
}
