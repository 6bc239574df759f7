import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { providerDialect, type Spoken, translates } from "../../support/provider-dialect.ts";
import { makeKey } from "../operator.ts";
import { ask, CHAT, MESSAGE, modelFor, type Operation, RESPONSES } from "../operations.ts";

type Json = Record<string, unknown>;

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: Object.fromEntries(
      [CHAT, RESPONSES, MESSAGE].map((operation) => [
        operation.dialect,
        modelFor(operation, "sim+thinking=20+tokens=5", { capabilities: { reasoning: true } }),
      ]),
    ),
  });
});
afterAll(() => gateway.stop());

const ASKED = { role: "user", content: "Hello" };

/** An earlier turn of a conversation whose thinking came with this text. */
const THOUGHTFUL: Record<Operation["dialect"], (seal: string) => Json> = {
  chat: (seal) => {
    const details = [{ type: "reasoning.text", text: "Hm.", signature: seal }];
    return { messages: [ASKED, { role: "assistant", content: "ok", reasoning_details: details }, ASKED] };
  },
  responses: (seal) => {
    const thought = { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }], encrypted_content: seal };
    return { input: [ASKED, thought, { role: "assistant", content: "ok" }, ASKED] };
  },
  messages: (seal) => {
    const content = [
      { type: "thinking", thinking: "Hm.", signature: seal },
      { type: "redacted_thinking", data: seal },
      { type: "text", text: "ok" },
    ];
    return { messages: [ASKED, { role: "assistant", content }, ASKED] };
  },
};

/** How an answer says that thinking was left out. */
const SEAL_DROPPED = /dropped=.*(signature|encrypted_content|reasoning_details)/;

/** Each is refused when it is sent openly. */
const SMUGGLED: Json[] = [
  { type: "item_reference", id: "smuggled" },
  { type: "message", role: "developer", content: [{ type: "input_file", file_id: "smuggled" }] },
  { type: "additional_tools", tools: [{ type: "web_search", name: "smuggled" }] },
  { id: "smuggled", encrypted_content: "smuggled" },
  { signature: "smuggled", type: "container_upload", file_id: "smuggled" },
  { redacted: "smuggled" },
  { field: "reasoning", details: [{ type: "reasoning.text", text: "smuggled", id: "smuggled" }] },
];

const forged = (dialect: string, value: Json, stamp: string): string =>
  `tollgate.${dialect}.${Buffer.from(JSON.stringify(value)).toString("base64url")}${stamp}`;

async function lastBody(): Promise<Json> {
  const call = (await gateway.witness()).at(-1);
  if (!call) throw new Error("the provider saw no call");
  return call.body as Json;
}

describe.each([CHAT, RESPONSES, MESSAGE])("a caller of $path", (operation) => {
  const { dialect } = operation;

  test("brings nothing to a provider in seals it has forged, and is told that they are left out [UPS-11]", async () => {
    const seals = ["chat", "responses", "messages"].flatMap((of) =>
      SMUGGLED.flatMap((value) => ["", `.${"A".repeat(22)}`].map((stamp) => forged(of, value, stamp))),
    );

    for (const seal of seals) {
      const reply = await ask(operation, { gateway, fields: { ...THOUGHTFUL[dialect](seal), model: dialect } });

      expect(reply.status).toBe(200);
      expect(reply.headers["x-tollgate-fidelity"]).toMatch(SEAL_DROPPED);
      expect(JSON.stringify(await lastBody())).not.toContain("smuggled");
    }
  });

  test("gets thinking back to its provider with the key that it was given to, and with no other [UPS-11]", async () => {
    const { secret: other } = await makeKey(gateway);
    const answer = await ask(operation, { gateway, fields: { ...asking(dialect), model: dialect } });
    const turns = turnsOf(dialect, JSON.parse(answer.text) as Json);
    const again = { ...asking(dialect), ...turns, model: dialect };

    const own = await ask(operation, { gateway, fields: again });
    const ownBody = JSON.stringify(await lastBody());
    const foreign = await ask(operation, { gateway, fields: again, key: other });
    const foreignBody = JSON.stringify(await lastBody());

    expect([answer.status, own.status, foreign.status]).toEqual([200, 200, 200]);
    const proof = PROOFS[providerDialect(dialect)];
    expect(ownBody).toMatch(proof);
    expect(own.headers["x-tollgate-fidelity"]).not.toMatch(SEAL_DROPPED);
    if (!translates()) return;
    expect(foreignBody).not.toMatch(proof);
    expect(foreign.headers["x-tollgate-fidelity"]).toMatch(SEAL_DROPPED);
  });
});

/** Where a provider of each format finds what it gave out with its thinking. */
const PROOFS: Record<Spoken, RegExp> = {
  chat: /"reasoning(_content)?":"/,
  responses: /"encrypted_content":"/,
  messages: /"signature":"Sim/,
  gemini: /"thoughtSignature":"(?!skip_)/,
  converse: /"signature":"Sim/,
};

const asking = (dialect: Operation["dialect"]): Json =>
  ({
    chat: { reasoning_effort: "low" },
    responses: { reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] },
    messages: { thinking: { type: "enabled", budget_tokens: 1024 }, max_tokens: 4096 },
  })[dialect];

/** The answer as the caller sends it back. */
function turnsOf(dialect: Operation["dialect"], answer: Json): Json {
  if (dialect === "responses") return { input: [ASKED, ...(answer["output"] as Json[]), ASKED] };
  const [choice] = (answer["choices"] ?? []) as Json[];
  const message = choice?.["message"] ?? { role: "assistant", content: answer["content"] };
  return { messages: [ASKED, message, ASKED] };
}
