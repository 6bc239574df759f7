import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { notAt, onlyStraight } from "../../support/provider-dialect.ts";
import { ask } from "./ask.ts";

type Chunk = {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: { index: number; delta: { role?: string; content?: string }; finish_reason: string | null }[];
  usage?: { prompt_tokens: number } | null;
};

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess({
    models: {
      forwarded: { upstream: "sim+input=100+tokens=6" },
      normalised: { upstream: "sim+input=100+tokens=6", conformant: false },
    },
  });
});
afterAll(() => gateway.stop());

describe.each(["forwarded", "normalised"])("a %s stream", (model) => {
  const lines = async (fields: object = {}): Promise<string[]> => {
    const reply = await ask(gateway, { model, stream: true, ...fields });
    expect(reply.status).toBe(200);
    expect(reply.text.endsWith("\n\n")).toBe(true);
    return reply.text.slice(0, -2).split("\n\n");
  };
  const chunks = async (fields: object = {}): Promise<Chunk[]> =>
    (await lines(fields)).slice(0, -1).map((line) => JSON.parse(line.slice("data:".length)) as Chunk);

  test("is one line per event, each with `data:` and one JSON object, and ends with [DONE] [STR-2] [STR-9]", async () => {
    const events = await lines();

    expect(events.at(-1)).toBe("data: [DONE]");
    for (const event of events.slice(0, -1)) {
      expect(event).not.toContain("\n");
      expect(event).toMatch(/^data: ?\{.*\}$/);
      expect(JSON.parse(event.slice("data:".length))).toBeTypeOf("object");
    }
  });

  test("has the fields of a chunk in every event, of one id [STR-3] [STR-4] [STR-5]", async () => {
    const all = await chunks();

    expect(all.length).toBeGreaterThan(6);
    for (const chunk of all) {
      expect(chunk).toMatchObject({
        object: "chat.completion.chunk",
        id: all[0]?.id,
        model: expect.any(String) as string,
      });
      expect(Number.isInteger(chunk.created)).toBe(true);
      expect(chunk.choices).toHaveLength(1);
      for (const choice of chunk.choices)
        expect(Object.keys(choice)).toEqual(expect.arrayContaining(["index", "delta", "finish_reason"]));
    }
  });

  test("begins with the role, goes on with the text in pieces, and names its end once [STR-6] [STR-7] [STR-8]", async () => {
    const choices = (await chunks()).flatMap((chunk) => chunk.choices);
    const pieces = choices.slice(1).flatMap(({ delta }) => delta.content || []);

    expect(choices[0]?.delta).toMatchObject({ role: "assistant", content: "" });
    expect(pieces).toHaveLength(6);
    for (const piece of pieces) expect(piece).toMatch(/\S/);
    expect(choices.map((choice) => choice.finish_reason)).toEqual([...choices.slice(1).map(() => null), "stop"]);
  });

  test("carries usage for the caller that asked for it and for no other [STR-24] [STR-25]", async () => {
    const asked = await chunks({ stream_options: { include_usage: true } });

    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 6 } });
    expect((await chunks()).filter(({ usage }) => usage)).toEqual([]);
  });
});

test("no address that a caller names is ever called [STR-36]", async (context) => {
  notAt("both", context, "a picture at an address is refused");
  let connections = 0;
  const listener = createServer((_request, response) => response.end());
  listener.on("connection", () => connections++);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const named = { webhook: url, webhook_url: url, callback_url: url, notify: { url }, events_url: url };
  const content = [
    { type: "text", text: `Look at ${url}/text` },
    { type: "image_url", image_url: { url: `${url.replace("http:", "https:")}/image.png` } },
  ];
  for (const stream of [false, true]) {
    const reply = await ask(gateway, { model: "forwarded", stream, ...named, messages: [{ role: "user", content }] });
    expect(reply.status).toBe(200);
  }
  listener.closeAllConnections();
  listener.close();

  expect(connections).toBe(0);
});

test("what the provider adds to its answer and to its usage reaches the caller [CHA-28]", async (context) => {
  onlyStraight(context, "what only the provider's format knows has no place in the caller's");
  const reply = await ask(gateway, { model: "forwarded" });
  const answer = JSON.parse(reply.text) as { system_fingerprint?: string; usage: Record<string, unknown> };

  expect(Object.keys(answer)).toContain("system_fingerprint");
  expect(Object.keys(answer.usage)).toContain("prompt_tokens_details");
});
