// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { API } from "./api.js";
import { Announcer } from "./announcer.js";
import { modelIn } from "./bundleFiles.js";
import { Connection } from "./connection.js";
import { byId } from "./dom.js";
import { followDrops } from "./drops.js";
import { showFailure } from "./failures.js";
import { LazyView } from "./lazyView.js";
import { LiveView } from "./live.js";
import { t, translate } from "./messages.js";
import { Models } from "./models.js";
import { followModelChoice } from "./modelChoice.js";
import { Notices } from "./notices.js";
import { Requests } from "./request.js";
import { Router, address } from "./router.js";
import { Settings, followTheme } from "./settings.js";
import { SettingsView } from "./settingsView.js";
import { Token } from "./token.js";

translate(document.body);
const connection = new Connection(isServerThere);
const requests = new Requests(connection, new Token(byId("token")));
const api = new API(requests);
const settings = new Settings(storage());
const models = new Models(api, settings);
const notices = new Notices(byId("notices"));
const app = {
  api, connection, models, notices, settings,
  announcer: new Announcer(byId("announcer")),
  server: {
    name: "Net Runner", version: "", threads: 1, folders: [], maximum_picture_bytes: Infinity,
    maximum_bundle_bytes: Infinity
  },
  go: (view, rest) => { location.hash = address(view, rest); },
};

/** The button of problems that are gone when the page is loaded again after their cause was removed. */
const reloading = [t("Try again"), () => location.reload()];

followTheme(settings);
followConnection();
followModelChoice(byId("model-select"), models);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
start();

async function start() {
  await load();
  const later = (name, load) => new LazyView(
    name, load, async () => {
      notices.warn(t("This view can't be loaded yet. It appears as soon as the server sends it."));
      await new Promise((resolve) => setTimeout(resolve, 2000));
      await connection.whenBack();
    }
  );
  const views = {
    live: new LiveView(app),
    models: later("models", async () => new (await import("./modelsView.js")).ModelsView(app)),
    evaluate: later("evaluate", async () => new (await import("./evaluate.js")).EvaluateView(app)),
    label: later("label", async () => new (await import("./label.js")).LabelView(app)),
    settings: new SettingsView(app),
  };
  const router = new Router(views);
  app.show = (view, entries) => {
    app.go(view);
    views[view].receive(entries);
  };
  app.importModel = (entries) => {
    if (!modelIn(entries)) return false;
    app.go("models");
    views.models.with((view) => view.importModel(entries));
    return true;
  };
  const receiver = () => (router.current.receive ? router.current : views.live);
  followDrops({
    notices,
    hint: () => receiver().root.dataset.hint,
    receive: (entries) => {
      if (!router.current.receive) app.go("live");
      receiver().receive(entries);
    },
  });
  router.start();
}

/** Asks for the server's information until it responds. */
async function load() {
  for (;;) {
    try {
      app.server = { ...app.server, ...(await api.server()) };
      showProblem(app.server.problem);
      return await models.load();
    } catch (error) {
      if (error.code === "server_gone") {
        await connection.whenBack();
      } else {
        return showFailure(byId("server-problem"), {
          text: t("The server's models can't be listed."), detail: error.message, action: reloading,
        });
      }
    }
  }
}

/** Shows why no model can run, or nothing. */
function showProblem(problem) {
  // The sentences after the first one are for the person at the server's terminal.
  const [, text, detail] = /^(.*?\.)(?: (.*))?$/s.exec(problem ?? "") ?? [];
  showFailure(byId("server-problem"), text ? { text, detail, action: reloading } : null);
}

async function isServerThere() {
  try {
    return (await fetch(requests.address("server"), { cache: "no-store" })).status < 500;
  } catch {
    return false;
  }
}

function followConnection() {
  connection.addEventListener("lost", () => { byId("connection").hidden = false; });
  connection.addEventListener("back", () => { byId("connection").hidden = true; });
  byId("connection-retry").addEventListener("click", () => connection.retry());
}

/** Returns the browser's storage, or null if it is forbidden. */
function storage() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
