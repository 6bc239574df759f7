import fc from "fast-check";
import type { ClientDialect } from "../../src/core/request/dialect.ts";
import { seal } from "../support/seals.ts";

type Json = Record<string, unknown>;
type Body = fc.Arbitrary<Json>;

/** Stands for a text of its own wherever a body has one; `markUp` makes them tell apart. */
const MARK = "¿";

const some = (members: Record<string, fc.Arbitrary<unknown>>, always: Json = {}): Body =>
  fc.record(members, { requiredKeys: [] }).map((given) => ({ ...always, ...given }));
const few = (item: fc.Arbitrary<unknown>): fc.Arbitrary<unknown[]> => fc.array(item, { minLength: 1, maxLength: 3 });
const mark = fc.constant(MARK);
const yesOrNo = fc.boolean();
const hint = fc.constant({ type: "ephemeral", ttl: MARK });
/** What thinking came with: sealed by us for any of the formats, or a stranger's. */
const sealed = fc.constantFrom<string>(
  ...(["chat", "responses", "messages"] as const).map((dialect) =>
    seal({ dialect, value: { signature: "s", encrypted_content: "e", field: "reasoning_content" } }),
  ),
  "c3RyYW5nZXI=",
);
const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", description: MARK } },
  required: ["city"],
  additionalProperties: false,
};
const effort = fc.constantFrom("none", "minimal", "low", "medium", "high");
const png = fc.constantFrom(`data:image/png;base64,${MARK}`, `https://x.test/${MARK}`);
const pdf = fc.constant(`data:application/pdf;base64,${MARK}`);
/** What a call was made with; one that was cut off is no JSON. */
const input = fc.constantFrom(`{"a":"${MARK}"}`, `{"a":"${MARK}`);
/** What nobody has heard of yet, wherever a format may grow. */
const grown = (always: Json): Body => some({ brand_new: mark }, always);

const chatText = some({ cache_control: hint }, { type: "text", text: MARK });
const chatPart = fc.oneof(
  chatText,
  some({ url: png, detail: fc.constantFrom("auto", "low", "high"), brand_new: mark }).map((image) => ({
    type: "image_url",
    image_url: { url: `https://x.test/${MARK}`, ...image },
  })),
  pdf.chain((data) => grown({ filename: MARK, file_data: data })).map((file) => ({ type: "file", file })),
  fc.constant({ type: "refusal", refusal: MARK }),
);
const chatCall = input
  .chain((text) => grown({ name: MARK, arguments: text }))
  .chain((named) => grown({ id: MARK, type: "function", function: named }));
const chatDetail = sealed.map((signature) => ({ type: "reasoning.text", text: MARK, signature }));
const chatMessage = fc.oneof(
  some({ name: mark }, { role: "user", content: MARK }),
  few(chatPart).map((content) => ({ role: "user", content })),
  fc.constantFrom("system", "developer").chain((role) => few(chatText).map((content) => ({ role, content }))),
  some(
    {
      refusal: mark,
      tool_calls: few(chatCall),
      annotations: fc.constant([
        { type: "url_citation", url_citation: { url: `https://x.test/${MARK}`, title: MARK } },
      ]),
    },
    { role: "assistant", content: MARK },
  ),
  some({ reasoning_content: mark, reasoning: mark }, { role: "assistant", content: MARK }),
  some({ content: mark }, { role: "assistant" }).chain((message) =>
    few(chatDetail).map((details) => ({ ...message, reasoning_details: details })),
  ),
  few(chatText).map((content) => ({ role: "tool", tool_call_id: MARK, content })),
);
const chatTool = some({ description: mark, strict: yesOrNo }, { name: MARK, parameters: SCHEMA }).chain((named) =>
  some({ cache_control: hint }, { type: "function", function: named }),
);
const chat = some(
  {
    max_tokens: fc.constant(400),
    max_completion_tokens: fc.constant(400),
    temperature: fc.constantFrom(0, 0.5, 1.5),
    top_p: fc.constantFrom(0.25, 0.75),
    n: fc.constantFrom(1, 2),
    stop: fc.oneof(mark, few(mark)),
    tools: few(chatTool),
    tool_choice: fc.constantFrom("auto", "none", "required", { type: "function", function: { name: MARK } }),
    parallel_tool_calls: yesOrNo,
    response_format: fc.oneof(
      fc.constantFrom({ type: "text" }, { type: "json_object" }),
      some({ description: mark, strict: yesOrNo }, { name: MARK, schema: SCHEMA }).map((json_schema) => ({
        type: "json_schema",
        json_schema,
      })),
    ),
    reasoning_effort: effort,
    verbosity: fc.constantFrom("low", "high"),
    user: mark,
    safety_identifier: mark,
    prompt_cache_key: mark,
    metadata: fc.constant({ label: MARK }),
    store: yesOrNo,
    service_tier: fc.constant("auto"),
    logprobs: yesOrNo,
    top_logprobs: fc.constant(3),
    frequency_penalty: fc.constantFrom(0, 1),
    presence_penalty: fc.constantFrom(0, 1),
    modalities: fc.constant(["text"]),
    seed: fc.nat(9),
    logit_bias: fc.constant({ 7: 1 }),
    prediction: fc.constant({ type: "content", content: MARK }),
    stream: yesOrNo,
    stream_options: fc.constant({ include_usage: true }),
    brand_new: mark,
  },
  {},
).chain((rest) => few(chatMessage).map((messages) => ({ messages, ...withChoiceOfTools(rest) })));

const responsesPart = fc.oneof(
  grown({ type: "input_text", text: MARK }),
  some(
    { detail: fc.constantFrom("auto", "low", "high") },
    { type: "input_image", image_url: `https://x.test/${MARK}` },
  ),
  some({ filename: mark }, { type: "input_file", file_data: `data:application/pdf;base64,${MARK}` }),
  fc.constant({ type: "input_file", file_url: `https://x.test/${MARK}` }),
);
const responsesItem = fc.oneof(
  few(responsesPart).map((output) => ({ type: "function_call_output", call_id: MARK, output })),
  fc.constant({ role: "user", content: MARK }),
  few(responsesPart).map((content) => ({ type: "message", role: "user", content })),
  fc.constantFrom("system", "developer").map((role) => ({ type: "message", role, content: MARK })),
  fc
    .constantFrom([], [{ type: "url_citation", url: `https://x.test/${MARK}`, title: MARK }])
    .map((annotations) => [{ type: "output_text", text: MARK, annotations }])
    .map((content) => ({ type: "message", role: "assistant", content })),
  fc.constant({ type: "message", role: "assistant", content: [{ type: "refusal", refusal: MARK }] }),
  input.map((text) => ({ type: "function_call", call_id: MARK, name: MARK, arguments: text })),
  fc.constant({ type: "function_call_output", call_id: MARK, output: MARK }),
  some({ encrypted_content: sealed }, { type: "reasoning", summary: [{ type: "summary_text", text: MARK }] }),
);
const responses = some({
  max_output_tokens: fc.integer({ min: 16, max: 900 }),
  instructions: mark,
  tools: few(some({ description: mark, strict: yesOrNo }, { type: "function", name: MARK, parameters: SCHEMA })),
  tool_choice: fc.constantFrom("auto", "none", "required", { type: "function", name: MARK }),
  parallel_tool_calls: yesOrNo,
  temperature: fc.constantFrom(0, 0.5, 1.5),
  top_p: fc.constantFrom(0.25, 0.75),
  text: some({
    verbosity: fc.constantFrom("low", "high"),
    format: fc.oneof(
      fc.constantFrom({ type: "text" }, { type: "json_object" }),
      some({ description: mark, strict: yesOrNo }, { type: "json_schema", name: MARK, schema: SCHEMA }),
    ),
  }),
  reasoning: some({ effort, summary: fc.constant("auto") }),
  include: few(fc.constantFrom("reasoning.encrypted_content", "message.output_text.logprobs")),
  top_logprobs: fc.constantFrom(0, 3),
  truncation: fc.constantFrom("auto", "disabled"),
  user: mark,
  safety_identifier: mark,
  prompt_cache_key: mark,
  metadata: fc.constant({ label: MARK }),
  store: yesOrNo,
  service_tier: fc.constant("auto"),
  background: fc.constant(false),
  max_tool_calls: fc.constant(3),
  stream: yesOrNo,
  stream_options: fc.constant({ include_obfuscation: false }),
  brand_new: mark,
}).chain((rest) => fc.oneof(mark, few(responsesItem)).map((said) => ({ input: said, ...withChoiceOfTools(rest) })));

const messagesText = some({ cache_control: hint, brand_new: mark }, { type: "text", text: MARK });
const messagesImage = some({ cache_control: hint }).chain((rest) =>
  fc.constantFrom(
    { type: "image", source: { type: "base64", media_type: "image/png", data: MARK }, ...rest },
    { type: "image", source: { type: "url", url: `https://x.test/${MARK}` }, ...rest },
  ),
);
const messagesDocument = some({ title: mark, context: mark, citations: fc.constant({ enabled: true }) }).chain((rest) =>
  fc.constantFrom<Json>(
    { type: "document", source: { type: "base64", media_type: "application/pdf", data: MARK }, ...rest },
    { type: "document", source: { type: "text", media_type: "text/plain", data: MARK }, ...rest },
    { type: "document", source: { type: "url", url: `https://x.test/${MARK}` }, ...rest },
  ),
);
const messagesResult = some(
  { content: few(fc.oneof(messagesText, messagesImage, messagesDocument)), is_error: yesOrNo },
  { type: "tool_result", tool_use_id: MARK },
);
const messagesTurn = fc.oneof(
  fc.constantFrom("user", "assistant").map((role) => ({ role, content: MARK })),
  few(fc.oneof(messagesText, messagesImage, messagesDocument, messagesResult)).map((content) => ({
    role: "user",
    content,
  })),
  few(
    fc.oneof(
      messagesText,
      sealed.map((signature) => ({ type: "thinking", thinking: MARK, signature })),
      sealed.map((data) => ({ type: "redacted_thinking", data })),
      fc.constant({ type: "tool_use", id: MARK, name: MARK, input: { a: MARK } }),
    ),
  ).map((content) => ({ role: "assistant", content })),
);
const messages = some({
  max_tokens: fc.integer({ min: 1, max: 900 }),
  system: fc.oneof(mark, few(messagesText)),
  tools: few(
    some(
      {
        description: mark,
        strict: yesOrNo,
        cache_control: hint,
        defer_loading: fc.constant(false),
        input_examples: fc.constant([{ a: MARK }]),
        eager_input_streaming: yesOrNo,
        type: fc.constant("custom"),
      },
      { name: MARK, input_schema: SCHEMA },
    ),
  ),
  tool_choice: some({ disable_parallel_tool_use: yesOrNo }).chain((rest) =>
    fc.constantFrom<Json>(
      { type: "auto", ...rest },
      { type: "any", ...rest },
      { type: "tool", name: MARK, ...rest },
      { type: "none" },
    ),
  ),
  temperature: fc.constantFrom(0, 0.5, 1),
  top_p: fc.constantFrom(0.25, 0.75),
  top_k: fc.constant(5),
  stop_sequences: fc.array(mark, { minLength: 1, maxLength: 6 }),
  thinking: fc.constantFrom<Json>(
    { type: "enabled", budget_tokens: 2_000 },
    { type: "adaptive", display: "omitted" },
    { type: "disabled" },
  ),
  output_config: some({ effort, format: fc.constant({ type: "json_schema", schema: SCHEMA }) }),
  metadata: fc.constant({ user_id: MARK }),
  service_tier: fc.constant("auto"),
  context_management: fc.constant({ edits: [] }),
  output_format: fc.constant({ type: "json_schema", schema: SCHEMA }),
  cache_control: hint,
  stream: yesOrNo,
  brand_new: mark,
}).chain((rest) => few(messagesTurn).map((turns) => ({ messages: turns, ...withChoiceOfTools(rest) })));

/** Where there is nothing to choose from a choice means nothing, and providers refuse it. */
function withChoiceOfTools({ tool_choice, parallel_tool_calls, ...rest }: Json): Json {
  return rest["tools"] === undefined ? rest : { ...rest, tool_choice, parallel_tool_calls };
}

const BODIES: Record<ClientDialect, Body> = { chat, responses, messages };

export type Marked = { body: Json; marks: { text: string; path: string }[] };

/** Bodies with everything the table of a format speaks of, each text in them one that stands nowhere else. */
export const requestBody = (client: ClientDialect): fc.Arbitrary<Marked> => BODIES[client].map(markUp);

function markUp(body: Json): Marked {
  const marks: Marked["marks"] = [];
  const visit = (value: unknown, path: string): unknown => {
    if (typeof value === "string") {
      return value.replaceAll(MARK, () => {
        const text = `mark_${marks.length}_`;
        marks.push({ text, path });
        return text;
      });
    }
    if (Array.isArray(value)) return value.map((item) => visit(item, `${path}.*`));
    if (typeof value !== "object" || value === null) return value;
    const under = (name: string): string => (path === "" ? name : `${path}.${name}`);
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const named = visit(name, under("(name)")) as string;
        return [named, visit(member, under(named))];
      }),
    );
  };
  return { body: visit(body, "") as Json, marks };
}
