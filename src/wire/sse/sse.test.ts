import fc from "fast-check";
import { expect, test } from "vitest";
import { processorMs } from "../../../tests/support/processor-time.ts";
import { eventData } from "./event-data.ts";
import { EventSplitter } from "./event-splitter.ts";

function split(chunks: Buffer[], maxEventBytes = 1_000): { events: string[]; rest: string; ok: boolean } {
  const events: string[] = [];
  const splitter = new EventSplitter(
    (bytes, start, end) => events.push(bytes.toString("utf8", start, end)),
    maxEventBytes,
  );
  let ok = true;
  for (const chunk of chunks) ok &&= splitter.push(chunk);
  return { events, rest: splitter.rest.toString(), ok };
}

test("events are cut at their blank line, whichever line ending a provider uses", () => {
  const { events, rest } = split([Buffer.from("data: a\n\ndata: b\r\n\r\n: note\n\ndata: c\n\r\ndata: d")]);

  expect(events).toEqual(["data: a\n\n", "data: b\r\n\r\n", ": note\n\n", "data: c\n\r\n"]);
  expect(rest).toBe("data: d");
});

test("where the network cuts the bytes never changes the events", () => {
  const text = 'event: x\ndata: {"é":1}\n\ndata: two\r\n\r\ndata: [DONE]\n\n';
  const whole = split([Buffer.from(text)]).events;

  fc.assert(
    fc.property(fc.array(fc.nat(text.length + 2), { maxLength: 8 }), (cuts) => {
      const bytes = Buffer.from(text);
      const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = places.slice(1).map((to, index) => bytes.subarray(places[index], to));
      const { events, rest } = split(chunks);

      expect(events).toEqual(whole);
      expect(rest).toBe("");
    }),
  );
});

test("a large event that comes byte by byte costs little more than in one piece", () => {
  const event = Buffer.from(`data: ${"x".repeat(200_000)}\n\n`);
  const bytes = Array.from(event, (_byte, at) => event.subarray(at, at + 1));
  let seen: ReturnType<typeof split> | null = null;
  const tookMs = processorMs(() => (seen = split(bytes, 1_000_000)));

  expect(seen).toEqual({ events: [event.toString()], rest: "", ok: true });
  expect(tookMs).toBeLessThan(1_500);
});

test("an event past the limit is reported instead of kept", () => {
  expect(split([Buffer.alloc(600, "x"), Buffer.alloc(600, "x")]).ok).toBe(false);
});

test("the data of an event is its data fields joined; a comment has none", () => {
  expect(eventData(Buffer.from("event: a\ndata: 1\ndata: 2\n\n"))).toBe("1\n2");
  expect(eventData(Buffer.from(": note\n\n"))).toBeNull();
});
