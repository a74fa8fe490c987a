// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { t } from "./messages.js";

/**
 * An error with a code: "insecure", "unsupported", "denied", "none", "busy", "ended" or "failed". The
 * detail is what the browser says.
 */
export class CameraError extends Error {
  constructor(code, detail = "") {
    super(cameraAdvice(code).title);
    this.code = code;
    this.detail = detail || cameraAdvice(code).detail;
  }
}

/** Returns the code for a browser's error. */
function cameraCode(name) {
  const codes = {
    NotAllowedError: "denied", SecurityError: "denied", NotFoundError: "none",
    OverconstrainedError: "none", NotReadableError: "busy", AbortError: "busy",
  };
  return codes[name] ?? "failed";
}

/** Returns what the user can do about an error. */
export function cameraAdvice(code) {
  const advice = {
    insecure: {
      title: t("The camera needs https"),
      text: t("Browsers only let https pages and localhost use the camera."),
      detail: t("Start tensorio netrunner with --cert and --key, or open this page on the computer that it runs on."),
    },
    unsupported: { title: t("No camera available"), text: t("This browser doesn't let pages use a camera.") },
    denied: {
      title: t("The camera is not allowed"),
      text: t("Allow it with the icon beside the page's address, then try again."),
    },
    none: { title: t("No camera found"), text: t("Connect one, or choose images.") },
    busy: {
      title: t("The camera is in use"),
      text: t("Close the program that uses it, then try again.")
    },
    ended: { title: t("The camera is gone"), text: t("It was unplugged or switched off.") },
    failed: { title: t("The camera did not start"), text: t("Try again, or choose images.") },
  };
  return advice[code] ?? advice.failed;
}

/** Whether this browser lets this page ask for a camera. */
export function canAskForCamera() {
  return Boolean(isSecureContext && navigator.mediaDevices?.getUserMedia);
}

/** Whether a retry would fail in the same way. */
export function isHopeless(code) {
  return ["insecure", "unsupported", "none"].includes(code);
}

/** The device's camera, shown in a video element. */
export class Camera {
  onend = () => {};
  #video;
  #stream = null;
  #turn = 0;

  constructor(video) {
    this.#video = video;
  }

  get isOn() {
    return this.#stream !== null;
  }

  /** The camera's identifier, with which the server tells sources apart, or "" without a camera. */
  get id() {
    return this.#track?.getSettings().deviceId ?? "";
  }

  /** "front", "back", or "" if the browser doesn't say. */
  get facing() {
    const mode = this.#track?.getSettings().facingMode;
    return { user: "front", environment: "back" }[mode] ?? "";
  }

  /**
   * Starts the camera that faces "front" or "back", or the one with an identifier. Resolves to
   * false if another start or a stop happened in the meantime.
   */
  async start(wanted) {
    this.stop();
    const turn = this.#turn;
    try {
      const stream = await open(wanted);
      if (turn === this.#turn) await this.#show(stream);
      else stream.getTracks().forEach((track) => track.stop());
    } catch (error) {
      // A stop also fails the start in progress.
      if (turn === this.#turn) throw error;
    }
    return turn === this.#turn;
  }

  /** Releases the camera. */
  stop() {
    this.#turn += 1;
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#stream = null;
    if (this.#video.srcObject) this.#video.srcObject = null;
  }

  /**
   * Resolves to the options that start the other camera: its side or, if that is unknown, the next
   * camera's identifier. Resolves to null if there is only one camera.
   */
  async other() {
    const devices = await cameras();
    if (devices.length < 2) return null;
    if (this.facing) return { facing: this.facing === "front" ? "back" : "front" };
    const place = devices.findIndex((device) => device.deviceId === this.id);
    return { deviceId: devices[(place + 1) % devices.length].deviceId };
  }

  get #track() {
    return this.#stream?.getVideoTracks()[0];
  }

  async #show(stream) {
    this.#stream = stream;
    this.#track.addEventListener("ended", () => this.#ended(stream));
    this.#video.srcObject = stream;
    await this.#video.play();
  }

  #ended(stream) {
    if (stream !== this.#stream) return;
    this.stop();
    this.onend();
  }
}

/** Resolves to the cameras that the browser lists. They have names only after one was allowed. */
export async function cameras() {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return devices.filter((device) => device.kind === "videoinput");
}

async function open({ facing, deviceId }) {
  if (!isSecureContext) throw new CameraError("insecure");
  if (!navigator.mediaDevices?.getUserMedia) throw new CameraError("unsupported");
  const which = deviceId
    ? { deviceId: { exact: deviceId } }
    : { facingMode: { ideal: facing === "front" ? "user" : "environment" } };
  const video = { ...which, width: { ideal: 1280 }, height: { ideal: 720 } };
  try {
    return await navigator.mediaDevices.getUserMedia({ video, audio: false });
  } catch (error) {
    throw new CameraError(cameraCode(error.name), `${error.name}: ${error.message}`);
  }
}
