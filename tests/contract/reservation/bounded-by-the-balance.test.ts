import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { readUsage } from "../get-usage/read-usage.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";
import { issueKey } from "../operator.ts";
import { expectRefused } from "../refused.ts";
import { notAt, onlyStraight, providerDialect } from "../../support/provider-dialect.ts";

const BROKE = { status: 402, code: "insufficient_credit" };

/** At 1 and 4 credits per million: 4,900 tokens in and 20 out. */
const PICTURE_COST = 0.00498;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      [CHAT, RESPONSES, MESSAGE].flatMap((operation) => [
        [
          `${operation.dialect}-picture`,
          modelFor(operation, "sim+tokens=20+input=4900", { capabilities: { image_tokens: 5_000 } }),
        ],
        [`${operation.dialect}-unknown`, modelFor(operation, "sim+tokens=20+input=100000")],
        [`${operation.dialect}-document`, modelFor(operation, "sim+tokens=20+input=100000")],
        [`${operation.dialect}-text`, modelFor(operation, "sim+tokens=20")],
      ]),
    ),
  });
});
afterAll(() => gateway.stop());

const REMOTE = "https://a.example/x";

/** What each format carries from elsewhere, in a message and in the result of a tool. */
const PARTS: { operation: Operation; picture: object; document: object | null }[] = [
  { operation: CHAT, picture: { type: "image_url", image_url: { url: REMOTE, detail: "high" } }, document: null },
  {
    operation: RESPONSES,
    picture: { type: "input_image", image_url: REMOTE, detail: "high" },
    document: { type: "input_file", file_url: REMOTE },
  },
  {
    operation: MESSAGE,
    picture: { type: "image", source: { type: "url", url: REMOTE } },
    document: { type: "document", source: { type: "url", url: REMOTE } },
  },
];

const showing = ({ dialect }: Operation, part: object): object => {
  const conversation = [{ role: "user", content: [part] }];
  return dialect === "responses" ? { input: conversation } : { messages: conversation };
};

describe.each(PARTS)("$operation.dialect", ({ operation, picture, document }) => {
  test("answers in parallel about remote pictures never come to more than the balance [MON-8] [MON-26]", async (context) => {
    notAt("both", context, "a picture at an address is refused");
    const key = await issueKey(gateway, { credit: "0.05" });
    const fields = {
      model: `${operation.dialect}-picture`,
      [operation.limitField]: 100,
      ...showing(operation, picture),
    };
    const replies = await Promise.all(
      Array.from({ length: 30 }, () => ask(operation, { gateway, key: key.secret, fields })),
    );
    const served = replies.filter(({ status }) => status === 200).length;
    const { credits } = await readUsage(gateway, key.secret);

    expect(served).toBeGreaterThan(0);
    // Nothing of what was served is left to the operator.
    expect(credits.used).toBeCloseTo(served * PICTURE_COST, 9);
    expect(await gateway.metrics()).not.toMatch(/tollgate_money_alarms_total\{kind="overrun"\} [1-9]/);
  });

  test("a picture for a model of which no bound is known starts only on money for the window [MON-8]", async (context) => {
    notAt("both", context, "a picture at an address is refused");
    const key = await issueKey(gateway, { credit: "0.05" });
    const fields = {
      model: `${operation.dialect}-unknown`,
      [operation.limitField]: 100,
      ...showing(operation, picture),
    };

    expectRefused(operation, await ask(operation, { gateway, key: key.secret, fields }), BROKE);
  });

  test.skipIf(document === null)(
    "a remote document may fill the window, and starts only on money for that [MON-8]",
    async (context) => {
      notAt("both", context, "a document at an address is refused");
      if (operation.dialect === "responses" || providerDialect(operation.dialect) === "chat")
        onlyStraight(context, "providers of chat take no address of a file");
      const fields = {
        model: `${operation.dialect}-document`,
        [operation.limitField]: 100,
        ...showing(operation, document ?? {}),
      };
      const poor = await issueKey(gateway, { credit: "0.05" });
      const rich = await issueKey(gateway, { credit: "0.2" });

      expectRefused(operation, await ask(operation, { gateway, key: poor.secret, fields }), BROKE);
      expect((await ask(operation, { gateway, key: rich.secret, fields })).status).toBe(200);
      expect((await readUsage(gateway, rich.secret)).credits.used).toBeCloseTo(0.10008, 9);
    },
  );

  test("an honest small key still works: 2 kB on 0.05 credits [MON-8]", async () => {
    const key = await issueKey(gateway, { credit: "0.05" });
    const text = "word ".repeat(400);
    const said = operation.dialect === "responses" ? { input: text } : { messages: [{ role: "user", content: text }] };
    const reply = await ask(operation, {
      gateway,
      key: key.secret,
      fields: { model: `${operation.dialect}-text`, ...said },
    });

    expect(reply.status).toBe(200);
  });
});
