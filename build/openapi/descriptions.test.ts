import { expect, test } from "vitest";
import { putUrlInDocument, putUrlOnPage } from "../../src/description/put-url.ts";
import { makeDescriptions } from "./descriptions.ts";
import { createOpenApiDocument } from "./openapi-document.ts";
import { renderDocsPage } from "./page/docs-page.ts";

const files = makeDescriptions();
const json = files["public.json"] ?? expect.unreachable();
const html = files["public.html"] ?? expect.unreachable();

const URLS = [
  "http://127.0.0.1:8080",
  "http://[::1]:8080",
  "https://gate.example/models~a",
  "https://gate.example/$&$1/https://tollgate.invalid/v1",
  "https://gate.example/'\"><script>$(id)</script>\\",
];

test.each(URLS)("the made page with the base URL %s in it is the page that is made for it", (url) => {
  const document = createOpenApiDocument(url);

  for (const address of ["set", "guessed"] as const)
    expect(putUrlOnPage(html, url, address) === renderDocsPage(document, address)).toBe(true);
});

test.each([...URLS, ""])("the made document with the base URL %j in it is the document that is made for it", (url) => {
  expect(JSON.parse(putUrlInDocument(json, url))).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument(url))));
});

test("what the admin listener says of itself has no base URL to put in", () => {
  expect(files["admin.json"]).not.toContain("tollgate.invalid");
  expect(files["admin.html"]).not.toContain("tollgate.invalid");
});
