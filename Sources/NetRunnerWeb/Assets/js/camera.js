// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** Why there is no camera: "insecure", "unsupported", "denied", "none", "busy" or "failed". */
export class CameraError extends Error {
  constructor(code) {
    super(cameraAdvice(code).title);
    this.code = code;
  }
}

/** What a browser's error means. */
export function cameraCode(name) {
  const codes = {
    NotAllowedError: "denied", SecurityError: "denied", NotFoundError: "none",
    OverconstrainedError: "none", NotReadableError: "busy", AbortError: "busy",
  };
  return codes[name] ?? "failed";
}

/** What a person can do about it. */
export function cameraAdvice(code) {
  const advice = {
    insecure: {
      title: "The camera needs https",
      text: "Browsers give the camera only to https pages and to localhost. Start tensorio netrunner with "
        + "--cert and --key, or open this page on the computer it runs on.",
    },
    unsupported: { title: "No camera here", text: "This browser gives pages no camera." },
    denied: {
      title: "The camera is not allowed",
      text: "Allow it in the browser's settings for this page, then try again.",
    },
    none: { title: "No camera found", text: "Connect one and try again, or use pictures." },
    busy: {
      title: "The camera is in use",
      text: "Another program may hold it. Close that one, then try again."
    },
    ended: { title: "The camera is gone", text: "It was unplugged or switched off." },
    failed: { title: "The camera did not start", text: "The browser does not say why." },
  };
  return advice[code] ?? advice.failed;
}

/** Whether trying again would end the same way. */
export function isHopeless(code) {
  return code === "insecure" || code === "unsupported";
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

  /** The camera's identifier, for the server to tell sources apart; "" without a camera. */
  get id() {
    return this.#track?.getSettings().deviceId ?? "";
  }

  /** "front", "back" or, where the browser does not say, "". */
  get facing() {
    const mode = this.#track?.getSettings().facingMode;
    return { user: "front", environment: "back" }[mode] ?? "";
  }

  /**
   * Starts the camera that faces "front" or "back", or that of an identifier. Resolves to false
   * when another start, or a stop, came in between.
   */
  async start({ facing, deviceId }) {
    this.stop();
    this.#turn += 1;
    const turn = this.#turn;
    const stream = await open({ facing, deviceId });
    if (turn !== this.#turn) {
      stream.getTracks().forEach((track) => track.stop());
      return false;
    }
    this.#stream = stream;
    this.#track.addEventListener("ended", () => this.#ended(stream));
    this.#video.srcObject = stream;
    await this.#video.play();
    return true;
  }

  /** Gives the camera back. */
  stop() {
    this.#turn += 1;
    this.#stream?.getTracks().forEach((track) => track.stop());
    this.#stream = null;
    if (this.#video.srcObject) this.#video.srcObject = null;
  }

  /** What the camera on the other side is asked for by: its side or, where unknown, the next one. */
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

  #ended(stream) {
    if (stream !== this.#stream) return;
    this.stop();
    this.onend();
  }
}

/** The cameras that the browser tells of; their names only after one was allowed. */
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
    throw new CameraError(cameraCode(error.name));
  }
}
