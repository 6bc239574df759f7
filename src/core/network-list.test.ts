import { expect, test } from "vitest";
import { plainAddress, readNetworkList } from "./network-list.ts";

test.each([
  ["10.0.0.0/8", "10.255.0.1", "11.0.0.1"],
  ["192.0.2.1", "192.0.2.1", "192.0.2.2"],
  ["2001:db8::/32, ::1", "2001:db8:1::7", "2001:db9::1"],
  ["::1,127.0.0.0/8", "127.3.4.5", "::2"],
  ["0.0.0.0/0", "203.0.113.1", "2001:db8::1"],
])("%s holds %s and not %s", (text, inside, outside) => {
  const list = readNetworkList(text);

  expect(list?.(inside)).toBe(true);
  expect(list?.(outside)).toBe(false);
  expect(list?.("")).toBe(false);
});

test("no network holds no address", () => {
  expect(readNetworkList("")?.("127.0.0.1")).toBe(false);
});

test.each([
  "10.0.0.0/33",
  "10.0.0/8",
  "300.1.1.1",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "::/129",
  "proxy",
  "10.0.0.1,,::1",
  ",",
])("%s is no list of networks", (text) => {
  expect(readNetworkList(text)).toBeNull();
});

test("an IPv4 address on a socket of both kinds is that IPv4 address", () => {
  expect(plainAddress("::ffff:192.0.2.1")).toBe("192.0.2.1");
  expect(plainAddress("::1")).toBe("::1");
});
