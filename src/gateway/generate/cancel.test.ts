import { expect, test } from "vitest";
import {
  DONE,
  EVENT,
  generationStage,
  PLAIN,
  pieces,
  type Provider,
  settled,
  USAGE,
} from "../../../tests/support/generation-stage.ts";
import { Fault } from "../../core/fault.ts";

const WHOLE = pieces(EVENT, USAGE, DONE);

type Ending = { provider: Provider; fields: object; charges: string[]; told: unknown };

const ENDINGS: Record<string, Ending> = {
  "a whole stream": { provider: WHOLE, fields: { stream: true }, charges: ["completed 13000"], told: null },
  "a whole response": { provider: pieces(PLAIN), fields: {}, charges: ["completed 5000"], told: null },
  "a stream that broke": {
    provider: pieces(EVENT),
    fields: { stream: true },
    charges: ["upstream_failed 0"],
    told: "upstream_error",
  },
  "a response that can't be read": {
    provider: pieces("not JSON"),
    fields: {},
    charges: ["upstream_failed 0"],
    told: "upstream_error",
  },
  "a provider that failed": {
    provider: new Fault("provider_unavailable", "down"),
    fields: {},
    charges: ["upstream_failed 0"],
    told: "provider_unavailable",
  },
};

test.each(Object.entries(ENDINGS))(
  "what is cancelled while %s is settled ends as it would have, is charged once, and is not called cancelled",
  async (_, { provider, fields, charges, told }) => {
    const stage = generationStage(provider);
    const request = stage.ask(fields);
    const answers: unknown[] = [];
    const { settle } = stage.ledger;
    stage.ledger.settle = (settlements) => {
      answers.push(stage.running.cancel(request.id));
      return settle(settlements);
    };

    const code = await stage.generate(request).then(
      (generated) => generated.code,
      (error: Fault) => error.code,
    );
    await settled();

    expect(answers).toEqual(["ending"]);
    expect(code).toBe(told);
    expect(stage.charges()).toEqual(charges);
    expect(stage.account().held).toBe(0n);
  },
);

test("a plain request whose key is revoked under way is charged its input, as if its client had left; what was produced is the house's [CAN-17]", async () => {
  const stage = generationStage((reader) => {
    reader.chunk(Buffer.from(PLAIN.slice(0, 9)));
    stage.running.cutKey(stage.keyId, { status: "revoked", by: "key", of: "session" });
  });

  await expect(stage.generate(stage.ask())).rejects.toMatchObject({ code: "invalid_credentials" });
  await settled();

  expect(stage.charges()).toEqual([expect.stringMatching(/^client_gone [1-9]/)]);
  expect(stage.account().held).toBe(0n);
});

test("a plain request that an operator cancels, or that we cannot go on with, costs nothing", async () => {
  for (const cut of [
    (stage: ReturnType<typeof generationStage>, id: string) => stage.running.cancel(id),
    (stage: ReturnType<typeof generationStage>) => stage.running.cutStopping(),
  ]) {
    const stage = generationStage((reader) => {
      reader.chunk(Buffer.from(PLAIN.slice(0, 9)));
      cut(stage, request.id);
    });
    const request = stage.ask();

    await expect(stage.generate(request)).rejects.toBeInstanceOf(Fault);
    await settled();
    expect(stage.charges()).toEqual(["voided 0"]);
    expect(stage.account().held).toBe(0n);
  }
});

test("a stream that is cancelled before its last event is told so, and charged once for what was delivered", async () => {
  let answer: unknown = null;
  const stage = generationStage((reader) => {
    reader.chunk(Buffer.from(EVENT + USAGE));
    answer = stage.running.cancel(request.id);
    pieces(DONE)(reader);
  });
  const request = stage.ask({ stream: true });
  const { code } = await stage.generate(request);
  await settled();

  expect([answer, code]).toEqual(["cancelled", "request_cancelled"]);
  expect(stage.charges()).toEqual(["client_gone 13000"]);
  expect(stage.log.filter((step) => step.startsWith("end"))).toEqual([expect.stringContaining("request_cancelled")]);
});

test("a cancelled stream without usage from its provider is recorded with the tokens that it is charged for", async () => {
  const stage = generationStage((reader) => {
    reader.chunk(Buffer.from(EVENT));
    stage.running.cancel(request.id);
    pieces(DONE)(reader);
  });
  const request = stage.ask({ stream: true });
  const { usage } = await stage.generate(request);
  await settled();

  const [charge] = stage.charges();
  expect(charge).toMatch(/^client_gone [1-9]\d+$/);
  expect([usage.inputTokens > 0, usage.outputTokens > 0]).toEqual([true, true]);
});
