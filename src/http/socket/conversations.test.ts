import { expect, test } from "vitest";
import { payerNamed } from "../../core/money/payer.ts";
import { createConversations } from "./conversations.ts";

const said = (id: string, bytes: number) => ({ id, items: Buffer.alloc(bytes, 32) });
const socketOf = (payer: string) => ({ payer: payerNamed(payer) });
const whole = { keySharePercent: 100 };

test("the conversation used least recently is forgotten when there is too much", () => {
  const conversations = createConversations({ bytes: 100, mostBytes: 80, ...whole });
  const [one, two, three] = [socketOf("a"), socketOf("b"), socketOf("c")];
  conversations.keep(one, said("1", 40));
  conversations.keep(two, said("2", 40));
  conversations.keep(one, said("1b", 40));
  conversations.keep(three, said("3", 40));

  expect([one, two, three].map((socket) => conversations.of(socket)?.id)).toEqual(["1b", undefined, "3"]);
});

test("who keeps more than a share forgets their own, not what others keep", () => {
  const conversations = createConversations({ bytes: 100, mostBytes: 30, keySharePercent: 25 });
  const neighbour = socketOf("neighbour");
  conversations.keep(neighbour, said("theirs", 30));
  const sockets = Array.from({ length: 20 }, () => socketOf("greedy"));
  for (const [place, socket] of sockets.entries()) conversations.keep(socket, said(`${place}`, 15));

  expect(conversations.of(neighbour)?.id).toBe("theirs");
  expect(sockets.filter((socket) => conversations.of(socket) !== null)).toEqual(sockets.slice(-2));
});

test("a conversation larger than a request is not kept, and the one before it neither", () => {
  const conversations = createConversations({ bytes: 100, mostBytes: 80, ...whole });
  const socket = socketOf("a");
  conversations.keep(socket, said("1", 40));
  conversations.keep(socket, said("2", 81));

  expect(conversations.of(socket)).toBeNull();
});

test("what is forgotten makes room", () => {
  const conversations = createConversations({ bytes: 100, mostBytes: 100, ...whole });
  const [one, two] = [socketOf("a"), socketOf("a")];
  conversations.keep(one, said("1", 90));
  conversations.forget(one);
  conversations.keep(two, said("2", 90));

  expect(conversations.of(one)).toBeNull();
  expect(conversations.of(two)?.id).toBe("2");
});
