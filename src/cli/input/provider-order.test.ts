import { expect, test } from "vitest";
import { COMPATIBLE_PROVIDERS } from "../../upstream/providers.ts";
import { isSentInTheClear, readProviderOrder } from "./provider-order.ts";
import { PRESETS } from "../../core/catalogue/provider-presets.ts";

const acme = { url: "https://api.example.com/v1", credential: "env:ACME_KEY" };

test("a preset knows address and credential, and what is said beside it counts more", () => {
  expect(readProviderOrder("groq", { preset: "groq" })).toEqual({
    name: "groq",
    baseUrl: "https://api.groq.com/openai/v1",
    credentialRef: "env:GROQ_API_KEY",
    unknownMembers: null,
    openMembers: null,
    windowCheck: null,
    traceparent: null,
  });
  expect(readProviderOrder("mine", { preset: "groq", credential: "file:/run/key" })).toMatchObject({
    credentialRef: "file:/run/key",
    unknownMembers: null,
    openMembers: null,
  });
});

test.each(Object.keys(PRESETS))(
  "the preset %s can be added as it is, and sends no credential in the clear",
  (preset) => {
    const order = readProviderOrder(preset, { preset });

    expect(order.baseUrl).toBe(PRESETS[preset]?.url);
    expect(isSentInTheClear(order)).toBe(false);
  },
);

const listedAt = (url: string) => COMPATIBLE_PROVIDERS.find(({ hosts }) => hosts.includes(new URL(url).hostname));

test.each(Object.entries(PRESETS).filter(([, { url }]) => listedAt(url)))(
  "the preset %s goes where the table of compatible providers says",
  (_name, { url }) => {
    expect(Object.values(listedAt(url)?.baseUrls ?? {})).toContain(url);
  },
);

test("an address ends before the operation's path, without a slash", () => {
  expect(readProviderOrder("a", { ...acme, url: "https://API.example.com/v1//" }).baseUrl).toBe(
    "https://api.example.com/v1",
  );
});

test.each(["", "api.example.com", "ftp://h/v1", "https://u:p@h/v1", "https://h/v1?key=1", "https://h/v1#x"])(
  "the address %j is refused, and not repeated",
  (url) => {
    expect(() => readProviderOrder("a", { ...acme, url })).toThrow(/^--url must be an http or https URL/);
  },
);

test.each(["sk-secret", "env:lower", "env:", "file:relative", "", "env:DATABASE_URL", "env:TOLLGATE_ADMIN_TOKEN"])(
  "the credential reference %j is refused",
  (credential) => {
    expect(() => readProviderOrder("a", { ...acme, credential })).toThrow(
      /never the credential|is a variable of Tollgate/,
    );
  },
);

test.each(["", "all", "a/b", "a b", "-a", "\u001b[2J"])("the name %j is refused", (name) => {
  expect(() => readProviderOrder(name, acme)).toThrow("a provider's name is");
});

test("a credential that would cross a network unencrypted is noticed", () => {
  const clear = (url: string, credential: string) => isSentInTheClear(readProviderOrder("a", { url, credential }));

  expect(clear("http://10.0.0.7/v1", "env:KEY")).toBe(true);
  expect(clear("http://10.0.0.7/v1", "none")).toBe(false);
  expect(clear("http://127.0.0.1:8000/v1", "env:KEY")).toBe(false);
  expect(clear("https://10.0.0.7/v1", "env:KEY")).toBe(false);
});

test("what it is told of members nobody knows, and of the context window, is its own, or what is usual", () => {
  const order = readProviderOrder("a", { ...acme, unknownMembers: "drop", openMembers: "top_k, reasoning*" });

  expect(readProviderOrder("a", { ...acme, contextWindow: "strict" }).windowCheck).toBe("strict");
  expect(readProviderOrder("a", { ...acme, traceparent: "send" }).traceparent).toBe("send");
  expect(order).toMatchObject({ unknownMembers: "drop", openMembers: ["top_k", "reasoning*"] });
  expect(readProviderOrder("a", { ...acme, openMembers: "" }).openMembers).toEqual([]);
  expect(() => readProviderOrder("a", { ...acme, openMembers: "a b,c" })).toThrow(
    "--open-members is a list of field names",
  );
});
