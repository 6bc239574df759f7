import { expect, test } from "vitest";
import { figureOf, type Sample } from "./figure.ts";

const HEAD = { id: "x", title: "x", unit: "x", better: "higher" } as const;

function samples(subject: Sample["subject"], values: readonly number[], invalid: string | null = null): Sample[] {
  return values.map((value) => ({ subject, value, invalid }));
}

test("the ratio is that of the medians, and the spread is the whole range", () => {
  const figure = figureOf({ ...HEAD, samples: [...samples("bare", [90, 300, 100]), ...samples("tollgate", [80, 60])] });

  expect(figure.bare).toEqual({ median: 100, min: 90, max: 300 });
  expect(figure.tollgate).toEqual({ median: 70, min: 60, max: 80 });
  expect(figure.ratio).toBe(0.7);
  expect(figure.note).toBe("");
});

test("a round that does not count changes no median, and is named", () => {
  const figure = figureOf({
    ...HEAD,
    samples: [...samples("bare", [100, 102]), ...samples("bare", [10], "core idle"), ...samples("tollgate", [50])],
  });

  expect(figure.bare.median).toBe(101);
  expect(figure.note).toBe("INVALID bare 1/3: core idle");
});

test("a subject without a round that counts is shown and marked", () => {
  const figure = figureOf({
    ...HEAD,
    samples: [...samples("bare", [10, 30], "core idle"), ...samples("tollgate", [20])],
  });

  expect(figure.bare.median).toBe(20);
  expect(figure.note).toContain("INVALID bare 2/2");
});

test("there is no ratio without Tollgate, nor to a bare proxy that added nothing", () => {
  expect(figureOf({ ...HEAD, samples: samples("bare", [1]) }).ratio).toBeNull();
  expect(figureOf({ ...HEAD, samples: [...samples("bare", [-1]), ...samples("tollgate", [5])] }).ratio).toBeNull();
});

test("a figure without the bare proxy is refused", () => {
  expect(() => figureOf({ ...HEAD, samples: samples("tollgate", [1]) })).toThrow("bare proxy");
});
