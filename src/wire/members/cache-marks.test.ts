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
