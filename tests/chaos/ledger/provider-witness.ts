import type { Call } from "../../../src/simulator/witness.ts";
import { loadCountTokens } from "../../../src/tokens/count-tokens.ts";
import type { SimulatorProcess } from "../../support/simulator-process.ts";
import { until } from "../../support/until.ts";
import type { ProviderEntry } from "./evidence.ts";
import { providerEntryOf } from "./provider-log.ts";

/** What the provider has to say, and how it is told to go on. */
export type ProviderWitness = {
  calls: () => Promise<Call[]>;
  /** Waits until the provider has paused a request, and answers how to let it go on. */
  whenPaused: (marker: string) => Promise<() => Promise<void>>;
  /** Waits until the provider has paused so many. */
  untilPaused: (count: number) => Promise<void>;
  /** Lets every request go on that the provider has paused. */
  releaseAll: () => Promise<void>;
  /** Writes down what the provider remembers, which forgets it: its memory is bounded. To be called when no call is open. */
  archive: () => Promise<void>;
  /** All of it, what was archived included. */
  testimony: () => Promise<ProviderEntry[]>;
};

export async function createProviderWitness(simulator: SimulatorProcess): Promise<ProviderWitness> {
  const count = await loadCountTokens();
  const archived: ProviderEntry[] = [];
  const calls = async (): Promise<Call[]> => (await simulator.witness()) as unknown as Call[];
  const remembered = async (): Promise<ProviderEntry[]> =>
    (await calls()).flatMap((call) => providerEntryOf(call, count) ?? []);
  const tell = async (path: string, body?: object): Promise<void> => {
    await (await fetch(`${simulator.url}${path}`, { method: "POST", body: JSON.stringify(body) })).text();
  };

  return {
    calls,
    whenPaused: async (marker) => {
      const find = async (): Promise<Call | undefined> =>
        (await calls()).find((call) => call.paused && JSON.stringify(call.body).includes(marker));
      await until(async () => (await find()) !== undefined, "the provider has paused");
      const callId = (await find())?.callId;
      return () => tell("/sim/release", { callId });
    },
    untilPaused: (count) =>
      until(
        async () => (await calls()).filter(({ paused }) => paused).length === count,
        `the provider has paused ${count}`,
      ),
    releaseAll: () => tell("/sim/release"),
    archive: async () => {
      archived.push(...(await remembered()));
      await tell("/sim/reset");
    },
    testimony: async () => [...archived, ...(await remembered())],
  };
}
