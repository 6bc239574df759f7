import type { Command } from "commander";
import type { Adoption } from "../../operator/storage.ts";
import { withStorage } from "../open-storage.ts";
import { printResult } from "../text/print.ts";
import { facts } from "../text/table.ts";

/** `tollgate ledger adopt`. */
export function addLedgerAdoptCommand(ledger: Command): void {
  ledger
    .command("adopt")
    .description(
      "say that the books are on this database server now, as after a restore; exit 1 when --apply is missing",
    )
    .option("--apply", "do it; without it nothing is changed")
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
    ...(booked?.supersededBy == null ? [] : [`and since then elsewhere on timeline ${booked.supersededBy}`]),
  ].join(", ");
  const found = facts("", [
    ["this server", `system identifier ${identifier}, timeline ${timeline}`],
    ["books last on", remembered],
  ]).trimStart();
  if (!needed) return `${found}\n\nThis server has the books. Nothing to do.`;
  if (adopted)
    return `${found}\n\nThe books are on this server now. Restart gateways that ran before; those that start from now on use it.`;
  return (
    `${found}\n\nGateways refuse this server. What was paid in or charged on the other one since the copy was made is not in these books. ` +
    "Make sure that the other one takes no more writes, run `tollgate ledger verify`, and then `tollgate ledger adopt --apply`."
  );
}
