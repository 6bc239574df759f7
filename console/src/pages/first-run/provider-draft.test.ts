import { expect, test } from "vitest";
import { PRESETS } from "../../../../src/core/catalogue/provider-presets.ts";
import { addCommand, draftOf, urlHint, usualFormat } from "./provider-draft.ts";

const azure = {
  name: "azure",
  base_url: "https://RESOURCE.openai.azure.com/openai/v1",
  credential: "env:AZURE_OPENAI_API_KEY",
  format: "chat",
} as const;

test("an address that lacks what is yours says so, and so does its command", () => {
  const draft = draftOf(azure);

  expect(urlHint(draft.url)).toBe("Write the name of yours in place of RESOURCE.");
  expect(addCommand(draft, [azure])).toBe(
    "tollgate providers add azure --preset azure --resource RESOURCE --credential-stdin < key.txt",
  );
  const url = "https://mine.openai.azure.com/openai/v1";
  expect(urlHint(url)).toBe("Without the path of an operation.");
  expect(addCommand({ ...draft, url }, [azure])).toBe(
    `tollgate providers add azure --url ${url} --credential-stdin < key.txt`,
  );
});

test("the command of a preset whose address was completed says how its cloud is called", () => {
  const preset = {
    ...azure,
    name: "azure-deployments",
    base_url: "https://RESOURCE.openai.azure.com/openai",
    platform: "azure:2024-10-21",
  };
  const url = "https://mine.openai.azure.com/openai";

  expect(addCommand({ ...draftOf(preset), url }, [preset])).toContain(`--url ${url} --platform azure:2024-10-21 `);
});

test("the usual format of a provider is that of the preset at its address, whatever is its operator's in it", () => {
  for (const { url, dialect } of Object.values(PRESETS)) {
    const base_url = url.replaceAll("REGION", "eu-central-1").replace(/RESOURCE|PROJECT/, "mine");
    // InvokeModel is at the address of Converse.
    expect([base_url, usualFormat({ base_url })]).toEqual([
      base_url,
      base_url === "https://bedrock-runtime.eu-central-1.amazonaws.com" ? "converse" : dialect,
    ]);
  }
  expect(usualFormat(undefined)).toBe("chat");
});
