import { expect, test } from "vitest";
import type { ClientDialect } from "../../core/request/dialect.ts";
import { Fault } from "../../core/fault.ts";
import { readChatRequest } from "../../wire/chat/chat-request.ts";
import { parseBody } from "../../wire/json/parse-body.ts";
import { readMessagesRequest } from "../../wire/messages/messages-request.ts";
import { readResponsesRequest } from "../../wire/responses/responses-request.ts";
import { CLIENT_FIELDS } from "../fidelity/field-tables.ts";
import { lossesOf } from "../fidelity/losses.ts";
import { pickTranslator } from "../pick-translator.ts";

type Json = Record<string, unknown>;

/** What JSON can hold that code trips over: no number, no text, and an object that cannot be made either. */
const NO_TEXT = { toString: 1, valueOf: 1 };
const VALUES = [NO_TEXT, [NO_TEXT], [[NO_TEXT]], { type: NO_TEXT }, 5, -1, "x", true, [], {}, [null], [5]];
const MORE_PLACES = [
  ...["role", "call_id", "name", "namespace", "arguments", "input", "output", "summary", "tools"].map(
    (name) => `input.*.${name}`,
  ),
  ...["name", "description", "parameters", "tools"].map((name) => `tools.*.${name}`),
  ...["name", "input", "id"].map((name) => `messages.*.content.*.${name}`),
  "messages.*.tool_calls.*.id",
  "tool_choice.name",
];
const ITEM_TYPES = [
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "tool_search_call",
  "tool_search_output",
];
const USER = { messages: [{ role: "user", content: "hi" }] };
const BODIES: Record<ClientDialect, readonly Json[]> = {
  chat: [USER],
  messages: [USER],
  responses: ITEM_TYPES.map((type) => ({ input: [{ type, execution: "client" }] })),
};
const DIALECTS = Object.keys(BODIES) as ClientDialect[];

/** A copy with a value at a path; a list has one element. */
function withValue(at: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  if (step === "*") return [withValue(Array.isArray(at) ? at[0] : undefined, rest, value)];
  const owner: Json = typeof at === "object" && at !== null && !Array.isArray(at) ? { ...at } : {};
  return { ...owner, [step]: withValue(owner[step], rest, value) };
}

function readAs(client: ClientDialect, body: unknown) {
  const parsed = parseBody(Buffer.from(JSON.stringify(body)), 64);
  if (client === "responses") return readResponsesRequest(parsed);
  return client === "messages" ? readMessagesRequest(parsed, {}) : readChatRequest(parsed);
}

/** What goes wrong with a body, other than that its caller is told so. */
function problemWith(client: ClientDialect, provider: ClientDialect, body: Json): string | null {
  try {
    const request = readAs(client, body);
    if (lossesOf(client, provider, body).refused !== null) return null;
    const translator = pickTranslator(client, { dialect: provider, conformant: true });
    translator.request(request, { upstreamModel: "theirs", maxOutputTokens: 5 });
    translator.stage(request, { requestId: "req_1", createdAtSeconds: 1 });
    return null;
  } catch (error) {
    return error instanceof Fault ? null : (error as Error).message;
  }
}

const PAIRS = DIALECTS.flatMap((client) =>
  DIALECTS.filter((provider) => provider !== client).map((provider) => [client, provider] as const),
);

test.each(PAIRS)(
  "no value anywhere in a %s body is an error of ours on the way to a %s provider",
  (client, provider) => {
    const places = new Set([...Object.keys(CLIENT_FIELDS[client]), ...MORE_PLACES]);
    const problems = [...places].flatMap((place) =>
      VALUES.flatMap((value) =>
        (place.startsWith("input") ? BODIES[client] : BODIES[client].slice(0, 1)).flatMap((body) => {
          const problem = problemWith(client, provider, {
            model: "m",
            ...(withValue(body, place.split("."), value) as Json),
          });
          return problem === null ? [] : [`${place} = ${JSON.stringify(value)}: ${problem}`];
        }),
      ),
    );

    expect(problems).toEqual([]);
  },
);
