import type { StageKey } from "./ask.ts";
import type { ClientEntry } from "./evidence.ts";
import { modelFor, routeFor } from "./stage-catalogue.ts";
import type { Stage } from "./stage.ts";

type Wanted = {
  stage: Stage;
  gateways: readonly { url: string }[];
  key: StageKey;
  count: number;
  model?: string;
  patienceMs?: number;
};

export type OpenStreams = {
  /** How many events with content each has brought so far. */
  events: number[];
  ended: Promise<ClientEntry[]>;
};

/** Streams of ten seconds unless told otherwise, by callers of every format, all of them open: one that a busy gateway refused is asked for again. */
export async function openStreams({
  stage,
  gateways,
  key,
  count,
  model = "long",
  ...rest
}: Wanted): Promise<OpenStreams> {
  const events = Array.from({ length: count }, () => 0);
  const open = async (index: number): Promise<{ ended: Promise<ClientEntry> }> => {
    for (;;) {
      const head = Promise.withResolvers<number>();
      const ended = stage.ask({
        ...rest,
        gateway: gateways[index % gateways.length] as { url: string },
        key,
        route: routeFor(index),
        model: modelFor(routeFor(index), model),
        streamed: true,
        maxTokens: 4_000,
        onHead: head.resolve,
        onEvents: (seen) => void (events[index] = seen),
      });
      const status = await Promise.race([head.promise, ended.then((entry) => entry.status)]);
      if (status === 200) return { ended };
      if (status === null) throw new Error("the gateway that was to hold the streams is gone");
    }
  };
  const streams = await Promise.all(events.map((_, index) => open(index)));
  return { events, ended: Promise.all(streams.map(({ ended }) => ended)) };
}
