import fc from "fast-check";
import { expect, test } from "vitest";
import { NO_USAGE } from "../../core/money/usage.ts";
import {
  DONE,
  EVENT,
  generationStage,
  MODEL,
  pieces,
  PLAIN,
  ROUTE,
  settled,
  USAGE,
} from "../../../tests/support/generation-stage.ts";
import type { Model } from "../../catalogue/model.ts";
import type { Route } from "../../core/catalogue/route.ts";
import { Fault } from "../../core/fault.ts";
import { createId } from "../../core/ids.ts";
import type { WhenLine } from "../../core/money/price.ts";
import type { Key } from "../../keys/key.ts";

const PURCHASED = 10n ** 9n;
const PRICE = MODEL.price as NonNullable<Model["price"]>;
const lineOf = (tier: string): WhenLine => ({
  when: { tier },
  nano: {},
  toolCallNano: {},
  times: 500_000_000n,
  sold: true,
});

test("the terminal event of a stream leaves only after the settlement, which is the price of its usage [STR-17] [STR-18] [MON-21] [MON-29]", async () => {
  const { generate, ask, log, account, records } = generationStage(pieces(EVENT, USAGE, DONE));
  const generated = await generate(ask({ stream: true }));

  expect(log).toEqual(["admit", "dispatch", "begin 200", `write ${EVENT}`, "settle completed 13000", `end ${DONE}`]);
  expect(generated).toMatchObject({ outcome: "completed", usage: { inputTokens: 3 } });
  expect(account()).toMatchObject({ posted: PURCHASED - 13_000n, held: 0n, used: 13_000n, requests: 1n });
  expect(records()).toEqual(["completed 13000"]);
});

test("a plain answer leaves only after the settlement, byte for byte [STR-19]", async () => {
  const { generate, ask, log } = generationStage(pieces(PLAIN.slice(0, 9), PLAIN.slice(9)));
  await generate(ask());

  expect(log).toEqual(["admit", "dispatch", "settle completed 5000", "begin 200", `end ${PLAIN}`]);
});

test("a request that is refused for its model or its limit reserves nothing and is counted [ORD-7] [ORD-13] [ORD-11]", async () => {
  const { generate, ask, log, account } = generationStage(pieces(EVENT, DONE), { rpmLimit: 60 });

  await expect(generate(ask({ model: "x" }))).rejects.toMatchObject({ code: "model_not_found" });
  await expect(generate(ask({ max_tokens: 9 }))).rejects.toMatchObject({ code: "invalid_request" });
  await expect(generate(ask({ messages: [{ role: "user", content: "word ".repeat(9_000) }] }))).rejects.toMatchObject({
    code: "context_length_exceeded",
  });
  expect(log).toEqual(["admit", "admit", "admit"]);
  expect(account()).toMatchObject({ held: 0n, requests: 0n });
  expect(account().rate.reduce((sum, { count }) => sum + count, 0)).toBe(3);
});

test("a request without a limit is told what was paid for, and its caller learns of it when that is less [interface decision 17] [MON-12] [MON-14]", async () => {
  const rich = generationStage(pieces(EVENT, DONE));
  await rich.generate(rich.ask({ stream: true }));
  expect(JSON.parse(rich.bodies[0] as string)).toMatchObject({ max_tokens: 8 });
  expect(rich.heads[0]).not.toHaveProperty("x-tollgate-max-tokens");

  const poor = generationStage(pieces(EVENT, DONE), { credits: 82_000n });
  await poor.generate(poor.ask({ stream: true }));
  const told = (JSON.parse(poor.bodies[0] as string) as { max_tokens: number }).max_tokens;
  expect(told).toBeGreaterThanOrEqual(4);
  expect(told).toBeLessThan(8);
  expect(poor.heads[0]).toMatchObject({ "x-tollgate-max-tokens": String(told) });
});

test("a balance that is too small is refused with what is needed, what is there, and what would fit [interface decision 18] [MON-16] [MON-20]", async () => {
  const { generate, ask, log } = generationStage(pieces(EVENT, DONE), { credits: 80_000n });

  await expect(generate(ask({ max_tokens: 8 }))).rejects.toMatchObject({
    code: "insufficient_credit",
    message: expect.stringMatching(
      /needs at least 0\.0000\d+ credits and the key has 0\.00008 credits.*max_tokens to \d/,
    ) as string,
  });
  expect(log).toEqual(["admit", "tell of a refusal"]);
});

test("a balance that others have reserved is told apart from one that is not there [interface decision 18] [MON-17] [MON-19]", async () => {
  let held = (): void => undefined;
  const first = generationStage((reader) => (held = () => pieces(EVENT, USAGE, DONE)(reader)), { credits: 150_000n });
  const running = first.generate(first.ask({ stream: true, max_tokens: 8 }));
  await settled();

  await expect(first.generate(first.ask({ max_tokens: 8 }))).rejects.toMatchObject({
    code: "balance_temporarily_reserved",
    retryAfterSeconds: 1,
    message: expect.stringMatching(/: 0\.0001\d* credits reserved by requests in progress/) as string,
  });
  held();
  await running;
  expect(first.account()).toMatchObject({ posted: 137_000n, held: 0n });
});

test("a provider that fails before the first byte costs nothing and is written down [MON-32] [MON-33]", async () => {
  const { generate, ask, log, account, records } = generationStage(new Fault("provider_unavailable", "down"));

  await expect(generate(ask())).rejects.toMatchObject({ code: "provider_unavailable" });
  expect(log).toEqual(["admit", "dispatch", "settle upstream_failed 0"]);
  expect(account()).toMatchObject({ posted: PURCHASED, held: 0n });
  expect(records()).toEqual(["upstream_failed 0"]);
});

test("a request that the provider refuses with reason is given back whole, without a record", async () => {
  const { generate, ask, log, account, records } = generationStage(new Fault("context_length_exceeded", "too long"));

  await expect(generate(ask())).rejects.toMatchObject({ code: "context_length_exceeded" });
  expect(log).toEqual(["admit", "dispatch", "void"]);
  expect(account()).toMatchObject({ posted: PURCHASED, held: 0n });
  expect(records()).toEqual([]);
});

test("a stream that breaks before content is refused with a status, after it is settled [ORD-14]", async () => {
  const { generate, ask, log } = generationStage(pieces(""));

  await expect(generate(ask({ stream: true }))).rejects.toMatchObject({ code: "upstream_error" });
  expect(log).toEqual(["admit", "dispatch", "cancel", "settle upstream_failed 0"]);
});

test("a stream that breaks after content ends with an error event, after it is settled at nothing [STR-20] [STR-23] [MON-32]", async () => {
  const { generate, ask, log, account } = generationStage(pieces(EVENT, USAGE));

  expect(await generate(ask({ stream: true }))).toMatchObject({ outcome: "upstream_failed", code: "upstream_error" });
  expect(log.slice(-2)).toEqual([
    "settle upstream_failed 0",
    expect.stringMatching(/^end data: \{"error":.*"request_id":"req_1"/),
  ]);
  expect(account()).toMatchObject({ posted: PURCHASED, held: 0n });
});

test("a plain answer that cannot be read or is too large is refused at no cost [UPS-8]", async () => {
  for (const body of ["not JSON", '{"object":"other"}', " ".repeat(2_000)]) {
    const { generate, ask, log, account } = generationStage(pieces(body));

    await expect(generate(ask())).rejects.toMatchObject({ code: "upstream_error" });
    expect(log.at(-1)).toBe("settle upstream_failed 0");
    expect(log.some((step) => step.startsWith("begin"))).toBe(false);
    expect(account()).toMatchObject({ posted: PURCHASED, held: 0n });
  }
});

test("a caller that left before any provider answered a stream pays nothing, and the house bears the input [CAN-10] [CAN-11]", async () => {
  const { generate, ask, log, ledger, account, records } = generationStage("caller left");

  expect(await generate(ask({ stream: true }))).toMatchObject({ outcome: "client_gone", bytesOut: 0 });
  await settled();
  expect(log).toEqual(["admit", "dispatch", "settle late client_gone 0"]);
  expect(account()).toMatchObject({ posted: PURCHASED, held: 0n });
  expect([...ledger.state.house.values()]).toMatchObject([{ kind: "failed" }]);
  expect(records()).toEqual([]);
});

test("a caller that left before any provider answered in one piece pays its input [CAN-13]", async () => {
  const { generate, ask, charges, ledger, records } = generationStage("caller left");

  const { usage } = await generate(ask());
  await settled();
  expect(charges()).toEqual([`client_gone ${usage.inputTokens * 1_000}`]);
  expect(usage).toMatchObject({ outputTokens: 0 });
  expect(ledger.state.house.size).toBe(0);
  expect(records()).toEqual([]);
});

test("a caller that left before any provider was asked costs nobody anything [CAN-10]", async () => {
  const { generate, ask, log, ledger, account } = generationStage("caller left");
  const asked = ask();

  expect(await generate({ ...asked, sink: { ...asked.sink, isGone: () => true } })).toMatchObject({
    outcome: "client_gone",
  });
  await settled();
  expect(log).toEqual(["admit", "dispatch", "void"]);
  expect(account()).toMatchObject({ posted: PURCHASED, held: 0n });
  expect(ledger.state.house.size).toBe(0);
});

test("a caller that left before its request was sent costs nobody anything, streamed or not [CAN-10] [CAN-13]", async () => {
  for (const fields of [{ stream: true }, {}]) {
    const { generate, ask, log, ledger, account } = generationStage("left unsent");

    expect(await generate(ask(fields))).toMatchObject({ outcome: "client_gone" });
    await settled();
    expect(log).toEqual(["admit", "dispatch", "void"]);
    expect(account()).toMatchObject({ posted: PURCHASED, held: 0n });
    expect(ledger.state.house.size).toBe(0);
  }
});

test("a request that we cut before any provider answered is not held against its key", async () => {
  for (const fields of [{ stream: true }, {}]) {
    const stage = generationStage("caller left");
    const request = { ...stage.ask(fields, "k"), onAttempt: () => stage.running.cutLost() };

    await expect(stage.generate(request)).rejects.toMatchObject({ code: "service_unavailable" });
    await settled();
    expect(stage.charges()).toEqual(["voided 0"]);
    expect(stage.ledger.state.house.size).toBe(0);
  }
});

test("a caller that leaves a stream pays for the input and what it was given, without a record [CAN-3] [CAN-4] [CAN-6] [CAN-7] [CAN-8] [CAN-9]", async () => {
  const stage = generationStage((reader) => reader.chunk(Buffer.from(EVENT)));
  const running = stage.generate(stage.ask({ stream: true }));
  await settled();
  stage.leave();
  const { usage } = await running;
  await settled();

  expect(stage.log).toContain("cancel");
  expect(usage).toMatchObject({ outputTokens: 3 });
  const cost = BigInt(usage.inputTokens) * 1_000n + 6_000n;
  expect(stage.charges()).toEqual([`client_gone ${cost}`]);
  expect(stage.account()).toMatchObject({ held: 0n, used: cost, requests: 0n, lastCost: 0n, tokensOut: 3n });
  expect(stage.records()).toEqual([]);
});

test("a caller that leaves after the provider told its usage pays exactly that [CAN-4]", async () => {
  const stage = generationStage((reader) => reader.chunk(Buffer.from(EVENT + USAGE)));
  const running = stage.generate(stage.ask({ stream: true }));
  await settled();
  stage.leave();
  await running;
  await settled();

  expect(stage.charges()).toEqual(["client_gone 13000"]);
});

test("a plain request whose caller leaves pays its input; with an Idempotency-Key it is finished and kept [CAN-13] [CAN-14]", async () => {
  const left = generationStage(() => undefined);
  const running = left.generate(left.ask());
  await settled();
  left.leave();
  const { usage } = await running;
  await settled();
  expect(left.charges()).toEqual([`client_gone ${BigInt(usage.inputTokens) * 1_000n}`]);

  let finish = (): void => undefined;
  const kept = generationStage((reader) => (finish = () => pieces(PLAIN)(reader)));
  const detached = kept.generate(kept.ask({}, "once"));
  await settled();
  kept.leave();
  finish();
  await detached;
  expect(kept.charges()).toEqual(["completed 5000"]);
  expect(await kept.generate(kept.ask({}, "once"))).toMatchObject({ outcome: "completed", bytesOut: PLAIN.length });
  expect(kept.log.at(-1)).toBe(`end ${PLAIN}`);
});

test("while the ledger is away nothing is started [L7] [ERR-25]", async () => {
  const { generate, ask, log, line } = generationStage(pieces(PLAIN));
  line.ledger = "down";

  await expect(generate(ask())).rejects.toMatchObject({ code: "service_unavailable" });
  expect(log).toEqual(["admit"]);
});

test("an answer that the ledger cannot confirm ends in an error, and the request is voided [L3] [MON-34]", async () => {
  for (const fields of [{ stream: true }, {}]) {
    const stage = generationStage((reader) => {
      stage.line.ledger = "down";
      pieces(...(fields.stream ? [EVENT, USAGE, DONE] : [PLAIN]))(reader);
    });
    const running = stage.generate(stage.ask(fields));
    if (fields.stream) expect(await running).toMatchObject({ code: "service_unavailable" });
    else await expect(running).rejects.toMatchObject({ code: "service_unavailable" });
    await settled();

    expect(stage.log.some((step) => step.includes("[DONE]") || step.includes('choices": []'))).toBe(false);
    expect(stage.log).toContain("void");
  }
});

test("a key that is revoked has its stream cut and settled [L8]", async () => {
  const stage = generationStage((reader) => reader.chunk(Buffer.from(EVENT)));
  const running = stage.generate(stage.ask({ stream: true }));
  await settled();
  stage.running.cutKey(stage.keyId, { status: "revoked", by: "key", of: "key" });

  expect(await running).toMatchObject({ code: "invalid_credentials" });
  await settled();
  expect(stage.log).toContain("cancel");
  expect(stage.log.at(-1)).toMatch(/settle late client_gone|^end data: \{"error"/);
  expect(stage.account().held).toBe(0n);
  expect(stage.running.keyIds().size).toBe(0);
});

test("a stream that the ledger has closed meanwhile, or that we cannot go on with, is an error and costs nothing", async () => {
  const swept = generationStage((reader) => {
    reader.chunk(Buffer.from(EVENT + USAGE));
    swept.ledger.checkpoint([
      {
        id: request.id,
        bucket: 0,
        keyId: swept.keyId,
        seq: 9,
        credits: 7_000n,
        usage: { ...NO_USAGE, inputTokens: 1, outputTokens: 3 },
        contentDelivered: true,
      },
    ]);
    swept.ledger.advance(400_000);
    for (let renewals = 0; renewals < 4; renewals += 1) {
      swept.ledger.heartbeat(sweeper);
      swept.ledger.advance(5_000);
    }
    swept.ledger.sweep(sweeper, 10);
    reader.chunk(Buffer.from(DONE));
  });
  const sweeper = createId(9);
  const request = swept.ask({ stream: true });
  expect(await swept.generate(request)).toMatchObject({ code: "service_unavailable" });
  await settled();
  expect(swept.charges()).toEqual(["swept 7000"]);
  expect(swept.account()).toMatchObject({ posted: PURCHASED, held: 0n });

  const cut = generationStage((reader) => reader.chunk(Buffer.from(EVENT)));
  const running = cut.generate(cut.ask({ stream: true }));
  await settled();
  cut.running.cutLost();
  expect(await running).toMatchObject({ code: "service_unavailable" });
  await settled();
  expect(cut.charges()).toEqual(["voided 0"]);
});

test("a stream is written down at its first content, when it is worth it, and when its usage is known [L4]", async () => {
  const model = { ...MODEL, contextWindow: 100_000, maxOutputTokens: 9_000 };
  const long = `data: {"choices":[{"index":0,"delta":{"content":"${"word ".repeat(160)}"}}]}\n\n`;
  const { generate, ask, checkpoints } = generationStage(
    pieces(EVENT, ...Array.from({ length: 9 }, () => long), USAGE, DONE),
    {
      model,
    },
  );
  await generate(ask({ stream: true }));

  expect(checkpoints.map(({ seq }) => seq)).toEqual(checkpoints.map((_, index) => index + 1));
  expect(checkpoints.length).toBeGreaterThanOrEqual(4);
  expect(checkpoints.length).toBeLessThan(8);
  expect(checkpoints[0]).toMatchObject({ contentDelivered: true });
  expect(checkpoints.at(-1)).toMatchObject({ credits: 13_000n, usage: { inputTokens: 3, outputTokens: 5 } });
});

test("a caller with a limit of requests is told it with every answer", async () => {
  for (const fields of [{ stream: true }, {}]) {
    const { generate, ask, heads } = generationStage(pieces(fields.stream ? EVENT + USAGE + DONE : PLAIN), {
      rpmLimit: 60,
    });
    await generate(ask(fields));
    expect(heads[0]).toMatchObject({ "x-ratelimit-limit-requests": "60" });
  }
});

test("a request whose cost cannot be worked out is given back whole, and does not stay held", async () => {
  const { generate, ask, line, account, charges } = generationStage(pieces(EVENT, DONE));
  line.countTokens = () => Promise.reject(new Error("no vocabulary"));

  await expect(generate(ask({ stream: true }))).rejects.toThrow("no vocabulary");
  expect(account()).toMatchObject({ posted: PURCHASED, held: 0n });
  expect(charges()).toEqual(["voided 0"]);
});

test("a cache write that has no price is not asked for, which the caller is told; the model stays on sale [BOD-42]", async () => {
  const content = [{ type: "text", text: "hi", cache_control: { type: "ephemeral" } }];
  const { generate, ask, bodies, heads } = generationStage(pieces(PLAIN));
  await generate(ask({ messages: [{ role: "user", content }] }));

  expect(bodies[0]).not.toContain("cache_control");
  expect(heads[0]).toMatchObject({ "x-tollgate-fidelity": "exact; dropped=messages.*.content.*.cache_control" });
});

test("near the edge the text is counted, so that a prompt starts on money for what it is, and a refusal says that [MON-47]", async () => {
  // 400 tokens. By its 2,000 bytes it would fill the window, and need 0.001016.
  const prompt = { messages: [{ role: "user", content: "word ".repeat(400) }], max_tokens: 8 };
  const enough = generationStage(pieces(PLAIN), { credits: 900_000n, rpmLimit: 60 });
  await enough.generate(enough.ask(prompt));
  expect(enough.account()).toMatchObject({ requests: 1n, held: 0n });
  expect(enough.account().rate.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  expect(enough.log).not.toContain("tell of a refusal");

  const near = generationStage(pieces(PLAIN), { credits: 600_000n, rpmLimit: 60 });
  await expect(near.generate(near.ask(prompt))).rejects.toMatchObject({
    code: "insufficient_credit",
    message: expect.stringMatching(/needs at least 0\.000[78]/) as string,
  });
  expect(near.account().rate.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  expect(near.log.filter((step) => step === "tell of a refusal")).toHaveLength(1);

  // With less than a fourth nothing is counted, and nothing starts on a count that might cost the house more than it bears.
  const poor = generationStage(pieces(PLAIN), { credits: 200_000n });
  const dear = generationStage(pieces(PLAIN), { credits: 900_000n, writeOffCap: 50_000n });
  for (const [{ generate, ask }, needs] of [
    [poor, "needs at least 0.000534 credits (at most 0.001016)"],
    [dear, "needs at least 0.001016 credits and"],
  ] as const)
    await expect(generate(ask(prompt))).rejects.toMatchObject({
      message: expect.stringContaining(needs) as string,
    });
});

const FLEX: Model = { ...MODEL, price: { ...PRICE, when: [lineOf("flex")] } };

test("a tier is asked for only while the key that is read again may ask for it, and the price sells it [BOD-24]", async () => {
  const asked = { service_tier: "flex" };
  const plain = { service_tier: "default" };
  const refusedFor = async (change: Partial<Key>, fields: object, model: Model = FLEX) => {
    const stage = generationStage(pieces(EVENT, DONE), { model: FLEX });
    stage.changeKey(change);
    stage.catalogue.replace([FLEX]);
    const generation = stage.ask({ ...fields, stream: true });
    // The request has been checked when the ledger is asked, and what is read after that is new.
    const ended = stage.generate(generation);
    stage.catalogue.replace([model]);
    const outcome = await ended.then(
      () => "served",
      ({ code, param }: Fault) => `${code} ${param}`,
    );
    expect(stage.account().held).toBe(0n);
    expect(stage.bodies).toHaveLength(outcome === "served" ? 1 : 0);
    return outcome;
  };

  expect(await refusedFor({ tiers: ["flex"] }, asked)).toBe("served");
  expect(await refusedFor({ tiers: [] }, asked)).toBe("key_disabled service_tier");
  expect(await refusedFor({ accountTiers: ["priority"] }, asked)).toBe("key_disabled service_tier");
  expect(await refusedFor({ tiers: [] }, plain)).toBe("served");
  expect(await refusedFor({}, asked, { ...MODEL, price: { ...PRICE, version: 4 } })).toBe(
    "invalid_request service_tier",
  );
  expect(await refusedFor({}, plain, { ...MODEL, price: { ...PRICE, version: 4 } })).toBe("served");
});

test("a key whose regions were narrowed after its check is called nowhere else, whatever was chosen for it then [KEY-26]", async () => {
  const word = fc.constantFrom<string>("eu", "us", "ch");
  const list = fc.option(fc.uniqueArray(word, { minLength: 1 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(word), { minLength: 1, maxLength: 6 }),
      list,
      list,
      async (tags, own, above) => {
        const routes = tags.map((region, no): Route => ({
          ...ROUTE,
          id: `r${no}`,
          dialect: no % 2 ? "messages" : "chat",
          region,
        }));
        const stage = generationStage(pieces(PLAIN), { model: { ...MODEL, routes } });
        stage.changeKey({ regions: own, accountRegions: above });
        await stage.generate(stage.ask()).catch((error: unknown) => {
          if (!(error instanceof Fault)) throw error;
        });

        const isAllowed = ({ region }: Route): boolean =>
          [own, above].every((allowed) => allowed === null || allowed.includes(region ?? ""));
        expect(stage.offered.filter((route) => !isAllowed(route))).toEqual([]);
        // It is refused only where nothing is left.
        expect(stage.offered.length > 0).toBe(routes.some(isAllowed));
      },
    ),
    { numRuns: 60 },
  );
});

test("a search whose price is gone when the key is read again is refused, and none is free [BOD-25]", async () => {
  const searching = { ...MODEL, price: { ...PRICE, toolCallNano: { web_search: 7_000n } } };
  const { generate, ask, changeKey, catalogue, log } = generationStage(pieces(PLAIN), { model: searching });
  const asked = ask({ web_search_options: {} });
  changeKey({});
  const running = generate(asked);
  catalogue.replace([MODEL]);

  await expect(running).rejects.toMatchObject({ code: "invalid_request" });
  expect(log).not.toContain("dispatch");
});
