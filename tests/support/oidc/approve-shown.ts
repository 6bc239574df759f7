import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { approve } from "./device-client.ts";

const SHOWN = /Open (\S+)\s+and compare the code: (\S+)/g;
const EVERY_MS = 200;

/** A person in front of a terminal: opens each page that it tells them to open, signs in and approves. `transcript`: what it shows. */
export function approveShown(transcript: string, login: string): { stop: () => Promise<void> } {
  const stopped = new AbortController();
  const done = new Set<string>();
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      const shown = existsSync(transcript) ? readFileSync(transcript, "utf8") : "";
      for (const [, page = "", userCode = ""] of shown.matchAll(SHOWN)) {
        if (done.has(userCode)) continue;
        done.add(userCode);
        await approve({ page, userCode, deviceCode: "" }, login);
      }
      await sleep(EVERY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await watching;
    },
  };
}
