import type { Fence } from "./fences.ts";

/** What differs from run to run and from day to day, in the order in which it is looked for. */
const VARYING: readonly RegExp[] = [
  // The number of a counter.
  /^ *\d+(?= +(?:limit|purse), )/g,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
  /\breq_[0-9a-f]{32}\b/g,
  /\btg[act]_[A-Za-z0-9]{8}\b/g,
  /\b\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+Z)?\b/g,
  /\b\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{4})?\b/g,
];

const compared = (line: string): string =>
  VARYING.reduce((text, pattern) => text.replaceAll(pattern, "*"), line)
    .replaceAll(/\s+/g, " ")
    .trim();

/**
 * The first line that a page shows as printed and that the block before did not print, or null. Lines come in the order of the
 * page; a line of dots stands for any others. Widths of columns, ids, prefixes and dates may differ.
 */
export function notPrinted(fences: readonly Fence[], transcript: string): string | null {
  for (const [place, shown] of fences.entries()) {
    if (shown.printedBy === null) continue;
    const ran = fences.slice(0, place).findLast(({ file, printedBy }) => file === null && printedBy === null);
    const output = outputOf(ran, transcript).map(compared);
    for (const line of shown.text.split("\n").map(compared)) {
      if (line === "" || line === "…") continue;
      const at = output.indexOf(line);
      if (at < 0) return `${shown.page}:${shown.line} shows a line that was not printed: ${line}\n${output.join("\n")}`;
      output.splice(0, at + 1);
    }
  }
  return null;
}

/** What the commands of a block printed; the session writes its page and line before each. */
function outputOf(block: Fence | undefined, transcript: string): string[] {
  if (block === undefined) return [];
  const lines = transcript.split("\n");
  const isOf = (fence: string) => (line: string) => line.startsWith(fence);
  const first = lines.findIndex(isOf(`${block.page}:${block.line}: `));
  if (first < 0) return [];
  const last = lines.findLastIndex(isOf(`${block.page}:${block.line}: `));
  const end = lines.findIndex((line, at) => at > last && line.startsWith(`${block.page}:`));
  return lines.slice(first, end < 0 ? undefined : end);
}
