import type { JournalDays, RepairedDay } from "../../operator/storage.ts";
import { grouped } from "./cell.ts";
import { PLAIN, type Screen } from "./screen.ts";
import { table } from "./table.ts";

export const partitionsView = ({ days, defaultCharges, defaultUsageRecords }: JournalDays) => ({
  days: days.map(({ day, place, charges, usageRecords }) => ({ day, place, charges, usage_records: usageRecords })),
  default_charges: defaultCharges,
  default_usage_records: defaultUsageRecords,
});

export const repairedView = ({ day, result, charges, usageRecords, lockedMs }: RepairedDay) => ({
  day,
  result,
  charges,
  usage_records: usageRecords,
  locked_ms: lockedMs,
});

export function partitionListing(
  { days, defaultCharges: charges, defaultUsageRecords: records }: JournalDays,
  screen: Screen = PLAIN,
): string {
  const rows = days.map((it) => [it.day, it.place, String(it.charges), String(it.usageRecords)]);
  const left = days.filter(({ place }) => place === "default").map(({ day }) => day);
  const listing =
    days.length === 0 ? "No partitions yet." : table(["DAY", "PARTITION", ">CHARGES", ">RECORDS"], rows, { screen });
  const [first] = left;
  if (first === undefined) return `${listing}\n\nThe default partition is empty.`;
  return `${listing}\n\n${grouped(charges)} charges and ${grouped(records)} usage records are in the default partition. Move a day with: tollgate ledger partitions --repair ${first}`;
}

export function repairText({ day, result, charges, usageRecords: records, lockedMs }: RepairedDay): string {
  if (result === "present") return `${day} has its own partitions. Nothing to do.`;
  if (result === "made") return `${day} now has its own partitions. The default partition held nothing of it.`;
  return `Moved ${grouped(charges)} charges and ${grouped(records)} usage records of ${day}. Requests waited ${lockedMs} ms. Counts and sums are unchanged.`;
}
