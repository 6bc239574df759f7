import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { requestOf } from "../../../tests/translation/request-of.ts";
import type { ClientDialect, ProviderDialect } from "../../core/request/dialect.ts";
import { Fault } from "../../core/fault.ts";
import { pickTranslator } from "../pick-translator.ts";

const TOLD = { upstreamModel: "theirs", maxOutputTokens: 5 };

type Json = Record<string, unknown>;

const PROVIDERS: readonly ProviderDialect[] = ["chat", "responses", "messages", "gemini", "converse"];

/** Every part that carries media, in the format's own form and in forms that other servers read in it. */
const PARTS: Record<ClientDialect, readonly ((type: string) => { kind: "image" | "document"; part: Json })[]> = {
  chat: [
    (type) => ({ kind: "image", part: { type: "image_url", image_url: { url: dataUrl(type) } } }),
    (type) => ({ kind: "image", part: { type: "image_url", image_url: dataUrl(type) } }),
    (type) => ({ kind: "document", part: { type: "file", file: { filename: "x", file_data: dataUrl(type) } } }),
    (type) => ({ kind: "image", part: { type: "image", source: sourceOf(type) } }),
  ],
  responses: [
    (type) => ({ kind: "image", part: { type: "input_image", image_url: dataUrl(type) } }),
    (type) => ({ kind: "image", part: { type: "input_image", image_url: { url: dataUrl(type) } } }),
    (type) => ({ kind: "document", part: { type: "input_file", filename: "x", file_data: dataUrl(type) } }),
    (type) => ({ kind: "document", part: { type: "input_file", filename: "x", file_url: dataUrl(type) } }),
    (type) => ({ kind: "image", part: { type: "image", source: sourceOf(type) } }),
  ],
  messages: [
    (type) => ({ kind: "image", part: { type: "image", source: sourceOf(type) } }),
    (type) => ({ kind: "image", part: { type: "image", source: { type: "url", url: dataUrl(type) } } }),
    (type) => ({ kind: "document", part: { type: "document", source: sourceOf(type) } }),
  ],
};

/** Where such a part may stand. */
const PLACES: Record<ClientDialect, readonly ((part: Json) => Json)[]> = {
  chat: [
    (part) => ({ messages: [{ role: "user", content: [{ type: "text", text: "x" }, part] }] }),
    (part) => ({
      messages: [
        { role: "user", content: "x" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c", content: [part] },
      ],
    }),
  ],
  responses: [
    (part) => ({ input: [{ role: "user", content: [part] }] }),
    (part) => ({
      input: [
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: [part] },
      ],
    }),
  ],
  messages: [
    (part) => ({ max_tokens: 9, messages: [{ role: "user", content: [part] }] }),
    (part) => ({ max_tokens: 9, messages: [...CALLED, { role: "user", content: [resultOf([part])] }] }),
    (part) => ({
      max_tokens: 9,
      messages: [
        ...CALLED,
        {
          role: "user",
          content: [resultOf([{ type: "document", source: { type: "content", content: [part] } }])],
        },
      ],
    }),
  ],
};
const CALLED = [
  { role: "user", content: "x" },
  { role: "assistant", content: [{ type: "tool_use", id: "c", name: "f", input: {} }] },
];
const resultOf = (content: Json[]): Json => ({ type: "tool_result", tool_use_id: "c", content });

const MARK = "TUFSSw==";
const dataUrl = (type: string): string => `data:${type};base64,${MARK}`;
const sourceOf = (type: string): Json => ({ type: "base64", media_type: type, data: MARK });

const IMAGE_TYPES = ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"];
const OTHER_TYPES = [
  "video/mp4",
  "video/webm",
  "audio/mp3",
  "audio/wav",
  "application/zip",
  "application/octet-stream",
];

/** A form that a translation does not know is refused by it. */
function sentOrRefused(write: () => Buffer): string {
  try {
    return write().toString();
  } catch (error) {
    if (error instanceof Fault) return "";
    throw error;
  }
}

const cases = fc.constantFrom<ClientDialect>("chat", "responses", "messages").chain((dialect) =>
  fc.record({
    dialect: fc.constant(dialect),
    make: fc.constantFrom(...PARTS[dialect]),
    place: fc.constantFrom(...PLACES[dialect]),
  }),
);

describe("media of a type that its part does not carry", () => {
  test("is refused in every format and place, before anything is reserved [BOD-41]", () => {
    const types = fc.oneof(
      fc.constantFrom(...OTHER_TYPES, "", "x"),
      fc
        .string()
        .filter(
          (text) => !/[,;]/.test(text) && !/^\s*image\/(?:png|jpe?g|gif|webp|heic|heif|avif|bmp)\s*$/i.test(text),
        ),
    );
    fc.assert(
      fc.property(cases, types, ({ dialect, make, place }, type) => {
        const { kind, part } = make(type);
        fc.pre(kind === "image" || OTHER_TYPES.includes(type));
        expect(() => requestOf(dialect, place(part))).toThrow(Fault);
      }),
      { numRuns: 1_000 },
    );
  });

  test("pictures pass in every format and place, and reach every provider as pictures or not at all", () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(...IMAGE_TYPES), ({ dialect, make, place }, type) => {
        const request = requestOf(dialect, place(make(type).part));
        for (const provider of PROVIDERS) {
          const route = { dialect: provider, conformant: true };
          const sent = sentOrRefused(() => pickTranslator(dialect, route).request(request, TOLD));
          for (const [, sentType = ""] of sent.matchAll(/"(?:mimeType|media_type)":"([^"]*)"/g))
            expect(sentType).toMatch(/^image\//);
          for (const [, sentType = ""] of sent.matchAll(/"data:([^;,"]*)/g)) expect(sentType).toMatch(/^image\//);
        }
      }),
    );
  });
});

test("a writer sends no media of another type, should a reader have let it pass", () => {
  for (const provider of ["messages", "gemini", "converse", "responses"] as const) {
    const request = requestOf("chat", {
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: dataUrl("image/png") } }] }],
    });
    const smuggled = { ...request, bytes: Buffer.from(request.bytes.toString().replace("image/png", "video/mp4")) };
    expect(() => pickTranslator("chat", { dialect: provider, conformant: false }).request(smuggled, TOLD)).toThrow(
      "Media type 'video/mp4' isn't supported in an image.",
    );
  }
});
