import { expect, test } from "vitest";
import { devWelcome } from "./dev-welcome.ts";

const ready = {
  publicUrl: "http://127.0.0.1:8080",
  adminUrl: "http://127.0.0.1:8081",
  adminToken: "nobody-may-see",
  simulatorUrl: "http://127.0.0.1:9100",
  keys: { credit: "tgc_a034Fq4Jrest", token_budget: "tgt_x" },
};

const opened = { setupToken: null, console: "built" } as const;

test("commands are offered only where they find this dev, and the admin token is not shown", () => {
  const usual = devWelcome(ready, { folder: ".tollgate", logFile: "log", call: "npx tollgate", ...opened });
  const elsewhere = devWelcome(ready, { folder: "/srv/dev", logFile: "log", call: "npx tollgate", ...opened });

  expect(usual).toContain("\n  npx tollgate keys create --credit 5 --label demo\n");
  expect(usual).toContain("\n  npx tollgate usage tgc_a034Fq4J\n");
  expect(elsewhere).not.toContain("npx tollgate");
  expect(elsewhere).toContain("curl -N http://127.0.0.1:8080/v1/chat/completions");
  expect(usual + elsewhere).not.toContain("nobody-may-see");
});

test("the links to both API pages and to the metrics are shown", () => {
  const text = devWelcome(ready, { folder: ".tollgate", logFile: "log", call: "tollgate", ...opened });

  for (const link of ["http://127.0.0.1:8080/docs", "http://127.0.0.1:8081/docs", "http://127.0.0.1:8081/metrics"])
    expect(text).toContain(link);
});

test("the setup token is shown with the console while there is no owner", () => {
  const around = { folder: ".tollgate", logFile: "log", call: "tollgate", console: "built" as const };

  expect(devWelcome(ready, { ...around, setupToken: "a-token" })).toMatch(/8081\/console\n.*a-token, to make/);
  expect(devWelcome(ready, { ...around, setupToken: null })).not.toContain("setup token");
});

test("a console that is not built has no address, no setup token and no password, but a way to get it", () => {
  const demo = { email: "ann@acme.example", password: "a-password", holder: "Ann", model: "m" };
  const around = { folder: ".tollgate", logFile: "log", call: "tollgate", setupToken: "a-token" };
  const inClone = devWelcome(ready, { ...around, console: "unbuilt" });
  const inPackage = devWelcome(ready, { ...around, console: "missing", demo });

  expect(inClone).toContain("`npm run console`");
  expect(inPackage).toContain("Install the package again");
  for (const text of [inClone, inPackage]) expect(text).not.toMatch(/\/console|a-token|a-password/);
});
