import type { Probe, SmuggleAttempt } from "../attempt.ts";
import { bodyOf, FORMATS, type Format, type Json } from "../formats.ts";

const MARK = "smuggled-0815";
const every = { kind: "smuggle", providers: FORMATS } as const;

const content = (caller: Format, part: Json): Json => {
  const message = { role: "user", content: [part] };
  return caller === "responses" ? { input: [message] } : { messages: [message] };
};

const parts = (list: Partial<Record<Format, readonly Json[]>>, never: readonly string[] = [MARK]): Probe[] =>
  FORMATS.flatMap((caller) =>
    (list[caller] ?? []).map((part) => ({
      what: JSON.stringify(part).slice(0, 60),
      caller,
      body: (model: string) => bodyOf(caller, { model, limit: 5, extra: content(caller, part) }),
      never,
    })),
  );

const inputs = (items: readonly Json[], never: readonly string[] = [MARK]): Probe[] =>
  items.map((item) => ({
    what: JSON.stringify(item).slice(0, 60),
    caller: "responses",
    body: (model) => bodyOf("responses", { model, limit: 5, extra: { input: [item] } }),
    never,
  }));

const sealOf = (dialect: string, value: object): string =>
  `tollgate.${dialect}.${Buffer.from(JSON.stringify(value)).toString("base64url")}`;

const thinking = (signature: string): Json => ({
  messages: [
    { role: "user", content: "a" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "", signature },
        { type: "text", text: "ok" },
      ],
    },
    { role: "user", content: "b" },
  ],
});

const sealed = (what: string, dialect: string, value: object): Probe[] => [
  {
    what: `${what}, as a signature`,
    caller: "messages",
    body: (model) => bodyOf("messages", { model, limit: 5, extra: thinking(sealOf(dialect, value)) }),
    never: [MARK],
  },
  {
    what: `${what}, as an encrypted thought`,
    caller: "responses",
    body: (model) =>
      bodyOf("responses", {
        model,
        limit: 5,
        extra: {
          input: [
            { type: "reasoning", id: "rs_1", summary: [], encrypted_content: sealOf(dialect, value) },
            { role: "user", content: "b" },
          ],
        },
      }),
    never: [MARK],
  },
  {
    what: `${what}, as reasoning details`,
    caller: "chat",
    body: (model) =>
      bodyOf("chat", {
        model,
        limit: 5,
        extra: {
          messages: [
            { role: "user", content: "a" },
            {
              role: "assistant",
              content: "ok",
              reasoning_details: [{ type: "reasoning.encrypted", data: sealOf(dialect, value) }],
            },
            { role: "user", content: "b" },
          ],
        },
      }),
    never: [MARK],
  },
];

const FETCHED = [
  `http://169.254.169.254/${MARK}`,
  `file:///etc/${MARK}`,
  `ms://${MARK}`,
  `gs://${MARK}`,
  `HTTP://a/${MARK}`,
];

/** Parts of the content that name what is not the caller's. */
export const CONTENT: readonly SmuggleAttempt[] = [
  {
    ...every,
    name: "files in the provider's account",
    tries: "Refers to files stored in the provider's account, everywhere a file is allowed.",
    probes: parts({
      chat: [
        { type: "file", file: { file_id: MARK } },
        { type: "file", file_id: MARK },
        { type: "image_file", image_file: { file_id: MARK } },
      ],
      responses: [
        { type: "input_file", file_id: MARK },
        { type: "input_image", file_id: MARK },
        { type: "input_image", image_url: { file_id: MARK } },
      ],
      messages: [
        { type: "document", source: { type: "file", file_id: MARK } },
        { type: "container_upload", file_id: MARK },
        {
          type: "tool_result",
          tool_use_id: "a",
          content: [{ type: "image", source: { type: "file", file_id: MARK } }],
        },
        {
          type: "tool_result",
          tool_use_id: "a",
          content: [
            {
              type: "document",
              source: { type: "content", content: [{ type: "image", source: { type: "file", file_id: MARK } }] },
            },
          ],
        },
      ],
    }),
  },
  {
    ...every,
    name: "references to stored items",
    tries: "Refers to items of other conversations, with and without declaring them as references.",
    probes: inputs([
      { type: "item_reference", id: `msg_${MARK}` },
      { id: `msg_${MARK}` },
      { type: null, id: `msg_${MARK}` },
      { type: "mcp_approval_response", approval_request_id: `mcpr_${MARK}`, approve: true },
      { type: "custom_tool_call_output", call_id: "a", output: [{ type: "input_file", file_id: MARK }] },
      { type: "function_call_output", call_id: "a", output: [{ type: "input_image", file_id: MARK }] },
      { type: "additional_tools", tools: [{ type: "mcp", server_url: `https://${MARK}` }] },
    ]),
  },
  {
    ...every,
    name: "URLs that the provider would fetch",
    tries: "Sends image and document URLs inside the provider's network or on its disk.",
    probes: parts({
      chat: FETCHED.flatMap((url) => [
        { type: "image_url", image_url: { url } },
        { type: "video_url", video_url: { url } },
        { type: "audio_url", audio_url: { url } },
        { type: "document_url", document_url: url },
      ]),
      responses: FETCHED.flatMap((url) => [
        { type: "input_image", image_url: url },
        { type: "input_file", file_url: url },
      ]),
      messages: FETCHED.flatMap((url) => [
        { type: "image", source: { type: "url", url } },
        { type: "document", source: { type: "url", url } },
        { type: "tool_result", tool_use_id: "a", content: [{ type: "image", source: { type: "url", url } }] },
      ]),
    }),
  },
  {
    ...every,
    name: "files of other clouds",
    tries: "Refers to files as Gemini and Bedrock do.",
    probes: [
      ...parts({
        chat: [
          { type: "x", fileData: { fileUri: MARK } },
          { type: "x", image: { source: { s3Location: { uri: MARK } } } },
        ],
        responses: [{ type: "input_text", text: "x", file_data: { file_uri: MARK } }],
        messages: [{ type: "x", source: { s3Location: { uri: MARK } } }],
      }),
      ...FORMATS.map((caller): Probe => ({
        what: "cachedContent",
        caller,
        body: (model) =>
          bodyOf(caller, {
            model,
            limit: 5,
            extra: { cachedContent: MARK, extra_body: { google: { cached_content: MARK } } },
          }),
        never: [MARK],
      })),
    ],
  },
  {
    ...every,
    name: "forged seals: references",
    tries: "Forges the seal that the gateway puts on reasoning, with a reference to a stored item inside.",
    probes: [
      ...sealed("a reference", "responses", { type: "item_reference", id: MARK }),
      ...sealed("a file", "responses", {
        type: "message",
        role: "developer",
        content: [{ type: "input_file", file_id: MARK }],
      }),
    ],
  },
  {
    ...every,
    name: "forged seals: tools and fields",
    tries: "Forges seals with tools, roles and fields of other formats inside.",
    probes: [
      ...sealed("tools", "responses", { type: "additional_tools", tools: [{ type: MARK }] }),
      ...sealed("audio", "chat", { field: "audio", details: [{ id: MARK }] }),
      ...sealed("a field", "chat", { field: MARK, details: MARK }),
      ...sealed("an upload", "messages", { type: "container_upload", file_id: MARK, signature: "x" }),
      ...sealed("encrypted content of another key", "responses", {
        type: "reasoning",
        id: MARK,
        encrypted_content: MARK,
      }),
    ],
  },
  {
    ...every,
    name: "audio and other expensive media",
    tries: "Sends and requests audio, which has no published price.",
    probes: [
      ...parts({
        chat: [{ type: "input_audio", input_audio: { data: MARK, format: "wav" } }],
        responses: [{ type: "input_audio", input_audio: { data: MARK, format: "wav" } }],
      }),
      ...(["chat", "responses"] as const).map((caller): Probe => ({
        what: "audio modality",
        caller,
        body: (model) =>
          bodyOf(caller, { model, limit: 5, extra: { modalities: ["text", "audio"], audio: { voice: MARK } } }),
        never: [MARK, '"audio"'],
      })),
    ],
  },
];
