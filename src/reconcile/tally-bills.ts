import { type Decimal, product, sum, wholeNumber, ZERO } from "../core/money/decimal.ts";
import type { NameMap } from "../core/bills/name-map.ts";
import type { BillFormat, BillLine, Notes } from "./bill-line.ts";
import { ExportError } from "./export-error.ts";
import { nameLine, type NamedLine, type NameQuestion } from "./name-lines.ts";
import type { SourceFile } from "./read/decode-file.ts";
import { readExport } from "./read/open-export.ts";
import { createRepeats, type Repeats } from "./read/repeats.ts";

/** All lines of one bill for the same thing. */
export type BillCell = Pick<NamedLine, "provider" | "credential" | "model" | "tier" | "region" | "kind"> & {
  quantity: Decimal | null;
  /** The share of it that the provider says was cut off. */
  cut: Decimal;
  usd: Decimal | null;
  /** Lines with money. */
  priced: number;
};

/** A name that the map lacks, with all that is billed under it. */
export type AskedName = NameQuestion & { quantity: Decimal; usd: Decimal | null; lines: number; place: string };

/** All files of one format. */
export type VendorBill = {
  format: BillFormat;
  files: string[];
  cells: BillCell[];
  /** The exponent of the last place that its money is printed to. */
  place: number;
  questions: AskedName[];
  ignored: number;
  leftOut: Map<string, number>;
  /** Why it is not whole. */
  lacks: string[];
};

type Open = {
  bill: VendorBill;
  repeats: Repeats;
  cells: Map<string, BillCell>;
  questions: Map<string, AskedName>;
  spans: [number, number][];
  lines: number;
};

const MOST_CELLS = 200_000;
const DAY_MS = 86_400_000;

/** Reads exports into sums by the names of the journal. What is not of the day is not counted. */
export async function tallyBills(
  files: readonly SourceFile[],
  { map, dayMs }: { map: NameMap; dayMs: number },
): Promise<VendorBill[]> {
  const open = new Map<BillFormat, Open>();
  const openOf = (format: BillFormat): Open => {
    let one = open.get(format);
    if (one === undefined) open.set(format, (one = newBill(format)));
    return one;
  };
  for (const file of files) {
    const format = await readExport(file, {
      notesOf: (found) => notesOf(openOf(found)),
      repeatsOf: (found) => openOf(found).repeats,
      take: (found, line) => {
        if (isOfDay(line, dayMs)) takeLine(openOf(found), line, map);
      },
    });
    openOf(format).bill.files.push(file.name);
  }
  return [...open.values()].map((one) => closed(one, dayMs));
}

const newBill = (format: BillFormat): Open => ({
  bill: { format, files: [], cells: [], place: 0, questions: [], ignored: 0, leftOut: new Map(), lacks: [] },
  repeats: createRepeats(format),
  cells: new Map(),
  questions: new Map(),
  spans: [],
  lines: 0,
});

const notesOf = ({ bill, spans }: Open): Notes => ({
  covers: (fromMs, toMs) => void spans.push([fromMs, toMs]),
  leftOut: (why) => void bill.leftOut.set(why, (bill.leftOut.get(why) ?? 0) + 1),
  lacks: (why) => void bill.lacks.push(why),
});

/** A span is of the day or it is not. One across its edge is neither. */
function isOfDay({ place, fromMs, toMs }: BillLine, dayMs: number): boolean {
  if (toMs < fromMs) throw new ExportError(place, "it ends before it begins");
  const endMs = dayMs + DAY_MS;
  if (toMs <= dayMs && fromMs < dayMs) return false;
  if (fromMs >= endMs) return false;
  if (fromMs < dayMs || toMs > endMs)
    throw new ExportError(place, "its span is across the edge of the day; export days in UTC");
  return true;
}

function takeLine(one: Open, line: BillLine, map: NameMap): void {
  one.lines++;
  const naming = nameLine(line, one.bill.format.vendor, map);
  if ("ignored" in naming) one.bill.ignored++;
  else if ("question" in naming) ask(one, naming.question, line);
  else addTo(one, naming.named);
}

function addTo({ bill, cells }: Open, { quantity, usd, cut, ...dimensions }: NamedLine): void {
  const { provider, credential, model, tier, region, kind } = dimensions;
  const key = JSON.stringify([provider, credential, model, tier, region, kind]);
  let cell = cells.get(key);
  if (cell === undefined) {
    if (cells.size >= MOST_CELLS)
      throw new ExportError(bill.format.title, `it has more than ${MOST_CELLS} combinations of names`);
    cells.set(key, (cell = { ...dimensions, quantity: null, cut: ZERO, usd: null, priced: 0 }));
  }
  if (quantity !== null) cell.quantity = sum(cell.quantity ?? ZERO, quantity);
  if (quantity !== null && cut) cell.cut = sum(cell.cut, quantity);
  if (usd === null) return;
  cell.usd = sum(cell.usd ?? ZERO, usd);
  cell.priced++;
  bill.place = Math.min(bill.place, usd.exponent);
}

function ask({ bill, questions }: Open, question: NameQuestion, line: BillLine): void {
  const key = JSON.stringify(question);
  const asked = questions.get(key) ?? { ...question, quantity: ZERO, usd: null, lines: 0, place: line.place };
  if (questions.size >= MOST_CELLS)
    throw new ExportError(bill.format.title, "more names are unknown than a map can have");
  asked.lines++;
  if (line.quantity !== null)
    asked.quantity = sum(asked.quantity, product(line.quantity, line.unit ?? wholeNumber(1n)));
  if (line.usd !== null) asked.usd = sum(asked.usd ?? ZERO, line.usd);
  questions.set(key, asked);
}

function closed({ bill, cells, questions, spans, lines }: Open, dayMs: number): VendorBill {
  const gap = bill.format.tellsSpans ? firstGap(spans, dayMs) : null;
  const lacks = [...bill.lacks];
  if (gap !== null) lacks.push(`it says nothing of the day from ${new Date(gap).toISOString().slice(11, 19)}`);
  else if (lines === 0 && !bill.format.tellsSpans) lacks.push("it has no line of the day");
  return { ...bill, cells: [...cells.values()], questions: [...questions.values()], lacks };
}

/** Where what is covered first ends before the day does; null: nowhere. */
function firstGap(spans: readonly (readonly [number, number])[], dayMs: number): number | null {
  let reached = dayMs;
  for (const [fromMs, toMs] of spans.toSorted(([one], [other]) => one - other)) {
    if (fromMs > reached) break;
    reached = Math.max(reached, toMs);
  }
  return reached >= dayMs + DAY_MS ? null : reached;
}
