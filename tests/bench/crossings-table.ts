import type { Crossing } from "./crossings.ts";
import { numberText } from "./table.ts";

/** One line per pair; what is relayed is what its callers' other lines are held against. */
export function crossingsTable(crossings: readonly Crossing[]): string {
  const rows = [
    ["Streams", "events/s", "µs per event", "of a relayed stream"],
    ...crossings.map(({ client, provider, eventsPerSecond, cpuMicrosPerEvent, ratio }) => [
      client === provider ? `${client}, relayed` : `${client} from ${provider}`,
      numberText(eventsPerSecond.median),
      numberText(cpuMicrosPerEvent.median),
      client === provider ? "" : ratio.toFixed(2),
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => aligned(cell, column, widths[column] ?? 0)).join("  ")).join("\n");
}

const aligned = (cell: string, column: number, width: number): string =>
  column === 0 ? cell.padEnd(width) : cell.padStart(width);
