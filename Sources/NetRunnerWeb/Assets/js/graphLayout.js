// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/** The size of an operator's node, and the distances between nodes, in pixels. */
export const nodeSize = { width: 176, height: 44, gap: 22, row: 30 };

/** How often the nodes of all rows are sorted by their neighbours. */
const sweeps = 4;

/**
 * Places a graph's nodes in rows, so that edges lead downwards. Nodes are the graph's inputs, its operators and
 * its outputs, as `{kind, index, x, y, row}`. Edges have points from one node to another.
 */
export function laidOut(graph) {
  const { nodes, links } = nodesOf(graph);
  setRows(nodes, links);
  const { rows, edges } = withBends(nodes, links);
  for (let sweep = 0; sweep < sweeps; sweep += 1) sort(rows, sweep % 2 === 0);
  spread(rows);
  const width = Math.max(...rows.flat().map(({ x }) => x), 0) + nodeSize.width / 2 + nodeSize.gap;
  const height = rows.length * (nodeSize.height + nodeSize.row);
  return { nodes, edges, width, height };
}

/** Returns the indexes of the operators that write and that read each tensor. */
export function tensorUses({ operators }) {
  const writers = new Map();
  const readers = new Map();
  operators.forEach(({ inputs, outputs }, index) => {
    for (const tensor of outputs) if (tensor >= 0) writers.set(tensor, index);
    for (const tensor of new Set(inputs)) {
      if (tensor >= 0) readers.set(tensor, [...(readers.get(tensor) ?? []), index]);
    }
  });
  return { writers, readers };
}

function nodesOf(graph) {
  const make = (kind, index) => ({ kind, index, row: 0, x: 0, y: 0, above: [], below: [] });
  const inputs = graph.inputs.map((tensor) => make("input", tensor));
  const operators = graph.operators.map((_, index) => make("operator", index));
  const outputs = graph.outputs.map((tensor) => make("output", tensor));
  const { writers } = tensorUses(graph);
  const source = (tensor) => {
    const writer = writers.get(tensor);
    return writer === undefined ? inputs.find(({ index }) => index === tensor) : operators[writer];
  };
  const links = [];
  const link = (tensor, target) => {
    const start = source(tensor);
    if (start && start !== target) links.push({ start, end: target, tensor });
  };
  graph.operators.forEach(({ inputs: read }, index) => {
    for (const tensor of new Set(read)) link(tensor, operators[index]);
  });
  graph.outputs.forEach((tensor, index) => link(tensor, outputs[index]));
  return { nodes: [...inputs, ...operators, ...outputs], links };
}

/** Puts each node below the nodes that it reads from. Operators are in the order in which they run. */
function setRows(nodes, links) {
  const incoming = new Map(nodes.map((node) => [node, []]));
  for (const each of links) incoming.get(each.end).push(each.start);
  const order = new Map(nodes.map((node, place) => [node, place]));
  for (const node of nodes) {
    const earlier = incoming.get(node).filter((start) => order.get(start) < order.get(node));
    node.row = earlier.reduce((row, start) => Math.max(row, start.row + 1), 0);
  }
  // An input is shown right above its first reader.
  for (const node of nodes.filter(({ kind }) => kind === "input")) {
    const rows = links.filter(({ start }) => start === node).map(({ end }) => end.row);
    if (rows.length > 0) node.row = Math.max(0, Math.min(...rows) - 1);
  }
}

/** Returns the rows with a bend in each row that an edge crosses, and the edges with their bends. */
function withBends(nodes, links) {
  const rows = Array.from({ length: Math.max(0, ...nodes.map(({ row }) => row)) + 1 }, () => []);
  for (const node of nodes) rows[node.row].push(node);
  const edges = links.filter(({ start, end }) => end.row > start.row).map(({ start, end, tensor }) => {
    const points = [start];
    for (let row = start.row + 1; row < end.row; row += 1) {
      const bend = { kind: "bend", row, x: 0, y: 0, above: [], below: [] };
      rows[row].push(bend);
      points.push(bend);
    }
    points.push(end);
    for (let place = 1; place < points.length; place += 1) {
      points[place].above.push(points[place - 1]);
      points[place - 1].below.push(points[place]);
    }
    return { points, tensor };
  });
  rows.forEach((row, place) => row.forEach((node, column) => {
    node.column = column;
    node.y = place * (nodeSize.height + nodeSize.row) + nodeSize.row / 2 + nodeSize.height / 2;
  }));
  return { rows, edges };
}

/** Sorts the nodes of each row by the mean place of their neighbours in the row before or after it. */
function sort(rows, isDownwards) {
  for (const row of isDownwards ? rows : rows.toReversed()) {
    const mean = (node) => {
      const near = isDownwards ? node.above : node.below;
      return near.length > 0
        ? near.reduce((sum, { column }) => sum + column, 0) / near.length : node.column;
    };
    const keys = new Map(row.map((node) => [node, mean(node)]));
    row.sort((a, b) => keys.get(a) - keys.get(b));
    row.forEach((node, column) => { node.column = column; });
  }
}

/** Sets the horizontal places: each node near the mean of its neighbours, without overlaps. */
function spread(rows) {
  const widthOf = ({ kind }) => (kind === "bend" ? 14 : nodeSize.width) + nodeSize.gap;
  const place = (row, wanted) => {
    // Groups of nodes that touch each other move together.
    const groups = [];
    for (const node of row) {
      let nodes = [node];
      let left = wanted(node) - widthOf(node) / 2;
      while (groups.length > 0 && groups.at(-1).right > left) {
        nodes = [...groups.pop().nodes, ...nodes];
        left = starts(nodes, wanted, widthOf);
      }
      const width = nodes.reduce((sum, each) => sum + widthOf(each), 0);
      groups.push({ nodes, left, right: left + width });
    }
    for (const { nodes, left } of groups) {
      let edge = left;
      for (const node of nodes) {
        node.x = edge + widthOf(node) / 2;
        edge += widthOf(node);
      }
    }
  };
  const mean = (near, node) => (near.length > 0
    ? near.reduce((sum, { x }) => sum + x, 0) / near.length : node.x);
  for (const row of rows) place(row, (node) => mean(node.above, node));
  for (const row of rows.toReversed()) place(row, (node) => mean([...node.below, ...node.above], node));
  for (const row of rows) place(row, (node) => mean([...node.above, ...node.below], node));
  const least = Math.min(0, ...rows.flat().map((node) => node.x - widthOf(node) / 2));
  for (const node of rows.flat()) node.x += nodeSize.gap - least;
}

/** Returns where a group of nodes begins, so that they are near their wanted places on average. */
function starts(nodes, wanted, widthOf) {
  let edge = 0;
  let sum = 0;
  for (const node of nodes) {
    sum += wanted(node) - (edge + widthOf(node) / 2);
    edge += widthOf(node);
  }
  return sum / nodes.length;
}
