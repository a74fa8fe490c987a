// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

import { svg } from "./dom.js";
import { laidOut, nodeSize } from "./graphLayout.js";
import { t } from "./messages.js";

/** A drawing of a graph. The arrow keys step through the operators. */
export class GraphDrawing {
  /** Called with the index of the operator that was chosen. */
  onchoose = () => {};
  root;
  #operators = [];
  #layout;
  #linesOf;

  constructor(graph, textOf) {
    this.#layout = laidOut(graph);
    this.#linesOf = (index) => [graph.operators[index].name, textOf(index)];
    const { nodes, edges, width, height } = this.#layout;
    const lines = edges.map(({ points, tensor }) => svg("path", { class: "edge", d: pathOf(points) },
      svg("title", { text: graph.tensors[tensor].name })));
    const ends = nodes.filter(({ kind }) => kind !== "operator").map((node) => box(node, {
      class: `node ${node.kind}`, "aria-hidden": "true",
    }, [node.kind === "input" ? t("Input") : t("Output"), graph.tensors[node.index]?.name ?? ""]));
    this.#operators = nodes.filter(({ kind }) => kind === "operator").map((node) => {
      const lines = this.#linesOf(node.index);
      const drawn = box(node, {
        class: "node operator", role: "option", tabindex: node.index === 0 ? 0 : -1,
        "aria-selected": "false", "aria-label": `${node.index} ${lines.join(", ")}`,
      }, lines);
      drawn.addEventListener("click", () => this.onchoose(node.index));
      return drawn;
    });
    this.root = svg("svg", {
      class: "graph", role: "listbox", "aria-label": t("Operators"), width, height,
      viewBox: `0 0 ${width} ${height}`,
    }, svg("g", { "aria-hidden": "true" }, lines), ends, this.#operators);
    this.root.addEventListener("keydown", (event) => this.#key(event));
  }

  /**
   * Shows the times of the operators by their indexes, each with its `text`, and its `share` of the slowest one.
   */
  showTimes(times) {
    this.#operators.forEach((node, index) => {
      const time = times.get(index);
      const [name, text] = this.#linesOf(index);
      node.setAttribute("aria-label", `${index} ${[name, text, time?.text].filter(Boolean).join(", ")}`);
      node.classList.toggle("timed", Boolean(time));
      node.replaceChildren(...time ? contents([name, time.text], time.share) : contents([name, text]));
    });
  }

  /** Emphasizes an operator, and scrolls to it. */
  choose(index, takesFocus = false) {
    this.#operators.forEach((node, place) => {
      node.setAttribute("aria-selected", String(place === index));
      node.setAttribute("tabindex", place === index ? "0" : "-1");
    });
    const node = this.#operators[index];
    if (takesFocus) node?.focus({ preventScroll: true });
    const frame = this.root.parentElement;
    const place = this.#layout.nodes.find(({ kind, index: each }) => kind === "operator" && each === index);
    if (!place || !frame) return;
    const isAbove = place.y < frame.scrollTop + nodeSize.height;
    const isBelow = place.y > frame.scrollTop + frame.clientHeight - nodeSize.height;
    const isBeside = place.x < frame.scrollLeft + 100 || place.x > frame.scrollLeft + frame.clientWidth - 100;
    if (isAbove || isBelow) frame.scrollTop = place.y - frame.clientHeight / 2;
    if (isBeside) frame.scrollLeft = place.x - frame.clientWidth / 2;
  }

  #key(event) {
    const current = this.#operators.indexOf(document.activeElement);
    if (current < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.#operators.length - 1;
    const target = {
      ArrowDown: current + 1, ArrowRight: current + 1, ArrowUp: current - 1, ArrowLeft: current - 1,
      Home: 0, End: last, PageDown: current + 10, PageUp: current - 10, Enter: current, " ": current,
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(last, target));
    this.choose(index, true);
    this.onchoose(index);
  }
}

/** A node's frame with its lines of text. */
function box({ x, y }, attributes, lines) {
  const { width, height } = nodeSize;
  return svg(
    "g", { ...attributes, transform: `translate(${x - width / 2} ${y - height / 2})` }, contents(lines)
  );
}

/** A frame and lines of text, and if there is a share, a ground and a bar that are as strong and long as it. */
function contents(lines, share = null) {
  const { width, height } = nodeSize;
  const heat = share === null ? [] : [
    svg("rect", { class: "heat", width, height, rx: 7, "fill-opacity": 0.3 * share }),
    svg("rect", { class: "heat", x: 8, y: height - 5, width: (width - 16) * share, height: 3 }),
  ];
  const first = heat.length > 0 ? 15 : 18;
  return [
    svg("rect", { width, height, rx: 7 }), ...heat,
    svg("title", { text: lines.filter(Boolean).join("\n") }),
    ...lines.filter(Boolean).map((text, place) => svg("text", {
      x: width / 2, y: lines[1] ? first + 16 * place : 26, class: place > 0 ? "shape" : null,
      text: shortened(text),
    })),
  ];
}

function shortened(text) {
  return text.length > 24 ? `${text.slice(0, 11)}…${text.slice(-12)}` : text;
}

/** A curve from the foot of the first node through the bends to the head of the last one. */
function pathOf(points) {
  const places = points.map(({ x, y }, place) => ({
    x, y: y + (place === 0 ? nodeSize.height / 2 : place === points.length - 1 ? -nodeSize.height / 2 : 0),
  }));
  return places.slice(1).reduce((path, { x, y }, place) => {
    const before = places[place];
    const middle = (before.y + y) / 2;
    return `${path}C${before.x} ${middle} ${x} ${middle} ${x} ${y}`;
  }, `M${places[0].x} ${places[0].y}`);
}
