import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { startSimulator } from "../../src/simulator/simulator.ts";

type Json = Record<string, unknown>;

/** What a request is, as far as a provider answers it in its own way. */
export type Kind =
  | "text"
  | "stream"
  | "tool"
  | "tool-result"
  | "schema"
  | "cache"
  | "long"
  | "reasoning"
  | "unknown-model"
  | "invalid-field"
  | "wrong-credential";

/** What a bad server does with one kind of request, instead of what the simulator does or with its bytes. */
export type Vice = {
  /** Another script than the usual one. */
  script?: string;
  /** Changes the body that comes back, whole. */
  change?: (body: string, request: { credential: string; call: number }) => string;
  /** Answers by itself. */
  status?: number;
  body?: (credential: string) => string;
  headers?: Record<string, string>;
  /** Only the first so many requests of the kind. */
  times?: number;
};

export type Habits = {
  credential: string;
  model: string;
  /** Sent with every response. */
  headers?: Record<string, string>;
  vices?: Partial<Record<Kind, Vice>>;
};

export type ProviderWithHabits = {
  url: string;
  calls: () => { kind: Kind; status: number }[];
  close: () => Promise<void>;
};

const TOOL_ARGUMENTS = Buffer.from('{"city":"Lisbon"}').toString("base64url");
const CACHED_LETTERS = 4_000;

/** A provider in front of the simulator: it checks credentials, models and fields as real ones do, and caches prefixes. */
export async function startProviderWithHabits(habits: Habits): Promise<ProviderWithHabits> {
  const simulator = await startSimulator();
  const seen = new Map<string, number>();
  const calls: { kind: Kind; status: number }[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => undefined);
    void serve(request, response).catch(() => response.destroy());
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const path = request.url ?? "/";
    const credential = credentialOf(request);
    const kind = kindOf(path, text, credential);
    // A prefix is in the cache once it was sent.
    const what = kind === "cache" ? (/A list of letters[^"]*/.exec(text)?.[0] ?? kind) : kind;
    const count = (seen.get(what) ?? 0) + 1;
    seen.set(what, count);
    const vice = count > (habits.vices?.[kind]?.times ?? Infinity) ? {} : (habits.vices?.[kind] ?? {});
    const headers = { ...habits.headers, ...vice.headers };
    const send = (status: number, body: string): void => {
      calls.push({ kind, status });
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
    };
    if (vice.body) return send(vice.status ?? 200, vice.body(credential));
    const refusal = REFUSALS[kind];
    if (refusal && vice.script === undefined) return send(...refusal(path));
    const script = vice.script ?? SCRIPTS[kind]?.(count) ?? "tokens=40";
    const abort = new AbortController();
    response.on("close", () => abort.abort());
    const answer = await fetch(simulator.url + path.replace(habits.model, "sim"), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-sim-script": script,
        authorization: "Bearer any",
        "anthropic-version": "2023-06-01",
        "x-goog-api-key": "any",
      },
      body: text.replace(JSON.stringify(habits.model), '"sim"'),
      signal: abort.signal,
    });
    calls.push({ kind, status: answer.status });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "", ...headers });
    await pass(
      answer,
      response,
      (body) => {
        const named = kind === "tool-result" ? body.replaceAll("amber", "17") : body;
        return vice.change ? vice.change(named, { credential, call: count }) : named;
      },
      vice.change !== undefined || kind === "tool-result",
    );
  }

  function kindOf(path: string, text: string, credential: string): Kind {
    const body = JSON.parse(text) as Json;
    const model =
      typeof body["model"] === "string" ? body["model"] : decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? "");
    if (credential !== habits.credential) return "wrong-credential";
    if (model !== habits.model) return "unknown-model";
    if (text.includes("nonsense")) return "invalid-field";
    if (/"reasoning_effort"|"reasoning":\{|"thinking":\{|"thinkingConfig":/.test(text)) return "reasoning";
    if (/tool_result|function_call_output|"role":"tool"|functionResponse/.test(text)) return "tool-result";
    if (text.includes("get_weather")) return "tool";
    if (text.includes("A list of letters")) return "cache";
    if (/json_schema|responseJsonSchema|responseSchema/.test(text)) return "schema";
    if (text.includes("Count from 1")) return "long";
    return body["stream"] === true || path.includes("stream") ? "stream" : "text";
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await simulator.close();
    },
  };
}

const credentialOf = ({ headers }: IncomingMessage): string =>
  String(headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization ?? "").replace(/^Bearer /, "");

/** How the simulator is asked to answer; any other kind gets forty words. */
const SCRIPTS: Partial<Record<Kind, (count: number) => string>> = {
  tool: () => `tool=get_weather+arguments=${TOOL_ARGUMENTS}+tokens=6`,
  "tool-result": () => "tokens=8",
  cache: (count) => `tokens=2${count > 1 ? `+cached=${CACHED_LETTERS}` : ""}`,
  long: () => "tokens=300+rate=400",
  reasoning: () => "secret=60+tokens=20+rate=45",
};

const openAi = (message: string, type: string): string =>
  JSON.stringify({ error: { message, type, param: null, code: null } });
const anthropic = (message: string, type: string): string =>
  JSON.stringify({ type: "error", error: { type, message } });
const google = (message: string, status: string, code: number): string =>
  JSON.stringify({ error: { code, message, status } });

const refused =
  (status: number, words: { message: string; openAi: string; anthropic: string; google: string }) =>
  (path: string): [number, string] => {
    if (path.includes("/messages")) return [status, anthropic(words.message, words.anthropic)];
    if (path.includes("/models/")) return [status, google(words.message, words.google, status)];
    return [status, openAi(words.message, words.openAi)];
  };

const REFUSALS: Partial<Record<Kind, (path: string) => [number, string]>> = {
  "wrong-credential": refused(401, {
    message: "Incorrect credential provided.",
    openAi: "invalid_request_error",
    anthropic: "authentication_error",
    google: "UNAUTHENTICATED",
  }),
  "unknown-model": refused(404, {
    message: "The model does not exist.",
    openAi: "invalid_request_error",
    anthropic: "not_found_error",
    google: "NOT_FOUND",
  }),
  "invalid-field": refused(400, {
    message: "Invalid schema for function 'get_weather'.",
    openAi: "invalid_request_error",
    anthropic: "invalid_request_error",
    google: "INVALID_ARGUMENT",
  }),
};

/** As it comes, or at once when it is changed as a whole. A break is passed on as one. */
async function pass(
  answer: Response,
  response: ServerResponse,
  change: (body: string) => string,
  whole: boolean,
): Promise<void> {
  if (!whole) {
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
    return;
  }
  response.end(change(await answer.text()));
}
