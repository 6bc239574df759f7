import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMetrics } from "../../telemetry/metrics/metrics.ts";
import { watchCertificates } from "./watch-certificates.ts";

const DAY_MS = 86_400_000;
let folder: string;
let server: Server;
let certificate: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-certificate-"));
  const files = ["-keyout", join(folder, "key.pem"), "-out", join(folder, "certificate.pem")];
  const about = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "9"];
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files, ...about], { stdio: "ignore" });
  certificate = readFileSync(join(folder, "certificate.pem"), "utf8");
  const key = readFileSync(join(folder, "key.pem"), "utf8");
  server = createServer({ cert: certificate, key }, (_request, response) => response.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
});
afterAll(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the certificate of a host that is called has a series until a day after the last connection", async () => {
  let nowMs = 0;
  const watch = watchCertificates({ elapsedMs: () => nowMs });
  const metrics = createMetrics();
  metrics.watchCertificates(watch.seen);
  const pool = new Pool(`https://localhost:${(server.address() as AddressInfo).port}`, {
    connect: { ca: certificate },
  });

  const { body } = await pool.request({ path: "/", method: "GET" });
  await body.dump();
  await pool.destroy();

  const { text } = await metrics.expose();
  const [, ends = ""] =
    /expires_timestamp_seconds\{used_for="outgoing",host="localhost(?::\d+)?"\} (\d+)/.exec(text) ?? [];
  expect(Math.abs(Number(ends) * 1_000 - (Date.now() + 9 * DAY_MS))).toBeLessThan(600_000);
  expect(text).toMatch(/lifetime_seconds\{used_for="outgoing",host="localhost(?::\d+)?"\} 7776\d\d/);

  nowMs = DAY_MS + 1;
  expect((await metrics.expose()).text).not.toContain('used_for="outgoing"');
  watch.stop();
});
