/**
 * A provider in a process of its own, with the habits of real ones. It speaks all four formats, takes whatever it is sent,
 * and writes down for every request what it was sent and how many tokens it had produced when it ended or was stopped.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isObject } from "../../../src/core/bytes/is-object.ts";
import { loadCountTokens } from "../../../src/tokens/count-tokens.ts";
import type { Json } from "../formats.ts";
import { answerCall } from "./answer-call.ts";
import { CHAT } from "./chat.ts";
import { countInput } from "./count-input.ts";
import { GEMINI } from "./gemini.ts";
import { type Habit, ORDINARY, type ProviderCall } from "./habit.ts";
import { MESSAGES } from "./messages.ts";
import { RESPONSES } from "./responses.ts";
import type { Writer } from "./writer.ts";

const WRITERS: Record<string, Writer> = {
  "/v1/chat/completions": CHAT,
  "/v1/responses": RESPONSES,
  "/v1/messages": MESSAGES,
};
/** The model and whether it streams stand in the path there. */
const GEMINI_PATH = /^\/v1\/models\/([^/]+):(generateContent|streamGenerateContent)$/;
const KEPT_BODY = 200_000;

const habits = new Map<string, Habit>();
const calls: ProviderCall[] = [];
const count = await loadCountTokens();

const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (request, response) => {
  void serve(request, response).catch((error: unknown) => response.destroy(error as Error));
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://provider");
  const text = await readAll(request);
  if (url.pathname === "/habits") {
    for (const [model, habit] of Object.entries(JSON.parse(text) as Record<string, Partial<Habit>>))
      habits.set(model, { ...ORDINARY, ...habit });
    return void response.end("{}");
  }
  if (url.pathname === "/calls") {
    const model = url.searchParams.get("model");
    return void response.end(JSON.stringify(calls.filter((call) => call.model === model)));
  }
  const gemini = GEMINI_PATH.exec(url.pathname);
  const body = gemini === null ? parsed(text) : asOthersSay(parsed(text), gemini);
  const model = String(body["model"]);
  const habit = habitFor(habits.get(model) ?? ORDINARY, body, text);
  const generates = gemini === null ? WRITERS[url.pathname] : GEMINI;
  const call: ProviderCall = {
    seq: calls.length,
    model,
    path: url.pathname,
    headers: request.headers,
    body: text.slice(0, KEPT_BODY),
    bodyBytes: Buffer.byteLength(text),
    inputTokens: generates ? countInput(body, count) + habit.mediaTokens : 0,
    visibleTokens: 0,
    hiddenTokens: 0,
    ended: null,
  };
  calls.push(call);
  if (generates === undefined) {
    call.ended = "completed";
    return void response.end(JSON.stringify({ input_tokens: countInput(body, count) }));
  }
  const telling = { id: String(call.seq), model, body, habit };
  await answerCall({ telling, writer: generates, call, response });
}

/** With what the other formats say under names of their own, which the habits look for. */
function asOthersSay(body: Json, [, model = "", verb]: RegExpExecArray): Json {
  const config = isObject(body["generationConfig"]) ? body["generationConfig"] : {};
  const thinking = isObject(config["thinkingConfig"]) ? config["thinkingConfig"] : {};
  return {
    ...body,
    model: decodeURIComponent(model),
    stream: verb === "streamGenerateContent",
    max_tokens: config["maxOutputTokens"],
    ...(thinking["thinkingLevel"] === "MINIMAL" && { reasoning_effort: "none" }),
  };
}

/** What is left of a habit for this request. */
function habitFor(usual: Habit, body: Json, text: string): Habit {
  const meant = <Trouble extends { when?: string }>(trouble: Trouble | null): Trouble | null =>
    trouble?.when !== undefined && !text.includes(trouble.when) ? null : trouble;
  return { ...usual, fail: meant(usual.fail), refuse: meant(usual.refuse), hidden: reasons(body) ? usual.hidden : 0 };
}

/** Reasoning is on unless the request turns it off, each format in its own words. */
function reasons(body: Json): boolean {
  const { reasoning_effort: effort, reasoning, thinking } = body;
  const told = isObject(reasoning) ? reasoning["effort"] : effort;
  return told !== "none" && !(isObject(thinking) && thinking["type"] === "disabled");
}

async function readAll(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function parsed(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

server.listen({ host: "127.0.0.1", port: 0, backlog: 4_096 }, () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
});
process.once("disconnect", () => process.exit(0));
