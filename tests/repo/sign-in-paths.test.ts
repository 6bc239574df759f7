import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { clientRoutes } from "../../src/http/client/client-routes.ts";
import { deviceRoutes } from "../../src/http/sign-in/device-routes.ts";
import { oauthRoutes } from "../../src/http/sign-in/oauth-routes.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/reference/sign-in-paths.md"), "utf8");

/** Their parts are used when a request comes. */
const LATER = { publicUrl: () => "https://gateway.example.com", browser: null } as never;
const routes = [...oauthRoutes(LATER), ...deviceRoutes(LATER), ...clientRoutes(LATER)];

test("the page lists every path of signed-in clients with the credential that it takes, and no other", () => {
  const rows = [...page.matchAll(/^\| `(GET|POST) (\/\S+)` \| ([a-z ]+) \|/gm)].map(
    ([, method, path, credential]) => `${method} ${path} ${credential === "access token" ? "bearer" : "open"}`,
  );

  expect(routes.length).toBeGreaterThan(10);
  expect(rows.toSorted()).toEqual(
    routes
      .map(
        ({ method, path, credential }) =>
          `${method} ${path} ${credential !== null && "scheme" in credential ? credential.scheme : "open"}`,
      )
      .toSorted(),
  );
});

test("the page lists every error of the OAuth paths that the code can send", () => {
  const source = ["http/sign-in/oauth-routes.ts", "wire/errors/oauth.ts"]
    .map((file) => readFileSync(join(import.meta.dirname, "../../src", file), "utf8"))
    .join("\n");
  const sent = new Set(
    [...source.matchAll(/\[?(\d{3}), "([a-z_]+)"|status: (\d{3}), error: "([a-z_]+)"/g)].map(
      ([, status, error, faultStatus, fault]) => `${status ?? faultStatus} ${error ?? fault}`,
    ),
  );
  const rows = [...page.matchAll(/^\| (\d{3}) \| `([a-z_]+)` \|/gm)].map(([, status, error]) => `${status} ${error}`);

  // What is broken in the gateway itself needs no advice.
  sent.delete("500 server_error");
  expect(sent.size).toBeGreaterThan(6);
  expect(rows.toSorted()).toEqual([...sent].toSorted());
});
