// TensorIO for Swift
// Copyright the TensorIO for Swift authors
// Licensed under the Apache License, Version 2.0
// SPDX-License-Identifier: Apache-2.0

/// The pages' style: one column of sections, light and dark, for phones, wide screens and paper.
struct HTMLStyle {
  static let text = colors + page + tables + charts + gallery + HTMLStyle.objects + heat + media

  /// All text has a contrast of 4.5 or more with its background, in both schemes.
  private static let colors = """
    :root {
      color-scheme: light dark;
      --ground: #ffffff; --raised: #f6f7f9; --line: #dfe3e8; --ink: #1a1e24; --muted: #59626e;
      --blue: 36 99 192; --blue-ink: #1d56ab; --red: 201 66 24; --red-ink: #a8330c;
      --green-ink: #17693a; --on-blue: #ffffff; --on-red: #ffffff; --bar: #8fb2e5;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #14171b; --raised: #1d2127; --line: #343b45; --ink: #e7eaee; --muted: #a0aab6;
        --blue: 110 166 255; --blue-ink: #8fbaff; --red: 255 140 92; --red-ink: #ffa57d;
        --green-ink: #7fd6a0; --on-blue: #0c1726; --on-red: #26100a; --bar: #4a74b3;
      }
    }

    """

  private static let page = """
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
    body {
      margin: 0; background: var(--ground); color: var(--ink);
      font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
      font-variant-numeric: tabular-nums;
    }
    main, .top, .foot { max-width: 1280px; margin: 0 auto; padding: 0 20px; }
    a { color: var(--blue-ink); text-underline-offset: 2px; }
    :focus-visible { outline: 2px solid var(--blue-ink); outline-offset: 2px; border-radius: 2px; }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 12px; top: 12px; background: var(--ground); padding: 4px 8px; }
    .top { padding-top: 36px; }
    .kicker { margin: 0; color: var(--muted); font-size: 14px; }
    h1, h2, h3, h4 { line-height: 1.25; margin: 0; font-weight: 650; overflow-wrap: anywhere; }
    h1 { font-size: 34px; letter-spacing: -.01em; }
    h2 { font-size: 24px; padding-top: 28px; }
    h3 { font-size: 17px; margin: 32px 0 10px; }
    h4 { font-size: 14px; margin: 0 0 4px; font-weight: 600; }
    main > section { margin-top: 44px; border-top: 1px solid var(--line); }
    p { margin: 6px 0; max-width: 76ch; }
    .muted, .sub, caption, figcaption { color: var(--muted); }
    .small, .notes { font-size: 14px; }
    .notes { margin: 10px 0; padding-left: 18px; color: var(--muted); max-width: 80ch; }
    .mono { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 13px;
      overflow-wrap: anywhere; }
    .warn {
      margin: 16px 0; padding: 10px 14px; border-left: 4px solid rgb(var(--red));
      background: rgb(var(--red) / .09); border-radius: 0 6px 6px 0; max-width: 90ch;
    }
    .warn strong { color: var(--red-ink); }
    nav ul { display: flex; flex-wrap: wrap; gap: 4px 20px; list-style: none; padding: 0;
      margin: 18px 0 0; font-size: 15px; }
    .figures { display: flex; flex-wrap: wrap; gap: 10px; margin: 20px 0 4px; padding: 0;
      list-style: none; }
    .figures li { flex: 1 1 150px; max-width: 300px; background: var(--raised); border-radius: 8px;
      padding: 12px 16px; }
    .figures b { display: block; font-size: 26px; line-height: 1.2; font-weight: 650;
      letter-spacing: -.01em; }
    .figures span { font-size: 14px; color: var(--muted); }
    .figures .bad { background: rgb(var(--red) / .09); }
    .figures .bad b { color: var(--red-ink); }
    .facts { display: grid; grid-template-columns: max-content 1fr; gap: 4px 20px; margin: 8px 0;
      font-size: 15px; }
    .facts dt { color: var(--muted); }
    .facts dd { margin: 0; overflow-wrap: anywhere; }
    details { margin: 10px 0; }
    summary { cursor: pointer; }
    .columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr));
      gap: 8px 48px; align-items: start; }
    .foot { padding-top: 40px; padding-bottom: 40px; color: var(--muted); font-size: 14px; }

    """

  private static let tables = """
    .scroll { overflow-x: auto; margin: 8px 0; max-width: 100%; }
    .tall { max-height: 560px; overflow-y: auto; }
    .tall thead th { position: sticky; top: 0; background: var(--ground); }
    table { border-collapse: collapse; font-size: 15px; }
    caption { text-align: left; font-size: 14px; padding-bottom: 6px; }
    th, td { padding: 6px 14px 6px 0; text-align: left; vertical-align: baseline;
      border-bottom: 1px solid var(--line); }
    thead th { font-weight: 600; font-size: 14px; color: var(--muted); white-space: nowrap;
      vertical-align: bottom; }
    caption div { position: sticky; left: 0; max-width: min(76ch, calc(100vw - 40px)); }
    tbody th { font-weight: 500; overflow-wrap: break-word; }
    tbody th:has(a) { min-width: 14ch; }
    th.mono, .met, .unmet { white-space: nowrap; }
    th.n, td.n { text-align: right; white-space: nowrap; }
    td.best { font-weight: 700; }
    .long { min-width: 200px; overflow-wrap: anywhere; }
    .met { color: var(--green-ink); font-weight: 600; }
    .unmet { color: var(--red-ink); font-weight: 600; }
    .sortable th button { all: unset; cursor: pointer; color: inherit; font: inherit; }
    .sortable th button:focus-visible { outline: 2px solid var(--blue-ink); outline-offset: 2px; }
    .sortable th button::after { content: "\\2195"; margin-left: 4px; opacity: .55;
      font-size: 12px; }
    .sortable th[aria-sort="ascending"] button::after { content: "\\2191"; opacity: 1; }
    .sortable th[aria-sort="descending"] button::after { content: "\\2193"; opacity: 1; }
    .flow { display: flex; flex-wrap: wrap; gap: 0 64px; }
    .flow > div { min-width: 0; max-width: 100%; }
    .whisker { width: 150px; height: 16px; display: block; }

    """

  private static let charts = """
    .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr));
      gap: 20px 36px; align-items: start; }
    .plots > figure { margin: 0; max-width: 470px; min-width: 0; }
    figcaption { font-size: 14px; }
    svg { overflow: visible; }
    svg.chart { display: block; width: 100%; height: auto; margin-top: 6px; }
    svg:not(.objects) text { fill: var(--muted); font-size: 11.5px; }
    svg .name { fill: var(--ink); font-weight: 600; font-size: 11px; }
    svg .axis, svg .grid line { stroke: var(--line); stroke-width: 1; }
    svg .diagonal { stroke: var(--muted); stroke-dasharray: 4 4; stroke-width: 1; }
    svg .bars rect { fill: var(--bar); }
    svg .mark { stroke: var(--ink); stroke-width: 1; }
    svg .curve { fill: none; stroke: var(--muted); stroke-width: 1; stroke-opacity: .55; }
    svg .c0, svg .c1, svg .c2 { stroke-width: 2; stroke-opacity: 1; }
    svg .c0 { stroke: var(--red-ink); } svg .c1 { stroke: var(--blue-ink); }
    svg .c2 { stroke: var(--green-ink); }
    .key { display: inline-block; width: 18px; height: 3px; margin-right: 6px;
      vertical-align: middle; background: var(--muted); opacity: .55; }
    .k0, .k1, .k2 { opacity: 1; } .k0 { background: var(--red-ink); }
    .k1 { background: var(--blue-ink); } .k2 { background: var(--green-ink); }
    svg .bars .gap { fill: rgb(var(--red) / .34); }
    svg .bars .under { fill: none; stroke: var(--red-ink); stroke-width: 1.2; }
    svg .dot { fill: var(--blue-ink); }
    svg .range { fill: var(--bar); }
    svg .rail { stroke: var(--line); stroke-width: 1; }
    .shares { display: flex; height: 26px; margin: 6px 0 8px; border-radius: 4px;
      overflow: hidden; }
    svg .s0 { fill: #4c8bd9; } svg .s1 { fill: #3aa38a; } svg .s2 { fill: #d98532; }
    svg .s3 { fill: #9a76c9; }
    svg.bar { display: block; width: 100%; height: 22px; border-radius: 4px; }
    .swatch { width: 11px; height: 11px; margin-right: 6px; vertical-align: -1px; }

    """

  private static let gallery = """
    .gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(148px, 1fr));
      gap: 18px 16px; padding: 0; margin: 10px 0; list-style: none; }
    .gallery figure { margin: 0; }
    .gallery .frame { display: flex; align-items: center; justify-content: center;
      aspect-ratio: 4 / 3; background: var(--raised); border-radius: 6px; overflow: hidden;
      color: var(--muted); font-size: 13px; text-align: center; padding: 0; }
    .gallery .frame.none { padding: 8px; }
    .gallery img { max-width: 100%; max-height: 100%; width: 100%; height: 100%;
      object-fit: contain; display: block; }
    .gallery svg { width: 100%; height: 100%; }
    .gallery .frame + .frame { margin-top: 4px; }
    .gallery svg.swatch { display: inline; width: 11px; height: 11px; }
    .gallery img.tiny { image-rendering: pixelated; }
    .gallery figcaption { color: var(--ink); font-size: 14px; line-height: 1.35; margin-top: 6px;
      overflow-wrap: anywhere; }
    .gallery figcaption small, .gallery figcaption span { display: block; }
    .gallery figcaption small { color: var(--muted); font-size: 12px; margin-top: 2px; }
    .gallery .wrong { color: var(--red-ink); font-weight: 600; }

    """

  private static let matrix = """
    table.matrix { font-size: 13px; border-collapse: separate; border-spacing: 1px; }
    .matrix th, .matrix td { border: 0; padding: 4px; }
    .matrix td { min-width: 34px; text-align: center; border-radius: 2px; }
    .matrix thead th { font-size: 13px; text-align: center; }
    .matrix thead.tall th[scope=col] span { writing-mode: vertical-rl; transform: rotate(180deg);
      white-space: nowrap; max-height: 140px; overflow: hidden; text-overflow: ellipsis; }
    .matrix tbody th { text-align: right; padding-right: 8px; white-space: nowrap; max-width: 180px;
      overflow: hidden; text-overflow: ellipsis; position: sticky; left: 0;
      background: var(--ground); }
    .matrix td.lost { color: var(--red-ink); }
    .flow figure { margin: 0; width: 400px; max-width: 100%; }
    .heat-map { width: 100%; height: auto; aspect-ratio: 1; margin-top: 8px; image-rendering: pixelated; display: block;
      background: var(--raised); }
    .facts.small { font-size: 13px; }

    """

  /// Shades for fractions from 0 to 10 tenths.
  ///
  /// Only the last shade has light text. There are no shades just before it, because neither dark
  /// nor light text would be readable on them.
  private static var heat: String {
    let shades = [".05", ".08", ".13", ".18", ".24", ".3", ".36", ".42", ".47", ".52", ".95"]
    var text = matrix
    for (level, shade) in shades.enumerated() {
      text += ".d\(level) { background: rgb(var(--blue) / \(shade)); }\n"
      text += ".e\(level) { background: rgb(var(--red) / \(shade)); }\n"
    }
    return text + ".d10 { color: var(--on-blue); } .e10 { color: var(--on-red); }\n"
  }

  private static let media = """
    @media (max-width: 560px) {
      body { font-size: 15px; }
      main, .top, .foot { padding-left: 16px; padding-right: 16px; }
      h1 { font-size: 27px; } h2 { font-size: 21px; }
      .top { padding-top: 24px; }
      .figures { gap: 8px; }
      .figures li { flex-basis: 40%; padding: 10px 12px; }
      .figures b { font-size: 21px; }
      .facts { grid-template-columns: 1fr; gap: 0; }
      .facts dd { margin-bottom: 8px; }
      th, td { padding-right: 10px; }
      .aside { display: none; }
      .gallery { grid-template-columns: repeat(auto-fill, minmax(132px, 1fr)); }
    }
    @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
    @media print {
      :root { --ground: #fff; --raised: #f6f7f9; --line: #ccd2d9; --ink: #000; --muted: #444;
        --blue: 36 99 192; --blue-ink: #1d56ab; --red: 201 66 24; --red-ink: #a8330c;
        --green-ink: #17693a; --on-blue: #fff; --on-red: #fff; --bar: #8fb2e5; }
      body { font-size: 11pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      th, td { padding-right: 8px; }
      table { font-size: 9pt; }
      thead th { font-size: 8.5pt; }
      nav, .skip, .sortable th button::after { display: none; }
      .scroll, .tall { overflow: visible; max-height: none; }
      tr, figure, .figures li, .gallery li, .warn { break-inside: avoid; }
      h2, h3, h4, caption { break-after: avoid; }
      .gallery { grid-template-columns: repeat(5, 1fr); }
    }
    """
}
