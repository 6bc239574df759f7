import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Dialect } from "./provider-dialect.ts";

type Json = Record<string, unknown>;

/** A provider whose answers a test writes event by event, for what no script of the simulator says. */
export type ScriptedProvider = {
  url: string;
  /** What it sends from now on, and what it does then. `hang`: nothing more, until its client leaves. */
  say: (events: readonly string[], then?: "end" | "hang" | "reset") => void;
  /** What it answers from now on, plain. */
  answer: (body: string) => void;
  /** What it answers from now on to a request with this word in it, whatever it says to others. */
  refuse: (word: string, refusal: ScriptedRefusal) => void;
  /** How many requests it got. */
  asked: () => number;
  close: () => void;
};

export type ScriptedRefusal = { status: number; body: string; type?: string };

export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const refusals = new Map<string, ScriptedRefusal>();
  let asked = 0;
  let reply: { type: string; parts: readonly string[]; next: "end" | "hang" | "reset" } = {
    type: "text/event-stream",
    parts: [],
    next: "end",
  };
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (bytes: Buffer) => (text += bytes.toString()));
    request.on("end", () => {
      asked++;
      response.on("error", () => undefined);
      const [, refusal] = [...refusals].find(([word]) => text.includes(word)) ?? [];
      if (refusal) {
        const { status, body, type = "application/json" } = refusal;
        response.writeHead(status, { "content-type": type }).end(body);
        return;
      }
      response.writeHead(200, { "content-type": reply.type });
      for (const part of reply.parts) response.write(part);
      const { next } = reply;
      if (next === "end") response.end();
      // Once all is on its way, or the reset would overtake it.
      else response.write("", () => next === "reset" && setImmediate(() => response.socket?.resetAndDestroy()));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    say: (parts, next = "end") => (reply = { type: "text/event-stream", parts, next }),
    answer: (body) => (reply = { type: "application/json", parts: [body], next: "end" }),
    refuse: (word, refusal) => void refusals.set(word, refusal),
    asked: () => asked,
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

/** The end of that answer, with its usage as the provider would have it. */
export function ending(dialect: Dialect, texts: readonly string[], usage: unknown): string[] {
  const text = texts.join("");
  switch (dialect) {
    case "chat":
      return [
        chunk([{ index: 0, delta: {}, finish_reason: "stop" }]),
        ...(usage === undefined ? [] : [chunk([], { usage })]),
        "data: [DONE]\n\n",
      ];
    case "responses": {
      const part = { type: "output_text", text, annotations: [] };
      const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [part] };
      return [
        named({ type: "response.output_text.done", ...PART, text }),
        named({ type: "response.content_part.done", ...PART, part }),
        named({ type: "response.output_item.done", output_index: 0, item }),
        named({ type: "response.completed", response: { ...RESPONSE, status: "completed", output: [item], usage } }),
      ];
    }
    case "messages":
      return [
        named({ type: "content_block_stop", index: 0 }),
        named({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage }),
        named({ type: "message_stop" }),
      ];
    default:
      return dialect satisfies never;
  }
}

/** The same answer in one piece. */
export function whole(dialect: Dialect, texts: readonly string[], usage: unknown): string {
  const text = texts.join("");
  switch (dialect) {
    case "chat": {
      const message = { role: "assistant", content: text };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      return JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "m", choices, usage });
    }
    case "responses": {
      const content = [{ type: "output_text", text, annotations: [] }];
      const item = { id: "msg_1", type: "message", role: "assistant", status: "completed", content };
      return JSON.stringify({ ...RESPONSE, status: "completed", output: [item], usage });
    }
    case "messages":
      return JSON.stringify({ ...MESSAGE, content: [{ type: "text", text }], stop_reason: "end_turn", usage });
    default:
      return dialect satisfies never;
  }
}
