// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { choiceField, listField, numberField, textField, tickField } from "./formFields.js";
import { t } from "./messages.js";

/** Returns the lengths of a layer's axes without the batch axis and other first axes of length 1. */
export function plainLengths({ shape }) {
  const lengths = Array.isArray(shape) ? [...shape] : [];
  while (lengths.length > 1 && (lengths[0] === 1 || lengths[0] === -1)) lengths.shift();
  return lengths;
}

/** Returns how many labels an output takes, or null if the shape doesn't say it. */
export function wantedLabels(layer) {
  const lengths = plainLengths(layer);
  if (layer.type === "image") {
    const depth = layer.layout === "channels-first" ? lengths[0] : lengths.at(-1);
    return depth > 1 ? depth : null;
  }
  const { decode } = layer;
  if (decode?.type === "binary") return 2;
  if (!decode || decode.type === "multi-label") return lengths.length === 1 ? lengths[0] : null;
  const hasMore = decode.keypoints || decode.masks || decode.oriented;
  if (decode.type !== "yolo" || hasMore) return null;
  if (decode.layout === "v8") return lengths[0] - 4;
  if (decode.layout === "v8-transposed") return lengths.at(-1) - 4;
  return decode.layout === "v5" ? lengths.at(-1) - 5 : null;
}

/** Returns the decoders that an output of a shape can have. */
export function decodersFor(layer, form) {
  const lengths = plainLengths(layer);
  const [rank, last] = [lengths.length, lengths.at(-1)];
  const { outputs, inputs } = form.model;
  const count = lengths.reduce((product, length) => product * length, 1);
  const suits = {
    "tflite-postprocess": outputs.length >= 4 && rank === 2 && last === 4,
    ssd: outputs.length >= 2 && rank === 2 && last >= 4 && lengths[0] > last,
    blazeface: outputs.length >= 2 && rank === 2 && last >= 12 && lengths[0] > last,
    yolo: rank === 2 && Math.min(...lengths) >= 5,
    movenet: rank === 2 && ((lengths[0] === 17 && last === 3) || last === 56),
    heatmaps: rank === 3,
    simcc: outputs.length >= 2 && rank === 2,
    binary: count === 1, "multi-label": rank === 1, embedding: rank === 1, regression: rank === 1, ordinal: rank === 1,
    depth: rank === 2 || (rank === 3 && (last === 1 || lengths[0] === 1)),
    reconstruction: inputs.some(({ shape }) => Array.isArray(shape)
      && Math.abs(shape.reduce((product, length) => product * length, 1)) === count),
    ctc: rank === 2, tokens: rank <= 2,
  };
  // A decoder that this page doesn't know suits every array.
  return form.schema.decoders.filter((type) => suits[type] ?? true);
}

/** Returns a decoder's name for people. */
export function decoderName(type) {
  const names = {
    "tflite-postprocess": t("Detection: boxes of Detection_PostProcess"),
    ssd: t("Detection: SSD, boxes relative to anchors"), blazeface: t("Detection: BlazeFace and its relatives"),
    yolo: t("Detection: YOLO"), movenet: t("Poses: MoveNet"), heatmaps: t("Poses: heatmaps"),
    simcc: t("Poses: SimCC"), embedding: t("A vector that describes the image"), depth: t("Depth of each pixel"),
    binary: t("One of two labels"), "multi-label": t("Several labels at once"), ordinal: t("A rank"),
    regression: t("Numbers with names and units"), reconstruction: t("A reconstruction of the input"),
    ctc: t("Text by CTC"), tokens: t("Text of tokens"),
  };
  return names[type] ?? type;
}

/** Returns the name of a decoder's key for people. The schema's own title is the fallback. */
function keyName({ name, reference, schema }) {
  const names = {
    threshold: t("Lowest score"), iou: t("Overlap that suppresses"), top: t("Most objects"),
    suppress: t("What a better object suppresses"), candidates: t("Most candidates"),
    units: t("Unit of positions"), layout: t("Layout of the values"), classes: t("Output with classes"),
    scores: t("Output with scores"), count: t("Output with the count"), masks: t("Output with masks"),
    offsets: t("Output with offsets"), y: t("Output with rows"), keypoints: t("Keypoints"),
    clip: t("Move edges outside of the image to its edge"), oriented: t("The boxes are turned"),
    order: t("Order of the coordinates"), exponential: t("Sizes are logarithms"),
    background: t("The first class is the background"), activation: t("Activation"),
    refine: t("Refinement of positions"), stride: t("Pixels for each cell"),
    split: t("Columns for each pixel"), normalize: t("Scale the vector to length 1"),
    inverse: t("Greater numbers are nearer"), unit: t("Unit"), form: t("Form of the ranks"), names: t("Names"),
    values: t("Number of each rank"), scale: t("Scale"), bias: t("Bias"), blank: t("Index of the blank"),
    end: t("Token at the end"), skip: t("Tokens that are left out"), join: t("Between tokens"),
    input: t("Input to compare with"), error: t("Error measure"), gallery: t("File of the gallery"),
  };
  if (reference === "decodeClassCount") return t("Number of classes");
  if (reference === "decodeUnitNames") return t("Units");
  return names[name] ?? schema.title;
}

/** The keys whose values are names of other outputs. */
const roles = new Set([
  "decodeClasses", "decodeScores", "decodeCount", "decodeMasks", "decodeOffsets", "decodeY",
]);

/** The fields of an output's decoder, made from the schema. */
export function decodeFields(layer, path, form) {
  const { decode } = layer;
  const others = form.model.outputs.filter((each) => each !== layer).map(({ name }) => name);
  const inputs = form.model.inputs.map(({ name }) => name);
  const left = [];
  const fields = form.schema.keys(decode.type).filter(({ name }) => name !== "labels").map((key) => {
    const { name, reference, schema, isRequired } = key;
    const names = roles.has(reference) ? others : name === "input" ? inputs : null;
    if (names?.length === 0) return null;
    // BlazeFace has other defaults than the schema, which has those of most decoders.
    const placeholder = decode.type === "blazeface" ? undefined : schema.default;
    const common = {
      placeholder: placeholder === undefined ? t("Default") : String(placeholder).replaceAll(",", ", "),
      path: `${path}.decode.${name}`, label: keyName(key), value: decode[name],
      set: (value) => form.change(() => {
        if (value === undefined || value === "") delete decode[name];
        else decode[name] = value;
      }),
    };
    const made = fieldOf(common, schema, isRequired, names);
    if (!made) left.push(name);
    return made;
  }).filter(Boolean);
  const label = optionalLabels(layer, form);
  return [
    el("div", { class: "form-grid" }, fields), label,
    left.length > 0
      ? el("p", { class: "muted small", text: t("In model.json: {keys}", { keys: left.join(", ") }) }) : null,
  ].filter(Boolean);
}

function fieldOf(common, schema, isRequired, names) {
  const none = isRequired ? [] : [["", t("Default")]];
  if (names) return choiceField({
    ...common, choices: [...(isRequired ? [] : [["", t("None")]]), ...names.map((name) => [name, name])],
  });
  // An empty text is a value of its own, which the form's choices can't tell from the default.
  if (schema.enum) return schema.enum.includes("") ? null : choiceField({
    ...common, value: common.value ?? schema.default ?? "",
    choices: [...(schema.default === undefined ? none : []), ...schema.enum.map((word) => [word, word])],
  });
  if (schema.type === "boolean") return tickField({ ...common, value: common.value ?? schema.default });
  if (schema.type === "number" || schema.type === "integer") return numberField({
    ...common,
    limits: {
      min: schema.minimum, max: schema.maximum, step: schema.type === "integer" ? 1 : "any",
    },
  });
  if (schema.type === "string") return textField(common);
  if (schema.oneOf?.some(({ type }) => type === "integer")) return numberOrNames(common);
  const { type } = schema.items ?? {};
  const isPlain = schema.type === "array" && type !== "array" && !Array.isArray(common.value?.[0]);
  return isPlain ? listField({
    ...common, isNumeric: type !== "string", note: t("With commas between them"),
  }) : null;
}

/** A field for a number, or for names. */
function numberOrNames(common) {
  const { value, set } = common;
  return textField({
    ...common, value: Array.isArray(value) ? value.join(", ") : String(value ?? ""),
    note: t("Their number, or their names with commas"),
    set: (text) => {
      const names = text.split(",").map((part) => part.trim()).filter(Boolean);
      const isNumber = names.length === 1 && /^\d+$/.test(names[0]);
      set(names.length === 0 ? undefined : isNumber ? Number(names[0]) : names);
    },
  });
}

/** A button that adds labels to a decoder that can have them. */
function optionalLabels({ decode }, form) {
  const takes = form.schema.keys(decode.type).some(({ name }) => name === "labels");
  if (!takes || decode.labels !== undefined) return null;
  return el("button", {
    class: "button quiet small", type: "button", text: t("Add labels"),
    on: {
      click: () => form.change(() => {
        decode.labels = "labels.txt";
        form.labels["labels.txt"] ??= [];
      }, true),
    },
  });
}
