import type { Row } from "./row.ts";

const WIDTH = 880;
const MARGIN = 24;
const HEAD_HEIGHT = 96;
const ROW_HEIGHT = 22;
const BAR_HEIGHT = 13;
const BAR_LEFT = 350;
const BAR_WIDTH = 380;

/** Colours for both schemes, each readable on its own ground. */
const STYLE = `
    .ground { fill: #ffffff; stroke: #d0d7de; }
    text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 12px; }
    .heading { font-size: 18px; font-weight: 600; }
    .quiet { fill: #4d5560; }
    .track { fill: #eef1f4; }
    .charged { fill: #0a7d68; }
    .capped { fill: #d29922; }
    .gained { fill: #cf222e; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #30363d; }
      text { fill: #e6edf3; }
      .quiet { fill: #aeb8c4; }
      .track { fill: #1b222b; }
      .charged { fill: #2fb598; }
      .capped { fill: #bb8009; }
      .gained { fill: #f85149; }
    }`;

/** A bar per attempt on the price: the whole bar is the price at list, and what is not green of it was not charged. */
export function pictureOf(rows: readonly Row[]): string {
  const bars = rows.filter((row) => row.class === "price");
  const height = HEAD_HEIGHT + bars.length * ROW_HEIGHT + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Share of its price that each attempt was charged">
  <style>${STYLE}
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
  <text class="heading" x="${MARGIN}" y="36">Share of its list price that each attempt was charged</text>
  ${legend("charged", "charged", MARGIN)}
  ${legend("capped", "not charged, limited by a cap per payer and hour", MARGIN + 100)}
  ${legend("gained", "not charged, no limit", MARGIN + 390)}
  ${legend("track", "rejected: nothing was produced", MARGIN + 600)}
${bars.map((row, place) => barOf(row, HEAD_HEIGHT + place * ROW_HEIGHT)).join("\n")}
</svg>
`;
}

const legend = (style: string, text: string, left: number): string =>
  `<rect class="${style}" x="${left}" y="54" width="12" height="12" rx="2"/><text class="quiet" x="${left + 18}" y="64">${text}</text>`;

function barOf(row: Row, top: number): string {
  const price = Number(row.price);
  const share = price === 0 ? 0 : Math.min(1, Number(row.charged) / price);
  const lost = row.held ? "capped" : "gained";
  const rect = (style: string, left: number, width: number): string =>
    width < 0.5
      ? ""
      : `<rect class="${style}" x="${(BAR_LEFT + left).toFixed(1)}" y="${top}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`;
  const charged = BAR_WIDTH * share;
  const shown = row.held && row.cap === null && price > 0 ? BAR_WIDTH : charged;
  return [
    `  <text x="${BAR_LEFT - 12}" y="${top + 11}" text-anchor="end">${escaped(row.name)}</text>`,
    `  ${rect("track", 0, BAR_WIDTH)}${price === 0 ? "" : rect("charged", 0, shown) + rect(lost, shown, BAR_WIDTH - shown)}`,
    `  <text class="quiet" x="${BAR_LEFT + BAR_WIDTH + 12}" y="${top + 11}">${price === 0 ? "rejected" : `${(share * 100).toFixed(share > 0.995 ? 0 : 1)} %`}</text>`,
  ].join("\n");
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
