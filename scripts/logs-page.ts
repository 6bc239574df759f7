/** The reference page of the log, from the tables that its lines are written from. */
import type { LogRow } from "../src/telemetry/log/log-row.ts";
import { ALARM_FIXES } from "../src/telemetry/log/alarm-fixes.ts";
import { LOG_GROUPS } from "../src/telemetry/log/log-table.ts";
import { REQUEST_FIELDS } from "../src/telemetry/request-fields.ts";

export function logsPage(generated: string): string {
  const rows = (lines: Record<string, LogRow>) =>
    Object.values(lines).map(({ message, level, orLevel, meaning, fix }) => {
      const levels = orLevel === undefined ? level : `${level} or ${orLevel}`;
      return `| \`${message}\` | ${levels} | ${meaning} | ${fix ?? ""} |`;
    });
  return [
    "# Log lines",
    "",
    "For operators who read the log or alert on it.",
    "",
    generated,
    "",
    "Tollgate logs to standard output, one JSON object per line, with `level`, `time` (UTC), `pid` and `msg`. `msg` is stable:",
    "match it in alerts. Warnings and errors carry `fix`, what to do. `log.level` sets the lowest level that is written.",
    "Secrets are removed from every line; prompts and answers are never logged.",
    "",
    "`tollgate logs` prints a log in readable form and chooses lines by level, status, key or request:",
    "",
    "<!-- not run: needs a unit under systemd -->",
    "```sh",
    "journalctl -u tollgate -o cat -f | tollgate logs --level warn",
    "```",
    "",
    "## Requests",
    "",
    'Each request is one line with `msg` "request": level info, error for status 5xx, debug for health checks.',
    "",
    "| Field | Meaning |",
    "|---|---|",
    ...Object.entries(REQUEST_FIELDS).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
    "",
    ...Object.entries(LOG_GROUPS).flatMap(([group, lines]) => [
      `## ${group}`,
      "",
      "| `msg` | Level | Meaning | What to do |",
      "|---|---|---|---|",
      ...rows(lines),
      "",
    ]),
    "## Money alarms",
    "",
    "`kind` of the line `money alarm`:",
    "",
    "| Kind | What to do |",
    "|---|---|",
    ...Object.entries(ALARM_FIXES).map(([kind, fix]) => `| \`${kind}\` | ${fix} |`),
    "",
    "## Findings at start",
    "",
    "`tollgate serve` inspects the database at its start and every 15 seconds, and logs one line per `finding`: [failure modes](../operate/failure-modes.md#findings-at-start).",
    "",
  ].join("\n");
}
