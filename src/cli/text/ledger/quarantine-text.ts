import type { QuarantineJson, ReleasedJson } from "../../../contract/quarantine.ts";
import { moreText } from "../../page-options.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { facts } from "../table.ts";

export function quarantineListing({ data, next, total }: QuarantineJson, screen: Screen = PLAIN): string {
  if (data.length === 0) return total === 0 ? "No request is in quarantine." : "No more requests are in quarantine.";
  const each = data.map((hold) =>
    facts(
      hold.request_id,
      [
        ["key", hold.key_id],
        ["reserved", amountOf(hold.unit, hold.reserved)],
        ["would charge", amountOf(hold.unit, hold.would_charge)],
        ["model", hold.model],
        ["admitted", hold.admitted_at],
        ["since", hold.since],
        ["why", `${hold.reason} (SQLSTATE ${hold.sqlstate})`],
        ["fix", hold.fix.replace("--key KEY", `--key ${hold.key_id}`)],
      ],
      screen,
    ),
  );
  const shown = data.length < total ? `${data.length} of ${total} requests` : counted(total);
  return `${each.join("\n\n")}\n\n${shown} in quarantine. Release one with \`tollgate ledger quarantine release REQUEST\`.${moreText(next)}`;
}

export function releaseText({ request_id: id, result, charged, sqlstate, reason, fix }: ReleasedJson): string {
  switch (result) {
    case "charged":
      return `${id}: settled at its last checkpoint; charged ${charged}.`;
    case "voided":
      return `${id}: released without a charge.`;
    case "ended_before":
      return `${id}: already settled by the process that served it. Nothing to do.`;
    case "not_quarantined":
      return `${id}: not in quarantine. \`tollgate ledger quarantine list\` lists those that are.`;
    case "refused":
    default:
      return `${id}: still in quarantine. ${reason} (SQLSTATE ${sqlstate}). ${fix}`;
  }
}

const amountOf = (unit: string | null, amount: string): string =>
  `${amount} ${unit === "credit" ? "credits" : "tokens"}`;
const counted = (total: number): string => (total === 1 ? "1 request" : `${total} requests`);
