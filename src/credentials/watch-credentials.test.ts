import { expect, test } from "vitest";
import type { CredentialHolder } from "./find-credential.ts";
import { createWatchCredentials } from "./watch-credentials.ts";

const holder = (provider: string, credentialRef: string): CredentialHolder => ({
  provider,
  credentialRef,
  baseUrl: "https://api.example.com/v1",
});

test("a credential that cannot be had is told once per provider, again for another reason, and when it can be had", () => {
  const missing = new Set(["env:WEST"]);
  let reason = "is not set";
  const told: string[] = [];
  const watch = createWatchCredentials({
    problem: ({ credentialRef }) => (missing.has(credentialRef) ? `${credentialRef} ${reason}` : null),
    onChange: ({ provider, problem }) => told.push(`${provider}: ${problem}`),
  });
  const load = (): void => watch([holder("east", "env:EAST"), holder("west", "env:WEST"), holder("west", "env:WEST")]);
  load();
  load();
  reason = "is empty";
  load();
  missing.clear();
  load();
  load();

  expect(told).toEqual(["west: env:WEST is not set", "west: env:WEST is empty", "west: null"]);
});

test("a provider that left the catalogue with a problem is told anew when it comes back with it", () => {
  const told: string[] = [];
  const watch = createWatchCredentials({
    problem: () => "no",
    onChange: ({ provider }) => told.push(provider),
  });
  for (const holders of [[holder("east", "x")], [], [holder("east", "x")]]) watch(holders);

  expect(told).toEqual(["east", "east"]);
});
