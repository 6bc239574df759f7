import { type Command, InvalidArgumentError, Option } from "commander";
import { auditPage } from "../../contract/audit.ts";
import {
  AUDIT_FORMATS,
  type AuditFormat,
  auditEntry,
  auditHead,
  auditLine,
  MOST_WHOLE,
  OUTCOMES,
} from "../../wire/admin/audit.ts";
import { written } from "../../wire/validate.ts";
import { withOperator } from "../open-operator.ts";
import { addPageOptions, type PageOptions, readPages } from "../page-options.ts";
import { auditTable, auditText } from "../text/audit-text.ts";
import { printResult, printWhole } from "../text/print.ts";

type Filters = {
  actor?: string;
  action?: string;
  resource?: string;
  account?: string;
  outcome?: (typeof OUTCOMES)[number];
  from?: number;
  to?: number;
};

/** `tollgate audit list | show | export`. */
export function addAuditCommands(program: Command): void {
  const audit = program
    .command("audit")
    .description("the log of changes and rejected attempts: list, show one, export");

  addFilters(addPageOptions(audit.command("list").description("list entries, newest first"), 50))
    .option("--json", "print JSON")
    .action(async (options: PageOptions & Filters & { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const asked = { ...filterOf(options), order: "newest", documents: "short" } as const;
        const page = await readPages(options, (request) => operator.audit.list({ ...asked, ...request }, by));
        const shown = written(auditPage, page);
        printResult(shown, { json: options.json === true, text: (screen) => auditTable(shown, screen) });
      });
    });

  audit
    .command("show")
    .argument("<entry>", "id of an entry, as listed")
    .description("show one entry: who, what, and what changed")
    .option("--json", "print JSON")
    .action(async (id: string, options: { json?: true }, command: Command) => {
      await withOperator(command, async (operator, by) => {
        const entry = written(auditEntry, await operator.audit.show(id, by));
        printResult(entry, { json: options.json === true, text: (screen) => auditText(entry, screen) });
      });
    });

  addFilters(
    audit.command("export").description("print all entries, oldest first, as CSV or as one JSON object per line"),
  )
    .addOption(new Option("--format <format>", "csv or ndjson").choices(AUDIT_FORMATS).default("ndjson"))
    .option("--json", "print one JSON object per line")
    .action(async (options: Filters & { format: AuditFormat; json?: true }, command: Command) => {
      const format = options.json === true ? "ndjson" : options.format;
      const asked = { ...filterOf(options), limit: MOST_WHOLE, order: "oldest", documents: "whole" } as const;
      await withOperator(command, (operator, by) =>
        printWhole({
          head: auditHead(format),
          list: (after) => operator.audit.list({ ...asked, after }, by),
          line: (entry) => auditLine(format, entry),
        }),
      );
    });
}

const addFilters = (command: Command): Command =>
  command
    .option("--actor <actor>", "who acted: admin, cli, or an email address")
    .option("--action <action>", "what was done, such as key.create")
    .option("--resource <resource>", "id or name of what was changed: key prefix, account path")
    .option("--account <account>", "an account and all below it, by path or id")
    .addOption(new Option("--outcome <outcome>", OUTCOMES.join(", ")).choices(OUTCOMES))
    .option("--from <time>", "entries from this time on, such as 2026-11-01 or 2026-11-01T08:00:00Z", moment)
    .option("--to <time>", "entries before this time", moment);

const filterOf = ({ actor, action, resource, account, outcome, from, to }: Filters) => ({
  actor: actor ?? null,
  action: action ?? null,
  resource: resource ?? null,
  account: account ?? null,
  outcome: outcome ?? null,
  fromMs: from ?? null,
  toMs: to ?? null,
});

function moment(text: string): number {
  const ms = /^\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError("It must be a date or a time in UTC, such as 2026-11-01 or 2026-11-01T08:00:00Z.");
  return ms;
}
