import type { Command } from "commander";
import type { Adoption } from "../../../operator/storage.ts";
import { withStorage } from "../../open-storage.ts";
import { printResult } from "../../text/print.ts";
import { facts } from "../../text/table.ts";

/** `tollgate ledger adopt`. */
export function addLedgerAdoptCommand(ledger: Command): void {
  ledger
    .command("adopt")
    .description("make this database server the ledger's current server, as after a restore")
    .option("--apply", "write the change; without it, only show what would change")
    .option("--json", "print JSON")
    .action(async (options: { apply?: true; json?: true }, command: Command) => {
      await withStorage(command, async (storage, by) => {
        const adoption = await storage.adopt({ apply: options.apply === true }, by);
        printResult(adoptionView(adoption), { json: options.json === true, text: () => adoptionText(adoption) });
        process.exitCode = adoption.needed && !adoption.adopted ? 1 : 0;
      });
    });
}

function adoptionView({ standing: { identifier, timeline, booked }, needed, adopted }: Adoption): object {
  return {
    server: { system_identifier: String(identifier), timeline },
    books_last_on: {
      system_identifier: booked?.identifier?.toString() ?? null,
      timeline: booked?.timeline ?? null,
      superseded_by: booked?.supersededBy ?? null,
    },
    needed,
    adopted,
  };
}

function adoptionText({ standing: { identifier, timeline, booked }, needed, adopted }: Adoption): string {
  const remembered = [
    `system identifier ${booked?.identifier ?? "unknown"}, timeline ${booked?.timeline ?? "unknown"}`,
    ...(booked?.supersededBy == null ? [] : [`later on another server, timeline ${booked.supersededBy}`]),
  ].join(", ");
  const found = facts("", [
    ["this server", `system identifier ${identifier}, timeline ${timeline}`],
    ["ledger last on", remembered],
  ]).trimStart();
  if (!needed) return `${found}\n\nThis is the ledger's current server. Nothing to do.`;
  if (adopted)
    return `${found}\n\nThis is now the ledger's current server. Restart gateways that were already running.`;
  return (
    `${found}\n\nGateways refuse this server. Top-ups and charges made on the other server after this copy are missing here. ` +
    "Make sure that the other server accepts no more writes, run `tollgate ledger verify`, then run `tollgate ledger adopt --apply`."
  );
}
