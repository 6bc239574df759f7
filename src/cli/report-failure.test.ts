import { afterEach, expect, test, vi } from "vitest";
import { Conflict } from "../core/conflict.ts";
import { Fault } from "../core/fault.ts";
import { CommandError, reportFailure } from "./report-failure.ts";

afterEach(() => vi.restoreAllMocks());

function said(error: unknown, asJson: boolean): string {
  let text = "";
  vi.spyOn(process.stderr, "write").mockImplementation((bytes) => {
    text += String(bytes);
    return true;
  });
  reportFailure(error, asJson);
  return text;
}

const withCode = (message: string, code: string, syscall?: string): Error =>
  Object.assign(new Error(message), { code, ...(syscall === undefined ? {} : { syscall }) });

test.each<[error: unknown, sentence: string]>([
  [new CommandError("there is nothing to change."), "there is nothing to change."],
  [new Fault("not_found", "There is no key."), "There is no key."],
  [new Conflict("it is revoked."), "it is revoked."],
  [
    withCode('relation "key" does not exist', "42P01"),
    'the database is not up to date (relation "key" does not exist). Run `tollgate migrate`.',
  ],
  [withCode("bigint out of range", "22003"), "the database returned an error: bigint out of range (22003)."],
  [
    withCode('database "x" does not exist', "3D000"),
    'the database returned an error: database "x" does not exist (3D000). Create it, or correct DATABASE_URL.',
  ],
  [
    withCode("permission denied for table key", "42501"),
    "the database returned an error: permission denied for table key (42501). Connect as the owner of the tables, or let the owner run `tollgate migrate --serving-role NAME` (docs/operate/database-roles.md).",
  ],
  [
    withCode('password authentication failed for user "x"', "28P01"),
    'the database returned an error: password authentication failed for user "x" (28P01). Correct the user or the password in DATABASE_URL.',
  ],
  [
    withCode("listen EADDRINUSE: address already in use 127.0.0.1:9100", "EADDRINUSE", "listen"),
    "listen EADDRINUSE: address already in use 127.0.0.1:9100. Stop the process that uses this port, or choose another with --port.",
  ],
  [
    withCode("listen EADDRNOTAVAIL: address not available 10.9.9.9:8080", "EADDRNOTAVAIL", "listen"),
    "listen EADDRNOTAVAIL: address not available 10.9.9.9:8080. This machine does not have that address; choose another host.",
  ],
  [
    withCode("listen EACCES: permission denied 127.0.0.1:80", "EACCES", "listen"),
    "listen EACCES: permission denied 127.0.0.1:80. Ports below 1024 need privileges; choose a higher one.",
  ],
  [
    withCode("getaddrinfo ENOTFOUND nowhere.invalid", "ENOTFOUND", "getaddrinfo"),
    "getaddrinfo ENOTFOUND nowhere.invalid. Check that the server is running and that its address is correct.",
  ],
  [
    new Error("Connection terminated unexpectedly"),
    "Connection terminated unexpectedly. Check that the server is running and that its address is correct.",
  ],
  [
    new Error("The server does not support SSL connections"),
    "The server does not support SSL connections. Remove sslmode from DATABASE_URL, or turn on TLS at the server.",
  ],
  [
    withCode("self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"),
    "the server's certificate is not trusted: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT). Add its issuer with sslrootcert=FILE in DATABASE_URL.",
  ],
  [
    withCode("EISDIR: illegal operation on a directory, read", "EISDIR", "read"),
    "EISDIR: illegal operation on a directory, read.",
  ],
  [
    withCode("connect ECONNREFUSED 127.0.0.1:1", "ECONNREFUSED"),
    "connect ECONNREFUSED 127.0.0.1:1. Check that the server is running and that its address is correct.",
  ],
])("%s is one sentence without a stack", (error, sentence) => {
  expect(said(error, false)).toBe(`tollgate: ${sentence}\n`);
  expect(JSON.parse(said(error, true))).toEqual({ error: { message: sentence } });
});

test.each([new TypeError("x is not a function"), new ReferenceError("x is not defined"), new RangeError("too deep")])(
  "what nobody foresaw, as %s, keeps its stack",
  (error) => {
    expect(said(error, false)).toContain("\n    at ");
  },
);
