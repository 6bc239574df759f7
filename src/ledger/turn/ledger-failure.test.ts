import { expect, test } from "vitest";
import { ledgerFailureOf } from "./ledger-store.ts";

const failing = (code: string): Error => Object.assign(new Error("it fails"), { code });

test.each([
  ["a value of one request", "22003", "data"],
  ["a rule that one request breaks", "23514", "data"],
  ["a lock that was waited for", "55P03", "lost"],
  ["a full disk", "53100", "lost"],
  ["a server that goes away", "57P01", "lost"],
  ["a connection that was cut", "ECONNRESET", "lost"],
  ["no file left", "EMFILE", "lost"],
  ["a right that the role lacks", "42501", "refused"],
  ["a table that is not there", "42P01", "refused"],
  ["a rejected password", "28P01", "refused"],
  ["a disk that cannot be read", "58030", "refused"],
  ["damaged data", "XX001", "refused"],
  // One request may be able to bring these about, and must not close the gateway for all.
  ["an error inside PostgreSQL", "XX000", "bug"],
  ["a statement that makes no sense", "42601", "bug"],
  ["an exception that is not named", "P0001", "bug"],
])("%s (%s) is %s", (_name, code, failure) => {
  expect(ledgerFailureOf(failing(code))).toBe(failure);
});
