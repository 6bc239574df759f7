/** A picture in the colours of one theme. Ours have both: dark ones in a media query, which asks the system and not the reader's choice on the site. */
export function inTheme(svg: string, theme: "light" | "dark"): string {
  const at = svg.search(QUERY);
  if (at === -1) return svg;
  const start = svg.indexOf("{", at);
  const end = closingOf(svg, start);
  const rules = theme === "dark" ? svg.slice(start + 1, end) : "";
  return inTheme(svg.slice(0, at) + rules + svg.slice(end + 1), theme);
}

const QUERY = /@media \(prefers-color-scheme: ?dark\) ?/;

function closingOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "{") depth++;
    if (text[at] === "}" && --depth === 0) return at;
  }
  throw new Error("a picture has a media query without an end");
}

/** The size a picture is drawn at, in pixels. */
export function sizeOf(svg: string): { width: number; height: number } {
  const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  if (width === undefined || height === undefined) throw new Error("a picture has no viewBox that begins at 0 0");
  return { width: Number(width), height: Number(height) };
}
