import type { createJournalPartitions } from "../../app.ts";
import { table } from "./print.ts";

type Partitions = ReturnType<typeof createJournalPartitions>;
type Listing = Awaited<ReturnType<Partitions["list"]>>;
type Repaired = Awaited<ReturnType<Partitions["repair"]>>;

export function partitionListing({ days, default_charges: charges, default_usage_records: records }: Listing): string {
  const rows = days.map((it) => [it.day, it.place, String(it.charges), String(it.usage_records)]);
  const left = days.filter(({ place }) => place === "default").map(({ day }) => day);
  const listing = days.length === 0 ? "no partitions yet" : table(["DAY", "PARTITION", ">CHARGES", ">RECORDS"], rows);
  const [first] = left;
  if (first === undefined) return `${listing}\n\nnothing lies in the default partition`;
  return `${listing}\n\n${charges} charges and ${records} usage records lie in the default partition. Move a day: tollgate ledger partitions --repair ${first}`;
}

export function repairText({ day, result, charges, usage_records: records, locked_ms: lockedMs }: Repaired): string {
  if (result === "present") return `${day} has its own partitions; nothing to do`;
  if (result === "made") return `${day} has its own partitions now; nothing of it lay in the default partition`;
  return `moved ${charges} charges and ${records} usage records of ${day}; requests waited ${lockedMs} ms. Counts and sums are as before.`;
}
