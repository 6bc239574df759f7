import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { runTollgate } from "../support/run-tollgate.ts";

let gateway: GatewayProcess;
let elsewhere: string;
beforeAll(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), "tollgate-elsewhere-"));
  gateway = await startGatewayProcess();
});
afterAll(async () => {
  await gateway.stop();
  rmSync(elsewhere, { recursive: true, force: true });
});

test("a second dev in the same folder is refused with a sentence that names the process", async () => {
  const { code, stderr } = await gateway.tollgate("dev", "--port", "0");

  expect(code).toBe(1);
  expect(stderr).toContain(`process ${gateway.pid} is using the database`);
  expect(stderr).not.toMatch(/^\s+at /m);
});

test("a port that is taken ends dev with a sentence that names it, and nothing is left running", async () => {
  const { port } = new URL(gateway.publicUrl);
  const { code, stderr } = await runTollgate(["dev", "--port", port], {
    cwd: elsewhere,
    env: { PATH: process.env["PATH"] ?? "", HOME: elsewhere },
  });

  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`EADDRINUSE.*${port}.*--port`));
  expect(stderr).not.toMatch(/^\s+at /m);
});
