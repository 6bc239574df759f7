import { expect, test } from "vitest";
import type { ReportedCheck } from "../../doctor/examine.ts";
import { doctorText } from "./doctor-text.ts";
import { PLAIN } from "./screen.ts";

const line = (id: ReportedCheck["id"], title: string, rest: Partial<ReportedCheck> = {}): ReportedCheck => ({
  id,
  group: id.split("-")[0] as ReportedCheck["group"],
  title,
  status: "ok",
  message: "fine",
  fix: null,
  ...rest,
});

test("prints each problem with its fix below it, skipped checks by their reason, and the sum last", () => {
  const checks = [
    line("host-node", "Node.js"),
    line("database-reachable", "connection", { status: "failed", message: "refused\nby it", fix: "Start it." }),
    line("ledger-sweep", "sweep", { status: "skipped", message: 'needs "connection"' }),
    line("ledger-sums", "hourly sums", { status: "skipped", message: 'needs "connection"' }),
  ];

  const text = doctorText({ ok: false, counts: { ok: 1, warning: 0, failed: 1, skipped: 2 }, checks });

  expect(text).toBe(
    `Host
  ok    Node.js      fine

Database
  FAIL  connection   refused
                     by it
                     fix: Start it.

Ledger
  skip  2 checks     needs "connection": sweep, hourly sums

Something is broken: 1 failed, 1 ok, 2 skipped.`,
  );
});

test("wraps at whole words under the message, and shows no control character", () => {
  const message = "a provider that is not there, \u001b[31mthough its name is long enough to need a second line";
  const checks = [line("host-disk", "disk", { status: "warning", message, fix: "Free some space, or move it." })];

  const text = doctorText(
    { ok: true, counts: { ok: 0, warning: 1, failed: 0, skipped: 0 }, checks },
    { ...PLAIN, columns: 60 },
  );

  expect(text).toContain(
    "  warn  disk  a provider that is not there, �[31mthough its\n              name is long enough",
  );
  expect(text).toMatch(/^No check failed: 1 warning, 0 ok\.$/m);
});
