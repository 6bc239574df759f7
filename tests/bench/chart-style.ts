/** Colours for both schemes, each readable on its own ground (contrast of text above 7:1). */
const STYLE = `
    .ground { fill: #ffffff; stroke: #d0d7de; }
    text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 13px; }
    .heading { font-size: 18px; font-weight: 600; }
    .title { font-size: 14px; font-weight: 600; }
    .quiet { fill: #4d5560; font-weight: 400; }
    .track { fill: #eef1f4; }
    .bare, .provider { fill: #8c96a3; }
    .tollgate, .own { fill: #0a7d68; }
    .before, .flush { fill: #7fbfb2; }
    .peer, .flushWait { fill: #6b7fd7; }
    .loop { fill: #d99a2b; }
    .collection { fill: #c2483d; }
    .whisker { stroke: #1f2328; stroke-width: 1.5; fill: none; }
    .goal { stroke: #c2483d; stroke-width: 2; fill: none; }
    .line { stroke: #0a7d68; stroke-width: 1.5; fill: none; }
    .fit { stroke: #c2483d; stroke-width: 1.5; stroke-dasharray: 5 4; fill: none; }
    .missed { fill: #a4262c; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #30363d; }
      text { fill: #e6edf3; }
      .quiet { fill: #aeb8c4; }
      .track { fill: #1b222b; }
      .bare, .provider { fill: #6e7a88; }
      .tollgate, .own { fill: #2fb598; }
      .before, .flush { fill: #1f6f60; }
      .peer, .flushWait { fill: #7c8ff0; }
      .loop { fill: #c58f2f; }
      .collection { fill: #e0675c; }
      .whisker { stroke: #e6edf3; }
      .goal { stroke: #ff8f85; }
      .line { stroke: #2fb598; }
      .fit { stroke: #ff8f85; }
      .missed { fill: #ff9a92; }
    }`;

export type Picture = { width: number; height: number; label: string; heading: string; subheading: string };

/** A picture with a frame and a heading, and what is drawn below it. */
export function pictureOf({ width, height, label, heading, subheading }: Picture, drawn: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">
  <style>${STYLE}
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
  <text class="heading" x="24" y="36">${escaped(heading)}</text>
  <text class="quiet" x="24" y="60">${escaped(subheading)}</text>
${drawn.join("\n")}
</svg>
`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
