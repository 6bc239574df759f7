import { expect, test } from "vitest";
import { largestSeries, type Series, seriesTable, stackOf, sumOf } from "./series.ts";
import { CREDITS } from "../format/unit.ts";

const many = Array.from({ length: 12 }, (_one, index): Series => ({
  id: `model-${index}`,
  name: `model ${index}`,
  values: [BigInt(index), BigInt(index * 2)],
}));

test("the smallest of many series are summed into one, and nothing is lost", () => {
  const shown = largestSeries(many);

  expect(shown).toHaveLength(8);
  expect(shown[0]?.id).toBe("model-11");
  expect(shown.at(-1)).toMatchObject({ name: "5 others", rest: true, values: [10n, 20n] });
  expect(sumOf(shown.flatMap(({ values }) => values))).toBe(sumOf(many.flatMap(({ values }) => values)));
});

test("series stand on each other without a gap", () => {
  expect(stackOf(many.slice(1, 3), 2)).toEqual([
    [
      { from: 0n, to: 1n },
      { from: 1n, to: 3n },
    ],
    [
      { from: 0n, to: 2n },
      { from: 2n, to: 6n },
    ],
  ]);
});

test("the table has what the chart shows, whole in the file", () => {
  const credits = [{ id: "a", name: "a", values: [1_204_501_230_000n] }];
  const { heads, rows } = seriesTable({ startsMs: [0], stepMs: 86_400_000 }, credits, CREDITS);

  expect(heads).toEqual(["From", "a", "Total"]);
  expect(rows[0]?.map(({ plain }) => plain)).toEqual(["1970-01-01T00:00:00.000Z", "1204.50123", "1204.50123"]);
  expect(rows[0]?.[1]?.show).toBe("1,204.50");
});
