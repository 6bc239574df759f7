import { globSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/load-config.ts";
import { readGroupMappings } from "../../src/core/people/group-mapping.ts";
import { type Fence, fencesOf } from "../support/fenced/fences.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROVIDERS = "docs/guides/sign-in-with-okta-entra-google.md";
const SECRETS = {
  TOLLGATE_SIGN_IN_CLIENT_SECRET: "a-client-secret",
  TOLLGATE_CREDENTIAL_KEY: Buffer.alloc(32, 7).toString("base64"),
};

/** Blocks of `tollgate.yaml`: those with the members of a catalogue are another file. */
const settingsBlocks = globSync("docs/{guides,start,deploy,operate}/*.md", { cwd: ROOT })
  .flatMap(fencesOf)
  .filter(({ language, text }) => language === "yaml" && /^(?:sign_in|public_url):/m.test(text));

const load = ({ text }: Fence) =>
  loadConfig({ options: { config: "tollgate.yaml" }, environment: SECRETS, readFile: () => text }).config;

describe("a block of tollgate.yaml in a guide is accepted as it stands", () => {
  test.each(settingsBlocks.map((fence) => [`${fence.page}:${fence.line}`, fence] as const))("%s", (_, fence) => {
    const { signIn } = load(fence);

    expect(signIn.issuer).toMatch(/^https:/);
    expect(readGroupMappings(signIn.groups)?.length).toBeGreaterThan(0);
  });
});

test("the page about three providers has a block for each, and asks each for what it gives refresh tokens for", () => {
  const blocks = settingsBlocks.filter(({ page }) => page === PROVIDERS).map((fence) => load(fence).signIn);

  expect(blocks.map(({ issuer }) => new URL(issuer ?? "").host)).toEqual([
    "acme.okta.com",
    "login.microsoftonline.com",
    "accounts.google.com",
  ]);
  expect(blocks.map(({ scopes }) => scopes.includes("offline_access"))).toEqual([true, true, false]);
  expect(blocks.map(({ authorizationParameters }) => authorizationParameters)).toEqual([
    "",
    "",
    "access_type=offline&prompt=consent",
  ]);
});

test("parameters of the authorization request that make it safe can't be set", () => {
  const loaded = (parameters: string) => () =>
    loadConfig({
      options: { config: "tollgate.yaml" },
      environment: SECRETS,
      readFile: () => `sign_in:\n  authorization_parameters: "${parameters}"\n`,
    });

  for (const name of ["state", "nonce", "redirect_uri", "code_challenge", "scope", "client_id", "request"])
    expect(loaded(`prompt=consent&${name}=x`)).toThrow("authorization_parameters");
  expect(loaded("prompt=consent&state_of=x")).not.toThrow();
});
