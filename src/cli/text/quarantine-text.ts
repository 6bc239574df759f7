import type { OperatorControl } from "../operator-control.ts";
import { facts } from "./print.ts";

type Page = Awaited<ReturnType<OperatorControl["quarantine"]["list"]>>;
type Release = Awaited<ReturnType<OperatorControl["quarantine"]["release"]>>;

export function quarantineListing({ holds, total }: Page): string {
  if (holds.length === 0) return "No request is in quarantine.";
  const each = holds.map((hold) =>
    facts(hold.request_id, [
      ["key", hold.key_id],
      ["reserved", amountOf(hold.unit, hold.reserved)],
      ["would charge", amountOf(hold.unit, hold.would_charge)],
      ["model", hold.model],
      ["admitted", hold.admitted_at],
      ["since", hold.since],
      ["why", `${hold.reason} (SQLSTATE ${hold.sqlstate})`],
      ["fix", hold.fix.replace("--key KEY", `--key ${hold.key_id}`)],
    ]),
  );
  const shown = holds.length < total ? `${holds.length} of ${total} requests` : counted(total);
  return `${each.join("\n\n")}\n\n${shown} in quarantine. Release one with \`tollgate ledger quarantine release REQUEST\`.`;
}

export function releaseText({ request_id: id, result, charged, sqlstate, reason, fix }: Release): string {
  switch (result) {
    case "charged":
      return `${id}: ended at its last checkpoint and charged ${charged}.`;
    case "voided":
      return `${id}: ended without a charge; its reservation was given back.`;
    case "ended_before":
      return `${id}: ended before by the process that served it; nothing to do.`;
    case "not_quarantined":
      return `${id}: not in quarantine; \`tollgate ledger quarantine list\` says what is.`;
    case "refused":
    default:
      return `${id}: still in quarantine. ${reason} (SQLSTATE ${sqlstate}). ${fix}`;
  }
}

const amountOf = (unit: string | null, amount: string): string =>
  `${amount} ${unit === "credit" ? "credits" : "tokens"}`;
const counted = (total: number): string => (total === 1 ? "1 request" : `${total} requests`);
