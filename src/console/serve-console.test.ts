import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { readConsole } from "./console-files.ts";
import { createServeConsole } from "./serve-console.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-console-"));
afterAll(() => rmSync(folder, { recursive: true }));

mkdirSync(join(folder, "dist/assets"), { recursive: true });
mkdirSync(join(folder, "dist/.vite"));
const put = (name: string, content: string | Buffer) => writeFileSync(join(folder, name), content);
put("secret.txt", "outside");
put("dist/index.html", "operators");
put("dist/index.html.gz", gzipSync("operators"));
put("dist/index.html.br", "as if brotli");
put("dist/holder.html", "key holders");
put("dist/assets/app-1a2b3c.js", "run()");
put("dist/assets/note.txt", "of no known type");
put("dist/.vite/manifest.json", "{}");

const files = readConsole(join(folder, "dist"));
const operators = createServeConsole(files, "index.html");
const holders = createServeConsole(files, "holder.html");
const ask = (path: string, over: { acceptEncoding?: string; ifNoneMatch?: string } = {}) =>
  operators({ path, acceptEncoding: undefined, ifNoneMatch: undefined, ...over });

test("an address within the console gets the page of the listener, which allows only its own files", () => {
  for (const path of ["", "keys", "requests/req_1"]) {
    const { status, headers, body } = ask(path);
    expect([status, body.toString(), headers["content-type"]]).toEqual([200, "operators", "text/html; charset=utf-8"]);
    expect(headers["content-security-policy"]).toContain("script-src 'self'; style-src 'self';");
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers).toMatchObject({ "cache-control": "no-cache", "x-content-type-options": "nosniff" });
  }
  expect(holders({ path: "", acceptEncoding: undefined, ifNoneMatch: undefined }).body.toString()).toBe("key holders");
});

test("an asset is kept for ever, and one of another version is 404 rather than the page", () => {
  const asset = ask("assets/app-1a2b3c.js");
  const gone = ask("assets/app-other.js");

  expect([asset.status, asset.body.toString(), asset.headers["content-type"]]).toEqual([
    200,
    "run()",
    "text/javascript; charset=utf-8",
  ]);
  expect(asset.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  expect([gone.status, gone.headers["cache-control"]]).toEqual([404, "no-store"]);
});

test.each([
  ["br, gzip", "br", "as if brotli"],
  ["gzip, br;q=0", "gzip", gzipSync("operators").toString("latin1")],
  ["GZIP;q=0.5", "gzip", gzipSync("operators").toString("latin1")],
  ["identity", undefined, "operators"],
  ["bread", undefined, "operators"],
  ["", undefined, "operators"],
])(
  "of the forms that were compressed at build time, Accept-Encoding %j gets %s",
  (acceptEncoding, encoding, content) => {
    const { headers, body } = ask("", { acceptEncoding });

    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers["vary"]).toBe("accept-encoding");
    expect(body.toString("latin1")).toBe(content);
  },
);

test("a file that was not compressed is sent as it is", () => {
  expect(ask("assets/app-1a2b3c.js", { acceptEncoding: "br" }).headers["content-encoding"]).toBeUndefined();
});

test("a browser that has the page gets 304 with its tag and no body", () => {
  const etag = ask("").headers["etag"] ?? "";
  const again = ask("", { ifNoneMatch: `"other", W/${etag}` });

  expect([again.status, again.body.length, again.headers["etag"]]).toEqual([304, 0, etag]);
  expect(ask("", { ifNoneMatch: '"other"' }).status).toBe(200);
});

test.each([
  "assets/../../secret.txt",
  "assets/..%2f..%2fsecret.txt",
  "assets/%2e%2e/%2e%2e/secret.txt",
  "assets/..\\..\\secret.txt",
  "assets//etc/passwd",
  "assets/app-1a2b3c.js/",
  "assets/app-1a2b3c.js\0",
  "assets/note.txt",
  "assets/.vite/manifest.json",
  "assets/",
])("no path leads to a file that is not an asset: %j", (path) => {
  expect(ask(path).status).toBe(404);
});

test.each(["../secret.txt", "..%2fsecret.txt", "/etc/passwd", ".vite/manifest.json", "index.html.gz", "holder.html"])(
  "whatever else is asked for is an address within the console: %j",
  (path) => {
    expect(ask(path).body.toString()).toBe("operators");
  },
);

test("without a build, the page says how to build it", () => {
  const unbuilt = createServeConsole(readConsole(join(folder, "nowhere")), "index.html");
  const { status, headers, body } = unbuilt({ path: "", acceptEncoding: "br", ifNoneMatch: "*" });

  expect([status, headers["cache-control"]]).toEqual([503, "no-store"]);
  expect(body.toString()).toContain("npm run console");
});
