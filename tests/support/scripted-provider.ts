import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Dialect } from "./provider-dialect.ts";

type Json = Record<string, unknown>;

/** A provider whose answers a test writes event by event, for what no script of the simulator says. */
export type ScriptedProvider = {
  url: string;
  /** What it sends from now on. */
  say: (events: readonly string[]) => void;
  /** What it answers from now on, plain. */
  answer: (body: string) => void;
  close: () => void;
};

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  let reply: { type: string; parts: readonly string[] } = { type: "text/event-stream", parts: [] };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.on("error", () => undefined);
      response.writeHead(200, { "content-type": reply.type });
      for (const part of reply.parts) response.write(part);
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    say: (parts) => (reply = { type: "text/event-stream", parts }),
    answer: (body) => (reply = { type: "application/json", parts: [body] }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const named = (data: Json): string => `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
const chunk = (choices: Json[], more: Json = {}): string =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices, ...more })}\n\n`;

const RESPONSE = { id: "resp_1", object: "response", created_at: 1, model: "m", output: [], usage: null };
const PART = { item_id: "msg_1", output_index: 0, content_index: 0 };
const MESSAGE = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null };

/** The beginning of an answer, one event per piece of text. */
export function beginning(
  dialect: Dialect,
  texts: readonly string[],
  usage: unknown = { input_tokens: 10, output_tokens: 1 },
): string[] {
  switch (dialect) {
    case "chat":
      return [{ role: "assistant", content: "" }, ...texts.map((content) => ({ content }))].map((delta) =>
        chunk([{ index: 0, delta, finish_reason: null }]),
      );
    case "responses":
      return [
        named({ type: "response.created", response: { ...RESPONSE, status: "in_progress" } }),
        named({
          type: "response.output_item.added",
          output_index: 0,
          item: { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] },
        }),
        named({
          type: "response.content_part.added",
          ...PART,
          part: { type: "output_text", text: "", annotations: [] },
        }),
        ...texts.map((delta) => named({ type: "response.output_text.delta", ...PART, delta })),
      ];
    case "messages":
      return [
        named({ type: "message_start", message: { ...MESSAGE, usage } }),
        named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
        ...texts.map((text) => named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
      ];
    default:
      return dialect satisfies never;
  }
}
