import { isObject } from "../../core/bytes/is-object.ts";
import type { BillFormat, BillLine, CsvCells, JsonRow, Notes } from "../bill-line.ts";
import { ExportError } from "../export-error.ts";
import { FORMATS } from "../formats.ts";
import { type SourceFile, textOf } from "./decode-file.ts";
import { parseExactJson } from "./exact-json.ts";
import type { Repeats } from "./repeats.ts";
import { csvRows, type TextLine, textLines } from "./text-rows.ts";

/** Documents are read whole; rows are not. */
const MOST_DOCUMENT_CHARACTERS = 64 * 1024 * 1024;

type CsvFormat = Extract<BillFormat, { shape: "csv" }>;
type LineFormat = Extract<BillFormat, { shape: "json-lines" }>;
type DocumentFormat = Extract<BillFormat, { shape: "json" }>;

export type TakeLine = (format: BillFormat, line: BillLine) => void;
type Taking = { file: string; format: BillFormat; notes: Notes; take: TakeLine; repeats: Repeats };

/** Reads an export, which is recognised by what is in it, and returns its format. */
export async function readExport(
  source: SourceFile,
  {
    notesOf,
    repeatsOf,
    take,
  }: { notesOf: (format: BillFormat) => Notes; repeatsOf: (format: BillFormat) => Repeats; take: TakeLine },
): Promise<BillFormat> {
  const file = source.name;
  const takingOf = (format: BillFormat): Taking => ({
    file,
    format,
    notes: notesOf(format),
    take,
    repeats: repeatsOf(format),
  });
  const sign = await firstSign(source);
  return sign === "{" || sign === "[" ? await readJson(source, takingOf) : await readCsvExport(source, takingOf);
}

async function firstSign(source: SourceFile): Promise<string> {
  for await (const text of textOf(source)) {
    const [sign] = text.trimStart();
    if (sign !== undefined) return sign;
  }
  throw new ExportError(source.name, "the file is empty");
}

async function readCsvExport(source: SourceFile, takingOf: (format: BillFormat) => Taking): Promise<BillFormat> {
  const file = source.name;
  let names: string[] | null = null;
  let taking: Taking | null = null;
  for await (const { line, cells } of csvRows(textOf(source), file)) {
    if (names === null || taking === null) {
      names = cells.map((cell) => cell.trim().toLowerCase());
      taking = takingOf(csvFormat(names, file));
      continue;
    }
    const place = `${file}:${line}`;
    if (cells.length !== names.length)
      throw new ExportError(place, `${cells.length} cells for ${names.length} columns; is the file complete?`);
    const row: CsvCells = Object.fromEntries(names.map((name, at) => [name, (cells[at] ?? "").trim()]));
    takeRow(taking, { row, place, text: cells.join("\u0000"), key: row[taking.format.unique] });
  }
  if (taking === null) throw new ExportError(file, "the file is empty");
  return taking.format;
}

function csvFormat(names: readonly string[], file: string): CsvFormat {
  if (new Set(names).size < names.length) throw new ExportError(`${file}:1`, "a column is named twice");
  const found = FORMATS.find(
    (format): format is CsvFormat => format.shape === "csv" && format.columns.every((name) => names.includes(name)),
  );
  if (found === undefined) throw unknown(file);
  return found;
}

/** A document, or rows line by line. */
async function readJson(source: SourceFile, takingOf: (format: BillFormat) => Taking): Promise<BillFormat> {
  const lines = textLines(textOf(source), source.name);
  const first = await lines.next().catch(() => null);
  if (first !== null && first.done !== true) {
    const format = lineFormat(first.value.text);
    if (format !== null) {
      const taking = takingOf(format);
      takeTextLine(taking, first.value);
      for await (const line of lines) takeTextLine(taking, line);
      return format;
    }
  }
  return readDocument(source, takingOf);
}

function lineFormat(text: string): LineFormat | null {
  let row: unknown;
  try {
    row = JSON.parse(text);
  } catch {
    return null;
  }
  return isObject(row) ? rowFormat(row) : null;
}

const rowFormat = (row: JsonRow): LineFormat | null =>
  FORMATS.find((format): format is LineFormat => format.shape === "json-lines" && format.isRow(row)) ?? null;

function takeTextLine(taking: Taking, { line, text }: TextLine): void {
  const place = `${taking.file}:${line}`;
  const row = parseExactJson(text, place);
  if (!isObject(row)) throw new ExportError(place, "this is no JSON object");
  takeRow(taking, { row, place, text });
}

type Row = { row: JsonRow; place: string; text: string; key?: string | undefined };

function takeRow({ format, notes, take, repeats }: Taking, { row, place, text, key }: Row): void {
  if (format.shape === "json") return;
  repeats.see({ text, key, place, notes });
  if (format.shape === "json-lines" && !format.isRow(row))
    throw new ExportError(place, `this is no row of a ${format.title}`);
  const lines = format.shape === "csv" ? format.row(row as CsvCells, place, notes) : format.row(row, place, notes);
  for (const line of lines) take(format, line);
}

async function readDocument(source: SourceFile, takingOf: (format: BillFormat) => Taking): Promise<BillFormat> {
  const file = source.name;
  const parts: string[] = [];
  let length = 0;
  for await (const text of textOf(source)) {
    length += text.length;
    if (length > MOST_DOCUMENT_CHARACTERS)
      throw new ExportError(
        file,
        "the JSON has more than 64 million characters; export the day by itself, or in several files",
      );
    parts.push(text);
  }
  const document = parseExactJson(parts.join(""), file);
  if (Array.isArray(document)) return readList(document, file, takingOf);
  const format = isObject(document)
    ? FORMATS.find((one): one is DocumentFormat => one.shape === "json" && one.isDocument(document))
    : undefined;
  if (format === undefined || !isObject(document)) throw unknown(file);
  const { notes, take, repeats } = takingOf(format);
  for (const line of format.rows(document, file, notes)) {
    const { place, ...said } = line;
    repeats.see({
      text: JSON.stringify(said, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)),
      place,
      notes,
    });
    take(format, line);
  }
  return format;
}

/** Rows in brackets, as some tools write them. */
function readList(rows: readonly unknown[], file: string, takingOf: (format: BillFormat) => Taking): BillFormat {
  const [first] = rows;
  const format = isObject(first) ? rowFormat(first) : null;
  if (format === null) throw unknown(file);
  const taking = takingOf(format);
  for (const [index, row] of rows.entries()) {
    const place = `${file}: [${index}]`;
    if (!isObject(row)) throw new ExportError(place, "this is no JSON object");
    takeRow(taking, { row, place, text: JSON.stringify(row) });
  }
  return format;
}

const unknown = (file: string): ExportError =>
  new ExportError(file, `this is no export that is known. Known are: ${FORMATS.map(({ title }) => title).join(", ")}`);
