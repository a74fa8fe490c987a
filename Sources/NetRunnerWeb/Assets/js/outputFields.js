// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { decodeFields, decoderName, decodersFor, plainLengths, wantedLabels } from "./decodeFields.js";
import { labelsFile } from "./description.js";
import { choiceField, fieldGroup } from "./formFields.js";
import { labelField } from "./labelField.js";
import { layerText, quantizeFields, scaleFields } from "./layerFields.js";
import { t } from "./messages.js";

/** The fields of an output: what it is, and the settings of that. */
export function outputFields(layer, path, form) {
  const kind = kindOf(layer);
  const choices = kindsFor(layer, form);
  const fields = [];
  if (choices.length > 1) fields.push(choiceField({
    path: `${path}.type`, label: t("What the output is"), value: kind, choices,
    set: (value) => form.change(() => turn(layer, value, form), true),
  }));
  if (kind.startsWith("decode:")) fields.push(...decodeFields(layer, path, form));
  if (labelsFile(layer) !== undefined) fields.push(labels(layer, path, form));
  else if (kind === "classes" || (kind === "values" && wantedLabels(layer) > 1)) {
    fields.push(firstLabels(layer, path, form));
  }
  if (kind === "image") fields.push(...scaleFields("denormalize", layer, path, form, {
    none: t("0 to 255"), "[0,1]": t("0 to 1"), "[-1,1]": t("-1 to 1"), own: t("Scale and bias"),
  }));
  if (layer.type === "array" || layer.type === "scalar") {
    fields.push(...quantizeFields("dequantize", layer, path, form));
  }
  const other = Object.values(form.model.outputs).find(({ decode }) => roles(decode).includes(layer.name));
  const note = other ? t("The output “{name}” reads it.", { name: other.name }) : "";
  return fieldGroup(
    t("Output “{name}”", { name: layer.name }),
    [layerText(layer, form.tensor("outputs", path)), note].filter(Boolean).join(" · "), fields
  );
}

/** The names of the outputs that a decoder reads besides its own. */
function roles(decode) {
  return ["classes", "scores", "count", "masks", "offsets", "y"].map((key) => decode?.[key]).filter(
    (value) => typeof value === "string"
  );
}

function labels(layer, path, form) {
  const file = labelsFile(layer);
  return labelField({
    path: `${path}.${layer.decode ? "decode." : ""}labels`, names: form.labels[file] ?? [],
    wanted: wantedLabels(layer), set: (names) => form.change(() => { form.labels[file] = names; }),
  });
}

/** A field for the first labels of an output. Values become a classification when people enter some. */
function firstLabels(layer, path, form) {
  const file = freeFile(form);
  return labelField({
    path: `${path}.labels`, wanted: wantedLabels(layer), names: form.labels[file] ?? [],
    set: (names) => form.change(() => {
      form.labels[file] = names;
      if (names.length > 0) layer.labels = file;
      else delete layer.labels;
      const kind = form.field(`${path}.type`);
      if (kind) kind.value = kindOf(layer);
    }),
  });
}

function kindOf(layer) {
  if (layer.decode) return `decode:${layer.decode.type}`;
  if (layer.type === "image") return layer.format === "CLASSES" ? "classes" : "image";
  if (layer.type !== "array") return layer.type;
  return layer.labels === undefined ? "values" : "labels";
}

/** What an output can be, by its shape: pairs of a kind and its name. */
function kindsFor(layer, form) {
  const kinds = [[kindOf(layer), null]];
  if (layer.type === "array" || layer.type === "image") {
    const lengths = plainLengths(layer);
    kinds.push(["values", null]);
    if (lengths.length <= 1) kinds.push(["labels", null]);
    if (lengths.length >= 2 && lengths.length <= 3) kinds.push(["classes", null]);
    if (lengths.length === 2 || (lengths.length === 3 && [lengths[0], lengths[2]].includes(3))) {
      kinds.push(["image", null]);
    }
    kinds.push(...decodersFor(layer, form).map((type) => [`decode:${type}`, null]));
  }
  const names = new Set(kinds.map(([kind]) => kind));
  return [...names].map((kind) => [kind, kindText(kind)]);
}

function kindText(kind) {
  const names = {
    values: t("Values"), labels: t("Classification: a value for each label"),
    classes: t("Segmentation: the class of each pixel"), image: t("An image"),
    scalar: t("A number"), string: t("Text"),
  };
  return names[kind] ?? decoderName(kind.replace("decode:", ""));
}

/** Changes what an output is. */
function turn(layer, kind, form) {
  const file = labelsFile(layer) ?? freeFile(form);
  const { name, shape, dtype, dequantize } = layer;
  const flat = plainLengths(layer);
  const pixels = flat.length === 2 ? [...flat, 1] : flat;
  const isFirst = layer.layout === "channels-first"
    || (pixels.length === 3 && pixels[0] < pixels[1] && pixels[0] < pixels[2]);
  for (const key of Object.keys(layer)) delete layer[key];
  if (kind === "classes" || kind === "image") {
    const format = kind === "classes" ? "CLASSES" : pixels.includes(3) ? "RGB" : "GRAY";
    Object.assign(layer, { name, type: "image", shape: pixels, format });
    if (isFirst && pixels[0] !== 1) layer.layout = "channels-first";
    if (kind === "classes" && form.labels[file]) layer.labels = file;
    return;
  }
  Object.assign(layer, { name, type: "array", shape });
  if (dtype) layer.dtype = dtype;
  if (dequantize) layer.dequantize = dequantize;
  if (kind === "labels") layer.labels = useFile(file, form);
  if (kind.startsWith("decode:")) layer.decode = newDecoder(kind.slice(7), file, form);
}

/** Returns a decoder with what it must have, and with the labels that exist. */
function newDecoder(type, file, form) {
  const decode = { type };
  const others = form.model.outputs.map(({ name }) => name);
  for (const { name, reference, schema, isRequired } of form.schema.keys(type)) {
    if (name === "labels") {
      if (isRequired || form.labels[file]) decode.labels = useFile(file, form);
    } else if (isRequired && schema.enum) {
      decode[name] = name === "layout" ? "v8" : schema.enum[0];
    } else if (isRequired && reference !== "decodeAnchors") {
      decode[name] = others.find((other) => other.toLowerCase().includes(name)) ?? others.at(-1);
    }
  }
  return decode;
}

function useFile(file, form) {
  form.labels[file] ??= [];
  return file;
}

function freeFile(form) {
  const used = form.model.outputs.map(labelsFile);
  const names = ["labels.txt", ...form.model.outputs.map((_, index) => `labels-${index + 2}.txt`)];
  return names.find((name) => !used.includes(name));
}
