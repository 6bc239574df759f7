import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freshToken } from "./fresh-token.ts";
import type { SignedInTokens } from "./oauth-client.ts";
import { openSessionFile, sessionPath } from "./session-file.ts";

const ORIGIN = "https://gateway.example.com";
const NOW = Date.UTC(2026, 10, 17);
const MINUTE = 60_000;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-sessions-"));
  path = sessionPath(folder, {});
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tokens = (name: string, minutes: number): SignedInTokens => ({
  accessToken: `access ${name}`,
  refreshToken: `refresh ${name}`,
  expiresAtMs: NOW + minutes * MINUTE,
});
const keep = (kept: SignedInTokens, origin = ORIGIN): Promise<void> =>
  openSessionFile(path).change((sessions) => Promise.resolve(new Map([...sessions, [origin, kept]])));

/** As a process of its own would ask. */
function asking(refresh: (token: string) => Promise<SignedInTokens | null>) {
  return freshToken(ORIGIN, {
    file: openSessionFile(path),
    refresh: (_origin, token) => refresh(token),
    nowMs: () => NOW,
  });
}
const never = (): never => {
  throw new Error("asked for a token that is there");
};

test("a token that is good for more than five minutes is given without a call", async () => {
  await keep(tokens("one", 6));

  expect(await asking(never)).toBe("access one");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("of many that ask at once when it is about to end, one refreshes and all get the same", async () => {
  await keep(tokens("old", 4));
  const asked: string[] = [];
  const refresh = async (token: string): Promise<SignedInTokens> => {
    asked.push(token);
    await wait(20);
    return tokens(`after ${asked.length}`, 60);
  };
  const given = await Promise.all(Array.from({ length: 12 }, () => asking(refresh)));

  expect(asked).toEqual(["refresh old"]);
  expect(new Set(given)).toEqual(new Set(["access after 1"]));
  expect(openSessionFile(path).read().get(ORIGIN)).toEqual(tokens("after 1", 60));
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("a session that is over is forgotten, others stay, and the message says what to do", async () => {
  await keep(tokens("other", 60), "https://other.example.com");
  await keep(tokens("old", 1));

  await expect(asking(() => Promise.resolve(null))).rejects.toThrow(`Run \`tollgate login --url ${ORIGIN}\``);
  expect([...openSessionFile(path).read().keys()]).toEqual(["https://other.example.com"]);
});

test("a refresh that fails leaves the session and no lock", async () => {
  await keep(tokens("old", 1));

  await expect(asking(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(openSessionFile(path).read().get(ORIGIN)).toEqual(tokens("old", 1));
  expect(await asking(() => Promise.resolve(tokens("new", 60)))).toBe("access new");
});

test("a lock that a killed process left is taken over", async () => {
  await keep(tokens("old", 1));
  writeFileSync(`${path}.lock`, "");
  const long = new Date(Date.now() - 60_000);
  utimesSync(`${path}.lock`, long, long);

  expect(await asking(() => Promise.resolve(tokens("new", 60)))).toBe("access new");
});

test("a file that others can read, or that is something else, is refused", async () => {
  await keep(tokens("one", 60));
  chmodSync(path, 0o644);
  await expect(asking(never)).rejects.toThrow("others can read");
  writeFileSync(path, "[]", { mode: 0o600 });
  chmodSync(path, 0o600);
  await expect(asking(never)).rejects.toThrow("is not a file of sessions");
});
