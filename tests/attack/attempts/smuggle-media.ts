import type { Probe, SmuggleAttempt } from "../attempt.ts";
import { bodyOf, FORMATS, type Format, type Json } from "../formats.ts";

/** As base64: it is looked for in what the provider is sent. */
const MARK = Buffer.from("smuggled-3141-of-another-kind").toString("base64");
const every = { kind: "smuggle", providers: FORMATS } as const;

const data = (type: string): string => `data:${type};base64,${MARK}`;
const source = (type: string): Json => ({ type: "base64", media_type: type, data: MARK });

type Part = Partial<Record<Format, (type: string) => Json>>;

const PICTURE: Part = {
  chat: (type) => ({ type: "image_url", image_url: { url: data(type) } }),
  responses: (type) => ({ type: "input_image", image_url: data(type) }),
  messages: (type) => ({ type: "image", source: source(type) }),
};
const FILE: Part = {
  chat: (type) => ({ type: "file", file: { filename: "report.pdf", file_data: data(type) } }),
  responses: (type) => ({ type: "input_file", filename: "report.pdf", file_data: data(type) }),
  messages: (type) => ({ type: "document", source: source(type) }),
};
/** Within something else that is allowed. */
const WITHIN: Part = {
  responses: (type) => ({
    type: "function_call_output",
    call_id: "call_1",
    output: [{ type: "input_image", image_url: data(type) }],
  }),
  messages: (type) => ({
    type: "tool_result",
    tool_use_id: "toolu_1",
    content: [{ type: "document", source: { type: "content", content: [{ type: "image", source: source(type) }] } }],
  }),
};

const asked = (caller: Format, part: Json): Json => {
  const items = part["type"] === "function_call_output" ? [part] : [{ role: "user", content: [part] }];
  return caller === "responses" ? { input: items } : { messages: items };
};

const probe = (caller: Format, what: string, part: Json, never: readonly string[]): Probe => ({
  what,
  caller,
  body: (model) => bodyOf(caller, { model, limit: 5, extra: asked(caller, part) }),
  never,
});

const parts = (place: Part, types: readonly string[]): Probe[] =>
  FORMATS.flatMap((caller) =>
    types.flatMap((type) => {
      const part = place[caller]?.(type);
      return part === undefined ? [] : [probe(caller, `${String(part["type"])} of ${type}`, part, [MARK])];
    }),
  );

const DEARER = ["video/mp4", "audio/wav", "application/pdf", "VIDEO/MP4", "video/mp4;x=image/png", "text/html", ""];

/** Media that say they are something else, and names that say they are none. */
export const MEDIA: readonly SmuggleAttempt[] = [
  {
    ...every,
    name: "films and recordings as pictures",
    tries: "Sends films, recordings and documents in image parts, so that they are reserved as pictures.",
    probes: parts(PICTURE, DEARER),
  },
  {
    ...every,
    name: "films and recordings as files",
    long: true,
    tries: "Sends films, recordings and archives in file and document parts.",
    probes: parts(FILE, ["video/mp4", "audio/mpeg", "Audio/WAV", "application/zip", "image/svg+xml"]),
  },
  {
    ...every,
    name: "films within tool results",
    tries: "Sends films and recordings as pictures within tool results and within documents.",
    probes: parts(WITHIN, DEARER),
  },
  {
    ...every,
    name: "parts in other case",
    long: true,
    tries: "Writes the members of parts in other case, so that media pass as unknown fields.",
    probes: [
      probe("chat", "Image_Url", { type: "image_url", Image_Url: { url: data("video/mp4") } }, [MARK]),
      probe("chat", "Type", { Type: "video_url", type: "text", text: "a", Video_Url: { url: MARK } }, [MARK]),
      probe("responses", "Image_URL", { type: "input_image", Image_URL: data("video/mp4") }, [MARK]),
      probe("responses", "File_Data", { type: "input_text", text: "a", File_Data: MARK }, [MARK]),
      probe("messages", "Source", { type: "image", Source: source("video/mp4") }, [MARK]),
      probe("messages", "Data", { type: "image", source: { ...source("image/png"), data: "aGk=", Data: MARK } }, [
        MARK,
      ]),
    ],
  },
  {
    ...every,
    name: "cache writes without a price",
    long: true,
    tries: "Marks text to be cached, in every place and spelling, for models without a price for it.",
    probes: [
      ...[{ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }].flatMap((cache) => [
        probe("messages", "cache_control", { type: "text", text: "hi", cache_control: cache }, ["cache_control"]),
        probe("chat", "cache_control", { type: "text", text: "hi", cache_control: cache }, ["cache_control"]),
        probe("messages", "Cache_Control", { type: "text", text: "hi", Cache_Control: cache }, ["Cache_Control"]),
        probe("messages", "cachePoint", { type: "text", text: "hi", cachePoint: cache }, ["cachePoint"]),
      ]),
      ...FORMATS.map((caller): Probe => ({
        what: "cache_control",
        caller,
        body: (model) => bodyOf(caller, { model, limit: 5, extra: { cache_control: { type: "ephemeral" } } }),
        never: ["cache_control"],
      })),
    ],
  },
  {
    ...every,
    name: "answers without text",
    long: true,
    tries: "Asks a self-hosted server for token ids, hidden states and raw bytes instead of text.",
    probes: FORMATS.flatMap((caller) =>
      Object.entries({
        detokenize: false,
        return_token_ids: true,
        return_tokens_as_token_ids: true,
        return_hidden_states: true,
        prompt_logprobs: 20,
        echo: true,
      }).map(([name, value]): Probe => ({
        what: name,
        caller,
        body: (model) => bodyOf(caller, { model, limit: 5, extra: { [name]: value } }),
        never: [`"${name}"`],
      })),
    ),
  },
];
