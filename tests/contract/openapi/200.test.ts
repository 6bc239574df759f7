import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../../support/gateway-process.ts";
import { bearer, knock, requestIdOf } from "../knock.ts";
import type { Description } from "./description.ts";

let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGatewayProcess();
});
afterAll(() => gateway.stop());

const EVERYWHERE = ["/openapi.json", "/docs", "/token/openapi.json", "/token/docs"];

test("the description of the interface is version 1.0.0 and names both origins as callers reach them [VER-1]", async () => {
  const place = `${gateway.publicUrl}/openapi.json`;
  const reply = await knock(place);
  const { openapi, info, servers } = JSON.parse(reply.text) as Description;
  const found = servers.map(({ url }) => new URL(url, place).href);

  expect(reply.status).toBe(200);
  expect(reply.headers["content-type"]).toBe("application/json");
  expect({ openapi, version: info.version }).toEqual({ openapi: "3.1.1", version: "1.0.0" });
  expect(found).toEqual([`${gateway.publicUrl}/`, `${gateway.publicUrl}/token`]);
});

/** What is described, by whether it belongs to the interface or to the pages about a key. */
async function describedPaths(isOfKey: boolean): Promise<Description["paths"]> {
  const described = JSON.parse((await knock(`${gateway.publicUrl}/openapi.json`)).text) as Description;
  const paths = Object.entries({ ...described.paths, ...described["x-additions"] });
  return Object.fromEntries(paths.filter(([path]) => /^\/me(\/|$)/.test(path) === isOfKey));
}

test("what key holders read about their own key is outside of /v1, at one place for keys of every kind", async () => {
  const paths = Object.keys(await describedPaths(true));

  expect(paths).toHaveLength(18);
  for (const path of paths) {
    const [bare, token] = await Promise.all(
      ["", "/token"].map((origin) => knock(`${gateway.publicUrl}${origin}${path}`)),
    );
    // How people sign in is told to everybody.
    expect(path === "/me/sign-in" ? [200] : [401, 405]).toContain(bare?.status);
    expect(token?.status).toBe(404);
  }
});

test("every path in it lives under /v1, and is served at both origins [VER-2] [ORI-3]", async () => {
  const paths = await describedPaths(false);

  expect(Object.keys(paths)).toHaveLength(8);
  for (const path of Object.keys(paths)) {
    expect(path).toMatch(/^\/v1\//);
    for (const origin of ["", "/token"]) {
      const { status, headers } = await knock(`${gateway.publicUrl}${origin}${path}`, { method: "DELETE" });
      expect({ path, status, allow: headers.allow?.toLowerCase() }).toEqual({
        path,
        status: 405,
        allow: Object.keys(paths[path] ?? {})
          .flatMap((method) => (method === "get" ? ["get", "head"] : [method]))
          .join(", "),
      });
    }
  }
});

test.each(EVERYWHERE)("%s is for anyone, may be cached, and need not be sent twice", async (path) => {
  const reply = await knock(`${gateway.publicUrl}${path}`);
  const { etag } = reply.headers;
  const again = await knock(`${gateway.publicUrl}${path}`, { headers: ["if-none-match", etag ?? ""] });

  expect(reply.status).toBe(200);
  expect(reply.headers["cache-control"]).toBe("public, max-age=300");
  expect(Number(reply.headers["content-length"])).toBe(Buffer.byteLength(reply.text));
  expect({ status: again.status, text: again.text, etag: again.headers.etag }).toEqual({ status: 304, text: "", etag });
  expect(requestIdOf(again)).not.toBe(requestIdOf(reply));
});

test.each(EVERYWHERE)("%s needs no credential and looks at none, so none can be refused [VER-11]", async (path) => {
  for (const headers of [[], bearer("nonsense"), ["x-api-key", "nonsense"], bearer(gateway.keys.token_budget)])
    expect((await knock(`${gateway.publicUrl}${path}`, { headers })).status).toBe(200);
});

test.each(EVERYWHERE)("%s takes nothing but GET and HEAD", async (path) => {
  const reply = await knock(`${gateway.publicUrl}${path}`, { method: "POST", body: "{}" });

  expect(reply.status).toBe(405);
  expect(reply.headers.allow).toBe("GET, HEAD");
});

/** What a browser compares with the policy: the only element of its kind, in full. */
function hashOf(tag: "style" | "script", html: string): string {
  const [text, ...others] = html.split(`<${tag}>`).slice(1);
  expect(others).toEqual([]);
  const inner = text?.slice(0, text.indexOf(`</${tag}>`)) ?? "";
  return `'sha256-${createHash("sha256").update(inner).digest("base64")}'`;
}

test("the page for people runs its own script alone, loads nothing and cannot be framed", async () => {
  const { headers, text } = await knock(`${gateway.publicUrl}/docs`);

  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(headers["x-content-type-options"]).toBe("nosniff");
  expect(headers["content-security-policy"]).toBe(
    `default-src 'none'; style-src ${hashOf("style", text)}; script-src ${hashOf("script", text)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});

test("reading it is counted under a name of its own", async () => {
  await knock(`${gateway.publicUrl}/docs`);

  expect(await gateway.metrics()).toMatch(/route="description"/);
});
