import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { exampleFile, fileOf, reconcileExample, textOf } from "../../tests/support/reconcile/stage.ts";
import type { Reconciliation } from "./reconcile.ts";

const read = (content: string | Uint8Array, pieceBytes?: number): Promise<Reconciliation> =>
  reconcileExample({ exports: [fileOf("bill", content, pieceBytes)], costs: null });

const USAGE = textOf("openai-usage-completions.json");
const CUR = textOf("aws-cur2.csv");
const GENERATIONS = textOf("openrouter-activity.csv");

test.each([
  ["an empty file", "", "the file is empty"],
  ["white space alone", " \n \n", "the file is empty"],
  ["a table of something else", "name,amount\na,1\n", "this is no export that is known. Known are: OpenAI usage"],
  ["JSON of something else", '{"object":"list","data":[{"id":1}]}', "no export that is known"],
  ["a list of nothing", "[]", "no export that is known"],
  ["JSON that ends too early", USAGE.slice(0, 900), "the JSON ends too early; is the file complete?"],
  ["text that is no JSON", "{nothing}", "this is not valid JSON"],
  ["JSON as deep as it is long", `{"data":${"[".repeat(200_000)}`, "bill: "],
  ["rows that end too early", CUR.slice(0, CUR.length - 60), "bill:5: "],
  [
    "a quote that is not closed",
    CUR.replace("Usage,AmazonBedrock", 'Usage,"AmazonBedrock'),
    "a double quote is not closed",
  ],
  [
    "a row with too many cells",
    CUR.replace("2026-11-01T00:00:00Z,2026", "2026-11-01T00:00:00Z,x,2026"),
    "bill:2: 15 cells for 14 columns",
  ],
  [
    "a column that is named twice",
    CUR.replace("line_item_operation", "line_item_usage_type"),
    "a column is named twice",
  ],
  ["a number that is none", CUR.replace(",25,1K", ",many,1K"), "bill:2: line_item_usage_amount is no number"],
  ["a quantity below zero", CUR.replace(",25,1K", ",-25,1K"), "bill:2: line_item_usage_amount is below zero"],
  ["a number of absurd length", CUR.replace(",25,1K", `,${"9".repeat(500)},1K`), "line_item_usage_amount is no number"],
  ["an exponent that would fill the memory", USAGE.replace("291000", "1e999999999"), "is no number"],
  ["a time that is none", CUR.replace("2026-11-16T13:00:00Z", "yesterday"), "line_item_usage_start_date is no moment"],
  ["a span across midnight", USAGE.replace("1794873600", "1794873601"), "its span is across the edge of the day"],
  [
    "a span that ends before it begins",
    CUR.replace("2026-11-16T14:00:00Z", "2026-11-16T12:00:00Z"),
    "it ends before it begins",
  ],
  ["the same generation twice", `${GENERATIONS}${GENERATIONS.split("\n")[1] ?? ""}\n`, "this row is there twice"],
  [
    "more cached than there was",
    GENERATIONS.replace(",16000,900,0,4000,", ",16000,900,0,16001,"),
    "more input was cached than there was",
  ],
  ["bytes that are no text", Uint8Array.from([0x7b, 0xff, 0xfe, 0x00]), "the file is not text in UTF-8"],
  ["a packed file that ends too early", gzipSync(CUR).subarray(0, 200), "the packed file is damaged or ends too early"],
])("%s is refused by name and place", async (_, content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});

test("the same row in two files is refused", async () => {
  const twice = [exampleFile("openai-usage-completions.json"), fileOf("again.json", USAGE)];

  await expect(reconcileExample({ exports: twice })).rejects.toThrow("this row is there twice");
});

test("rows of a cloud that are exactly alike are counted, and told", async () => {
  const row = CUR.trimEnd().split("\n")[1] ?? "";
  const found = await read(`${CUR.trimEnd()}\n${row}\n`);

  expect(found.leftOut).toEqual([
    { export: "bill", why: "rows that are exactly like another one, and were counted", rows: 1 },
  ]);
  expect(found.findings).toMatchObject([{ kind: "input", difference: "25000", verdict: "unrecorded" }]);
});

const quoted = (text: string): string =>
  text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) =>
      line
        .split(",")
        .map((cell) => `"${cell}"`)
        .join(","),
    )
    .join("\r\n");

test.each([
  ["a mark at its beginning", `\uFEFF${CUR}`],
  ["line ends of Windows", CUR.replaceAll("\n", "\r\n")],
  ["every cell in quotes", quoted(CUR)],
  ["no line end at its end", CUR.trimEnd()],
  ["empty lines", CUR.replaceAll("\n", "\n\n")],
  ["names of columns in capitals", CUR.replace(/^.*/, (header) => header.toUpperCase())],
  ["a packed form", gzipSync(CUR)],
])("a CSV export with %s reads the same", async (_, content) => {
  for (const pieceBytes of [1, 11, 65_536]) {
    expect((await read(content, pieceBytes)).findings).toMatchObject([
      { provider: "bedrock", kind: "all", verdict: "agrees" },
    ]);
  }
});

test("a billing export in brackets reads as its lines do", async () => {
  const lines = textOf("gcp-billing-export.jsonl").trimEnd().split("\n");
  const [list, plain] = [await read(`[${lines.join(",\n")}]`), await read(lines.join("\n"))];

  expect(list.findings.map(({ kind, verdict }) => [kind, verdict])).toEqual(
    plain.findings.map(({ kind, verdict }) => [kind, verdict]),
  );
});

test("a document that is too large is refused before it is kept", async () => {
  const endless = {
    name: "endless.json",
    bytes: async function* () {
      yield Buffer.from("{\n");
      const piece = Buffer.from(`"x": ${" ".repeat(1_000_000)}1,\n`);
      for (;;) yield await Promise.resolve(piece);
    },
  };

  await expect(reconcileExample({ exports: [endless] })).rejects.toThrow("more than 64 million characters");
});

test("a row that never ends is refused", async () => {
  const endless = {
    name: "endless.csv",
    bytes: async function* () {
      yield Buffer.from(`${CUR}"`);
      const piece = Buffer.from(",".repeat(100_000));
      for (;;) yield await Promise.resolve(piece);
    },
  };

  await expect(reconcileExample({ exports: [endless] })).rejects.toThrow("the row has more than a million characters");
});

test("names of objects are names, and signs that command a terminal are not repeated", async () => {
  const named = USAGE.replaceAll('"gpt-5.6-terra"', '"__proto__"');

  expect((await read(named)).findings.map(({ model, verdict }) => [model, verdict])).toContainEqual([
    "__proto__",
    "unmapped",
  ]);
  await expect(read(CUR.replace("2026-11-16T13:00:00Z", "\u001B[2J"))).rejects.toThrow("�[2J");
});

test.each([
  ["no journal", "a,b\n1,2\n", "it has no column at"],
  ["a count below zero", textOf("journal.csv").replace(",41000,", ",-41000,"), "input_fresh is no count"],
  ["a row that ends too early", textOf("journal.csv").slice(0, -40), "is the file complete?"],
])("a journal of %s is refused", async (_, journal, message) => {
  await expect(reconcileExample({ journal })).rejects.toThrow(message);
});
