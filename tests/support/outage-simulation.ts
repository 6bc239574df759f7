import { payerNamed } from "../../src/core/money/payer.ts";
import type { Route } from "../../src/core/catalogue/route.ts";
import { createRouteChoice } from "../../src/upstream/route/choose-route.ts";
import type { RouteNews } from "../../src/upstream/news/route-news.ts";
import { createRouteHealth, type RouteHealth } from "../../src/upstream/route/route-health.ts";
import { createDraw } from "../../demo/draw.ts";

/** What a provider does with a call that reaches it. `slow`: as healthy, ten times later. `limited`: 429 with `Retry-After: 20`. */
export type Conduct = "healthy" | "fails" | "hangs" | "half" | "slow" | "limited";

/** What each provider does, from which second on; before the first, it is healthy. */
export type Outage = {
  name: string;
  providers: readonly (readonly (readonly [fromS: number, Conduct])[])[];
  /** Each has its own breakers, and gets its share of the requests; absent, one. */
  processes?: number;
  /** Of all processes; absent, four. */
  perSecond?: number;
  /** What they tell each other: which share of it is lost, and how late the rest is at most. Absent: nothing. */
  news?: { lost: number; lateMs: number };
  /** The first process alone finds the providers in this state. */
  cutOff?: boolean | undefined;
};

export type OutageReport = {
  name: string;
  requests: number;
  /** Rejected without asking anybody, while a provider was healthy. */
  rejectedHealthy: number;
  /** After the last provider recovered: until the last rejection. */
  secondsToClose: number;
  /** From the first second of an outage until the last process kept a request from the provider for the first time; null: none did. */
  secondsToOpen: number | null;
  /** Calls that a provider got while it failed or hung. */
  askedDead: number;
  /** Of them, those that were to find out whether it is back. */
  probes: number;
  /** The longest that a process rejected all requests, without one call. */
  longestRefusalS: number;
  /** What processes told each other. */
  told: number;
  /** Requests that failed after they had waited for a provider. */
  failed: number;
  /** The longest that a client waited for an error. */
  longestWaitS: number;
};

type Process = { index: number; health: RouteHealth; keptAwayMs: number | null; refusesSinceMs: number | null };

const LASTS_S = 600;
const PER_SECOND = 4;
const PAYERS = 20;
const STREAMED = 0.75;
const FIRST_BYTE_TIMEOUT_MS = 60_000;
const DEADLINE_MS = 300_000;
const MOST_ATTEMPTS = 3;
const DEAD: ReadonlySet<Conduct> = new Set(["fails", "hangs"]);
const WELL: ReadonlySet<Conduct> = new Set(["healthy", "slow", "half"]);

const routeOf = (index: number): Route => ({
  id: `r${index}`,
  provider: `p${index}`,
  baseUrl: "http://provider.invalid/v1",
  credentialRef: "none",
  upstreamModel: "large",
  dialect: "chat",
  conformant: true,
  priority: index,
  weight: 1,
  connectTimeoutMs: 1_000,
  firstByteTimeoutMs: FIRST_BYTE_TIMEOUT_MS,
  idleTimeoutMs: FIRST_BYTE_TIMEOUT_MS,
  concurrencyLimit: null,
});

/** Plays ten minutes of requests by twenty payers against providers with an outage; no time passes but that of its own clock. */
// oxlint-disable-next-line max-lines-per-function -- one run: its clock, its requests and their report
export function simulateOutage(outage: Outage, seed: string): OutageReport {
  const { name, providers, processes = 1, perSecond = PER_SECOND, news, cutOff = false } = outage;
  const draw = createDraw(`${seed}/${name}`);
  let nowMs = 0;
  const events: { atMs: number; act: () => void }[] = [];
  /** Latest first, so that the next is the last. */
  const at = (atMs: number, act: () => void): void => {
    let place = events.length;
    while (place > 0 && (events[place - 1]?.atMs ?? 0) < atMs) place -= 1;
    events.splice(place, 0, { atMs, act });
  };
  const clock = { nowMs: () => nowMs, elapsedMs: () => nowMs };
  const routes = providers.map((_, index) => routeOf(index));
  const all = Array.from({ length: processes }, (_, index): Process => {
    const health = createRouteHealth({
      clock,
      random: draw.next,
      onChange: () => undefined,
      tell: (said) => tell(index, said),
    });
    return { index, health, keptAwayMs: null, refusesSinceMs: null };
  });
  const conductOf = (process: number, route: number): Conduct => {
    if (cutOff && process > 0) return "healthy";
    return providers[route]?.findLast(([fromS]) => nowMs >= fromS * 1_000)?.[1] ?? "healthy";
  };
  const anyWell = (process: Process): boolean => routes.some((_, index) => WELL.has(conductOf(process.index, index)));
  const report: OutageReport = {
    name,
    requests: 0,
    rejectedHealthy: 0,
    secondsToClose: 0,
    secondsToOpen: null,
    askedDead: 0,
    probes: 0,
    longestRefusalS: 0,
    told: 0,
    failed: 0,
    longestWaitS: 0,
  };
  const outageMs = Math.min(...providers.flat().map(([fromS]) => fromS)) * 1_000;
  const recoveredMs = Math.max(...providers.flat().map(([fromS]) => fromS)) * 1_000;

  function tell(from: number, said: RouteNews): void {
    report.told += 1;
    const about = routes.findIndex(({ id }) => id === said.routeId);
    if (said.says === "trying" && DEAD.has(conductOf(from, about))) report.probes += 1;
    if (!news) return;
    for (const { index, health } of all) {
      if (index === from || draw.next() < news.lost) continue;
      at(nowMs + 2 + news.lateMs * draw.next(), () => health.heard({ ...said, from: `${from}` }));
    }
  }

  function ask(): void {
    const process = draw.pick(all);
    const { health } = process;
    const arrivedMs = nowMs;
    const payer = payerNamed(`p${Math.floor(draw.next() * PAYERS)}`);
    const streamed = draw.next() < STREAMED;
    const choice = createRouteChoice(
      { routes },
      {
        random: draw.next,
        standingOf: (route) => health.standing(route, payer),
        restsMs: (route) => health.restsMs(route),
      },
    );
    report.requests += 1;

    function attempt(number: number): void {
      const usable = number > MOST_ATTEMPTS ? null : choice.next();
      const route = usable ?? (number === 1 ? choice.probe() : null);
      if (route === null) return number === 1 ? rejected() : failed();
      const index = routes.indexOf(route);
      const conduct = conductOf(process.index, index);
      if (DEAD.has(conduct)) report.askedDead += 1;
      else if (number === 1 && DEAD.has(conductOf(process.index, 0))) keptAway();
      process.refusesSinceMs = null;
      const call = health.begin(route, { payer, streamed, probe: usable === null });
      const beganMs = nowMs;
      const fail = (reason: string, status: number | null, coolDownMs: number | null = null): void => {
        call.failed({ reason, status, coolDownMs, payer });
        choice.drop(route);
        attempt(number + 1);
      };
      if (conduct === "hangs") {
        if (streamed) at(beganMs + FIRST_BYTE_TIMEOUT_MS, () => fail("timed_out", null));
        else
          at(beganMs + DEADLINE_MS, () => {
            call.failed({ reason: "timed_out", status: null, coolDownMs: null, payer, once: true });
            failed();
          });
        return;
      }
      if (conduct === "limited") return at(nowMs + 100, () => fail("rate_limited", 429, 20_000));
      if (conduct === "fails" || (conduct === "half" && draw.next() < 0.5))
        return at(nowMs + 150, () => fail("server_error", 500));
      const pace = conduct === "slow" ? 10 : 1;
      const firstMs = pace * (streamed ? 300 + 1_400 * draw.next() ** 2 : 2_000 + 4_000 * draw.next());
      at(beganMs + firstMs, () => {
        call.answered(nowMs - beganMs);
        const lastsMs = streamed ? pace * (1_000 + 6_000 * draw.next()) : 10;
        at(nowMs + lastsMs, () => call.ended({ outcome: "completed", outputTokens: 100, payer }));
      });
    }

    function rejected(): void {
      if (anyWell(process)) report.rejectedHealthy += 1;
      keptAway();
      process.refusesSinceMs ??= nowMs;
      report.longestRefusalS = Math.max(report.longestRefusalS, (nowMs - process.refusesSinceMs) / 1_000);
      if (nowMs >= recoveredMs) report.secondsToClose = (nowMs - recoveredMs) / 1_000;
    }
    function failed(): void {
      report.failed += 1;
      report.longestWaitS = Math.max(report.longestWaitS, (nowMs - arrivedMs) / 1_000);
    }
    function keptAway(): void {
      if (nowMs < outageMs || process.keptAwayMs !== null) return;
      process.keptAwayMs = nowMs;
      report.secondsToOpen = (nowMs - outageMs) / 1_000;
    }
    attempt(1);
  }

  const next = (): number => nowMs + (-Math.log(1 - draw.next()) / perSecond) * 1_000;
  const arrive = (): void => {
    ask();
    if (nowMs < LASTS_S * 1_000) at(next(), arrive);
  };
  at(0, arrive);
  for (let event = events.pop(); event !== undefined; event = events.pop()) {
    nowMs = event.atMs;
    event.act();
  }
  return report;
}
