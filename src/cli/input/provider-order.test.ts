import { expect, test } from "vitest";
import { COMPATIBLE_PROVIDERS } from "../../upstream/providers.ts";
import { isSentInTheClear, readProviderOrder } from "./provider-order.ts";
import { presetAt, PRESETS } from "../../core/catalogue/provider-presets.ts";

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
    platform: null,
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
    const url = PRESETS[preset]?.url ?? "";
    const yours = {
      ...(url.includes("REGION") && { region: "eu-1" }),
      ...(url.includes("RESOURCE") && { resource: "mine" }),
      ...(url.includes("PROJECT") && { project: "acme-1" }),
    };
    const order = readProviderOrder(preset, { preset, ...yours });

    expect(order.baseUrl).toBe(
      url.replaceAll("REGION", "eu-1").replace("RESOURCE", "mine").replace("PROJECT", "acme-1"),
    );
    expect(order.platform).toBe(PRESETS[preset]?.platform ?? null);
    expect(presetAt(order.baseUrl)?.url).toBe(url);
    expect(isSentInTheClear(order)).toBe(false);
  },
);

test("what is yours completes the address of a preset, and nothing else", () => {
  const refusal = (options: Parameters<typeof readProviderOrder>[1]): string => {
    try {
      return readProviderOrder("a", options).baseUrl;
    } catch (error) {
      return (error as Error).message;
    }
  };

  expect(refusal({ preset: "bedrock" })).toBe(
    "the preset bedrock needs --region, which completes https://bedrock-runtime.REGION.amazonaws.com/openai/v1.",
  );
  expect(refusal({ preset: "bedrock", region: "x.evil.example/" })).toMatch("one label of a host name");
  expect(refusal({ preset: "azure", region: "eu-central-1" })).toMatch("--region is for a --preset");
  expect(refusal({ preset: "openai", resource: "mine" })).toMatch("--resource is for a --preset");
  expect(refusal({ ...acme, url: "https://RESOURCE.openai.azure.com/openai/v1" })).toMatch("--url has RESOURCE");
});

test.each([
  ["global", "https://aiplatform.googleapis.com/v1/projects/acme-1/locations/global"],
  ["eu", "https://aiplatform.eu.rep.googleapis.com/v1/projects/acme-1/locations/eu"],
  ["us", "https://aiplatform.us.rep.googleapis.com/v1/projects/acme-1/locations/us"],
  ["europe-west4", "https://europe-west4-aiplatform.googleapis.com/v1/projects/acme-1/locations/europe-west4"],
])("the location %s of Vertex is at its own host", (region, url) => {
  const { baseUrl } = readProviderOrder("a", { preset: "vertex-claude", region, project: "acme-1" });

  expect(baseUrl).toBe(url);
  expect(presetAt(baseUrl)).toBe(PRESETS["vertex-claude"]);
});

test("a platform is one that is known", () => {
  expect(readProviderOrder("a", { ...acme, platform: "azure:2025-04-01-preview" }).platform).toBe(
    "azure:2025-04-01-preview",
  );
  for (const platform of ["", "Vertex", "azure:", "azure:latest", "vertex:2024-10-21", "bedrock/x"])
    expect(() => readProviderOrder("a", { ...acme, platform })).toThrow("--platform is vertex");
});

test("an address with more than a name in place of the word is none of the preset", () => {
  expect(presetAt("https://a.b.openai.azure.com/openai/v1")).toBeNull();
  expect(presetAt("https://a/x.openai.azure.com/openai/v1")).toBeNull();
  expect(presetAt("https://.openai.azure.com/openai/v1")).toBeNull();
});

const listedAt = (url: string) => COMPATIBLE_PROVIDERS.find(({ baseUrls }) => Object.values(baseUrls).includes(url));

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
