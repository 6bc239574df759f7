import type { AuditEntryJson } from "../../wire/admin/audit.ts";
import { moreText } from "../page-options.ts";
import { printable } from "./cell.ts";
import { PLAIN, type Screen } from "./screen.ts";
import { facts, table } from "./table.ts";

type Listing = { data: readonly AuditEntryJson[]; next: string | null };

export function auditTable({ data, next }: Listing, screen: Screen = PLAIN): string {
  if (data.length === 0) return "The audit log has no such entry.";
  const rows = data.map((entry) => [
    entry.at.slice(0, 19).replace("T", " "),
    printable(entry.actor),
    entry.action,
    printable(entry.resource.name ?? entry.resource.id ?? "-"),
    outcomeText(entry),
    entry.id,
  ]);
  return `${table(["AT (UTC)", "ACTOR", "ACTION", "RESOURCE", "OUTCOME", "ID"], rows, { screen })}${moreText(next)}`;
}

const outcomeText = ({ outcome, code, count }: AuditEntryJson): string =>
  `${outcome}${code === null ? "" : ` (${code})`}${count > 1 ? ` × ${count}` : ""}`;

/** One entry with all that it tells. What did not change stands there once. */
export function auditText(entry: AuditEntryJson, screen: Screen = PLAIN): string {
  const { resource } = entry;
  const rows: [string, string][] = [
    ["id", entry.id],
    ["at", entry.at],
    ["actor", `${printable(entry.actor)}${entry.via === null ? "" : ` (${entry.via})`}`],
    ["address", entry.address ?? "-"],
    ["request", entry.request_id ?? "-"],
    ["resource", `${resource.kind} ${printable(resource.name ?? resource.id ?? "-")}`],
    ["outcome", outcomeText(entry)],
  ];
  const asked = Object.entries(entry.asked ?? {}).map(([name, value]): [string, string] => [
    `asked ${name}`,
    written(value),
  ]);
  return facts(entry.action, [...rows, ...asked, ...changesOf(entry)], screen);
}

function changesOf({ before, after }: AuditEntryJson): [string, string][] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.flatMap((name): [string, string][] => {
    const [was, is] = [written(before?.[name]), written(after?.[name])];
    return was === is ? [] : [[name, `${was} → ${is}`]];
  });
}

const LONGEST = 200;

function written(value: unknown): string {
  if (value === undefined || value === null) return "-";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return printable(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
