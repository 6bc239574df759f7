import { expect, test } from "vitest";
import { createConversations } from "./conversations.ts";

const said = (id: string, bytes: number) => ({ id, items: Buffer.alloc(bytes, 32) });

test("the conversation used least recently is forgotten when there is too much", () => {
  const conversations = createConversations({ bytes: 100, mostBytes: 80 });
  const [one, two, three] = [{}, {}, {}];
  conversations.keep(one, said("1", 40));
  conversations.keep(two, said("2", 40));
  conversations.keep(one, said("1b", 40));
  conversations.keep(three, said("3", 40));

  expect([one, two, three].map((socket) => conversations.of(socket)?.id)).toEqual(["1b", undefined, "3"]);
});

test("a conversation larger than a request is not kept, and the one before it neither", () => {
  const conversations = createConversations({ bytes: 100, mostBytes: 80 });
  const socket = {};
  conversations.keep(socket, said("1", 40));
  conversations.keep(socket, said("2", 81));

  expect(conversations.of(socket)).toBeNull();
});

test("what is forgotten makes room", () => {
  const conversations = createConversations({ bytes: 100, mostBytes: 100 });
  const [one, two] = [{}, {}];
  conversations.keep(one, said("1", 90));
  conversations.forget(one);
  conversations.keep(two, said("2", 90));

  expect(conversations.of(one)).toBeNull();
  expect(conversations.of(two)?.id).toBe("2");
});
