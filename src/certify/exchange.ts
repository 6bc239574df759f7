import type { ExchangeEnd, Overhear, SentCall } from "../core/request/overhear.ts";

/** One call to the provider and what came back, byte for byte. */
export type ProviderExchange = {
  call: SentCall;
  status: number | null;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
  /** Null while it runs. */
  end: ExchangeEnd | null;
};

export type Tap = {
  overhear: Overhear;
  /** What was overheard since it was last asked. */
  take: () => ProviderExchange[];
  /** Resolves once every call has ended, or after so long: whether all have. */
  settled: (withinMs: number) => Promise<boolean>;
};

/** More than any answer to our questions; the rest is counted by nobody and not kept. */
const MOST_KEPT_CHARACTERS = 4 * 1024 * 1024;

/** Keeps what a gateway in this process says to its providers and hears from them. */
export function createTap(): Tap {
  let exchanges: ProviderExchange[] = [];
  let running = 0;
  let waiting: (() => void)[] = [];
  return {
    overhear: (call) => {
      const exchange: ProviderExchange = { call, status: null, headers: {}, text: "", end: null };
      const decoder = new TextDecoder();
      exchanges.push(exchange);
      running++;
      return {
        head: (status, headers) => Object.assign(exchange, { status, headers }),
        bytes: (chunk) => {
          if (exchange.text.length < MOST_KEPT_CHARACTERS) exchange.text += decoder.decode(chunk, { stream: true });
        },
        ended: (how) => {
          exchange.end = how;
          running--;
          if (running > 0) return;
          for (const resolve of waiting) resolve();
          waiting = [];
        },
      };
    },
    take: () => {
      const taken = exchanges;
      exchanges = [];
      return taken;
    },
    settled: (withinMs) =>
      new Promise((resolve) => {
        if (running === 0) return resolve(true);
        const timer = setTimeout(() => resolve(false), withinMs);
        waiting.push(() => {
          clearTimeout(timer);
          resolve(true);
        });
      }),
  };
}
