import { expect, test } from "vitest";
import { z } from "zod";
import { createAdminDocument } from "../admin/admin-document.ts";
import type { AdminOperation } from "../admin/admin-operation.ts";
import { renderAdminPage } from "./admin-page.ts";

const usual = {
  tag: "books",
  credential: "operator",
  roles: ["owner"],
  leads: false,
  media: "application/json",
  query: null,
  refusals: [],
} as const;
const ofShelf = z.object({ shelf: z.string().meta({ description: "A shelf.", examples: ["a/1"] }) });
const book = z
  .object({ title: z.string().meta({ description: "Its title.", examples: ["It's <late>"] }) })
  .meta({ id: "Book", description: "A book." });

const operations: AdminOperation[] = [
  {
    ...usual,
    id: "addBook",
    method: "POST",
    path: "/shelves/{shelf}",
    summary: "Add a book, new or used; its shelf must exist",
    params: ofShelf,
    body: book,
    bodyNeeded: true,
    answers: { 201: book, 200: book },
  },
  {
    ...usual,
    id: "burn",
    method: "DELETE",
    path: "/shelves/{shelf}",
    summary: "Remove a shelf",
    params: ofShelf,
    body: null,
    bodyNeeded: false,
    answers: { 200: z.object({ left: z.int() }) },
    refusals: ["conflict"],
  },
  {
    ...usual,
    id: "isOpen",
    method: "GET",
    path: "/open",
    summary: "Say whether it is open",
    credential: "none",
    roles: null,
    leads: false,
    params: null,
    body: null,
    bodyNeeded: false,
    answers: { 200: z.object({ open: z.literal(true) }), 503: z.object({ why: z.string() }) },
  },
];
const document = createAdminDocument({ operations, tags: { books: "All of them." } });

/** The text of a page as a reader sees it. */
const text = renderAdminPage(document)
  .replaceAll(/<[^>]*>/g, " ")
  .replaceAll("&quot;", '"')
  .replaceAll("&#39;", "'")
  .replaceAll("&lt;", "<")
  .replaceAll("&gt;", ">");

test("every operation can be tried by a command with its method, its credential and an example of its body", () => {
  expect(text).toContain(
    [
      'curl "$TOLLGATE_ADMIN_URL/shelves/a/1"',
      '-H "authorization: Bearer $TOLLGATE_ADMIN_TOKEN"',
      "-H 'content-type: application/json'",
      `-d '{ "title": "It'\\''s <late>" }'`,
    ].join(" \\\n  "),
  );
  expect(text).toContain('curl -X DELETE "$TOLLGATE_ADMIN_URL/shelves/a/1"');
  expect(text).toMatch(/curl "\$TOLLGATE_ADMIN_URL\/open"(?! *\\)/);
});

test("the contents name an operation by its summary, without what follows a semicolon", () => {
  expect(renderAdminPage(document)).toMatch(/<a href="#addBook">.*<\/span> Add a book, new or used<\/a>/);
});

test("answers of one schema are shown once, others each with its status", () => {
  expect(text.match(/Its title\./g)).toHaveLength(2);
  expect(text).toContain("Response body 200");
  expect(text).toContain("Response body 503");
});

test("what stands in a schema twice, a parameter of two operations and a refusal are named and referred to", () => {
  expect(Object.keys(document.components.schemas)).toContain("Book");
  expect(Object.keys(document.components.parameters ?? {})).toEqual(["Shelf"]);
  expect(document.paths["/shelves/{shelf}"]?.delete?.responses["409"]).toEqual({
    $ref: "#/components/responses/conflict",
  });
});

test("an operation is refused as it declares, and as any is: with a credential where it asks for one", () => {
  const statuses = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, responses }) => [operationId, Object.keys(responses).join(" ")]),
  );

  expect(Object.fromEntries(statuses)).toEqual({
    addBook: "200 201 401 403 500 503",
    burn: "200 401 403 409 500 503",
    isOpen: "200 500 503",
  });
});
