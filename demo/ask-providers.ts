import type { AttemptFacts } from "../src/core/request/request-facts.ts";
import type { Draw } from "./draw.ts";
import type { DemoModel } from "./models.ts";
import type { Call } from "./plan-day.ts";
import { weatherAt } from "./weather.ts";

const PATIENT_MS = 300_000;

type Skies = { endMs: number; badDayMs: number; draw: Draw; routes: ReadonlyMap<string, string> };

/** What came of asking for an answer. */
export type AskedProviders = {
  attempts: AttemptFacts[];
  last: AttemptFacts;
  perSecond: number;
  failed: boolean;
  /** It failed after a part was delivered. */
  broken: boolean;
  words: string;
};

/** Provider after provider, until one answers. */
export function askProviders(
  call: Call,
  { model, world, fromUs }: { model: DemoModel; world: Skies; fromUs: number },
): AskedProviders {
  const { draw, routes, badDayMs, endMs } = world;
  const attempts: AttemptFacts[] = [];
  let beganUs = fromUs;
  let perSecond = model.perSecond;
  for (const provider of model.providers) {
    const { fails, slower, status } = weatherAt({ atMs: call.atMs, provider, badDayMs });
    const routeId = routes.get(`${call.model} ${provider} ${call.habit.format}`) ?? "";
    const firstMs = draw.around(model.firstMs * slower * (1 + call.input / 160_000), 0.38);
    perSecond = Math.max(4, draw.around(model.perSecond / Math.sqrt(slower), 0.2));
    const wholeMs = call.streamed ? firstMs : firstMs + (call.output / perSecond) * 1_000;
    const failsNow = draw.chance(fails);
    const broken = failsNow && call.streamed && draw.chance(0.12);
    // What is seeded has ended.
    const late = failsNow && !broken && draw.chance(0.2) && call.atMs < endMs - PATIENT_MS;
    const endedUs = beganUs + Math.round((failsNow ? (late ? 60_000 : draw.around(380, 0.6)) : wholeMs) * 1_000);
    const failure = failsNow ? (late ? "timed_out" : "overloaded") : null;
    attempts.push({
      provider,
      routeId,
      region: null,
      beganUs,
      endedUs,
      status: late ? null : failsNow && !broken ? status : 200,
      failure: broken ? "broken" : failure,
    });
    const last = attempts.at(-1) as AttemptFacts;
    if (!failsNow || broken) return { attempts, last, perSecond, failed: broken, broken, words: BROKEN };
    beganUs = endedUs + Math.round(draw.around(600, 0.4));
  }
  const last = attempts.at(-1) as AttemptFacts;
  const words = last.status === null ? LATE : `The provider returned an error (status ${last.status}).`;
  return { attempts, last, perSecond, failed: true, broken: false, words };
}

const LATE = "The provider took too long to respond. It is safe to retry.";
const BROKEN = "The provider closed the connection before its response was complete.";
