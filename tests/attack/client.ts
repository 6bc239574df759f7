import { type ClientRequest, type IncomingMessage, request as openRequest } from "node:http";
import { once } from "node:events";

export type Sent = {
  url: string;
  secret: string;
  body: Buffer | string | object;
  headers?: Record<string, string | string[]>;
  method?: string;
};

export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

/** A stream as an attacker holds it: it reads as much as it likes and leaves when it likes. */
export type OpenStream = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: () => string;
  /** Reads until this holds of what has come, or until the end. */
  readUntil: (holds: (text: string) => boolean) => Promise<string>;
  readAll: () => Promise<string>;
  /** Takes nothing more. */
  stall: () => void;
  leave: () => void;
  closed: Promise<void>;
};

const PATIENCE_MS = 120_000;

/** Sends a request on a connection of its own. */
export function send({ url, secret, body, headers = {}, method = "POST" }: Sent): ClientRequest {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const request = openRequest(url, {
    method,
    agent: false,
    timeout: PATIENCE_MS,
    headers: {
      ...(secret !== "" && { authorization: `Bearer ${secret}` }),
      ...(method === "POST" && { "content-type": "application/json", "content-length": bytes.length }),
      ...headers,
    },
  });
  request.on("timeout", () => request.destroy());
  request.on("error", () => undefined);
  request.end(method === "POST" ? bytes : undefined);
  return request;
}

/** The whole answer; a broken connection is a status of 0. */
export async function ask(sent: Sent): Promise<Answer> {
  try {
    const response = await headOf(send(sent));
    const stream = reading(response);
    await stream.readAll();
    return { status: stream.status, headers: stream.headers, text: stream.text() };
  } catch {
    return { status: 0, headers: {}, text: "" };
  }
}

export async function openStream(sent: Sent): Promise<OpenStream> {
  return reading(await headOf(send(sent)));
}

async function headOf(request: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return response;
}

function reading(response: IncomingMessage): OpenStream {
  let text = "";
  let ended = false;
  let wake: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    response.once("close", () => {
      ended = true;
      wake();
      resolve();
    });
  });
  response.on("error", () => undefined);
  response.on("data", (bytes: Buffer) => {
    text += bytes.toString("latin1");
    wake();
  });
  const readUntil = async (holds: (text: string) => boolean): Promise<string> => {
    while (!ended && !holds(text)) await new Promise<void>((resolve) => void (wake = resolve));
    return text;
  };
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: () => text,
    readUntil,
    readAll: () => readUntil(() => false),
    stall: () => void response.pause(),
    leave: () => void response.destroy(),
    closed,
  };
}

/** Words of the provider in what has come so far. */
export const wordsIn = (text: string): number => text.split(" word").length - 1;
