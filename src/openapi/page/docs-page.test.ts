import { expect, test } from "vitest";
import { resolvePart } from "../document.ts";
import { createOpenApiDocument } from "../openapi-document.ts";
import { curlFor } from "./curl.ts";
import { renderDocsPage } from "./docs-page.ts";
import { writeJson } from "./write-json.ts";

const URL = "https://gate.example";
const document = createOpenApiDocument(URL);
const page = renderDocsPage(document);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
);

/** The text of a page as a reader sees it. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

test("every operation has a section, and the contents lead to it", () => {
  expect(operations).toHaveLength(7);
  for (const { operation } of operations) {
    expect(page).toContain(`<section id="${operation.operationId}">`);
    expect(page).toContain(`<a href="#${operation.operationId}">`);
  }
});

test("every link within the page has its target", () => {
  const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);

  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((id) => !page.includes(`id="${id}"`))).toEqual([]);
});

test("every operation can be tried with either kind of key by a command that is shown", () => {
  const text = textOf(page);

  for (const { method, path, operation } of operations) {
    const parameters = (operation.parameters ?? []).map((given) => resolvePart("parameters", given, document));
    const shell = { origin: null, credential: "TOLLGATE_KEY" };
    const [example] = Object.values(operation.requestBody?.content["application/json"]?.examples ?? {});
    for (const { url } of document.servers)
      expect(text).toContain(
        curlFor({ server: url, method, path, parameters, operation, body: example?.value, shell }),
      );
  }
});

test("every field, status and code of the description is on the page", () => {
  const text = textOf(page);
  const fields = Object.values(document.components.schemas).flatMap((schema) => Object.keys(schema.properties ?? {}));

  const codes = document["x-error-codes"].map(({ code }) => code);

  expect(fields.length).toBeGreaterThan(80);
  expect([...fields, ...codes].filter((word) => !text.includes(word))).toEqual([]);
});

test("the page needs nothing but itself: no script, no image, no address but its own", () => {
  expect(page).not.toMatch(/<(script|img|iframe|link|object|embed)\b|\son\w+=|@import|url\(/i);
  expect([...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, target]) => target)).toEqual(["openapi.json"]);
  expect([...page.matchAll(/https?:\/\/[^/\s<"']+/g)].filter(([address]) => address !== URL)).toEqual([]);
});

test("a base URL with markup in it stays text, on the page and in the shell", () => {
  const hostile = "https://gate.example/'\"><script>$(id)</script>";
  const rendered = renderDocsPage(createOpenApiDocument(hostile));

  expect(rendered).not.toContain("<script>");
  expect(textOf(rendered)).toContain(`curl 'https://gate.example/'\\''"><script>$(id)</script>/v1/models'`);
});

test("JSON on the page is JSON", () => {
  for (const { operation } of operations) {
    const answer = resolvePart("responses", operation.responses["200"] ?? expect.unreachable(), document);
    for (const { value } of Object.values(answer.content["application/json"]?.examples ?? {})) {
      expect(JSON.parse(writeJson(value))).toEqual(value);
    }
  }
});
