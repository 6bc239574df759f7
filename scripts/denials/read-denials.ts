/** What a page says is not there, in its own words. */
export type Denial = {
  line: number;
  denied: string;
  /** Said of the product, as in its column of a comparison. Otherwise it may be about one case, as in "no key is needed". */
  isOfProduct: boolean;
  text: string;
};

type Passage = { line: number; text: string; isList: boolean };
type Denied = Pick<Denial, "denied" | "isOfProduct">;

/** The product's own column of a table that compares. */
const OWN_COLUMN = /^(?:tollgate|here)$/i;
const DENYING_CELL = /^(?:none|no|not|nothing|never|missing|–|—|-)(?![\w-])/i;
/** Below these, a list is of what is missing. */
const DENYING_HEADING = /\b(?:it|tollgate|the gateway) (?:does not|cannot|lacks)\b|not supported|missing|limitations/i;
/** A list of things follows. */
const PRODUCT_LACKS =
  /\b(?:there are no|tollgate (?:has|have|offers|comes with) no|tollgate (?:lacks|comes without)|(?:it|tollgate|the gateway) does not (?:do|have|offer|support|include)):? ([^.!?]*)/gi;
/** The thing stands before. */
const THING_LACKS =
  /(?:^|[;:] )([^;:]+?) (?:(?:is|are) not (?:yet )?(?:supported|built|offered|included)|(?:does|do) not (?:yet )?(?:exist|renew))\b/gi;
/** One thing follows. */
const IN_PASSING = /\b(?:no|without any|lacks?|missing) (?=([^.,;:!?()]*))/gi;

/** Every denial of a page in Markdown or Astro. Code, comments and addresses are left out. */
export function readDenials(page: string): Denial[] {
  const lines = page
    .replaceAll(/^( *)```[\s\S]*?^\1```$/gm, keepLines)
    .replaceAll(/<!--[\s\S]*?-->/g, keepLines)
    .replaceAll(/\]\([^)\s]+\)/g, "]")
    .replaceAll(/<\/?[a-z][^>]*>|[*[\]]/gi, "")
    .split("\n");
  const inText = passagesOf(lines).flatMap(({ line, text, isList }) =>
    [...(isList ? ofProduct(text) : []), ...deniedIn(text)].map((denied) => ({ line, text, ...denied })),
  );
  return [...inText, ...inTables(lines)];
}

const keepLines = (block: string): string => block.replaceAll(/[^\n]/g, "");

/** Paragraphs and items, each as one line. */
function passagesOf(lines: readonly string[]): Passage[] {
  const found: Passage[] = [];
  let isDenying = false;
  let isOpen = false;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith("#")) isDenying = DENYING_HEADING.test(line);
    if (/^(?:#|\||\s*$)/.test(line)) {
      isOpen = false;
      continue;
    }
    const item = /^\s*(?:[-*]|\d+\.)\s+(.*)$/.exec(line)?.[1];
    const last = found.at(-1);
    if (item === undefined && isOpen && last !== undefined) last.text += ` ${line.trim()}`;
    else found.push({ line: index + 1, text: item ?? line.trim(), isList: isDenying && item !== undefined });
    isOpen = true;
  }
  return found;
}

/** What the product's own column denies: the thing that its row is about, and what the cell itself names. */
function inTables(lines: readonly string[]): Denial[] {
  let own = -1;
  return lines.flatMap((text, index) => {
    if (!text.startsWith("|")) return [];
    const cells = text.split(/(?<!\\)\|/).map((cell) => cell.trim());
    if (!lines[index - 1]?.startsWith("|")) own = cells.findIndex((cell) => OWN_COLUMN.test(cell));
    const cell = own > 1 ? (cells[own] ?? "") : "";
    const denied = [...(DENYING_CELL.test(cell) ? ofProduct(cells[1] ?? "") : []), ...deniedIn(cell)];
    return denied.map((one) => ({ line: index + 1, text, ...one }));
  });
}

const ofProduct = (list: string): Denied[] => listed(list).map((denied) => ({ denied, isOfProduct: true }));

function deniedIn(text: string): Denied[] {
  return text.split(/(?<=[.!?]) +/).flatMap((sentence) => [
    ...[...sentence.matchAll(PRODUCT_LACKS)].flatMap(([, things = ""]) => ofProduct(things)),
    ...[...sentence.matchAll(THING_LACKS)].flatMap(([, things = ""]) => ofProduct(things)),
    ...[...sentence.matchAll(IN_PASSING)].flatMap(([, thing = ""]) =>
      listed(thing)
        .slice(0, 1)
        .map((denied) => ({ denied, isOfProduct: false })),
    ),
  ]);
}

/** The things of a list such as "teams, a web console or users", each without its article. */
const listed = (list: string): string[] =>
  list
    .split(/[,;:.]| or | and | nor /)
    .map((thing) => thing.trim().toLowerCase())
    .map((thing) => thing.replace(/^(?:(?:an?|the|any|no|missing|its|own|built-in|web) )+/, ""))
    .filter((thing) => thing !== "");
