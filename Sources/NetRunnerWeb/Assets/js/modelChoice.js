// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { el } from "./dom.js";
import { t } from "./messages.js";

/** Keeps a select element in sync with the list of models and the selected model. */
export function followModelChoice(select, models) {
  const fill = () => {
    const groups = [
      [t("Shipped"), (model) => model.can_run && model.is_shipped],
      [t("Imported"), (model) => model.can_run && !model.is_shipped],
      [t("Can't run here"), (model) => !model.can_run],
    ].map(([label, isMember]) => {
      const options = models.list.filter(isMember).map(
        (model) => option(model, models.nameOf(model))
      );
      return options.length > 0 ? el("optgroup", { label }, options) : null;
    });
    select.replaceChildren(...groups.filter(Boolean));
    choose();
  };
  const choose = () => {
    select.value = models.selected?.id ?? "";
  };
  models.addEventListener("load", fill);
  models.addEventListener("select", choose);
  select.addEventListener("change", () => models.select(select.value));
  fill();
}

function option({ id, can_run: canRun }, name) {
  return el("option", { value: id, text: name, disabled: !canRun });
}
