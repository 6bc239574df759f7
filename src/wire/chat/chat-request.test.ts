import { expect, test } from "vitest";
import { parseBody } from "../json/parse-body.ts";
import { readChatRequest } from "./chat-request.ts";

function editsFor(fields: object) {
  const body = { model: "m", messages: [{ role: "user", content: "hi" }], ...fields };
  return readChatRequest(parseBody(Buffer.from(JSON.stringify(body)), 64)).edits;
}

test("labels for an answer that was to be stored go with the storing: providers refuse them alone", () => {
  expect(editsFor({ store: true, metadata: { team: "a" } })).toEqual({ store: "false", metadata: null });
});

test("labels that were not meant for storing stay: what a provider makes of them is its affair", () => {
  expect(editsFor({ store: false, metadata: { team: "a" } })).toEqual({ store: "false" });
  expect(editsFor({ metadata: { team: "a" } })).toEqual({});
});
