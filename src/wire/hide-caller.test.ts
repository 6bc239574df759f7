import { expect, test } from "vitest";
import { payerNamed } from "../core/money/payer.ts";
import { readChatRequest } from "./chat/chat-request.ts";
import { hideCaller } from "./hide-caller.ts";
import { editMembers } from "./json/edit-members.ts";
import { parseBody } from "./json/parse-body.ts";
import { readMessagesRequest } from "./messages/messages-request.ts";
import { readResponsesRequest } from "./responses/responses-request.ts";

const MESSAGES = [{ role: "user", content: "hi" }];

function hidden(fields: object, keyId = "key-1"): Record<string, string | null> {
  const body = parseBody(Buffer.from(JSON.stringify({ model: "m", messages: MESSAGES, ...fields })), 64);
  return hideCaller(readChatRequest(body), body, { keyId, payer: payerNamed(keyId) }).edits;
}

test("a user's name leaves as a pseudonym: the same under one key, another under the next [BOD-28]", () => {
  const fields = { user: "ann@example.com", safety_identifier: "ann@example.com" };
  const once = hidden(fields);

  expect(once).toEqual(hidden(fields));
  expect(once["user"]).toBe(once["safety_identifier"]);
  expect(once["user"]).not.toContain("ann");
  expect(once["user"]).not.toBe(hidden(fields, "key-2")["user"]);
  expect(once["user"]).not.toBe(hidden({ user: "bob@example.com" })["user"]);
  expect(JSON.parse(once["user"] ?? "")).toHaveLength(43);
});

test("`metadata.user_id` of a message is hidden, and the rest of `metadata` is not [BOD-28]", () => {
  const metadata = { user_id: "ann", other: "kept" };
  const body = parseBody(Buffer.from(JSON.stringify({ model: "m", messages: MESSAGES, metadata })), 64);
  const { edits } = hideCaller(readMessagesRequest(body, {}), body, { keyId: "key-1", payer: payerNamed("key-1") });

  expect(JSON.parse(edits["metadata"] ?? "")).toEqual({
    user_id: expect.stringMatching(/^[\w-]{43}$/) as string,
    other: "kept",
  });
});

test("a cache is shared under one key and with no other, within the length a provider takes [BOD-29]", () => {
  const short = JSON.parse(hidden({ prompt_cache_key: "chapter-1" })["prompt_cache_key"] ?? "") as string;
  const long = JSON.parse(hidden({ prompt_cache_key: "x".repeat(64) })["prompt_cache_key"] ?? "") as string;
  const other = JSON.parse(hidden({ prompt_cache_key: "chapter-1" }, "key-2")["prompt_cache_key"] ?? "") as string;

  expect(short).toMatch(/^[\w-]{12}-chapter-1$/);
  expect(other).not.toBe(short);
  expect(long.length).toBeLessThanOrEqual(64);
  expect(long.slice(0, 13)).toBe(short.slice(0, 13));
});

test("what an agent tells its provider about its machine and sessions is left out [BOD-28]", () => {
  const about = { "x-codex-installation-id": "e6671466", session_id: "01a1de37" };
  const body = parseBody(Buffer.from(JSON.stringify({ model: "m", input: "hi", client_metadata: about })), 64);
  const request = hideCaller(readResponsesRequest(body), body, { keyId: "key-1", payer: payerNamed("key-1") });
  const sent = editMembers(request.bytes, request.members, request.edits).toString();

  expect(sent).toContain('"input":"hi"');
  expect(sent).not.toContain("client_metadata");
  expect(sent).not.toContain("e6671466");
});

test("what is absent stays absent, and what is no text is refused", () => {
  expect(hidden({ safety_identifier: null })).toEqual({});
  expect(() => hidden({ safety_identifier: { name: "ann" } })).toThrow("safety_identifier");
});
