import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { readNetworkList } from "../../core/network-list.ts";
import { createCallerAddress, type HiddenAddress } from "./caller-address.ts";

const PROXY = "10.0.0.1";
const hidden: HiddenAddress[] = [];

function addressOf(peer: string | undefined, headers: Record<string, string>, trusted = "10.0.0.0/8, 2001:db8:a::/48") {
  hidden.length = 0;
  const callerAddress = createCallerAddress({
    trusted: readNetworkList(trusted) ?? (() => false),
    onHidden: (each) => hidden.push(each),
  });
  return callerAddress({ headers, socket: { remoteAddress: peer } } as unknown as IncomingMessage);
}

test.each<[what: string, headers: Record<string, string>, address: string]>([
  ["the only address", { "x-forwarded-for": "192.0.2.7" }, "192.0.2.7"],
  ["the right-most of several", { "x-forwarded-for": "198.51.100.1, 192.0.2.7" }, "192.0.2.7"],
  ["the right-most that is no proxy", { "x-forwarded-for": "198.51.100.1,192.0.2.7, 10.0.0.9,10.1.1.1" }, "192.0.2.7"],
  ["a proxy, where all are", { "x-forwarded-for": "10.0.0.9, 10.0.0.8" }, "10.0.0.9"],
  ["an address with a port", { "x-forwarded-for": "192.0.2.7:4711" }, "192.0.2.7"],
  ["an IPv6 address", { "x-forwarded-for": "2001:db8::7" }, "2001:db8::7"],
  ["an IPv6 address with a port", { "x-forwarded-for": "[2001:db8::7]:4711" }, "2001:db8::7"],
  ["an IPv4 address written as IPv6", { "x-forwarded-for": "::ffff:192.0.2.7" }, "192.0.2.7"],
  ["Forwarded", { forwarded: "for=192.0.2.7;proto=https;by=10.0.0.1" }, "192.0.2.7"],
  [
    "Forwarded, from the right",
    { forwarded: "for=198.51.100.1, For = 192.0.2.7, proto=http;for=10.0.0.5" },
    "192.0.2.7",
  ],
  ["Forwarded, quoted", { forwarded: 'for="[2001:db8::7]:4711"' }, "2001:db8::7"],
  ["a quote the caller left open", { forwarded: 'for="192.0.2.99, for=192.0.2.7' }, "192.0.2.7"],
  [
    "both headers, where they agree",
    { forwarded: "for=192.0.2.7", "x-forwarded-for": "1.1.1.1, 192.0.2.7" },
    "192.0.2.7",
  ],
])("behind a trusted proxy, a request comes from %s [AUT-24]", (_what, headers, address) => {
  expect(addressOf(PROXY, headers)).toBe(address);
  expect(addressOf(`::ffff:${PROXY}`, headers)).toBe(address);
  expect(addressOf("2001:db8:a::1", headers)).toBe(address);
});

test.each<[what: string, headers: Record<string, string>, address: string]>([
  ["no address", { "x-forwarded-for": "192.0.2.7, nonsense" }, PROXY],
  ["an empty entry", { "x-forwarded-for": "192.0.2.7," }, PROXY],
  ["an empty header", { "x-forwarded-for": "" }, PROXY],
  ["nonsense behind another proxy", { "x-forwarded-for": "192.0.2.7, x, 10.0.0.9" }, "10.0.0.9"],
  ["a name that hides the caller", { forwarded: "for=192.0.2.7, for=_hidden" }, PROXY],
  ["an unknown caller", { forwarded: "for=192.0.2.7, for=unknown" }, PROXY],
  ["an element that names nobody", { forwarded: "for=192.0.2.7, proto=https" }, PROXY],
  ["an element that names two", { forwarded: "for=192.0.2.7;for=192.0.2.8" }, PROXY],
  ["two headers that differ", { forwarded: "for=192.0.2.7", "x-forwarded-for": "192.0.2.8" }, PROXY],
  ["more proxies than anybody has", { "x-forwarded-for": `192.0.2.7${",10.0.0.9".repeat(100)}` }, "10.0.0.9"],
])("%s ends the walk at the last proxy that could be believed [AUT-24]", (_what, headers, address) => {
  expect(addressOf(PROXY, headers)).toBe(address);
});

test("a caller that is no trusted proxy does not choose its address [AUT-24]", () => {
  expect(addressOf("192.0.2.66", { "x-forwarded-for": "192.0.2.7", forwarded: "for=192.0.2.7" })).toBe("192.0.2.66");
  expect(addressOf("192.0.2.66", { "x-forwarded-for": "10.0.0.1" }, "")).toBe("192.0.2.66");
  expect(addressOf(undefined, { "x-forwarded-for": "192.0.2.7" })).toBe("");
  expect(hidden).toEqual([]);
});

test("callers behind a proxy that does not name them, and on loopback, have no address; an operator is told once [AUT-24]", () => {
  expect(addressOf(PROXY, {})).toBeNull();
  expect(hidden).toEqual([{ peer: PROXY, reason: "not_forwarded" }]);
  expect(addressOf("127.0.0.1", {})).toBeNull();
  expect(addressOf("::1", {})).toBeNull();
  expect(hidden).toEqual([]);
  expect(addressOf("127.0.0.1", { "x-forwarded-for": "192.0.2.7" })).toBeNull();
  expect(hidden).toEqual([{ peer: "127.0.0.1", reason: "not_trusted" }]);
});
