import { expect, test } from "vitest";
import {
  DONE,
  EVENT,
  generationStage,
  pieces,
  PLAIN,
  type Provider,
  settled,
  USAGE,
} from "../../../tests/support/generation-stage.ts";
import { Fault } from "../../core/fault.ts";

test("a usage that cannot be true takes what was set aside and no more, and the operator is told [interface decision 19] [MON-43]", async () => {
  const lie = USAGE.replace('"prompt_tokens":3', '"prompt_tokens":900000');
  const { generate, ask, alarms, account } = generationStage(pieces(EVENT, lie, DONE));
  const { usage } = await generate(ask({ stream: true }));

  expect(usage.inputTokens).toBeLessThan(100);
  expect(account().used).toBeLessThan(100_000n);
  expect(account().used - BigInt(usage.inputTokens * 1_000 + usage.outputTokens * 2_000)).toBeLessThan(2_000n);
  expect(alarms).toEqual(["usage_estimated"]);
});

test("a request of a limit whose period has not begun gets 503 and reaches no provider, and the operator is told [L12]", async () => {
  const { generate, ask, alarms, ledger, log, keyId } = generationStage(pieces(EVENT, USAGE, DONE));
  const purse = ledger.counter(ledger.state.keys.get(keyId)?.own ?? 0);
  purse.periodFromMs = ledger.nowMs() + 20 * 86_400_000;

  await expect(generate(ask({ stream: true }))).rejects.toMatchObject({ code: "service_unavailable" });
  expect(alarms).toEqual(["period_ahead"]);
  expect(log).not.toContain("dispatch");
});

test("a charge beyond what the key has takes what is there; the rest is the house's and alarmed [interface decision 19] [MON-26] [MON-27]", async () => {
  const dear = USAGE.replace('"completion_tokens":5', '"completion_tokens":90');
  const { generate, ask, alarms, account } = generationStage(pieces(EVENT, dear, DONE), { credits: 110_000n });
  await generate(ask({ stream: true, max_tokens: 8 }));

  expect(account()).toMatchObject({ posted: 0n, held: 0n, used: 110_000n });
  expect(alarms).toEqual(["overrun"]);
});

test("a key that cost the house more than the cap by what it could not pay is suspended, and the operator told once [CAN-12] [MON-27]", async () => {
  const dear = USAGE.replace('"completion_tokens":5', '"completion_tokens":900');
  const { generate, ask, alarms, account } = generationStage(pieces(EVENT, dear, DONE), {
    credits: 110_000n,
    writeOffCap: 100_000n,
  });
  await generate(ask({ stream: true, max_tokens: 8 }));
  await settled();

  expect(account()).toMatchObject({ posted: 0n, status: "suspended" });
  expect(alarms).toEqual(["overrun", "key_suspended"]);
});

test("a usage that has no price is charged at the nearest one and alarmed, and the model stays on sale [interface decision 19] [MON-41]", async () => {
  const details = '"prompt_tokens_details":{"cache_write_tokens":2},"total_tokens"';
  const cached = USAGE.replace('"total_tokens"', details);
  const { generate, ask, alarms, unpriced } = generationStage(pieces(EVENT, cached, DONE));
  await generate(ask({ stream: true }));
  await generate(ask({ stream: true }));

  expect(alarms).toEqual(["unpriced_usage", "unpriced_usage"]);
  expect(unpriced).toEqual(["cache_write_5m", "cache_write_5m"]);
});

test("a plain answer without usage is charged for its text and not for its form [interface decision 19]", async () => {
  const silent = JSON.stringify({
    id: "chatcmpl-1234567890",
    choices: [{ index: 0, message: { role: "assistant", content: "one two three" }, finish_reason: "stop" }],
  });
  const { generate, ask, alarms } = generationStage(pieces(silent));
  const { usage } = await generate(ask());

  expect(usage.outputTokens).toBe(3);
  expect(alarms).toEqual(["usage_estimated"]);
});

test("a checkpoint is kept while the tokens of an answer without usage are counted [L4]", async () => {
  const { generate, ask, line, checkpoints, forgotten } = generationStage(pieces(EVENT, DONE));
  const counting = Promise.withResolvers<void>();
  const counted = Promise.withResolvers<number>();
  line.countTokens = () => {
    counting.resolve();
    return counted.promise;
  };
  const answered = generate(ask({ stream: true }));
  await counting.promise;

  expect(checkpoints).toHaveLength(1);
  expect(forgotten).toEqual([]);
  counted.resolve(3);
  await answered;
  expect(forgotten).toEqual([checkpoints[0]?.id]);
});

const DEAR = USAGE.replace('"completion_tokens":5', '"completion_tokens":90');
const ENDINGS: [how: string, provider: Provider, fields: object, credits?: bigint][] = [
  ["a stream that completes", pieces(EVENT, USAGE, DONE), { stream: true }],
  ["a plain answer", pieces(PLAIN), {}],
  ["a charge beyond the balance", pieces(EVENT, DEAR, DONE), { stream: true, max_tokens: 8 }, 110_000n],
  ["a provider that breaks off", pieces(EVENT), { stream: true }],
  ["a provider that fails", new Fault("provider_unavailable", "down"), {}],
  ["a client that left before the answer", "caller left", {}],
];

test.each(ENDINGS)("the cost that is reported is what the ledger charged: %s", async (_, provider, fields, credits) => {
  const { generate, ask, charged, charges } = generationStage(provider, credits === undefined ? {} : { credits });
  await generate(ask(fields)).catch(() => undefined);
  await settled();

  expect(charges().map((charge) => charge.split(" ")[1])).toEqual(charged.map(String));
});

test("a charge that cannot be confirmed is reported as 0, since it is voided [MON-34]", async () => {
  const stage = generationStage((reader) => {
    stage.line.ledger = "down";
    pieces(EVENT, USAGE, DONE)(reader);
  });
  await stage.generate(stage.ask({ stream: true })).catch(() => undefined);

  expect(stage.charged).toEqual([0n]);
});
