import { expect, test } from "vitest";
import type { KeyChain } from "../core/money/counter.ts";
import type { Key } from "../keys/key.ts";
import { createChainFor, requirePayer } from "./chain-for.ts";

const counter = (id: number, unit: "credit" | "tokens", models: string[] | null = null) => ({ id, unit, models });
const keyOf = (chain: Partial<KeyChain>, mode: Key["mode"] = "credit") =>
  ({ id: "k", version: 4, mode, chain: { id: 10, own: null, counters: [], ...chain } }) as unknown as Key;

/** A ledger that numbers chains as it is asked for them. */
function ledger(answers: (number | null | Error)[] = []) {
  const asked: unknown[] = [];
  const chain = async (keyId: string, version: number, counters: readonly number[]) => {
    asked.push([keyId, version, [...counters]]);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer === undefined ? 100 + asked.length : answer;
  };
  return { asked, chainFor: createChainFor({ ledger: { chain } }) };
}

test("a request that every counter sees has the chain of its key, and nobody is asked for it", () => {
  const { asked, chainFor } = ledger();
  const lone = keyOf({ own: "credit" });
  const member = keyOf({ counters: [counter(3, "credit"), counter(5, "tokens", ["gpt-*"])] });

  expect(chainFor(lone, "m")).toEqual({ ref: { id: 10, counters: [] }, units: ["credit"] });
  expect(chainFor(member, "gpt-5")).toEqual({ ref: { id: 10, counters: [3, 5] }, units: ["credit", "tokens"] });
  expect(asked).toEqual([]);
});

test("a request that some counters do not see has a smaller chain, which is asked for once per copy of its key", async () => {
  const { asked, chainFor } = ledger();
  const key = keyOf({ own: "tokens", counters: [counter(3, "credit"), counter(5, "tokens", ["gpt-*", "o?"])] });
  const small = { ref: { id: 101, counters: [3] }, units: ["credit", "tokens"] };

  expect(await Promise.all([chainFor(key, "claude"), chainFor(key, "sonnet")])).toEqual([small, small]);
  expect(await chainFor(key, "o31")).toEqual(small);
  expect(await chainFor(key, "o3")).toMatchObject({ ref: { id: 10 } });
  expect(asked).toEqual([["k", 4, [3]]]);
  await chainFor({ ...key }, "claude");
  expect(asked).toHaveLength(2);
});

test("a key that has changed has no smaller chain, and a ledger that was away is asked again", async () => {
  const { chainFor } = ledger([null, new Error("away"), 7]);
  const counters = [counter(5, "tokens", ["gpt-*"])];

  expect(await chainFor(keyOf({ own: "credit", counters }), "m")).toBeNull();
  const key = keyOf({ own: "credit", counters });
  await expect(chainFor(key, "m")).rejects.toThrow("away");
  expect(await chainFor(key, "m")).toMatchObject({ ref: { id: 7, counters: [] }, units: ["credit"] });
});

test("a key needs a counter of its mode's unit for the model that it asks for", () => {
  const refusal = (key: Key): unknown => {
    try {
      return requirePayer(key, "claude");
    } catch (error) {
      return error;
    }
  };

  expect(refusal(keyOf({ own: "credit" }))).toBeUndefined();
  expect(refusal(keyOf({ counters: [counter(1, "credit", ["claude*"])] }))).toBeUndefined();
  expect(refusal(keyOf({ counters: [counter(1, "tokens")] }, "token_budget"))).toBeUndefined();
  expect(refusal(keyOf({ counters: [counter(1, "tokens")] }))).toMatchObject({
    code: "insufficient_credit",
    message: "This key has no credits: neither it nor its account has been given any. Ask the operator for some.",
  });
  expect(refusal(keyOf({ counters: [counter(1, "credit", ["gpt-*"])] }))).toMatchObject({
    code: "insufficient_credit",
    message: expect.stringContaining('no credits for model "claude"') as string,
  });
});
