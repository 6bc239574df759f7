import fc from "fast-check";
import { expect, test } from "vitest";
import { readCosts } from "../config/reconcile/read-costs.ts";
import { readNameMap } from "../config/reconcile/read-name-map.ts";
import { EXPORTERS, type Exporter, mapFor } from "../../tests/support/reconcile/export-bills.ts";
import { DAY, fileOf } from "../../tests/support/reconcile/stage.ts";
import { ExportError } from "./export-error.ts";
import { FORMATS } from "./formats.ts";
import type { JournalRow } from "./journal/journal-row.ts";
import { exitCodeOf, type Reconciliation, reconcile } from "./reconcile.ts";

const DAY_MS = Date.parse(`${DAY}T00:00:00Z`);
const COSTS = readCosts(
  JSON.stringify({
    p: Object.fromEntries(
      ["m1", "m2", 'm "3", x'].map((model, at) => [
        model,
        {
          input: `${at + 1}.25`,
          output: "10",
          cache_read: "0.125",
          cache_write_5m: "2.5",
          when: [
            { input_above: 200_000, times: "2" },
            { tier: "flex", times: "0.5" },
          ],
        },
      ]),
    ),
  }),
  "costs.yaml",
);

const counts = (most: number): fc.Arbitrary<number> => fc.oneof(fc.constant(0), fc.integer({ min: 1, max: most }));

/** Charges away from the edges of the day. */
const rowsOf = ({ format }: Exporter): fc.Arbitrary<JournalRow[]> =>
  fc
    .array(
      fc.record({
        minute: fc.integer({ min: 10, max: 1_430 }),
        credential: fc.constantFrom("k1", "k2"),
        upstreamModel: fc.constantFrom("m1", "m2", 'm "3", x'),
        tier: fc.constantFrom("default", "flex"),
        input: counts(300_000),
        cache_read: counts(50_000),
        cache_write_5m: format.startsWith("openrouter") ? fc.constant(0) : counts(9_000),
        output: fc.integer({ min: 1, max: 20_000 }),
      }),
      { minLength: 1, maxLength: 12 },
    )
    .map((rows) =>
      rows.map(({ minute, credential, upstreamModel, tier, ...tokens }, at) => ({
        admittedAtMs: DAY_MS + minute * 60_000,
        atMs: DAY_MS + minute * 60_000,
        holdId: `h${at}`,
        credential,
        provider: "p",
        // A line item of OpenAI's costs is split at its comma.
        upstreamModel: format === "openai-costs" && upstreamModel.includes(" ") ? "m3" : upstreamModel,
        tier,
        region: "any",
        kind: "completed",
        estimated: false,
        counts: tokens,
      })),
    );

async function* each<Row>(rows: readonly Row[]): AsyncGenerator<Row> {
  for (const row of rows) yield await Promise.resolve(row);
}

type Compared = {
  exporter: Exporter;
  journal: readonly JournalRow[];
  billed: readonly JournalRow[];
  /** Whose names the map has. */
  named?: readonly JournalRow[];
};

function compare({ exporter, journal, billed, named = journal }: Compared): Promise<Reconciliation> {
  const format = FORMATS.find(({ id }) => id === exporter.format);
  return reconcile({
    exports: [fileOf("export", exporter.write(billed, COSTS), 1_000)],
    journal: each(journal),
    map: readNameMap(mapFor(format?.vendor ?? "", [...named, ...billed]), "names.yaml"),
    costs: COSTS,
    day: DAY,
    nowMs: DAY_MS,
  });
}

test("there is an exporter for every format that is read", () => {
  expect(EXPORTERS.map(({ format }) => format).toSorted()).toEqual(FORMATS.map(({ id }) => id).toSorted());
});

test.each(EXPORTERS)("any journal agrees with its own $format", async (exporter) => {
  await fc.assert(
    fc.asyncProperty(rowsOf(exporter), async (journal) => {
      const found = await compare({ exporter, journal, billed: journal });

      expect(found.findings.filter(({ verdict }) => verdict !== "agrees")).toEqual([]);
      expect(exitCodeOf(found)).toBe(0);
    }),
    { numRuns: 40 },
  );
});

/** What may be wrong with a bill. */
const changes = fc.record({
  row: fc.nat(),
  how: fc.constantFrom("more", "less", "lost", "twice"),
  part: fc.constantFrom("input", "cache_read", "output"),
  by: fc.integer({ min: 1, max: 1_000 }),
});

function changed(
  rows: readonly JournalRow[],
  { row, how, part, by }: typeof changes extends fc.Arbitrary<infer Change> ? Change : never,
): JournalRow[] {
  const at = row % rows.length;
  return rows.flatMap((one, index) => {
    if (index !== at) return [one];
    if (how === "lost") return [];
    if (how === "twice") return [one, { ...one, holdId: "again" }];
    const count = one.counts[part] ?? 0;
    const more = how === "more" || count === 0 ? by : -Math.min(by, count);
    return [{ ...one, counts: { ...one.counts, [part]: count + more } }];
  });
}

/** A list without rows could be of several formats. */
const refusal = (error: unknown): number => (error instanceof ExportError ? 2 : 0);

test.each(EXPORTERS)("any change of a $format is found", async (exporter) => {
  await fc.assert(
    fc.asyncProperty(rowsOf(exporter), changes, async (journal, change) => {
      const found = compare({ exporter, journal, billed: changed(journal, change) });

      expect(await found.then(exitCodeOf, refusal)).toBeGreaterThan(0);
    }),
    { numRuns: 60 },
  );
});

test.each(EXPORTERS)(
  "a journal that does not know credentials is compared with a $format summed over them",
  async (exporter) => {
    await fc.assert(
      fc.asyncProperty(rowsOf(exporter), changes, fc.boolean(), async (rows, change, knowsModels) => {
        const journal = rows.map((row) => ({
          ...row,
          credential: null,
          upstreamModel: knowsModels ? row.upstreamModel : null,
        }));
        const found = async (billed: readonly JournalRow[]): Promise<number> =>
          compare({ exporter, journal, billed, named: rows }).then(exitCodeOf, refusal);

        // Of money alone nothing can be compared without models.
        expect(await found(rows)).toBe(exporter.format === "anthropic-cost" && !knowsModels ? 2 : 0);
        expect(await found(changed(rows, change))).toBeGreaterThan(0);
      }),
      { numRuns: 20 },
    );
  },
);

test("charges near midnight may be in either day's bill, and nothing else may differ", async () => {
  const exporter = EXPORTERS.find(({ format }) => format === "openai-usage") as Exporter;
  const near = fc.array(
    fc.record({
      secondsFromEdge: fc.integer({ min: -59, max: 59 }),
      edge: fc.constantFrom(DAY_MS, DAY_MS + 86_400_000),
      billedHere: fc.boolean(),
      input: fc.integer({ min: 1, max: 300_000 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(rowsOf(exporter), near, fc.boolean(), async (rows, edges, planted) => {
      const atEdges = edges.map(({ edge, secondsFromEdge, billedHere, input }, at) => ({
        billedHere,
        row: {
          ...(rows[0] as JournalRow),
          holdId: `e${at}`,
          admittedAtMs: edge + secondsFromEdge * 1_000,
          atMs: edge + secondsFromEdge * 1_000,
          counts: { input, output: 3 },
        },
      }));
      const journal = [...rows, ...atEdges.map(({ row }) => row)];
      const billed = [...rows, ...atEdges.flatMap(({ billedHere, row }) => (billedHere ? [row] : []))];
      const [first, ...others] = billed as [JournalRow, ...JournalRow[]];
      // One output token is no whole charge, each of which has three.
      const off = [{ ...first, counts: { ...first.counts, output: (first.counts["output"] ?? 0) + 1 } }, ...others];
      const found = await compare({ exporter, journal, billed: planted ? off : billed });

      expect(exitCodeOf(found)).toBe(planted ? 1 : 0);
    }),
    { numRuns: 60 },
  );
});
