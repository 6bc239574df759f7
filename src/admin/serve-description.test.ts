import Fastify from "fastify";
import { expect, test } from "vitest";
import { describeAdmin } from "../../build/openapi/admin/describe-admin.ts";
import { readDescription } from "../app/read-description.ts";
import { serveDescription } from "./serve-description.ts";

const app = Fastify();
serveDescription(app, readDescription);

test("the description is served as JSON and as a page that loads nothing and runs its own script alone", async () => {
  const json = await app.inject("/openapi.json");
  const page = await app.inject("/docs");

  expect(json.headers["content-type"]).toBe("application/json");
  expect(json.json()).toEqual(JSON.parse(JSON.stringify(describeAdmin())));
  expect(page.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; script-src 'sha256-[\w+/=]+';/,
    ) as string,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "public, max-age=300",
  });
  expect(page.body).toContain("Tollgate admin API");
});

test.each(["/openapi.json", "/docs"])("%s is not sent again to a reader who has it", async (url) => {
  const { etag } = (await app.inject(url)).headers;
  const again = await app.inject({ url, headers: { "if-none-match": `W/${String(etag)}` } });
  const other = await app.inject({ url, headers: { "if-none-match": '"other"' } });

  expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", etag]);
  expect(other.statusCode).toBe(200);
});
