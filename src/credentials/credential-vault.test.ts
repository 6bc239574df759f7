import { randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { shortKeyId } from "../core/secret/sealed-credential.ts";
import { createCredentialVault } from "./credential-vault.ts";
import { createSecret, type Secret } from "../core/secret/secret.ts";

const CREDENTIAL = "sk-stored-credential-0123456789";
const place = { provider: "acme", baseUrl: "https://api.example.com/v1" };
const newKey = (): Secret => createSecret(randomBytes(32).toString("base64"));
const key = newKey();
const vault = createCredentialVault({ key, previousKey: null });

test("what is sealed opens again, for the provider and the host it was sealed for", () => {
  const sealed = vault.seal(CREDENTIAL, place);

  expect(vault.open(sealed, place).reveal()).toBe(CREDENTIAL);
  expect(vault.open(sealed, { ...place, baseUrl: "https://api.example.com/v2/other" }).reveal()).toBe(CREDENTIAL);
  expect(sealed.keyId).toBe(vault.keyId);
});

test("a box and the id of its key show neither the credential nor the key, and no two boxes are alike", () => {
  const boxes = Array.from({ length: 50 }, () => vault.seal(CREDENTIAL, place).box);
  const nonces = boxes.map((box) => Buffer.from(box, "base64").subarray(0, 12).toString("hex"));

  expect(new Set(nonces).size).toBe(50);
  for (const box of boxes) expect(Buffer.from(box, "base64").toString("latin1")).not.toContain("stored");
  expect(Buffer.from(key.reveal(), "base64").toString("hex")).not.toContain(vault.keyId);
});

test("a credential that was opened is not shown by accident", () => {
  const opened = vault.open(vault.seal(CREDENTIAL, place), place);

  expect(`${String(opened)} ${JSON.stringify({ opened })} ${inspect({ opened })}`).not.toContain("sk-stored");
});

describe("what was not sealed for this place does not open", () => {
  const sealed = vault.seal(CREDENTIAL, place);
  const bytes = Buffer.from(sealed.box, "base64");
  const open = (box: Buffer, at = place): string => {
    try {
      return vault.open({ ...sealed, box: box.toString("base64") }, at).reveal();
    } catch (error) {
      return (error as Error).message;
    }
  };

  test("a single bit changed anywhere in the box is noticed", () => {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const tampered = Buffer.from(bytes);
      tampered[bit >> 3] = (tampered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(open(tampered)).toContain("does not open");
    }
  });

  test("a box that was cut short, at any length, is noticed", () => {
    for (let length = 0; length < bytes.length; length++)
      expect(open(bytes.subarray(0, length))).toContain("does not open");
  });

  test.each([
    ["a row copied to another provider", { ...place, provider: "other" }],
    ["a provider pointed to another host", { ...place, baseUrl: "https://evil.example.net/v1" }],
    ["a provider pointed to another port", { ...place, baseUrl: "https://api.example.com:8443/v1" }],
    ["a provider no longer called by https", { ...place, baseUrl: "http://api.example.com/v1" }],
  ])("%s", (_name, at) => {
    expect(open(bytes, at)).toMatch(
      /does not open for http\S+: .* store the credential again with `tollgate providers/,
    );
    expect(open(bytes)).toBe(CREDENTIAL);
  });
});

describe("keys", () => {
  const sealed = vault.seal(CREDENTIAL, place);

  test("without the key it is said which one is missing, and which are there", () => {
    const other = createCredentialVault({ key: newKey(), previousKey: null });
    const none = createCredentialVault({ key: null, previousKey: null });

    expect(() => other.open(sealed, place)).toThrow(
      `acme was stored with the key ${shortKeyId(sealed.keyId)}, and the keys given are: ${shortKeyId(other.keyId ?? "")}.`,
    );
    expect(() => none.open(sealed, place)).toThrow("the keys given are: none.");
    expect(() => none.seal(CREDENTIAL, place)).toThrow("openssl rand -base64 32");
    expect(none.keyId).toBeNull();
  });

  test("a box that claims to be another key's does not open with it", () => {
    const other = createCredentialVault({ key: newKey(), previousKey: null });

    expect(() => other.open({ ...sealed, keyId: other.keyId ?? "" }, place)).toThrow("does not open");
  });

  test("half way through a change of keys both kinds of rows open, and new ones are sealed with the new key", () => {
    const half = createCredentialVault({ key: newKey(), previousKey: key });
    const after = half.seal(half.open(sealed, place).reveal(), place);

    expect(after.keyId).not.toBe(sealed.keyId);
    expect(half.open(sealed, place).reveal()).toBe(CREDENTIAL);
    expect(half.open(after, place).reveal()).toBe(CREDENTIAL);
    expect(() => vault.open(after, place)).toThrow(shortKeyId(after.keyId));
  });
});
