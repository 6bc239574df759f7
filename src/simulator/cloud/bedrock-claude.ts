import { isObject } from "../../core/bytes/is-object.ts";
import { messages } from "../messages/messages.ts";
import type { Dialect, JsonObject, Named } from "../dialect.ts";
import { invalid, type Refusal } from "../ask/refusal.ts";
import { type ClaudeRules, MEMBERS, readClaudeBody } from "./claude-body.ts";
import { invokeFrames } from "./invoke-frames.ts";

const RULES: ClaudeRules = {
  members: [...MEMBERS, "anthropic_beta", "context_management"],
  versions: ["bedrock-2023-05-31", "2026-10-21"],
  betas: [
    "compact-2026-01-12",
    "computer-use-2025-01-24",
    "computer-use-2025-11-24",
    "effort-2025-11-24",
    "fine-grained-tool-streaming-2025-05-14",
    "tool-search-tool-2025-10-19",
  ],
};

const NO_NAME: Named = { model: "", streamed: false };

/** The names that Amazon has for statuses. */
const NAMES: Record<number, string> = {
  401: "UnrecognizedClientException",
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  408: "ModelTimeoutException",
  424: "ModelErrorException",
  429: "ThrottlingException",
  500: "InternalServerException",
  503: "ServiceUnavailableException",
};
const AREA = "http://internal.amazon.com/coral/com.amazon.bedrock/";

/** Claude by InvokeModel. */
export const bedrockClaude: Dialect = {
  ...messages,
  credentialHeaders: ["authorization"],
  takesSignatures: true,
  requestIdHeader: "x-amzn-requestid",
  requireHeaders: () => undefined,
  read: (body, named = NO_NAME) => messages.read(readInvoked(body, named)),
  count: {
    read: (body, named = NO_NAME) => {
      const { max_tokens: limit, stream: _, ...read } = readInvoked(countedIn(body), { ...named, streamed: false });
      if (typeof limit !== "number" || limit < 1) throw invalid("max_tokens: Field required", "max_tokens");
      return messages.count?.read(read) ?? messages.read(read);
    },
    answer: (inputTokens) => ({ inputTokens }),
  },
  framing: invokeFrames,
  refuse: ({ message }) => JSON.stringify({ message }),
  refusalHeaders: ({ status }: Refusal) => ({
    "x-amzn-errortype": `${NAMES[status] ?? "ValidationException"}:${AREA}`,
  }),
};

function readInvoked(body: JsonObject, named: Named): JsonObject {
  const { context_management: context, ...read } = readClaudeBody(body, RULES, named);
  const edits = isObject(context) ? context["edits"] : undefined;
  if (context !== undefined && (!Array.isArray(edits) || edits.some((edit) => !isCompaction(edit))))
    throw invalid("context_management: Extra inputs are not permitted", "context_management");
  return context === undefined ? read : { ...read, context_management: context };
}

const isCompaction = (edit: unknown): boolean => isObject(edit) && edit["type"] === "compact_20260112";

function countedIn({ input }: JsonObject): JsonObject {
  const invoked = isObject(input) ? input["invokeModel"] : null;
  const body = isObject(invoked) ? invoked["body"] : null;
  if (typeof body !== "string") throw invalid("input.invokeModel.body: Field required", "input");
  const value: unknown = JSON.parse(Buffer.from(body, "base64").toString("utf8"));
  if (!isObject(value)) throw invalid("input.invokeModel.body: Input should be an object", "input");
  return value;
}
