import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { markersIn } from "./marker.ts";

export type EchoProvider = { url: string; close: () => Promise<void> };

type Asked = { model: string; streamed: boolean; said: string; number: number };

/**
 * A provider of all formats that takes anything and says back the marker of what it was sent: so an answer that reaches
 * the wrong caller is seen. Its broken models fail. Bytes that are no JSON it answers with 500, which nobody expects of it.
 */
export async function startEchoProvider(): Promise<EchoProvider> {
  let number = 0;
  const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (request, response) => {
    void readAll(request).then((bytes) => answer(request.url ?? "", bytes, response, (number += 1)));
  });
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0, backlog: 4_096 }, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of request) pieces.push(piece as Buffer);
  } catch {
    // The gateway hung up because its caller did; what came so far is answered to nobody.
  }
  return Buffer.concat(pieces);
}

function answer(path: string, bytes: Buffer, response: ServerResponse, number: number): void {
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  } catch {
    response.writeHead(500).end();
    return;
  }
  const [, named, verb] = /\/models\/([^/:]+):(\w+)/.exec(path) ?? [];
  const model = named === undefined ? String(body["model"]) : decodeURIComponent(named);
  if (model.startsWith("up-broken-")) {
    response.writeHead(500).end();
    return;
  }
  const said = markersIn(bytes.toString("latin1"))[0] ?? "unmarked";
  const asked: Asked = { model, streamed: body["stream"] === true, said, number };
  if (verb !== undefined) return gemini(response, { ...asked, streamed: verb === "streamGenerateContent" });
  if (path.endsWith("/count_tokens")) return whole(response, { input_tokens: 7 });
  if (path.endsWith("/chat/completions")) return chat(response, asked);
  if (path.endsWith("/responses")) return responses(response, asked);
  messages(response, asked);
}

function chat(response: ServerResponse, { model, streamed, said, number }: Asked): void {
  const base = { id: `chatcmpl-${number}`, created: 1, model };
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  if (!streamed) {
    const choices = [{ index: 0, message: { role: "assistant", content: said }, finish_reason: "stop" }];
    return whole(response, { ...base, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: object, reason: string | null): object => ({
    ...base,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const events = [
    chunk({ role: "assistant", content: "" }, null),
    chunk({ content: said }, null),
    chunk({}, "stop"),
    { ...base, object: "chat.completion.chunk", choices: [], usage },
  ];
  stream(response, `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`);
}

function responses(response: ServerResponse, { model, streamed, said, number }: Asked): void {
  const base = { id: `resp_${number}`, object: "response", created_at: 1, model };
  const message = {
    type: "message",
    id: "msg_1",
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text: said, annotations: [] }],
  };
  const usage = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };
  const finished = { ...base, status: "completed", output: [message], usage };
  if (!streamed) return whole(response, finished);
  named(response, [
    { type: "response.created", response: { ...base, status: "in_progress", output: [] } },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: said },
    { type: "response.completed", response: finished },
  ]);
}

function messages(response: ServerResponse, { model, streamed, said, number }: Asked): void {
  const base = { id: `msg_${number}`, type: "message", role: "assistant", model };
  const usage = { input_tokens: 7, output_tokens: 3 };
  const ending = { stop_reason: "end_turn", stop_sequence: null };
  if (!streamed) return whole(response, { ...base, content: [{ type: "text", text: said }], ...ending, usage });
  named(response, [
    { type: "message_start", message: { ...base, content: [], stop_reason: null, stop_sequence: null, usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: said } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: ending, usage: { output_tokens: 3 } },
    { type: "message_stop" },
  ]);
}

function gemini(response: ServerResponse, { model, streamed, said, number }: Asked): void {
  const candidates = [{ content: { role: "model", parts: [{ text: said }] }, finishReason: "STOP", index: 0 }];
  const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 };
  const chunk = { candidates, usageMetadata, modelVersion: model, responseId: String(number) };
  if (!streamed) return whole(response, chunk);
  stream(response, `data: ${JSON.stringify(chunk)}\r\n\r\n`);
}

function whole(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function named(response: ServerResponse, events: readonly ({ type: string } & Record<string, unknown>)[]): void {
  const lines = events.map(
    (event, index) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`,
  );
  stream(response, lines.join(""));
}

function stream(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
}
