import { expect, test } from "vitest";
import { addCommand, draftOf, urlHint } from "./provider-draft.ts";

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
