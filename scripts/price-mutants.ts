/**
 * Breaks the price function on purpose, one decision at a time, and runs its tests over each. Exits 1 when a broken one passes: tests that
 * cannot see a wrong price prove nothing by being green.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

type Mutant = { name: string; file: string; from: string; to: string };

const PRICE = "price.ts";
const RATE = "pay-rate.ts";
const ROWS = "rate-rows.ts";
const HOURS = "price-hours.ts";

const MUTANTS: readonly Mutant[] = [
  {
    name: "rounds down",
    file: RATE,
    from: "(millionthsAt(rowOf(tariff, usage, asked, peak), usage) + HALF_MILLION) / MILLION;",
    to: "millionthsAt(rowOf(tariff, usage, asked, peak), usage) / MILLION;",
  },
  {
    name: "rounds up",
    file: RATE,
    from: "(millionthsAt(rowOf(tariff, usage, asked, peak), usage) + HALF_MILLION) / MILLION;",
    to: "(millionthsAt(rowOf(tariff, usage, asked, peak), usage) + MILLION - 1n) / MILLION;",
  },
  {
    name: "forgets tools",
    file: RATE,
    from: "let millionths = toolsNano(row, usage) * MILLION;",
    to: "let millionths = 0n;",
  },
  {
    name: "charges the base whatever the size",
    file: RATE,
    from: "const ordered = rowFor(rows, inputTokens,",
    to: "const ordered = rowFor(rows, 0,",
  },
  {
    name: "reserves at the base",
    file: RATE,
    from: "rowsWithin(rows, input, served).map(boundOf)",
    to: "rowsWithin(rows, 0, served).map(boundOf)",
  },
  {
    name: "reserves the last row alone",
    file: RATE,
    from: "within(input).reduce((most, bound)",
    to: "within(input).slice(-1).reduce((most, bound)",
  },
  {
    name: "reserves shares at the plain price",
    file: RATE,
    from: "(isReserved(part) ? larger(most, dearestOf(row, part)) : most)",
    to: "most",
  },
  { name: "reserves no output", file: RATE, from: "+ BigInt(output) * bound.output)", to: ")" },
  {
    name: "affords what the cheapest row affords",
    file: RATE,
    from: "rest / bound.output < least",
    to: "rest / bound.output > least",
  },
  {
    name: "affords beside no input",
    file: RATE,
    from: "const rest = millionths - inputOf(bound, input);",
    to: "const rest = millionths;",
  },
  {
    name: "reserves rounded down",
    file: RATE,
    from: "(millionths + MILLION - 1n) / MILLION;\n\nfunction",
    to: "millionths / MILLION;\n\nfunction",
  },
  { name: "gives away what has no price", file: RATE, from: "isDearer(part) && !row.own.has(part)", to: "false" },
  {
    name: "reserves at other hours than it charges at",
    file: RATE,
    from: "servedAfter(rows, asked, peak && namesHours(rows))",
    to: "servedAfter(rows, asked, false)",
  },
  {
    name: "charges the usual hours at all of them",
    file: RATE,
    from: "rowFor(rows, inputTokens, { tier: asked, region, peak })",
    to: "rowFor(rows, inputTokens, { tier: asked, region })",
  },
  {
    name: "lets lines of hours hold at all of them",
    file: ROWS,
    from: "(when.hours === undefined || peak)",
    to: "true",
  },
  { name: "begins an hour a minute late", file: HOURS, from: "from <= ofDay", to: "from + 60_000 <= ofDay" },
  { name: "ends an hour with its last minute", file: HOURS, from: "ofDay < to", to: "ofDay <= to" },
  { name: "forgets holidays", file: HOURS, from: "!never.has(day)", to: "true" },
  { name: "forgets days of the week", file: HOURS, from: "days.includes(name) && ", to: "" },
  {
    name: "steps one token early",
    file: ROWS,
    from: "(inputFrom ?? 0) : inputAbove + 1",
    to: "(inputFrom ?? 0) : inputAbove",
  },
  {
    name: "steps one token late",
    file: ROWS,
    from: "(inputFrom ?? 0) : inputAbove + 1",
    to: "(inputFrom ?? 0) + 1 : inputAbove + 1",
  },
  {
    name: "ends a row one token early",
    file: ROWS,
    from: "(starts[index + 1] ?? NO_END + 1) - 1",
    to: "(starts[index + 1] ?? NO_END + 1) - 2",
  },
  {
    name: "takes the first line that holds",
    file: ROWS,
    from: "...active.map(({ nano }) => nano))",
    to: "...active.toReversed().map(({ nano }) => nano))",
  },
  { name: "forgets factors", file: ROWS, from: "product * (times ?? BILLION)", to: "product * BILLION" },
  { name: "sells what is not sold", file: ROWS, from: "if (active.some(({ sold }) => !sold)) return null;", to: "" },
  {
    name: "lets a line lack a price",
    file: ROWS,
    from: "if (said.length > 0 && missing.length > 0)",
    to: "if (false)",
  },
  { name: "lets a gap be", file: ROWS, from: "if (clash !== null) return clash;", to: "" },
  {
    name: "forgets prices of tools in lines",
    file: ROWS,
    from: "...active.map(({ toolCallNano }) => toolCallNano)",
    to: "",
  },
  { name: "charges a share twice", file: PRICE, from: "rest -= partTokens(share, usage);", to: "rest -= 0;" },
  {
    name: "charges reasoning beside output",
    file: PRICE,
    from: 'shareOf: "outputNano",\n    tokens: (usage) => Math.min',
    to: "shareOf: null,\n    tokens: (usage) => Math.min",
  },
  {
    name: "leaves cached audio in the input",
    file: PRICE,
    from: 'shareOf: "cacheReadNano",',
    to: "shareOf: null,",
  },
  {
    name: "charges pictures beside output",
    file: PRICE,
    from: 'shareOf: "outputNano",\n    tokens: ({ parts }) => parts?.["output_image"] ?? 0,',
    to: 'shareOf: null,\n    tokens: ({ parts }) => parts?.["output_image"] ?? 0,',
  },
  { name: "reserves no pictures", file: RATE, from: "isReserved(part) ?", to: 'part !== "outputImageNano" ?' },
  {
    name: "charges what was asked for, whatever was served",
    file: RATE,
    from: "if (served.tier === undefined || served.tier === ordered.tier) return ordered;",
    to: "return ordered;",
  },
  {
    name: "charges a dearer tier that was not asked for",
    file: RATE,
    from: "millionthsAt(got, usage) < millionthsAt(ordered, usage) ? got : ordered",
    to: "true ? got : ordered",
  },
  {
    name: "charges more than was served",
    file: RATE,
    from: "got.tier === PLAIN_TIER || millionthsAt",
    to: "millionthsAt",
  },
  {
    name: "charges a tier without a line as everybody's",
    file: RATE,
    from: "if (got.tier !== served.tier) return ordered;",
    to: "",
  },
  {
    name: "forgets the region",
    file: RATE,
    from: "const region = served.region ?? ANY_REGION;",
    to: "const region = ANY_REGION;",
  },
  {
    name: "charges the region of the route, whatever the answer says",
    file: RATE,
    from: "usage.served?.region === undefined ? { ...usage, served: { ...usage.served, region } } : usage;",
    to: "({ ...usage, served: { ...usage.served, region } });",
  },
  {
    name: "forgets the region of the route",
    file: RATE,
    from: "costOf: (usage) => rate.costOf(there(usage)),",
    to: "costOf: (usage) => rate.costOf(usage),",
  },
  {
    name: "books another region than it charges",
    file: RATE,
    from: "servedAs: (usage) => rate.servedAs(there(usage)),",
    to: "servedAs: (usage) => rate.servedAs(usage),",
  },
  {
    name: "reserves the tier alone",
    file: ROWS,
    from: "distinct(asked, [PLAIN_TIER]).flatMap",
    to: "[asked].flatMap",
  },
  {
    name: "reserves the usual region alone",
    file: ROWS,
    from: "rows.map(({ region }) => region),\n    ).map",
    to: "[],\n    ).map",
  },
  {
    name: "charges an hour as five minutes",
    file: PRICE,
    from: "usage.cacheWriteTokens - usage.cacheWrite1hTokens",
    to: "usage.cacheWriteTokens",
  },
];

const HELP = `Breaks the price function in ${MUTANTS.length} ways and runs its tests over each.

Usage: npm run test:price-mutants

Takes about two minutes. Ends with 1 if a broken one passes.`;

/** In a copy of its own: the files that others read stay whole. */
const folder = mkdtempSync(join(tmpdir(), "tollgate-prices-"));
const money = join(folder, "src/core/money");
const TESTS = ["price.test.ts", "price-hours.test.ts", "rate-rows.test.ts"].map((file) => `src/core/money/${file}`);

async function noticed(mutant: Mutant | null): Promise<boolean> {
  const path = join(money, mutant?.file ?? PRICE);
  const whole = readFileSync(path, "utf8");
  if (mutant !== null && !whole.includes(mutant.from)) throw new Error(`${mutant.file} has no ${mutant.from}`);
  if (mutant !== null) writeFileSync(path, whole.replace(mutant.from, mutant.to));
  try {
    return await new Promise((done) => {
      const vitest = [resolve("node_modules/vitest/vitest.mjs"), "run", "--bail", "1", ...TESTS];
      execFile(process.execPath, vitest, { cwd: folder }, (error) => done(error !== null));
    });
  } finally {
    writeFileSync(path, whole);
  }
}

if (process.argv.includes("--help")) console.log(HELP);
else {
  try {
    cpSync("src/core", join(folder, "src/core"), { recursive: true });
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    let missed = (await noticed(null)) ? 1 : 0;
    console.log(`${missed === 0 ? "ok    " : "MISSED"} nothing is broken, and the tests pass`);
    for (const mutant of MUTANTS) {
      const seen = await noticed(mutant);
      if (!seen) missed++;
      console.log(`${seen ? "ok    " : "MISSED"} ${mutant.file}: ${mutant.name}`);
    }
    console.log(`\n${MUTANTS.length} broken prices, ${missed} not noticed`);
    process.exitCode = missed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
