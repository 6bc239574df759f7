import fc from "fast-check";
import { expect, test } from "vitest";
import { requestOf } from "../../../tests/translation/request-of.ts";
import { unsoldMarks, withoutUnsold } from "./cache-marks.ts";

const mark = (ttl?: string) => ({ type: "ephemeral", ...(ttl === undefined ? {} : { ttl }) });
const text = (more: object = {}) => ({ type: "text", text: "x", ...more });

const MARKED = requestOf("messages", {
  max_tokens: 9,
  cache_control: mark(),
  system: [text({ cache_control: mark("1h") })],
  tools: [{ name: "f", input_schema: { properties: { cache_control: { type: "string" } } }, cache_control: mark() }],
  messages: [
    { role: "user", content: [text(), text({ cache_control: mark("5m") })] },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "c", name: "f", input: { cache_control: "mine", ttl: "1h" } }],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c", content: [text({ cache_control: mark("1h") })] }],
    },
  ],
});
const sent = (sold: "none" | "minutes" | "hour"): string => withoutUnsold(MARKED, sold).bytes.toString();

test("where no cache write is sold, nobody is asked to cache, at whatever depth; what is the caller's own stays [BOD-42]", () => {
  expect(sent("none").match(/cache_control/g)).toEqual(["cache_control", "cache_control"]);
  expect(sent("none")).toContain('"input_schema":{"properties":{"cache_control":{"type":"string"}}}');
  expect(sent("none")).toContain('"input":{"cache_control":"mine","ttl":"1h"}');
  expect(unsoldMarks(MARKED.cacheMarks, "none").map(({ path }) => path)).toEqual([
    "cache_control",
    "system.*.cache_control",
    "tools.*.cache_control",
    "messages.*.content.*.cache_control",
    "messages.*.content.*.content.*.cache_control",
  ]);
});

test("where five minutes are sold and an hour is not, five minutes are asked for [BOD-42]", () => {
  expect(sent("minutes").match(/cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(5);
  expect(sent("minutes")).toContain('"input":{"cache_control":"mine","ttl":"1h"}');
  expect(unsoldMarks(MARKED.cacheMarks, "minutes").map(({ path }) => path)).toEqual([
    "system.*.cache_control.ttl",
    "messages.*.content.*.content.*.cache_control.ttl",
  ]);
});

test("where an hour is sold, and where nothing is asked for, the bytes are the very same", () => {
  const plain = requestOf("chat");

  expect(withoutUnsold(MARKED, "hour")).toBe(MARKED);
  expect(withoutUnsold(plain, "none")).toBe(plain);
});

/** What a price can sell. */
const SOLD = ["none", "minutes", "hour"] as const;
const FORMAT_A = ["chat", "responses"] as const;
const BODIES = {
  chat: { messages: [{ role: "user", content: "x" }] },
  responses: { input: "x" },
  messages: { max_tokens: 9, messages: [{ role: "user", content: "x" }] },
};
const asking = (dialect: keyof typeof BODIES, fields: object) => requestOf(dialect, { ...BODIES[dialect], ...fields });

test.each(FORMAT_A)("a day in the cache has no price in %s, so that it is never asked for [BOD-42]", (dialect) => {
  const request = asking(dialect, { prompt_cache_retention: "24h", prompt_cache_key: "mine" });

  for (const sold of SOLD) {
    expect(unsoldMarks(request.cacheMarks, sold).map(({ path }) => path)).toEqual(["prompt_cache_retention"]);
    const told = JSON.parse(withoutUnsold(request, sold).bytes.toString()) as object;
    expect(told).toMatchObject({ prompt_cache_key: "mine" });
    expect(told).not.toHaveProperty("prompt_cache_retention");
  }
});

test.each(FORMAT_A)(
  "twelve hours in the cache are never asked for in %s, and the rest of the options is [BOD-42]",
  (dialect) => {
    const request = asking(dialect, { prompt_cache_options: { mode: "explicit", ttl: "12h" } });

    for (const sold of SOLD) {
      expect(unsoldMarks(request.cacheMarks, sold).map(({ path }) => path)).toEqual(["prompt_cache_options.ttl"]);
      expect(withoutUnsold(request, sold).bytes.toString()).toContain('"prompt_cache_options":{"mode":"explicit"}');
    }
  },
);

test.each(FORMAT_A)("what a provider does unasked, or less than that, may be asked for in %s [BOD-42]", (dialect) => {
  const usual = { prompt_cache_retention: "in_memory", prompt_cache_options: { mode: "implicit", ttl: "30m" } };
  const request = asking(dialect, usual);

  for (const sold of SOLD) expect(withoutUnsold(request, sold)).toBe(request);
});

test("where an hour is sold, an hour is asked for and nothing longer, in the same request [BOD-42]", () => {
  const content = [text({ cache_control: mark("1h") }), text({ cache_control: mark("24h") })];
  const odd = { cache_control: { type: "ephemeral", ttl: "1h" } };
  const request = requestOf("messages", { max_tokens: 9, messages: [{ role: "user", content, ...odd }] });
  const told = JSON.parse(withoutUnsold(request, "hour").bytes.toString()) as { messages: unknown };

  expect(unsoldMarks(request.cacheMarks, "hour")).toMatchObject([{ path: "messages.*.content.*.cache_control.ttl" }]);
  const left = [text({ cache_control: mark("1h") }), text({ cache_control: mark() })];
  expect(told.messages).toEqual([{ role: "user", content: left, ...odd }]);
});

test("a name that no table knows and that begins as those of a cache is never sent [BOD-42]", () => {
  const names = fc
    .tuple(fc.constantFrom("prompt_cache_", "Prompt_Cache_", "prompt_cache"), fc.stringMatching(/^[a-z_]{1,12}$/))
    .map((parts) => parts.join(""))
    .filter((name) => !["key", "options", "retention"].includes(name.replace(/^prompt_cache_?_?/i, "")));
  fc.assert(
    fc.property(
      names,
      fc.constantFrom("chat", "responses", "messages"),
      fc.constantFrom(...SOLD),
      (name, dialect, sold) => {
        const request = asking(dialect, { [name]: "24h" });

        const told = JSON.parse(withoutUnsold(request, sold).bytes.toString()) as object;
        expect(told).not.toHaveProperty(name);
        expect([...unsoldMarks(request.cacheMarks, sold), ...(request.leftOut ?? [])]).toMatchObject([{ name }]);
      },
    ),
  );
});

test("a mark where no format has one goes, too", () => {
  const body = { messages: [{ role: "user", content: "x", cache_control: mark() }] };
  const request = requestOf("chat", body);

  expect(unsoldMarks(request.cacheMarks, "none")).toMatchObject([{ path: "messages.*.cache_control" }]);
  expect(withoutUnsold(request, "none").bytes.toString()).not.toContain("cache_control");
});

test("whatever asks to cache, and wherever, no provider is asked for what is not sold", () => {
  const block = fc.record(
    {
      type: fc.constant("text"),
      text: fc.string(),
      cache_control: fc.constantFrom(mark(), mark("1h"), mark("5m"), mark("24h"), null),
      prompt_cache_breakpoint: fc.constantFrom({ mode: "explicit" }, { mode: "explicit", ttl: "30m" }),
    },
    { requiredKeys: ["type", "text"] },
  );
  const messages = fc.array(fc.record({ role: fc.constant("user"), content: fc.array(block, { minLength: 1 }) }), {
    minLength: 1,
  });
  fc.assert(
    fc.property(messages, fc.constantFrom("chat" as const, "messages" as const), (given, dialect) => {
      const request = requestOf(dialect, { max_tokens: 9, messages: given });
      const none = JSON.parse(withoutUnsold(request, "none").bytes.toString()) as { messages: unknown };
      const plain = given.map(({ role, content }) => ({
        role,
        content: content.map(({ type, text: said }) => ({ type, text: said })),
      }));
      expect(none.messages).toEqual(plain);
      const minutes = withoutUnsold(request, "minutes").bytes.toString();
      const spans = [...minutes.matchAll(/"ttl":"(\w+)"/g)].map(([, span]) => span);
      expect(spans.every((span) => span === "5m")).toBe(true);
    }),
  );
});
