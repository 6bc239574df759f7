import { expect, test } from "vitest";
import { readCosts } from "../config/reconcile/read-costs.ts";
import { readNameMap } from "../config/reconcile/read-name-map.ts";
import type { Costs } from "../core/bills/name-map.ts";
import { EXPORTERS, mapFor } from "../../tests/support/reconcile/export-bills.ts";
import { DAY, fileOf } from "../../tests/support/reconcile/stage.ts";
import type { BillFinding } from "./finding.ts";
import { FORMATS } from "./formats.ts";
import type { JournalRow } from "./journal/journal-row.ts";
import { reconcile } from "./reconcile.ts";

const DAY_MS = Date.parse(`${DAY}T00:00:00Z`);
const BASE = { input: "2", output: "12", cache_read: "0.2", cache_write_5m: "2.5" };
const costsOf = (price: object): Costs => readCosts(JSON.stringify({ p: { m: price } }), "costs.yaml");

const charge = (holdId: string, counts: Record<string, number>, said: Partial<JournalRow> = {}): JournalRow => ({
  admittedAtMs: DAY_MS + 36_000_000,
  atMs: DAY_MS + 36_000_000,
  holdId,
  credential: "k",
  provider: "p",
  upstreamModel: "m",
  tier: "default",
  region: "any",
  kind: "completed",
  estimated: false,
  counts,
  ...said,
});

const JOURNAL = [
  charge("plain", { input: 40_000, cache_read: 9_000, cache_write_5m: 7_000, output: 900 }),
  charge("long", { input: 250_000, cache_read: 50_000, output: 3_000 }),
  charge("flex", { input: 80_000, output: 2_000 }, { tier: "flex" }),
  charge("eu", { input: 10_000, output: 500 }, { region: "eu" }),
];

async function* each<Row>(rows: readonly Row[]): AsyncGenerator<Row> {
  for (const row of rows) yield await Promise.resolve(row);
}

type Asked = {
  format: string;
  asks: object;
  believed: object;
  journal?: readonly JournalRow[];
  billed?: readonly JournalRow[];
};

/** What is found where the provider asks for one price and the operator believes in another. */
async function found({ format, asks, believed, journal = JOURNAL, billed = journal }: Asked): Promise<BillFinding[]> {
  const exporter = EXPORTERS.find((one) => one.format === format);
  const { vendor } = FORMATS.find(({ id }) => id === format) ?? {};
  const { findings } = await reconcile({
    exports: [fileOf("bill", exporter?.write(billed, costsOf(asks)) ?? "")],
    journal: each(journal),
    map: readNameMap(mapFor(vendor ?? "", JOURNAL), "names.yaml"),
    costs: costsOf(believed),
    day: DAY,
    nowMs: DAY_MS,
  });
  return findings;
}

const [STEP, FLEX, EU] = [
  { input_above: 272_000, input: "4", output: "18", cache_read: "0.4", cache_write_5m: "5" },
  { tier: "flex", times: "0.5" },
  { region: "eu", times: "1.1" },
];
const FORMATS_WITH_MONEY = [
  "openai-costs",
  "aws-cur",
  "aws-cost-explorer",
  "gcp-billing",
  "azure-costs",
  "anthropic-cost",
];

test.each(FORMATS_WITH_MONEY)("what the costs lack is named by the money of a %s alone", async (format) => {
  const verdict = async (asks: object, believed: object): Promise<string[]> =>
    (await found({ format, asks, believed })).map((one) => [one.kind, one.verdict, ...one.requests.ids].join(" "));

  expect(await verdict({ ...BASE, when: [STEP] }, { ...BASE, when: [STEP] })).toEqual([
    "all agrees plain long flex eu",
  ]);
  expect(await verdict({ ...BASE, when: [STEP] }, BASE)).toEqual(["money missing-step long"]);
  expect(await verdict({ ...BASE, when: [{ input_from: 200_000, times: "2" }] }, BASE)).toEqual([
    "money missing-step long",
  ]);
  expect(await verdict({ ...BASE, when: [FLEX] }, BASE)).toEqual(["money missing-tier flex"]);
  expect(await verdict({ ...BASE, when: [EU] }, BASE)).toEqual(["money missing-region eu"]);
  const { cache_write_5m: _, ...withoutWrites } = BASE;
  expect(await verdict(BASE, withoutWrites)).toEqual(["money missing-part plain long flex eu"]);
  expect(await verdict({ ...BASE, output: "12.000001" }, BASE)).toEqual(["money money plain long flex eu"]);
});

test("tokens that one side alone has are priced once, and are no difference of money", async () => {
  const billed = [...JOURNAL, charge("other", { input: 12_000, output: 300 })];
  const findings = await found({ format: "openai-costs", asks: BASE, believed: BASE, billed });

  expect(findings).toMatchObject([
    { kind: "input", difference: "12000", differenceUsd: "0.024", verdict: "unrecorded" },
    { kind: "output", difference: "300", differenceUsd: "0.0036", verdict: "unrecorded" },
  ]);
});

test("a millionth of a dollar too much is found, and a rounded last place is not", async () => {
  const bill = (amount: string): string =>
    JSON.stringify({
      data: [
        {
          starting_at: `${DAY}T00:00:00Z`,
          ending_at: "2026-11-17T00:00:00Z",
          results: [{ amount, currency: "USD", cost_type: "tokens", model: "m", token_type: "output_tokens" }],
        },
      ],
    });
  const verdicts = async (amount: string): Promise<string[]> => {
    const { findings } = await reconcile({
      exports: [fileOf("bill", bill(amount))],
      journal: each([charge("one", { output: 1_001 })]),
      map: readNameMap(mapFor("anthropic", JOURNAL), "names.yaml"),
      costs: costsOf(BASE),
      day: DAY,
      nowMs: DAY_MS,
    });
    return findings.filter(({ kind }) => kind === "money").map(({ differenceUsd }) => differenceUsd ?? "");
  };

  // 1,001 tokens at 12 dollars for a million are 1.2012 cents.
  expect(await verdicts("1.2012")).toEqual([]);
  expect(await verdicts("1.201")).toEqual([]);
  expect(await verdicts("1.2013")).toEqual(["0.000001"]);
  expect(await verdicts("1.2")).toEqual([]);
  expect(await verdicts("1.3")).toHaveLength(1);
});

const NIGHT = Array.from({ length: 60 }, (_, at) => {
  const atMs = DAY_MS + 86_400_000 - 60_000 + at * 2_000 + 500;
  return charge(`n${at}`, { input: 1_000 + at * at * 7, output: 10 + at }, { atMs, admittedAtMs: atMs });
});

test("around a busy midnight a clock that is off is recognised, and more than touches it is a difference", async () => {
  const journal = [...JOURNAL, ...NIGHT];
  const input = async (billed: readonly JournalRow[]): Promise<BillFinding | undefined> =>
    (await found({ format: "openai-usage", asks: BASE, believed: BASE, journal, billed })).find(
      ({ kind }) => kind === "input",
    );

  const behind = await input([...JOURNAL, ...NIGHT.slice(0, 41)]);
  expect(behind).toMatchObject({ verdict: "boundary", requests: { count: 11 } });
  expect(behind?.requests.ids).toContain("n40");

  const scattered = await input([...JOURNAL, ...NIGHT.filter((_, at) => at % 3 !== 0)]);
  expect(scattered).toMatchObject({ verdict: "boundary", requests: { count: 60 } });
  expect(scattered?.why).toContain("what is less than they cannot be told");

  const more = await input([...JOURNAL, ...NIGHT, charge("more", { input: 900_000, output: 1 })]);
  expect(more).toMatchObject({ verdict: "unrecorded" });
});
