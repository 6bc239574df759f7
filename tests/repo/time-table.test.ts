import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { budgeted, budgetOf, judgeBudget } from "../../scripts/gate/budget.ts";
import { readTimes, sumTimes, tellBusiest, tellTimes, withTimes } from "../../scripts/gate/time-table.ts";
import type { TimeSpent } from "../support/time-spent.ts";

const RUN = { wallMs: 60_000, processorMs: 90_000, tests: 12, titles: 10 };
const spent = (file: string, change: Partial<TimeSpent> = {}): TimeSpent => ({
  project: "unit",
  file,
  wallMs: 1_000,
  processorMs: 400,
  assertions: 3,
  causes: {},
  ...change,
});

test("a suite's time is the sum of its files, and a file that used two processors did not wait", () => {
  const { suites, run } = sumTimes(
    [
      spent("a.test.ts"),
      spent("b.test.ts", { wallMs: 1_000, processorMs: 1_900 }),
      spent("c.test.ts", { project: "contract" }),
    ],
    RUN,
  );

  expect(suites).toEqual([
    { suite: "unit", files: 2, assertions: 6, wallMs: 2_000, processorMs: 2_300, waitedMs: 600 },
    { suite: "contract", files: 1, assertions: 3, wallMs: 1_000, processorMs: 400, waitedMs: 600 },
  ]);
  expect(run).toEqual({ ...RUN, files: 3, assertions: 9 });
});

test("what no cause explains is work, and a cause of which no processor time was read has none", () => {
  const { causes } = sumTimes(
    [
      spent("a.test.ts", { causes: { gateway: { count: 2, wallMs: 600, processorMs: 150 } } }),
      spent("b.test.ts", { causes: { sleep: { count: 5, wallMs: 700, processorMs: 0 } } }),
    ],
    RUN,
  );

  expect(causes.filter(({ count }) => count > 0)).toEqual([
    { cause: "starts of gateways", count: 2, wallMs: 600, processorMs: 150 },
    { cause: "sleeping", count: 5, wallMs: 700, processorMs: null },
    { cause: "work", count: 2, wallMs: 700, processorMs: 650 },
  ]);
});

test("causes that overlap leave no negative rest", () => {
  const both = {
    gateway: { count: 1, wallMs: 900, processorMs: 300 },
    sleep: { count: 1, wallMs: 900, processorMs: 200 },
  };

  const { causes } = sumTimes([spent("a.test.ts", { causes: both })], RUN);

  expect(causes.at(-1)).toEqual({ cause: "work", count: 1, wallMs: 0, processorMs: 0 });
});

test("a large run names the files that took most and waited longest, and a small one does not", () => {
  const files = Array.from({ length: 20 }, (_, index) =>
    spent(`${index}.test.ts`, { wallMs: 1_000 * (20 - index), processorMs: 100 * (index + 1) }),
  );

  const { busiest, longestWaits } = sumTimes(files, RUN);

  expect(busiest.map(({ file }) => file)).toEqual(
    files
      .map(({ file }) => file)
      .toReversed()
      .slice(0, 15),
  );
  expect(longestWaits.map(({ file }) => file)).toEqual(files.map(({ file }) => file).slice(0, 15));
  expect(tellTimes(sumTimes(files, RUN))).toContain("longest waits");
  expect(tellTimes(sumTimes(files.slice(0, 15), RUN))).not.toContain("longest waits");
});

test("the text gives tests, titles and assertions, and seconds with one decimal", () => {
  const text = tellTimes(sumTimes([spent("a.test.ts", { wallMs: 1_234_560 })], { ...RUN, tests: 1_200 }));

  expect(text).toContain("1,200 tests with 10 titles and 3 assertions, in 1 files. The run took 60.0 s, and 90.0 s");
  expect(text).toMatch(/^\| unit +\| +1 \| +3 \| 1,234\.6 \| +0\.4 \| +1,234\.2 \|$/m);
});

test("a page keeps all but what is between the marks", () => {
  const page = "# Title\n\n<!-- times -->\n\nold\n\n<!-- /times -->\n\nThe end.\n";

  expect(withTimes(page, "new")).toBe("# Title\n\n<!-- times -->\n\nnew\n\n<!-- /times -->\n\nThe end.\n");
  expect(() => withTimes("# Title\n", "new")).toThrow(/no place/);
});

test("half a line of a run that was killed is left out", () => {
  const line = spent("a.test.ts");

  expect(readTimes(`${JSON.stringify(line)}\n{"project":"un`)).toEqual([line]);
});

test("the closing lines of a run of many files name those that took most processor time", () => {
  const files = Array.from({ length: 20 }, (_, index) => spent(`${index}.test.ts`, { processorMs: 1_000 * index }));

  const [title, first, ...others] = tellBusiest(files);

  expect(title).toContain("most processor time");
  expect(first).toBe("    19.0  19.test.ts (unit)");
  expect(others).toHaveLength(7);
  expect(tellBusiest(files.slice(0, 15))).toEqual([]);
});

test("a file over its budget of processor time is named", () => {
  const dear = "tests/conformance/fenced-commands.test.ts";
  const most = budgetOf("a.test.ts") * 1_000;

  const lines = judgeBudget([
    spent("a.test.ts", { processorMs: most, wallMs: 100 * most }),
    spent("b.test.ts", { processorMs: most + 100 }),
    spent("c.test.ts", { processorMs: 2 * most + 100 }),
    spent(dear, { processorMs: 2 * most + 100 }),
  ]);

  expect(lines).toEqual([
    expect.stringMatching(/^OVER BUDGET b\.test\.ts took 15\.1 s of processor time, and may take 15 /),
    expect.stringMatching(/^OVER BUDGET c\.test\.ts took 30\.1 s/),
  ]);
});

test("every file with a budget of its own is there", () => {
  expect(budgeted.filter((file) => !existsSync(file))).toEqual([]);
});
