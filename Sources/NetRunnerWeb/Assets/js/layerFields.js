// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { choiceField, fieldGroup, fieldRow, numberField } from "./formFields.js";
import { shape } from "./format.js";
import { t } from "./messages.js";

/** The fields of an input. */
export function inputFields(layer, path, form) {
  const fields = layer.type === "image"
    ? imageFields(layer, path, form)
    : layer.type === "array" || layer.type === "scalar" ? quantizeFields("quantize", layer, path, form) : [];
  const note = fields.length === 0 ? t("Its settings are in model.json.") : "";
  const facts = [layerText(layer, form.tensor("inputs", path)), note].filter(Boolean).join(" · ");
  return fieldGroup(t("Input “{name}”", { name: layer.name }), facts, fields);
}

/** Describes a layer: its shape, and how the tensor is stored. */
export function layerText({ shape: lengths, format }, tensor) {
  return [format, Array.isArray(lengths) ? shape(lengths) : null, tensor].filter(Boolean).join(" · ");
}

/** Describes the type and the quantization of a tensor of the graph. */
export function tensorText({ type, quantization }) {
  if (!quantization) return type;
  const { scale, zero_point: zero, count } = quantization;
  if (count > 1) return t("{type}, quantized by channel ({count} scales)", { type, count });
  return t("{type}, scale {scale}, zero point {zero}", { type, scale, zero });
}

function imageFields(layer, path, form) {
  const set = (key) => (value) => form.change(() => { layer[key] = value; });
  const fields = [];
  if (layer.format !== "GRAY") fields.push(choiceField({
    path: `${path}.format`, label: t("Channel order"), value: layer.format,
    choices: form.schema.words("imageInput", "format").filter((word) => word !== "GRAY").map((word) => [word, word]),
    set: set("format"),
  }));
  fields.push(choiceField({
    path: `${path}.resize`, label: t("Resize as"), value: layer.resize ?? form.schema.words("resize")[0],
    choices: form.schema.words("resize").map((word) => [word, word]), set: set("resize"),
  }));
  return [
    fieldRow(...fields), ...cropFields(layer, path, form),
    ...scaleFields("normalize", layer, path, form, {
      none: t("None: 0 to 255"), "[0,1]": t("0 to 1"), "[-1,1]": t("-1 to 1"), own: t("Scale and bias"),
    }),
  ];
}

function cropFields(layer, path, form) {
  const crop = typeof layer.crop === "object" ? layer.crop : { mode: layer.crop ?? "center" };
  const change = (key, redraws) => (value) => form.change(() => {
    const { mode, ...others } = { ...crop, [key]: value };
    if (others.fraction === 1) delete others.fraction;
    if (mode !== "pad") {
      delete others.color;
      delete others.rounding;
    }
    for (const name of Object.keys(others)) if (others[name] === undefined) delete others[name];
    layer.crop = Object.keys(others).length > 0 ? { mode, ...others } : mode;
    Object.assign(crop, { [key]: value });
  }, redraws);
  const names = {
    center: t("The middle, cropped"), stretch: t("Everything, distorted"),
    pad: t("Everything, with a margin"),
  };
  const fields = [
    choiceField({
      path: `${path}.crop${typeof layer.crop === "object" ? ".mode" : ""}`, label: t("Part of the image"),
      value: crop.mode, choices: form.schema.words("cropMode").map((word) => [word, names[word] ?? word]),
      set: change("mode", true),
    }),
    numberField({
      path: `${path}.crop.fraction`, label: t("Share of each side"), value: crop.fraction,
      placeholder: "1", limits: { min: 0, max: 1, step: 0.005 }, set: change("fraction"),
    }),
  ];
  if (crop.mode !== "pad") return [fieldRow(...fields)];
  const color = el("input", { type: "color", data: { path: `${path}.crop.color` } });
  color.value = hexadecimal(crop.color ?? { r: 0, g: 0, b: 0 });
  color.addEventListener("input", () => change("color")(colorOf(color.value)));
  return [fieldRow(
    ...fields,
    el("label", { class: "field" }, el("span", { text: t("Color of the margin") }), color),
    choiceField({
      path: `${path}.crop.rounding`, label: t("Rounding of the margin"), value: crop.rounding ?? "pillow",
      choices: ["pillow", "ultralytics", "tensorflow"].map((word) => [word, word]), set: change("rounding"),
    })
  )];
}

function hexadecimal({ r, g, b }) {
  return `#${[r, g, b].map((part) => Math.max(0, Math.min(255, part)).toString(16).padStart(2, "0")).join("")}`;
}

function colorOf(text) {
  const [r, g, b] = [1, 3, 5].map((start) => parseInt(text.slice(start, start + 2), 16));
  return { r, g, b };
}

/** The fields of `quantize` or `dequantize`, which only quantized models use. */
export function quantizeFields(key, layer, path, form) {
  if (!form.model.model?.quantized) return [];
  return scaleFields(key, layer, path, form, {
    none: t("None: the tensor's own numbers"), "[0,1]": t("0 to 1"), "[-1,1]": t("-1 to 1"),
    model: t("As stored in the model"), own: t("Scale and bias"),
  });
}

/** The fields of a conversion that is one of several standards, or has a scale and a bias. */
export function scaleFields(key, layer, path, form, names) {
  const now = layer[key];
  const kind = now === undefined ? "none" : now.standard ?? "own";
  const isColored = layer.type === "image" && layer.format !== "GRAY";
  const choose = (value) => form.change(() => {
    if (value === "none") delete layer[key];
    else if (value === "own") layer[key] = { scale: isColored ? colors(1) : 1, bias: isColored ? colors(0) : 0 };
    else layer[key] = { standard: value };
  }, true);
  const labels = {
    normalize: t("Normalization"), denormalize: t("Range of the tensor"),
    quantize: t("Quantization"), dequantize: t("Dequantization"),
  };
  const fields = [choiceField({
    path: `${path}.${key}`, label: labels[key], value: kind, choices: Object.entries(names), set: choose,
  })];
  if (kind !== "own") return fields;
  const member = (name) => {
    const label = name === "scale" ? t("Scale") : t("Bias");
    if (typeof now[name] !== "object") return [numberField({
      path: `${path}.${key}.${name}`, label, value: now[name],
      set: (value) => form.change(() => { now[name] = value; }),
    })];
    const parts = { r: t("red"), g: t("green"), b: t("blue") };
    return Object.entries(parts).map(([part, color]) => numberField({
      path: `${path}.${key}.${name}.${part}`, label: t("{name}, {color}", { name: label, color }),
      value: now[name][part], set: (value) => form.change(() => { now[name][part] = value; }),
    }));
  };
  return [...fields, fieldRow(...member("scale")), fieldRow(...member("bias"))];
}

function colors(value) {
  return { r: value, g: value, b: value };
}
