import { z } from "zod";
import { csv } from "../csv.ts";
import { renamed, sparse } from "../codec.ts";
import { type ReadAs, written, type WrittenAs } from "../validate.ts";
import { instant } from "../instant.ts";

export const OUTCOMES = ["done", "refused", "failed", "unknown"] as const;
/** Documents may have hundreds of kilobytes. */
export const MOST_WHOLE = 50;

export const auditFilters = {
  actor: z.string().max(320).exactOptional().describe("Who acted: `admin`, `cli`, or a person's email address."),
  action: z.string().max(100).exactOptional().describe("What was done, such as `key.create`."),
  outcome: z
    .enum(OUTCOMES)
    .exactOptional()
    .describe("`unknown`: the process ended between the beginning and the end of the change."),
  resource: z
    .string()
    .max(400)
    .exactOptional()
    .describe("Id or name of what was changed: a key's prefix, an account's path."),
  account: z
    .string()
    .max(1_100)
    .exactOptional()
    .describe("An account by its id or path: entries of it and of all below it."),
  from: instant.exactOptional().describe("Entries at this time or later."),
  to: instant.exactOptional().describe("Entries before this time."),
};

/** What stands otherwise in the query. */
export const FILTER_NAMES = { fromMs: "from", toMs: "to" } as const;

export const auditExport = sparse(z.strictObject(auditFilters), FILTER_NAMES);
export type AuditFilters = ReadAs<typeof auditExport>;

const documentLike = (example: object) =>
  z
    .record(z.string(), z.unknown())
    .meta({ examples: [example] })
    .nullable();

/** A key that an operator suspended. */
const EXAMPLE = {
  id: "019a84d2-c6b8-7c1e-9d3f-0a5b7e2c4d60",
  at: "2026-12-01T09:30:00.000Z",
  ended_at: "2026-12-01T09:30:00.012Z",
  actor: "ann@acme.example",
  person_id: "0199d2f4-6b3a-7c51-8e0d-5a9f3c7b1e42",
  via: "password" as const,
  address: "192.0.2.7",
  request_id: "req_019a84d2c6b07c1e9d3f0a5b7e2c4d5f",
  action: "key.status",
  resource: { kind: "key", id: "0199d2f4-6b3a-7c51-8e0d-5a9f3c7b1e43", name: "tgc_a034Fq4J" },
  account_ids: ["0199d2f4-6b3a-7c51-8e0d-5a9f3c7b1e40"],
  outcome: "done" as const,
  code: null,
  count: 1,
  asked: { change: "suspend" },
  before: { status: "active" },
  after: { status: "suspended" },
};

const resourceSchema = z
  .object({
    kind: z
      .string()
      .meta({ examples: [EXAMPLE.resource.kind] })
      .describe("Such as `key`, `account` or `model`."),
    id: z
      .string()
      .meta({ examples: [EXAMPLE.resource.id] })
      .nullable()
      .describe("Its id; null: there was none, or there are many."),
    name: z
      .string()
      .meta({ examples: [EXAMPLE.resource.name] })
      .nullable()
      .describe("What it was called: a key's prefix, an account's path."),
  })
  .meta({ id: "AuditResource" });

export const auditEntry = renamed(
  z
    .object({
      id: z
        .string()
        .meta({ examples: [EXAMPLE.id] })
        .describe("Id of the entry."),
      at: instant.describe("When the change was asked for."),
      ended_at: instant.nullable().describe("When it was done or rejected; null: unknown."),
      actor: z
        .string()
        .meta({ examples: [EXAMPLE.actor] })
        .describe("Who acted: `admin`, `cli`, or a person's email address."),
      person_id: z
        .string()
        .meta({ examples: [EXAMPLE.person_id] })
        .nullable()
        .describe("Id of the person; null: the automation token, a command, or an unknown client."),
      via: z
        .enum(["password", "sso", "token", "automation", "cli"])
        .nullable()
        .describe("How the actor proved who they are; null: not at all."),
      address: z
        .string()
        .meta({ examples: [EXAMPLE.address] })
        .nullable()
        .describe("Address of the client; null: a command on the database."),
      request_id: z
        .string()
        .meta({ examples: [EXAMPLE.request_id] })
        .nullable()
        .describe("Id of the admin API's request; null: a command on the database."),
      action: z
        .string()
        .meta({ examples: [EXAMPLE.action] })
        .describe("What was asked for, such as `key.create`."),
      resource: resourceSchema,
      account_ids: z
        .array(z.string())
        .meta({ examples: [EXAMPLE.account_ids] })
        .describe("Accounts that the resource belongs to, from the root down."),
      outcome: z
        .enum(OUTCOMES)
        .describe(
          "`unknown`: the process ended between the beginning and the end of the change. Look at the resource.",
        ),
      code: z.string().nullable().describe("Error code of a rejected or failed change; null: it was done."),
      count: z.int().describe("How many attempts this entry stands for; more than 1 only where access was denied."),
      asked: documentLike(EXAMPLE.asked).describe("What was asked for; null: nothing beyond the action."),
      before: documentLike(EXAMPLE.before).describe("The resource before the change; null: there was none."),
      after: documentLike(EXAMPLE.after).describe(
        "The resource after the change, or the result of a change to many; null: nothing was changed.",
      ),
    })
    .meta({ id: "AuditEntry" }),
  {
    atMs: "at",
    endedAtMs: "ended_at",
    personId: "person_id",
    requestId: "request_id",
    accountIds: "account_ids",
  },
);

export type AuditEntryJson = WrittenAs<typeof auditEntry>;

export const AUDIT_FORMATS = ["csv", "ndjson"] as const;
export type AuditFormat = (typeof AUDIT_FORMATS)[number];

const COLUMNS = [
  "id",
  "at",
  "ended_at",
  "actor",
  "person_id",
  "via",
  "address",
  "request_id",
  "action",
  "resource_kind",
  "resource_id",
  "resource_name",
  "account_ids",
  "outcome",
  "code",
  "count",
  "asked",
  "before",
  "after",
];

/** What an export begins with. */
export const auditHead = (format: AuditFormat): string => (format === "csv" ? csv([COLUMNS]) : "");

/** One entry of an export: a row of CSV, or a line of JSON. */
export const auditLine = (format: AuditFormat, entry: ReadAs<typeof auditEntry>): string =>
  lineOf(format, written(auditEntry, entry));

function lineOf(format: AuditFormat, entry: AuditEntryJson): string {
  if (format === "ndjson") return `${JSON.stringify(entry)}\n`;
  const { resource, account_ids: accounts, asked, before, after, ...rest } = entry;
  const document = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
  const cells: Readonly<Record<string, string | number | null>> = {
    ...rest,
    resource_kind: resource.kind,
    resource_id: resource.id,
    resource_name: resource.name,
    account_ids: accounts.join(" "),
    asked: document(asked),
    before: document(before),
    after: document(after),
  };
  return csv([COLUMNS.map((name) => cells[name] ?? null)]);
}

export const auditCsvSchema = z.string().meta({
  description:
    "One row per entry, oldest first, after a row of column names. A cell that a spreadsheet would take for a formula begins with `'`.",
  examples: [auditHead("csv") + lineOf("csv", EXAMPLE)],
});
export const auditNdjsonSchema = z.string().meta({
  description: "One JSON object per line, oldest first, each as in the list.",
  examples: [lineOf("ndjson", EXAMPLE)],
});
