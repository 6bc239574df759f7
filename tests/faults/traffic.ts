import { setTimeout as sleep } from "node:timers/promises";

type Sent = { atMs: number; endedMs: number; failed: boolean };

export type Traffic = {
  /** Since this moment: how many began, and how many of them failed. */
  since: (atMs: number) => { sent: number; failed: number };
  /** When the last of those that failed began; null: none did, since this moment. */
  lastFailure: (sinceMs: number) => number | null;
  /** Of those that succeeded since this moment, the first to end. */
  firstSuccess: (sinceMs: number) => number | null;
  stop: () => Promise<void>;
};

const EVERY_MS = 75;
const PATIENCE_MS = 60_000;

/** A request every 75 ms, on a connection of its own, of several keys in turn, every second one streamed. By the clock: a slow answer makes the load no lighter. */
export function startTraffic(url: string, keys: readonly string[]): Traffic {
  const done: Sent[] = [];
  const open = new Set<Promise<void>>();
  let asked = 0;
  let stopped = false;

  async function ask(number: number): Promise<void> {
    const atMs = performance.now();
    const failed = !(await succeeds(url, keys[number % keys.length] ?? "", number % 2 === 0));
    done.push({ atMs, endedMs: performance.now(), failed });
  }
  const beganMs = performance.now();
  const loop = (async () => {
    while (!stopped) {
      for (const due = (performance.now() - beganMs) / EVERY_MS; asked < due; asked += 1) {
        const one = ask(asked).finally(() => open.delete(one));
        open.add(one);
      }
      await sleep(10);
    }
  })();

  return {
    since: (atMs) => {
      const begun = done.filter((one) => one.endedMs >= atMs);
      return { sent: begun.length, failed: begun.filter(({ failed }) => failed).length };
    },
    lastFailure: (sinceMs) =>
      done
        .filter((one) => one.failed && one.atMs >= sinceMs)
        .reduce<number | null>((last, { atMs }) => Math.max(last ?? 0, atMs), null),
    firstSuccess: (sinceMs) =>
      done
        .filter((one) => !one.failed && one.atMs >= sinceMs)
        .reduce<number | null>((first, { endedMs }) => Math.min(first ?? Infinity, endedMs), null),
    stop: async () => {
      stopped = true;
      await loop;
      await Promise.all(open);
    },
  };
}

async function succeeds(url: string, key: string, stream: boolean): Promise<boolean> {
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection: "close" },
      body: JSON.stringify({ model: "m", stream, messages: [{ role: "user", content: "Hello" }] }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    return response.status === 200 && (!stream || text.endsWith("data: [DONE]\n\n"));
  } catch {
    return false;
  }
}
