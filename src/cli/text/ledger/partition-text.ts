import type { JournalDays, RepairedDay } from "../../../operator/storage.ts";
import { grouped } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

export const partitionsView = ({ days, defaultCharges }: JournalDays) => ({
  days: days.map(({ day, place, charges }) => ({ day, place, charges })),
  default_charges: defaultCharges,
});

export const repairedView = ({ day, result, charges, lockedMs }: RepairedDay) => ({
  day,
  result,
  charges,
  locked_ms: lockedMs,
});

export function partitionListing({ days, defaultCharges: charges }: JournalDays, screen: Screen = PLAIN): string {
  const rows = days.map((it) => [it.day, it.place, String(it.charges)]);
  const left = days.filter(({ place }) => place === "default").map(({ day }) => day);
  const listing = days.length === 0 ? "No partitions yet." : table(["DAY", "PARTITION", ">CHARGES"], rows, { screen });
  const [first] = left;
  if (first === undefined) return `${listing}\n\nThe default partition is empty.`;
  return `${listing}\n\n${grouped(charges)} charges are in the default partition. Move a day with: tollgate ledger partitions --repair ${first}`;
}

export function repairText({ day, result, charges, lockedMs }: RepairedDay): string {
  if (result === "present") return `${day} has its own partition. Nothing to do.`;
  if (result === "made") return `${day} now has its own partition. The default partition held nothing of it.`;
  return `Moved ${grouped(charges)} charges of ${day}. Requests waited ${lockedMs} ms. Counts and sums are unchanged.`;
}
