import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createCredentialVault } from "./credential-vault.ts";
import { createSecret, type Secret } from "../core/secret/secret.ts";
import { type SealedCredential, shortKeyId } from "../core/secret/sealed-credential.ts";
import { rekeyText } from "../cli/text/catalogue/rekey-text.ts";
import { rekey } from "./rekey.ts";

const newKey = (): Secret => createSecret(randomBytes(32).toString("base64"));
const [first, second, third] = [newKey(), newKey(), newKey()];
const vaultOf = (key: Secret | null, previousKey: Secret | null = null) => createCredentialVault({ key, previousKey });

/** Providers and what is stored of them. */
function shelf(...names: string[]) {
  const place = (provider: string) => ({ provider, baseUrl: `https://${provider}.example.com/v1` });
  const rows = new Map<string, SealedCredential>();
  for (const name of names) rows.set(name, vaultOf(first).seal(`sk-${name}`, place(name)));
  const resealCredentials: Parameters<typeof rekey>[0]["resealCredentials"] = async (reseal) => {
    for (const [provider, sealedCredential] of rows) {
      const resealed = reseal({ ...place(provider), sealedCredential });
      if (resealed !== null) rows.set(provider, resealed);
    }
    return Promise.resolve();
  };
  const opened = (key: Secret): string[] =>
    [...rows].map(([provider, sealed]) => vaultOf(key).open(sealed, place(provider)).reveal());
  return { rows, resealCredentials, opened, place };
}

test("all credentials are sealed with the new key, and the old one is of no more use", async () => {
  const { opened, ...catalogue } = shelf("east", "west");

  const rekeyed = await rekey(catalogue, vaultOf(second, first));

  expect(rekeyed).toMatchObject({ resealed: ["east", "west"], current: [], unopened: [] });
  expect(opened(second)).toEqual(["sk-east", "sk-west"]);
  expect(() => opened(first)).toThrow("was stored with the key");
});

test("a change of keys that got half way is finished by asking again", async () => {
  const { opened, rows, place, ...catalogue } = shelf("east", "west");
  rows.set("west", vaultOf(second).seal("sk-west", place("west")));

  expect(await rekey(catalogue, vaultOf(second, first))).toMatchObject({ resealed: ["east"], current: ["west"] });
  expect(await rekey(catalogue, vaultOf(second, first))).toMatchObject({ resealed: [], current: ["east", "west"] });
  expect(opened(second)).toEqual(["sk-east", "sk-west"]);
});

test("what no key opens stays as it was and is named, and the others are sealed anew", async () => {
  const { rows, place, ...catalogue } = shelf("east", "west", "north");
  const foreign = vaultOf(third).seal("sk-west", place("west"));
  rows.set("west", foreign);
  rows.set("north", rows.get("east") as SealedCredential);

  const rekeyed = await rekey(catalogue, vaultOf(second, first));

  expect(rekeyed).toMatchObject({ resealed: ["east"], unopened: [{ provider: "west" }, { provider: "north" }] });
  expect(rows.get("west")).toBe(foreign);
  const text = rekeyText(rekeyed);
  expect(text).toContain(": 1. Already current: 0. Could not be decrypted: 2.\n");
  expect(text).toContain(`credential of west was stored with the key ${shortKeyId(foreign.keyId)}`);
  expect(text).toContain("credential of north does not open");
  expect(text).not.toContain("sk-");
});

test("without a new key nothing is begun", async () => {
  const { resealCredentials } = shelf("east");

  await expect(rekey({ resealCredentials }, vaultOf(null, first))).rejects.toThrow("No encryption key is set");
});
