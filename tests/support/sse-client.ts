import { request as openRequest } from "node:http";
import { once } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";

export type OpenStream = { request: ClientRequest; response: IncomingMessage; status: number };

type Ask = { url: string; key: string; model: string; body?: object };

/** Posts a streaming chat request and resolves with the open answer; the caller reads or closes it. */
export async function openChatStream({ url, key, model, body = {} }: Ask): Promise<OpenStream> {
  const request = openRequest(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    agent: false,
  });
  // Of what fails after the head, the response tells.
  request.on("error", () => undefined);
  request.end(JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Hello" }], ...body }));
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return { request, response, status: response.statusCode ?? 0 };
}

/** Everything that still comes, as text. `broken` says that the connection ended without the end of the answer. */
export async function readAll(response: IncomingMessage): Promise<{ text: string; broken: boolean }> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { text: Buffer.concat(chunks).toString(), broken: !response.complete };
  } catch {
    return { text: Buffer.concat(chunks).toString(), broken: true };
  }
}

/** The data of every event in a text, comments left out. */
export function eventsOf(text: string): string[] {
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("data:"))
    .map((event) => event.replace(/^data: ?/, ""));
}
