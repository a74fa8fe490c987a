// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** The JSON schema of model.json, from which the form takes its words, keys and limits. */
export class Schema {
  #definitions;

  constructor({ $defs: definitions }) {
    this.#definitions = definitions;
  }

  static async load() {
    return new Schema(await (await fetch("model.schema.json")).json());
  }

  /** Returns the words of a definition, or of a property of one. */
  words(definition, property) {
    const whole = this.#definitions[definition];
    return this.resolved(property ? whole.properties[property] : whole).enum ?? [];
  }

  /** The types of decoders, in the order of the schema. */
  get decoders() {
    return this.#definitions.decode.oneOf.map(({ title }) => title);
  }

  /** Returns the keys of a decoder except its type: their names, schemas, and whether they are required. */
  keys(decoder) {
    const { properties, required } = this.#definitions.decode.oneOf.find(({ title }) => title === decoder);
    return Object.entries(properties).filter(([name]) => name !== "type").map(([name, schema]) => ({
      name, reference: schema.$ref?.split("/").at(-1) ?? "", schema: this.resolved(schema),
      isRequired: required.includes(name),
    }));
  }

  /** Returns a schema with what it refers to. */
  resolved(schema) {
    const { $ref: reference, ...own } = schema;
    if (!reference) return schema;
    return { ...this.resolved(this.#definitions[reference.split("/").at(-1)]), ...own };
  }
}
