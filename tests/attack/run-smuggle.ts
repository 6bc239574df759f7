import type { SmuggleAttempt } from "./attempt.ts";
import { signInBrowser } from "./browser.ts";
import { ask } from "./client.ts";
import { PATHS } from "./formats.ts";
import { probeModelOf } from "./models.ts";
import type { Stage } from "./stage.ts";

export type SmuggleResult = {
  probes: number;
  refused: number;
  /** Probes with something in them that reached the provider. */
  reached: string[];
};

const CREDIT = "100";

/** Sends each probe to a provider of each format and looks at what arrived there. */
export async function runSmuggle(stage: Stage, attempt: SmuggleAttempt): Promise<SmuggleResult> {
  const key = await stage.makeKey("credit", attempt.credit ?? CREDIT);
  const browser = attempt.probes.some((probe) => probe.browser)
    ? await signInBrowser(stage.gateway.url, key.secret)
    : null;
  const result: SmuggleResult = { probes: 0, refused: 0, reached: [] };
  for (const provider of attempt.providers) {
    const model = probeModelOf(attempt, provider);
    for (const { what, caller, body, headers = {}, never, path, browser: inBrowser = false } of attempt.probes) {
      const seen = (await stage.calls(model)).length;
      const url = `${stage.gateway.url}${path ?? PATHS[caller]}`;
      const own = inBrowser && browser !== null ? { cookie: browser.headers.cookie } : {};
      const secret = inBrowser ? "" : key.secret;
      const { status } = await ask({ url, secret, body: body(model), headers: { ...own, ...headers } });
      const arrived = (await stage.calls(model)).slice(seen);
      const told = arrived.map((call) => `${JSON.stringify(call.headers)}\n${call.body}`).join("\n");
      const found = never.filter((text) => told.includes(text));
      result.probes += 1;
      if (status >= 400) result.refused += 1;
      if (found.length > 0) result.reached.push(`${what}: ${caller} to ${provider} carried ${found.join(", ")}`);
    }
  }
  return result;
}
