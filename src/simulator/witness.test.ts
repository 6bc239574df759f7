import { expect, test } from "vitest";
import { createWitness, type NewCall } from "./witness.ts";

const newCall = (callId: string, headers: Record<string, string> = {}): NewCall => ({
  callId,
  dialect: "chat",
  path: "/v1/chat/completions",
  receivedAtMs: 1,
  headers,
  credentialDigest: null,
});

test("only the newest calls are kept, oldest first", () => {
  const witness = createWitness({ limit: 3 });
  for (const id of ["a", "b", "c", "d", "e"]) witness.open(newCall(id));

  expect(witness.calls().map((call) => call.callId)).toEqual(["c", "d", "e"]);
  expect(witness.calls(4).map((call) => call.callId)).toEqual(["e"]);
  expect(witness.find("a")).toBeNull();
  expect(witness.find("e")?.seq).toBe(5);
});

test("forgetting keeps the numbering, so that a reader's place stays valid", () => {
  const witness = createWitness({ limit: 3 });
  witness.open(newCall("a"));
  witness.reset();
  witness.open(newCall("b"));

  expect(witness.calls().map((call) => [call.seq, call.callId])).toEqual([[2, "b"]]);
});

test("large bodies are not kept", () => {
  const witness = createWitness({ limit: 3 });
  const small = witness.open(newCall("a"));
  const large = witness.open(newCall("b"));
  small.requestBytes = 16 * 1024;
  large.requestBytes = 16 * 1024 + 1;

  witness.keepBody(small, { small: true });
  witness.keepBody(large, { large: true });

  expect(witness.calls().map((call) => call.body)).toEqual([{ small: true }, null]);
});

test("the oldest details make room when all of them together would take too much", () => {
  const witness = createWitness({ limit: 100_000 });
  const heavy = { "x-heavy": "h".repeat(1024 * 1024) };
  for (let index = 0; index < 70; index += 1) witness.open(newCall(String(index), heavy));

  const calls = witness.calls();

  expect(calls).toHaveLength(70);
  expect(calls[0]?.headers).toEqual({});
  expect(calls.at(-1)?.headers).toEqual(heavy);
  expect(calls.filter((call) => "x-heavy" in call.headers).length).toBeLessThanOrEqual(64);
});

test("whoever waits for a call hears of it when it comes to that state", async () => {
  const witness = createWitness({ limit: 3 });
  const call = witness.open(newCall("a"));
  const ended = witness.waitFor((each) => each.ended === "completed");

  witness.changed(call);
  call.ended = "completed";
  witness.changed(call);

  expect(await ended).toBe(call);
  expect(await witness.waitFor((each) => each.callId === "a")).toBe(call);
});
