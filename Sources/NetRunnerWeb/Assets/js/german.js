// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { germanEvaluate } from "./germanEvaluate.js";
import { germanLabel } from "./germanLabel.js";
import { germanLive } from "./germanLive.js";
import { germanModels } from "./germanModels.js";
import { germanPage } from "./germanPage.js";
import { germanServer } from "./germanServer.js";

/**
 * The page's texts in German. The key is the English text that a script passes to `t`, or the second
 * text that it passes to `tn`; texts for a count have two forms, for one and for any other number.
 */
export const german = {
  ...germanLive,
  ...germanPage,
  ...germanEvaluate,
  ...germanLabel,
  ...germanModels,
  ...germanServer,
  "{n} images": ["{n} Bild", "{n} Bilder"],
};
