import type { Crossing } from "./crossings.ts";
import type { Spread } from "./spread.ts";
import { markdownTable, numberText } from "./table.ts";

/** One line per pair; what is relayed is what its callers' other lines are held against. */
export function crossingsTable(crossings: readonly Crossing[]): string {
  const table = markdownTable([
    ["", "events, 1/s", "of relayed", "processor time, µs", "of relayed", "valid"],
    ...crossings.map(({ client, provider, eventsPerSecond, cpuMicrosPerEvent, ofRelayed, valid, total }) => [
      client === provider ? `${client}, relayed` : `${client} from ${provider}`,
      numberText(eventsPerSecond.median),
      ratioText(ofRelayed?.rate ?? null),
      numberText(cpuMicrosPerEvent.median),
      ratioText(ofRelayed?.cpu ?? null),
      `${valid}/${total}${valid === 0 ? " INVALID" : ""}`,
    ]),
  ]);
  return `### Translated streams, per event of the caller\n\n${table}`;
}

const ratioText = (ratio: Spread | null): string =>
  ratio === null ? "" : `**${ratio.median.toFixed(2)}** [${ratio.q1.toFixed(2)}–${ratio.q3.toFixed(2)}]`;
