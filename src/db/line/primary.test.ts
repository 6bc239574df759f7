import { expect, test } from "vitest";
import { LineRefusedError, NotPrimaryError } from "../database-error.ts";
import { createPrimary, type Leader, type PrimaryOptions } from "./primary.ts";
import { createServerLine, type ServerLine, type Standing } from "./server-line.ts";

const ONE = "postgres://u:secret@one:1/db";
const TWO = "postgres://u:secret@two:2/db";
const urls = [ONE, TWO];
const SYSTEM = 7n;

/** A server with the books, or one that its timeline's mark has not reached. */
const leader = (timeline: number, { identifier = SYSTEM, startedAtMs = timeline, mark = `mark-${timeline}` } = {}) => ({
  standing: { identifier, timeline, booked: { identifier, timeline, mark, supersededBy: null } },
  startedAtMs,
});

const newLine = (): ServerLine => createServerLine({ strangers: "refused", onMoved: () => undefined });

function lookFor(
  answers: Record<string, Leader | null | Error | Promise<Leader | null>>,
  options: Partial<PrimaryOptions> = {},
) {
  const refusals: string[] = [];
  const superseded: { url: string; by: Standing }[] = [];
  const primary = createPrimary({
    urls,
    line: newLine(),
    ask: async (url) => {
      const answer = (await answers[url]) ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    supersede: async (url, by) => {
      superseded.push({ url, by });
    },
    onRefused: ({ message }) => refusals.push(message),
    ...options,
  });
  return { primary, refusals, superseded, answers };
}

const refusalOf = async (work: Promise<unknown>): Promise<unknown> => work.catch((reason: unknown) => reason);

test("the host that is no standby is the primary, wherever it stands in the list", async () => {
  const { primary } = lookFor({ [ONE]: null, [TWO]: leader(1) });

  await primary.found();

  expect(primary.url()).toBe(TWO);
});

test("a primary that is known is not looked for again until it is doubted, and then once for all who wait", async () => {
  let probes = 0;
  let standby = ONE;
  const ask = async (url: string) => {
    probes += 1;
    return url === standby ? null : leader(1);
  };
  const { primary } = lookFor({}, { ask });
  await primary.found();
  await primary.found();
  expect(probes).toBe(2);

  standby = TWO;
  primary.doubt(primary.generation());
  await Promise.all([primary.found(), primary.found(), primary.found()]);

  expect(probes).toBe(4);
  expect(primary.url()).toBe(ONE);
});

test("a doubt about a connection of an earlier generation changes nothing", async () => {
  const { primary } = lookFor({ [ONE]: null, [TWO]: leader(1) });
  await primary.found();
  primary.doubt(0);
  primary.doubt(0);

  expect(primary.generation()).toBe(1);
});

test("when no host takes writes the error names the hosts and no password", async () => {
  const { primary } = lookFor({ [ONE]: new Error("refused"), [TWO]: null });

  const error = await refusalOf(primary.found());

  expect(error).toBeInstanceOf(NotPrimaryError);
  expect(String(error)).toContain("asked one:1, two:2");
  expect(String(error)).not.toContain("secret");
});

test("of two that take writes the higher timeline leads, and the other is told before it is turned to", async () => {
  const { primary, refusals, superseded } = lookFor({ [ONE]: leader(1), [TWO]: leader(2) });

  await primary.found();

  expect(primary.url()).toBe(TWO);
  expect(superseded).toEqual([{ url: ONE, by: leader(2).standing }]);
  expect(refusals).toEqual([
    "the database server one:1 is refused: it is on timeline 1, and two:2 is on timeline 2. It is an old primary that still takes " +
      "writes: stop it, and bring it back as a standby",
  ]);
});

test("an old primary that was told already is not told again", async () => {
  const told = leader(1);
  const standing = { ...told.standing, booked: { ...told.standing.booked, supersededBy: 2 } };
  const { primary, superseded } = lookFor({ [ONE]: { ...told, standing }, [TWO]: leader(2) });

  await primary.found();

  expect(superseded).toEqual([]);
});

test("an old primary that answers and cannot be told keeps both from being used; one that is gone does not", async () => {
  const answers = { [ONE]: leader(1), [TWO]: leader(2) };
  const deaf = lookFor(answers, { supersede: () => Promise.reject(new Error("permission denied")) });
  const gone = lookFor(answers, {
    supersede: () => Promise.reject(Object.assign(new Error("gone"), { code: "ECONNRESET" })),
  });

  expect(await refusalOf(deaf.primary.found())).toBeInstanceOf(LineRefusedError);
  await gone.primary.found();
  expect(gone.primary.url()).toBe(TWO);
});

test("two servers on one timeline are both refused, and one server with two addresses is not", async () => {
  const two = lookFor({ [ONE]: leader(2, { startedAtMs: 1 }), [TWO]: leader(2, { startedAtMs: 2, mark: "other" }) });
  const same = lookFor({ [ONE]: leader(2), [TWO]: leader(2) });

  const refusal = "two servers take writes on timeline 2: one:1 and two:2. Stop one, and bring it back as a standby";
  await expect(two.primary.found()).rejects.toThrow(refusal);
  expect(two.refusals).toEqual([refusal]);
  await same.primary.found();
  expect(same.primary.url()).toBe(ONE);
});

test("a process that follows one of two servers on one timeline stops using it", async () => {
  const answers: Record<string, Leader | null> = { [ONE]: leader(2, { startedAtMs: 1 }), [TWO]: null };
  const line = newLine();
  line.follow({ identifier: SYSTEM, timeline: 2, mark: "mark-2" });
  const { primary } = lookFor(answers, { line });
  await primary.found();

  answers[TWO] = leader(2, { startedAtMs: 2, mark: "other" });
  await primary.watch();

  await expect(primary.found()).rejects.toThrow("two servers take writes on timeline 2");
});

test("servers of different systems are refused", async () => {
  const { primary } = lookFor({ [ONE]: leader(1), [TWO]: leader(1, { identifier: 8n }) });

  await expect(primary.found()).rejects.toThrow(
    "with different system identifiers: one:1 and two:2. Correct database.url",
  );
});

test("a timeline below one that was followed is refused though nothing else answers", async () => {
  const line = newLine();
  line.follow({ identifier: SYSTEM, timeline: 3, mark: "mark-3" });
  const { primary, refusals } = lookFor({ [ONE]: leader(2), [TWO]: new Error("gone") }, { line });

  await expect(primary.found()).rejects.toThrow("it is on timeline 2, but the ledger is on timeline 3");
  expect(refusals).toHaveLength(1);
});

test("a host that answers too late to be waited for is turned to when it leads", async () => {
  const slow = Promise.withResolvers<Leader | null>();
  const { primary, answers } = lookFor({ [ONE]: leader(1), [TWO]: slow.promise }, { graceMs: 1 });
  await primary.found();
  expect(primary.url()).toBe(ONE);

  slow.resolve(leader(2));
  await expect.poll(() => primary.generation()).toBe(1);
  answers[TWO] = leader(2);
  await primary.found();

  expect(primary.url()).toBe(TWO);
});

test("a promotion is noticed though the old primary goes on answering", async () => {
  const { primary, answers, superseded } = lookFor({ [ONE]: leader(1), [TWO]: null });
  await primary.found();

  answers[TWO] = leader(2);
  await primary.watch();
  await primary.found();

  expect(primary.url()).toBe(TWO);
  expect(superseded.length).toBeGreaterThan(0);
});
