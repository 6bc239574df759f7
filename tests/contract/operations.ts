import type { GatewayProcess, TestModel } from "../support/gateway-process.ts";
import { bearer, knock, type Reply } from "./knock.ts";

/** What the tests that are alike for every operation must know of one. */
export type Operation = {
  path: string;
  dialect: "chat" | "responses" | "messages";
  format: "A" | "B";
  /** A valid body, but for the model. */
  body: Readonly<Record<string, unknown>>;
  /** What it calls the limit of output. */
  limitField: string;
};

const MESSAGES = [{ role: "user", content: "Hello" }];

export const CHAT: Operation = {
  path: "/v1/chat/completions",
  dialect: "chat",
  format: "A",
  body: { messages: MESSAGES },
  limitField: "max_tokens",
};

export const RESPONSES: Operation = {
  path: "/v1/responses",
  dialect: "responses",
  format: "A",
  body: { input: "Hello" },
  limitField: "max_output_tokens",
};

export const MESSAGE: Operation = {
  path: "/v1/messages",
  dialect: "messages",
  format: "B",
  body: { messages: MESSAGES },
  limitField: "max_tokens",
};

/** Of generations, or of embeddings. */
export type AnyOperation = Omit<Operation, "dialect"> & { dialect: Operation["dialect"] | "embeddings" };

export const EMBEDDINGS: AnyOperation = {
  path: "/v1/embeddings",
  dialect: "embeddings",
  format: "A",
  body: { input: "Hello" },
  // Nothing of its answer is output.
  limitField: "",
};

export const COUNT: Operation = { ...MESSAGE, path: "/v1/messages/count_tokens" };

export const JSON_TYPE = ["content-type", "application/json"];

/** A model of the operation's own format that answers as the script says. */
export const modelFor = ({ dialect }: AnyOperation, upstream: string, fields: Partial<TestModel> = {}): TestModel => ({
  upstream,
  dialect,
  ...fields,
});

type Ask = { gateway: GatewayProcess; fields?: object; key?: string; headers?: readonly string[]; origin?: string };

/** Asks as most tests do: validly, for the model named `plain`, but for what the test is about. */
export function ask(
  operation: AnyOperation,
  { gateway, fields = {}, key, headers = [], origin = "" }: Ask,
): Promise<Reply> {
  const body = JSON.stringify({ model: "plain", ...operation.body, ...fields });
  return send(operation, {
    gateway,
    body,
    origin,
    headers: [...bearer(key ?? gateway.keys.credit), ...JSON_TYPE, ...headers],
  });
}

type Send = { gateway: GatewayProcess; body: string | Buffer; headers?: readonly string[]; origin?: string };

/** Sends a body as it is. */
export function send({ path }: AnyOperation, { gateway, body, headers, origin = "" }: Send): Promise<Reply> {
  return knock(`${gateway.publicUrl}${origin}${path}`, {
    method: "POST",
    headers: headers ?? [...bearer(gateway.keys.credit), ...JSON_TYPE],
    body,
  });
}
