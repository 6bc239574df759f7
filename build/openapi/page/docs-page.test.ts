import { Script } from "node:vm";
import { expect, test } from "vitest";
import { resolvePart } from "../document.ts";
import { createOpenApiDocument } from "../openapi-document.ts";
import { curlFor } from "./curl.ts";
import { renderDocsPage } from "./docs-page.ts";
import { SCRIPT } from "./script.ts";
import { writeJson } from "./write-value.ts";

const URL = "https://gate.example";
const document = createOpenApiDocument(URL);
const page = renderDocsPage(document, "set");
const operations = Object.entries({ ...document.paths, ...document["x-additions"] }).flatMap(([path, methods]) =>
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
  expect(operations).toHaveLength(28);
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

/** Needs the `Origin` header of a page of the gateway, so no command can show it. */
const isForPages = (path: string): boolean => path.startsWith("/me/v1/");

test("every operation of programs can be tried with either kind of key by a command that is shown", () => {
  const text = textOf(page);

  for (const { method, path, operation } of operations.filter((one) => !isForPages(one.path))) {
    const parameters = (operation.parameters ?? []).map((given) => resolvePart("parameters", given, document));
    const shell = { origin: null, credential: "TOLLGATE_KEY", sdks: "official" } as const;
    const [example] = Object.values(operation.requestBody?.content["application/json"]?.examples ?? {});
    for (const { url } of operation.servers ?? document.servers)
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

test("the page needs nothing but itself: one script of ours, no image, no address but its own", () => {
  expect(page.split("<script").length).toBe(2);
  expect(page).toContain(`<script>${SCRIPT}</script>`);
  expect(page.replace(SCRIPT, "")).not.toMatch(/<(img|iframe|link|object|embed)\b|\s(on\w+|style)=|@import|url\(/i);
  expect(SCRIPT).not.toMatch(
    /\b(fetch|XMLHttpRequest|WebSocket|import\(|eval|innerHTML|insertAdjacentHTML|outerHTML)\b/,
  );
  expect([...page.matchAll(/(?:href|src)="([^"#]+)"/g)].map(([, target]) => target)).toEqual(["openapi.json"]);
  expect([...textOf(page).matchAll(/https?:\/\/[^/\s<"']+/g)].filter(([address]) => address !== URL)).toEqual([]);
});

test("a base URL with markup in it stays text, on the page and in the shell", () => {
  const hostile = "https://gate.example/'\"><script>$(id)</script>";
  const rendered = renderDocsPage(createOpenApiDocument(hostile), "guessed");

  expect(rendered.replace(SCRIPT, "").match(/<script>/g)).toHaveLength(1);
  expect(textOf(rendered)).toContain(`curl 'https://gate.example/'\\''"><script>$(id)</script>/v1/models'`);
});

/** The tabs of each sample, by the operation they belong to. */
const tabsOf = (operationId: string): string[][] => {
  const [, section = ""] = new RegExp(`<section id="${operationId}">(.*?)</section>`, "s").exec(page) ?? [];
  return section
    .split('<div class="tabs">')
    .slice(1)
    .map((tabs) => [...tabs.matchAll(/data-tab="([^"]+)"/g)].map(([, name = ""]) => name));
};

test("every operation is shown with curl and with each official SDK that can call it, for every example and origin", () => {
  const openai = ["curl", "OpenAI Python", "OpenAI JS/TS"];
  const anthropic = ["curl", "Anthropic Python", "Anthropic JS/TS"];
  const both = [...openai, ...anthropic.slice(1)];

  expect(Object.fromEntries(operations.map(({ operation: { operationId: id } }) => [id, tabsOf(id)]))).toEqual({
    listModels: [both, both],
    getModel: [both, both],
    createChatCompletion: [openai, openai, openai, openai],
    createResponse: [openai, openai, openai],
    createEmbedding: [openai, openai],
    createMessage: [anthropic, anthropic, anthropic, anthropic],
    countMessageTokens: [anthropic, anthropic],
    getUsage: [openai, openai],
    signIn: [["curl"]],
    signOut: [["curl"]],
    showKeyHolder: [["curl"]],
    showOwnLedger: [["curl"]],
    exportOwnLedger: [["curl"]],
    showOwnSeries: [["curl"]],
    exportOwnSeries: [["curl"]],
    listOwnRequests: [["curl"]],
    exportOwnRequests: [["curl"]],
    showOwnRequest: [["curl"]],
    listOwnErrors: [["curl"]],
    exportOwnErrors: [["curl"]],
    listOwnModels: [["curl"]],
    showHolderWaysIn: [["curl"]],
    listOwnSessions: [["curl"]],
    endOtherSessions: [["curl"]],
    endOwnSession: [["curl"]],
    createOwnChatCompletion: [],
    createOwnResponse: [],
    createOwnMessage: [],
  });
});

test("without a script the first sample is open and the others unfold", () => {
  const tabs = page.match(/<details data-tab="[^"]+"( open)?>/g) ?? [];

  expect(tabs.filter((tab) => tab.endsWith("open>")).every((tab) => tab.includes('"curl"'))).toBe(true);
  expect(tabs.filter((tab) => tab.endsWith("open>")).length).toBe(page.split('<div class="tabs">').length - 1);
});

test("only a base URL that the operator did not set may be replaced by the one the reader used", () => {
  expect(page).not.toContain("data-url");
  expect(renderDocsPage(document, "guessed")).toContain(`<html lang="en" data-url="${URL}">`);
});

test("the version is named as the interface's", () => {
  expect(textOf(page)).toContain("Interface version 1.0.0");
});

test("the script is a valid program", () => {
  expect(() => new Script(SCRIPT)).not.toThrow();
});

test("JSON on the page is JSON", () => {
  for (const { operation } of operations) {
    const [success = expect.unreachable()] = Object.entries(operation.responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([, response]) => response);
    const answer = resolvePart("responses", success, document);
    for (const { value } of Object.values(answer.content["application/json"]?.examples ?? {})) {
      expect(JSON.parse(writeJson(value))).toEqual(value);
    }
  }
});
