import { expect, test } from "vitest";
import { providerListing, providerView } from "./provider-text.ts";

type Provider = Parameters<typeof providerView>[0];

const route = (id: string, fields: Partial<Provider["routes"][number]> = {}): Provider["routes"][number] => ({
  id,
  modelId: "m",
  published: true,
  upstreamModel: "m-1",
  dialect: "chat",
  conformant: true,
  ...fields,
});
const east: Provider = {
  name: "east",
  baseUrl: "https://east.example/v1",
  credentialRef: "env:EAST_KEY",
  credentialKeyId: null,
  credentialProblem: null,
  unknownMembers: null,
  openMembers: null,
  windowCheck: null,
  traceparent: null,
  platform: null,
  routes: [
    route("r1"),
    route("r2", { conformant: false }),
    route("r3", { conformant: false }),
    route("r4", { dialect: "messages" }),
  ],
};

test("of every route it is told whether it is forwarded as it comes or normalised [STR-30]", () => {
  const { routes } = providerView(east) as { routes: { id: string; conformant: boolean }[] };

  expect(routes.map(({ id, conformant }) => `${id} ${conformant}`)).toEqual([
    "r1 true",
    "r2 false",
    "r3 false",
    "r4 true",
  ]);
  expect(providerListing([east])).toContain("chat: 1 conformant, 2 normalised; messages: 1 conformant");
});

test("a provider that is sent only what certainly fits is listed so [LIM-12]", () => {
  expect(providerListing([{ ...east, windowCheck: "strict" }])).toContain(
    "messages: 1 conformant; context window: strict",
  );
  expect(providerView({ ...east, windowCheck: "strict" })).toMatchObject({ context_window: "strict" });
  expect(providerListing([east])).not.toContain("context window");
});

test("a provider that is sent the trace context is listed so", () => {
  expect(providerListing([{ ...east, traceparent: "send" }])).toContain("; traceparent: sent");
  expect(providerView({ ...east, traceparent: "send" })).toMatchObject({ traceparent: "send" });
  expect(providerListing([east])).not.toContain("traceparent");
});

test("a provider that is called as a cloud is listed so", () => {
  expect(providerListing([{ ...east, platform: "vertex" }])).toContain("; platform: vertex");
  expect(providerView({ ...east, platform: "vertex" })).toMatchObject({ platform: "vertex" });
  expect(providerListing([east])).not.toContain("platform");
});

test("of a stored credential the key is named and nothing of it is shown", () => {
  const sealed = { sealedCredential: { keyId: "3f9a0123456789ab", box: "c2VhbGVk" } };
  const stored = { ...east, ...sealed, credentialRef: "stored", credentialKeyId: "3f9a0123456789ab" };

  expect(providerListing([stored])).toMatch(/ stored, key 3f9a… /);
  expect(providerListing([{ ...stored, credentialKeyId: null }])).toMatch(/ stored, missing /);
  expect(providerView(stored)).toMatchObject({ credential: "stored", credential_key: "3f9a0123456789ab" });
  expect(JSON.stringify(providerView(stored)) + providerListing([stored])).not.toContain("c2VhbGVk");
});

test("without providers the list says how to get one", () => {
  expect(providerListing([])).toContain("tollgate providers add");
});
