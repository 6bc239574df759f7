import fc from "fast-check";
import { expect, test } from "vitest";
import { cases } from "../../tests/support/cases.ts";
import { understood } from "../../tests/sdk/read-with-sdk.ts";
import { cachedSdkSchemas } from "../../tests/sdk/sdk-schemas.ts";
import { createWireValidator, type WireValidator } from "../../tests/sdk/wire-validator.ts";
import { ALLOWANCES } from "../../tests/sdk/allowances.ts";
import { mutate, mutation } from "../../tests/translation/mutate-events.ts";
import { readStrictly } from "../../tests/translation/read-strictly.ts";
import { PAIRS, relayAnswer, type Pair, UNTOUCHED } from "../../tests/translation/relay-answer.ts";
import { encodeEvents, type Piece, scriptAnswer, scriptStream } from "../../tests/translation/script-stream.ts";
import { requestOf } from "../../tests/translation/request-of.ts";
import { eventsOf, isDone } from "../../tests/translation/stream-events.ts";
import { Fault } from "../core/fault.ts";
import type { Usage } from "../core/money/usage.ts";
import type { PlainAnswer } from "./answer-stage.ts";
import { pickTranslator } from "./pick-translator.ts";

const { schemas, missing } = await cachedSdkSchemas();
if (schemas === null) process.stderr.write(`not validated against the SDKs' types: ${missing}\n`);
const faultsOf: WireValidator = schemas === null ? () => [] : createWireValidator(schemas);

const text = fc.string({ maxLength: 4 });
const pieces: fc.Arbitrary<Piece[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("text" as const), text }),
    fc.record({ kind: fc.constant("call" as const), call: fc.nat(2), text }),
  ),
  { minLength: 1, maxLength: 8 },
);
const hostile = fc.tuple(pieces, fc.array(mutation, { minLength: 1, maxLength: 4 }));

const relayHostile = (pair: Pair, said: Piece[], mutations: Parameters<typeof mutate>[1]) =>
  relayAnswer(pair, [encodeEvents(pair.provider, mutate(scriptStream(pair.provider, said), mutations))]);

/** Counts are counts, and parts are no more than what they are parts of. */
function expectPossible(usage: Usage | null): void {
  if (usage === null) return;
  const { toolCalls, parts = {}, served: _, ...counts } = usage;
  for (const count of [...Object.values(counts), ...Object.values(toolCalls), ...Object.values(parts)]) {
    expect(Number.isSafeInteger(count) && count >= 0, JSON.stringify(usage)).toBe(true);
  }
  expect(usage.cacheReadTokens + usage.cacheWriteTokens).toBeLessThanOrEqual(usage.inputTokens);
  expect(usage.cacheWrite1hTokens).toBeLessThanOrEqual(usage.cacheWriteTokens);
  expect(usage.reasoningTokens).toBeLessThanOrEqual(usage.outputTokens);
}

function faultsIn({ client }: Pair, stream: string): string[] {
  const events = eventsOf(client, stream).filter((event) => !isDone(event));
  return events.flatMap((event) => {
    const failed = client !== "responses" && event["error"] !== undefined;
    const name = failed ? (client === "chat" ? "formatAError" : "formatBError") : (`${client}Event` as const);
    const faults = faultsOf(name, event).map((words) => `${name} ${words}`);
    return faults.filter((fault) => !ALLOWANCES.some(({ words }) => words.test(fault)));
  });
}

test.each(PAIRS.filter(({ route }) => route === "translated"))(
  "whatever a $provider provider sends, a client of $client gets a sound stream that ends, and nobody an impossible bill",
  async (pair) => {
    await fc.assert(
      fc.asyncProperty(hostile, async ([said, mutations]) => {
        const { text: stream, usage, outcome } = await relayHostile(pair, said, mutations);

        expect(["completed", "upstream_failed"]).toContain(outcome);
        expectPossible(usage);
        expect(readStrictly(pair.client, stream).ended).toBe(outcome === "completed" ? "whole" : "failed");
        expect(faultsIn(pair, stream)).toEqual([]);
      }),
      { numRuns: cases({ gate: 60, long: 600 }) },
    );
  },
);

test.each(PAIRS.filter(({ route, provider }) => route === "translated" && provider !== "responses"))(
  "a reason to stop that only JavaScript knows is an end, from a $provider provider to a client of $client",
  async (pair) => {
    for (const reason of ["__proto__", "constructor", "toString"]) {
      const events = JSON.stringify(scriptStream(pair.provider, [{ kind: "text", text: "hi" }]));
      const replaced = JSON.parse(events.replace(/"(stop|end_turn)"/, `"${reason}"`)) as unknown[];

      const { text: stream } = await relayAnswer(pair, [encodeEvents(pair.provider, replaced)]);

      expect(["stop", "completed", "end_turn"]).toContain(readStrictly(pair.client, stream).stop);
    }
  },
);

test.each([...PAIRS.filter(({ route }) => route === "normalised"), ...UNTOUCHED])(
  "whatever a $provider provider sends, $route, the answer ends and nobody gets an impossible bill",
  async (pair) => {
    await fc.assert(
      fc.asyncProperty(hostile, async ([said, mutations]) => {
        const { usage, outcome } = await relayHostile(pair, said, mutations);

        expect(["completed", "upstream_failed"]).toContain(outcome);
        expectPossible(usage);
      }),
      { numRuns: cases({ gate: 60, long: 400 }) },
    );
  },
);

/** The answer that a caller is given, or null when the provider's is none. */
function readPlain({ client, provider }: Pair, answer: unknown): PlainAnswer | null {
  const { plain } = pickTranslator(client, { dialect: provider, conformant: false });
  try {
    const origin = { requestId: "req_00ff", createdAtSeconds: 1_700_000_000 };
    return plain(Buffer.from(JSON.stringify(answer)), requestOf(client), origin);
  } catch (error) {
    expect(error).toBeInstanceOf(Fault);
    return null;
  }
}

test.each(PAIRS)(
  "whatever a $provider provider answers as a whole, $route, a client of $client gets an answer or a refusal",
  (pair) => {
    fc.assert(
      fc.property(hostile, ([said, mutations]) => {
        const [answer] = mutate([scriptAnswer(pair.provider, said)], mutations);

        const read = readPlain(pair, answer ?? null);

        if (read === null) return;
        expectPossible(read.usage);
        if (pair.route !== "translated") return;
        const { calls } = understood(JSON.parse(read.bytes.toString()) as object);
        expect(calls.filter(({ id, name }) => id === "" || name === "")).toEqual([]);
        expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
        const faults = faultsOf(`${pair.client}Answer`, JSON.parse(read.bytes.toString()));
        const words = faults.map((fault) => `${pair.client}Answer ${fault}`);
        expect(words.filter((fault) => !ALLOWANCES.some((allowed) => allowed.words.test(fault)))).toEqual([]);
      }),
      { numRuns: cases({ gate: 60, long: 600 }) },
    );
  },
);
