import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { fingerprintOf, type Repeatable } from "../../../wire/fingerprint.ts";
import { claimOf as claim } from "./claim.ts";

type Sent = Repeatable & { idempotencyKey: string };

const claimOf = (sent: Sent) => claim({ ...sent, fingerprint: fingerprintOf(sent) });

const REQUEST: Sent = {
  idempotencyKey: "order 4711 of ann@example.com",
  route: "chat_completions",
  version: "",
  bytes: Buffer.from('{"model":"m"}'),
};

test("of the header nothing is kept but its SHA-256 [IDM-8]", () => {
  const made = claimOf(REQUEST);
  const kept = JSON.stringify({ ...made, keySha256: made.keySha256.toString("latin1") });

  expect(made.keySha256).toEqual(createHash("sha256").update(REQUEST.idempotencyKey).digest());
  expect(kept).not.toContain("4711");
});

test.each<[what: string, changes: Partial<Sent>]>([
  ["body", { bytes: Buffer.from('{"model": "m"}') }],
  ["route", { route: "messages" }],
  ["version", { version: "2023-06-01" }],
])("the same header with another %s is another request [IDM-9]", (_what, changes) => {
  expect(claimOf({ ...REQUEST, ...changes }).fingerprint).not.toEqual(claimOf(REQUEST).fingerprint);
});

test("a retry is recognised: the same bytes under another header have the same fingerprint [IDM-9]", () => {
  const retry = { ...REQUEST, idempotencyKey: "another", bytes: Buffer.from(REQUEST.bytes) };

  expect(claimOf(retry).fingerprint).toEqual(claimOf(REQUEST).fingerprint);
  expect(claimOf(retry).keySha256).not.toEqual(claimOf(REQUEST).keySha256);
});
