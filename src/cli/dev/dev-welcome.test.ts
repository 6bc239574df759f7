import { expect, test } from "vitest";
import { devWelcome } from "./dev-welcome.ts";

const ready = {
  publicUrl: "http://127.0.0.1:8080",
  adminUrl: "http://127.0.0.1:8081",
  adminToken: "nobody-may-see",
  simulatorUrl: "http://127.0.0.1:9100",
  keys: { credit: "tgc_x", token_budget: "tgt_x" },
};

test("commands are offered only where they find this dev, and the operators' token is not shown", () => {
  const usual = devWelcome(ready, { folder: ".tollgate", logFile: "log" });
  const elsewhere = devWelcome(ready, { folder: "/srv/dev", logFile: "log" });

  expect(usual).toContain("tollgate keys create");
  expect(elsewhere).not.toContain("tollgate keys");
  expect(elsewhere).toContain("curl -N http://127.0.0.1:8080/v1/chat/completions");
  expect(usual + elsewhere).not.toContain("nobody-may-see");
});
