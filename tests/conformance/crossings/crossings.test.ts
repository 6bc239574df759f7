import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requestLog } from "../../support/request-log.ts";
import { until } from "../../support/until.ts";
import {
  type Ask,
  type Asked,
  CASES,
  CLOSED,
  INPUT_TOKENS,
  LOST,
  NOT_ASKED,
  REFUSED,
  scriptOf,
} from "./crossing-cases.ts";
import type { How, Question } from "./crossing-client.ts";
import {
  type Charged,
  type CrossingStage,
  type Pair,
  PAIRS,
  startCrossingStage,
  type Witnessed,
} from "./crossing-stage.ts";
import { createCrossingsTable } from "./crossings-table.ts";
import { TOLD } from "./told.ts";

const PAGE = join(import.meta.dirname, "../../../docs/reference/crossings.md");
const HOWS: readonly How[] = ["plain", "streamed"];
const SIX_WORDS = "amber harbor ocean valley delta kelp";

/** Ways in which a provider fails when it has said some of its answer. */
const FAILURES: Record<string, { title: string; script: string }> = {
  broken: { title: "provider error mid-stream", script: "tokens=12+fail=error@6" },
  cut: { title: "connection closed mid-stream", script: "tokens=12+fail=close@6" },
};

const TITLES = {
  ...Object.fromEntries(Object.entries({ ...CASES, ...FAILURES }).map(([name, { title }]) => [name, title])),
  left: "client disconnects",
};
const SCRIPTS = {
  ...Object.fromEntries(
    Object.entries({ ...CASES, ...FAILURES }).map(([name, { script }]) => [name, scriptOf(script)]),
  ),
  left: scriptOf("tokens=400+pause=6"),
};

const table = createCrossingsTable(TITLES);
let stage: CrossingStage;
beforeAll(async () => {
  stage = await startCrossingStage(SCRIPTS);
});
afterAll(() => stage.gateway.stop());

describe.each(PAIRS)("a $client client on a $provider provider", (pair) => {
  for (const how of HOWS) {
    const cases = Object.entries(CASES).map(([name, { title, run }]) => ({ name, title, run }));
    test.each(cases)(`gets through or is told what is lost, ${how}: $title`, async ({ name, run }) => {
      const dropped = new Set<string>();
      const ask: Ask = async (question, outputTokens) => {
        const asked = await askAndLook({ pair, name, how, question, outputTokens });
        for (const field of asked.dropped) dropped.add(field);
        return asked;
      };

      table.note(pair, name, how, cellOf(await run({ pair, ask }), [...dropped]));
    });

    test.each(Object.keys(FAILURES))(`is told of a failure and pays nothing, ${how}: %s`, async (name) => {
      const client = stage.clients[pair.client];
      const before = await stage.charged();
      const error: unknown = await client
        .ask({ model: stage.modelOf(pair, name), how })
        .catch((caught: unknown) => caught);

      expect(client.codeOf(error)).toBe("upstream_error");
      expect(await stage.charged()).toEqual(before);
      expect(await callOf(pair)).toMatchObject({ dialect: pair.provider, ended: "failed" });
      table.note(pair, name, how, "✓");
    });

    test(`stops the provider when it leaves and pays for what it got, ${how}`, async () => {
      const before = await stage.charged();
      const question = { model: stage.modelOf(pair, "left"), how };
      const gone = goneRequests(question.model);
      const leaving = stage.clients[pair.client].leave(question, {
        said: SIX_WORDS,
        told: () => whenSeen((call) => call.paused),
      });
      await expect(leaving).rejects.toThrow(/abort/i);

      await whenSeen((call) => call.ended === "caller_gone");
      await until(() => goneRequests(question.model) > gone, "the request has been settled");
      const charged = difference(before, await stage.charged());
      if (how === "plain") expectInputOf(charged);
      else expectPartOf(charged, pair);
      expect(await callOf(pair)).toMatchObject({ dialect: pair.provider, ended: "caller_gone" });
      table.note(pair, "left", how, "✓");
    });
  }
});

test("the table in docs/reference is what this run has seen", () => {
  const page = table.page();
  expect(page, "the whole file must run for the table to be whole").not.toBeNull();
  if (process.env["TOLLGATE_WRITE_CROSSINGS"] !== undefined) writeFileSync(PAGE, page ?? "");

  expect(readFileSync(PAGE, "utf8"), "scripts/write-crossings.ts writes it anew").toBe(page);
});

function cellOf(remark: string, dropped: readonly string[]): string {
  const lost = `dropped: ${dropped.map((field) => `\`${field}\``).join(", ")}`;
  if (remark === LOST) return lost;
  if (remark === NOT_ASKED || remark === REFUSED || remark === CLOSED) return `– ${remark}`;
  return ["✓", remark, dropped.length === 0 ? "" : `(${lost})`].filter(Boolean).join(" ");
}

type Asking = {
  pair: Pair;
  name: string;
  how: How;
  question: Omit<Question, "model" | "how">;
  outputTokens: number;
};

/** Asks, and holds against each other what the client heard, what the provider saw and what was charged. */
async function askAndLook({ pair, name, how, question, outputTokens }: Asking): Promise<Asked> {
  const before = await stage.charged();
  const asking = stage.clients[pair.client].ask({ model: stage.modelOf(pair, name), how, ...question });
  const heard = await asking.catch(async (error: unknown) => {
    // A call that the provider refused is not the next question's.
    await stage.newCalls();
    throw error;
  });
  const charged = difference(before, await stage.charged());
  const call = await callOf(pair);
  const fidelity = stage.lastHeader("x-tollgate-fidelity") ?? "";

  expect(call).toMatchObject({ dialect: pair.provider, streamed: how === "streamed", status: 200 });
  expect(heard).toMatchObject({ inputTokens: INPUT_TOKENS, outputTokens });
  // What is not translated is as orderly as its provider.
  if (pair.client !== pair.provider) expect(heard.orderly).toBe(true);
  expect(charged).toEqual({
    inputTokens: INPUT_TOKENS,
    outputTokens,
    credits: expect.closeTo((INPUT_TOKENS + 4 * outputTokens) / 1e6, 12) as number,
  });
  expect(fidelity).toMatch(pair.client === pair.provider ? /^exact$/ : /^translated(; dropped=|$)/);
  const dropped = /dropped=(.*)$/.exec(fidelity)?.[1]?.split(",") ?? [];
  return { heard, told: TOLD[pair.provider](call.body), dropped };
}

async function callOf({ provider }: Pair): Promise<Witnessed> {
  const calls = await stage.newCalls();
  const call = calls.at(-1);
  if (call === undefined || calls.length !== 1)
    throw new Error(`the ${provider} provider has had ${calls.length} calls`);
  return call;
}

/** Looks at the provider's calls until one is in the state that is waited for. */
async function whenSeen(wanted: (call: Witnessed) => boolean): Promise<void> {
  await until(async () => {
    const [call] = (await stage.gateway.witness()).slice(-1) as Witnessed[];
    return call !== undefined && wanted(call);
  }, "the provider is in the state that is waited for");
}

const goneRequests = (model: string): number =>
  requestLog(stage.gateway).filter((line) => line.model === model && line.outcome === "client_gone").length;

/** Of a plain answer nothing was had, and its provider was sent the whole input. */
function expectInputOf({ inputTokens, outputTokens, credits }: Charged): void {
  expect(inputTokens).toBeGreaterThan(0);
  expect(outputTokens).toBe(0);
  expect(credits).toBeCloseTo(inputTokens / 1e6, 12);
}

/** Providers of messages say at once how long the input is, and of Gemini with every event; of the others' it is estimated. */
function expectPartOf({ inputTokens, outputTokens, credits }: Charged, { provider }: Pair): void {
  if (provider === "messages" || provider === "gemini") expect(inputTokens).toBe(INPUT_TOKENS);
  else expect(inputTokens).toBeGreaterThan(0);
  expect(outputTokens).toBeGreaterThanOrEqual(6);
  expect(outputTokens).toBeLessThan(20);
  expect(credits).toBeCloseTo((inputTokens + 4 * outputTokens) / 1e6, 12);
}

const difference = (before: Charged, after: Charged): Charged => ({
  inputTokens: after.inputTokens - before.inputTokens,
  outputTokens: after.outputTokens - before.outputTokens,
  credits: after.credits - before.credits,
});
