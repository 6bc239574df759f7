import { expect, test } from "vitest";
import type { Route } from "../core/route.ts";
import { createWatchCredentials } from "./watch-credentials.ts";

const route = (provider: string, credentialRef: string): Route => ({ provider, credentialRef }) as Route;

test("a credential that cannot be had is told once per provider, again for another reason, and when it can be had", () => {
  const missing = new Set(["env:WEST"]);
  let reason = "is not set";
  const told: string[] = [];
  const watch = createWatchCredentials({
    credential: ({ credentialRef }) => {
      if (missing.has(credentialRef)) throw new Error(`${credentialRef} ${reason}`);
      return "secret";
    },
    onChange: ({ provider, problem }) => told.push(`${provider}: ${problem}`),
  });
  const load = (): void => watch([route("east", "env:EAST"), route("west", "env:WEST"), route("west", "env:WEST")]);
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
    credential: () => {
      throw new Error("no");
    },
    onChange: ({ provider }) => told.push(provider),
  });
  for (const routes of [[route("east", "x")], [], [route("east", "x")]]) watch(routes);

  expect(told).toEqual(["east", "east"]);
});
