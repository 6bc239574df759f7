import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { StageKey } from "../ledger/ask.ts";
import { priceOf } from "../ledger/tariff.ts";
import type { Backdrop } from "./backdrop.ts";
import type { Cluster } from "./cluster.ts";
import {
  ALL_STREAM,
  countStatuses,
  countStreams,
  judge,
  lostOf,
  type Mark,
  overspentOf,
  refusedSeconds,
  type Row,
  secondsOf,
} from "./figures.ts";
import { openStreams, spendPurse, startLoad, untilServing } from "./load.ts";
import type { Node } from "./node.ts";
import type { Keeper } from "./part.ts";
import type { Scenario, Scene } from "./scenario.ts";
import type { RouteName, Site } from "./site.ts";
import { type Entry, type Stage, startStage } from "./stage.ts";

export type Run = {
  cluster: Cluster;
  sites: readonly [Site, Site];
  keeper: Keeper;
  backdrop: Backdrop;
  say: (text: string) => void;
};

type Act = { stage: Stage; keys: { credit: StageKey; tokens: StageKey; purse: StageKey }; violations: string[] };

const ROUTES: readonly RouteName[] = ["host list", "PgBouncer"];
/** What the purse can pay, and what is asked of it at each gateway. */
const PURSE = 40;
const ASKED_OF_PURSE = 60;
const SERVES_AGAIN_MS = 60_000;
/** Calm before and after. */
const CALM_MS = 3_000;

/** Plays one scenario with both routes at once, since the fault is the servers' and not the gateways'. */
export async function runScenario(scenario: Scenario, run: Run): Promise<Row[]> {
  const { cluster, sites, say } = run;
  await cluster.settled();
  await cluster.configure(scenario.mode);
  await using stages = new AsyncDisposableStack();
  const acts: Act[] = [];
  const databases = ROUTES.map((_, index) => `tollgate_${Date.now().toString(36)}_${index}`);
  for (const database of databases) await run.backdrop.createBooks(database);
  const starting = ROUTES.map((route, index) => startStage({ ...run, route, database: databases[index] ?? "" }));
  const started = (await Promise.allSettled(starting)).flatMap((each) =>
    each.status === "fulfilled" ? each.value : [],
  );
  for (const stage of started) {
    stages.adopt(stage, (it) => it.close());
    acts.push({ stage, keys: await keysOf(stage), violations: [] });
  }
  // One that did not start says why.
  await Promise.all(starting);
  const old = await cluster.leader();
  if (old === null) throw new Error("no server leads");
  say(`${old.name} leads, ${acts.length * sites.length} gateways serve`);

  const loads = acts.map(({ stage, keys }) => stages.use(startLoad(stage, [keys.credit, keys.tokens])));
  const streams = await Promise.all(acts.map(({ stage, keys }) => openStreams(stage, keys.credit)));
  await sleep(CALM_MS);
  const played = await play(scenario, { ...run, old, acts });
  await sleep(CALM_MS);
  await Promise.all(loads.map((load) => load.stop()));
  const rows: Row[] = [];
  for (const [index, act] of acts.entries()) {
    const ended = (await streams[index]?.ended) ?? [];
    rows.push(...(await rowsOf(scenario, { act, ended, played, sites, say })));
  }
  return rows;
}

type Played = { faultAtMs: number; marks: { atMs: number; what: string }[] };

/** Everything that happens to the servers, with the moments at which it did. */
async function play(
  scenario: Scenario,
  { cluster, sites, say, old, acts }: Run & { old: Node; acts: Act[] },
): Promise<Played> {
  const [near, far] = sites;
  const marks: Played["marks"] = [];
  const scene: Scene = {
    cluster,
    old,
    others: cluster.nodes.filter((node) => node !== old),
    near,
    far,
    mark: (what) => {
      marks.push({ atMs: Date.now(), what });
      const since = (Date.now() - (marks[0]?.atMs ?? 0)) / 1_000;
      say(`${since.toFixed(1)} s: ${what}`);
    },
    serving: async (...at) => {
      await Promise.all(acts.flatMap((act) => servingAt(act, at)));
    },
    spend: async () =>
      void (await Promise.all(acts.map(({ stage, keys }) => spendPurse(stage, keys.purse, ASKED_OF_PURSE)))),
    during: async (ms, stays) => {
      for (const untilMs = Date.now() + ms; Date.now() < untilMs; await sleep(250)) if (!(await stays())) return false;
      return true;
    },
    rejoined: async () => {
      await cluster.settled();
      scene.mark(ALL_STREAM);
    },
  };
  try {
    await scenario.act(scene);
  } finally {
    // Whatever went wrong, the next scenario finds the servers connected.
    await old.heal();
    old.signalPatroni("SIGCONT");
    for (const site of sites) await site.restore();
  }
  return { faultAtMs: marks[0]?.atMs ?? Date.now(), marks };
}

/** A gateway that does not serve again in time is a violation, and the scenario goes on. */
const servingAt = (act: Act, sites: readonly Site[]): Promise<void>[] =>
  act.stage.gateways
    .filter(({ site }) => sites.some(({ name }) => name === site))
    .map(async (gateway) => {
      const tookMs = await untilServing(act.stage, { gateway, key: act.keys.credit, timeoutMs: SERVES_AGAIN_MS });
      if (tookMs === null)
        act.violations.push(`the ${gateway.site} gateway did not serve within ${SERVES_AGAIN_MS / 1_000} s`);
    });

/** Keys with plenty and one whose purse is small, known to every gateway. */
async function keysOf(stage: Stage): Promise<Act["keys"]> {
  const credit = await stage.makeKey({ credit: 100_000_000_000n });
  const tokens = await stage.makeKey({ budget: 1_000_000_000n });
  const gateway = stage.gateways[0];
  const { usage } = gateway ? await stage.ask(gateway, { key: credit, model: "fast", maxTokens: 20 }) : { usage: null };
  if (usage === null) throw new Error("the first request was not answered");
  const purse = await stage.makeKey({ credit: priceOf("credit", usage) * BigInt(PURSE) });
  for (const key of [credit, tokens, purse])
    for (const each of stage.gateways) await stage.ask(each, { key, model: "fast", maxTokens: 20 });
  return { credit, tokens, purse };
}

type Closing = {
  act: Act;
  ended: readonly Entry[];
  played: Played;
  sites: readonly [Site, Site];
  say: (text: string) => void;
};

/** Waits for rest, hears the three witnesses and the operator's own check, and tells of each site or of both together. */
async function rowsOf(scenario: Scenario, { act, ended, played, sites, say }: Closing): Promise<Row[]> {
  const { stage } = act;
  const restMs = await stage.untilNothingHeld();
  const evidence = await stage.evidence();
  const { code, stdout, stderr } = await stage.tollgate("ledger", "verify");
  const { violations, doubled } = judge(evidence, { mayLose: scenario.mayLose === true });
  const overspent = overspentOf(evidence);
  const streams = countStreams(ended);
  const all = [
    ...act.violations,
    ...violations,
    ...overspent,
    ...spokenAlone(scenario, { stage, played, far: sites[1] }),
    ...(restMs === null ? ["something is still held"] : []),
    ...(streams.silent > 0 ? [`${streams.silent} streams ended without a word`] : []),
    ...(code === 0 ? [] : [`ledger verify ended with ${code}: ${(stdout + stderr).trim()}`]),
  ];
  for (const violation of all.slice(0, 20)) say(`violation (${stage.route}): ${violation}`);
  const { faultAtMs } = played;
  const marks = played.marks.map(({ atMs, what }): Mark => ({ second: (atMs - faultAtMs) / 1_000, what }));
  const groups = scenario.apart
    ? sites.map((site, index) => ({
        sees: index === 0 ? scenario.apart?.near : scenario.apart?.far,
        names: [site.name],
      }))
    : [{ sees: undefined, names: sites.map(({ name }) => name) }];
  return groups.map(({ sees, names }): Row => {
    const mine = ({ site }: Entry): boolean => names.includes(site);
    const entries = stage.entries.filter(mine);
    const since = { entries: entries.filter(({ sentAtMs }) => sentAtMs >= faultAtMs - CALM_MS), faultAtMs };
    const shown = since.entries.filter(({ status }) => status !== 402);
    return {
      scenario: scenario.name,
      route: stage.route,
      sees: sees ?? null,
      refusedSeconds: refusedSeconds(since),
      ...countStatuses(since.entries),
      streams: countStreams(ended.filter(mine)),
      lost: lostOf(evidence, entries),
      doubled,
      overspent: overspent.length,
      verified: code === 0,
      violations: all,
      seconds: secondsOf({ entries: shown, faultAtMs }),
      marks,
      loadAverage: loadavg()[0] ?? 0,
    };
  });
}

/** Answers told at the second site while nothing may be. */
function spokenAlone(
  scenario: Scenario,
  { stage, played, far }: { stage: Stage; played: Played; far: Site },
): string[] {
  const { silent } = scenario;
  if (silent === undefined) return [];
  const at = (what: string): number => played.marks.find((mark) => mark.what === what)?.atMs ?? 0;
  const [fromMs, toMs] = [at(silent.from), at(silent.to)];
  const spoken = stage.entries.filter(
    ({ site, terminalAtMs }) =>
      site === far.name && terminalAtMs !== null && terminalAtMs >= fromMs && terminalAtMs <= toMs,
  );
  return spoken.length === 0 ? [] : [`${spoken.length} answers were acknowledged beside the old primary`];
}
