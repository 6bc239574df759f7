import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { readNetworkList } from "../../core/network-list.ts";
import { createConnectionShare } from "./connection-share.ts";

const trusted = readNetworkList("10.0.0.0/8") ?? (() => false);

/** Connections as far as they are counted: how many of them stay open. */
function arrivals() {
  const attend = createConnectionShare({ connections: 12, addressSharePercent: 25, trusted });
  const open = new Set<EventEmitter>();
  const connect = (remoteAddress: string): EventEmitter => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: () => open.delete(socket) });
    open.add(socket);
    attend(socket as unknown as Socket);
    return socket;
  };
  return { connect, open };
}

test("one address, or one IPv6 network, holds a share of the connections, and gets it back as they close", () => {
  const { connect, open } = arrivals();
  const [first] = Array.from({ length: 5 }, () => connect("192.0.2.1"));
  for (let host = 0; host < 5; host++) connect(`2001:db8:1:2::${host}`);
  connect("::ffff:192.0.2.2");
  expect(open.size).toBe(7);

  first?.emit("close");
  connect("192.0.2.1");
  connect("192.0.2.1");
  expect(open.size).toBe(8);
});

test("a trusted proxy, and one on this machine, hold as many as they need", () => {
  const { connect, open } = arrivals();
  for (const address of ["10.1.2.3", "127.0.0.1", "::1"]) for (let each = 0; each < 5; each++) connect(address);

  expect(open.size).toBe(15);
});
