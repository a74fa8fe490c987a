// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";
import { serverMessage } from "./serverMessages.js";

/** An error of a request, with the server's code and message, or with the code `server_gone`. */
class RequestError extends Error {
  constructor(code, message, status = 0, retryAfter = 1, issues = []) {
    super(message);
    this.code = code;
    /** The problems of a description, each with its `path` in model.json. */
    this.issues = issues;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** Makes the error that a server's response describes. */
function errorFrom(status, text, retryAfter) {
  let error = null;
  try {
    ({ error } = JSON.parse(text));
  } catch {
    // The response may come from another server, such as a proxy. Only its status is known.
  }
  const message = error?.message
    ? serverMessage(error.code, error.message)
    : t("The server responded with status {status}.", { status });
  return new RequestError(
    error?.code ?? `status_${status}`, message, status, Number(retryAfter) || 1, error?.issues
  );
}

/** Sends requests with the token, and reports to the connection if the server doesn't respond. */
export class Requests {
  base = "/api/v1/";
  #connection;
  #token;

  constructor(connection, token) {
    this.#connection = connection;
    this.#token = token;
  }

  /** Whether images and downloads need a header, which links can't send. */
  get hasToken() {
    return this.#token.isThere;
  }

  /** Sends a request. A response with a status of 400 or more is thrown as a `RequestError`. */
  async send(method, path, { query, body, type, signal } = {}) {
    const headers = type ? { "Content-Type": type } : {};
    if (this.#token.isThere) headers.Authorization = this.#token.authorization;
    let response;
    try {
      response = await fetch(
        this.address(path, query), { method, headers, body, signal, cache: "no-store" }
      );
    } catch (error) {
      if (error.name === "AbortError") throw error;
      this.#connection.lost();
      throw new RequestError("server_gone", t("The server doesn't respond."));
    }
    if (response.status === 401) {
      await this.#token.ask();
      return this.send(method, path, { query, body, type, signal });
    }
    if (response.ok) return response;
    throw errorFrom(response.status, await response.text(), response.headers.get("Retry-After"));
  }

  /** Sends a request and reads the JSON of its response. */
  async json(method, path, options) {
    const response = await this.send(method, path, options);
    try {
      return await response.json();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new RequestError("server_gone", t("The server's response was cut off."));
    }
  }

  /** Sends an object as JSON and reads the JSON of the response. */
  post(path, object) {
    return this.json("POST", path, { body: JSON.stringify(object), type: "application/json" });
  }

  /** Sends a file and reports the progress, which fetch can't do. */
  upload(path, file, { type, query, progress, signal }) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const request = new XMLHttpRequest();
      request.open("POST", this.address(path, query));
      request.setRequestHeader("Content-Type", type);
      if (this.#token.isThere) request.setRequestHeader("Authorization", this.#token.authorization);
      request.upload.onprogress = (event) => progress(event.loaded, event.total);
      request.onload = () => {
        const { status, responseText } = request;
        if (status === 401) {
          const again = () => this.upload(path, file, { type, query, progress, signal });
          this.#token.ask().then(again).then(resolve, reject);
        } else if (status < 400) {
          resolve(JSON.parse(responseText));
        } else {
          reject(errorFrom(status, responseText, request.getResponseHeader("Retry-After")));
        }
      };
      request.onerror = () => {
        this.#connection.lost();
        reject(new RequestError(
          "server_gone", t("The connection was lost while the file was being sent.")
        ));
      };
      request.onabort = () => reject(new DOMException("Cancelled", "AbortError"));
      signal?.addEventListener("abort", () => request.abort());
      request.send(file);
    });
  }

  /** Returns the URL of a path. The query leaves out values that are null or undefined. */
  address(path, query = {}) {
    const given = Object.entries(query).filter(
      ([, value]) => value !== null && value !== undefined
    );
    // Encode spaces as in paths, because a server may not know that forms encode them as plus
    // signs.
    const text = new URLSearchParams(given).toString().replaceAll("+", "%20");
    return this.base + path + (text ? `?${text}` : "");
  }
}

/** Encodes the parts of a path for a URL, and joins them. */
export function pathOf(...parts) {
  return parts.map((part) => part.split("/").map(encodeURIComponent).join("/")).join("/");
}
