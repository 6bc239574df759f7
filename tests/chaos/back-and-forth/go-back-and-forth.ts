import { setTimeout as sleep } from "node:timers/promises";
import { childEnvironment } from "../../support/child-environment.ts";
import { until } from "../../support/until.ts";
import { startProgram } from "../../support/warm-process.ts";
import type { StageKey } from "../ledger/ask.ts";
import type { ClientEntry } from "../ledger/evidence.ts";
import { answered } from "../ledger/examine-run.ts";
import { openStreams } from "../ledger/open-streams.ts";
import { withClient } from "../ledger/read-ledger.ts";
import { modelFor, routeFor } from "../ledger/stage-catalogue.ts";
import type { Gateway, Stage } from "../ledger/stage.ts";

export type Versions = {
  older: string;
  /** `table`: one that its migration changes; null: it is not known. */
  newer: { main: string; table: string | null };
};

type Options = {
  stage: Stage;
  versions: Versions;
  callers: number;
  /** How often it goes there and back before it goes there for good. */
  rounds: number;
  /** How many answers each stretch between two changes must bring. */
  answers: number;
};

export type Went = {
  /** Requests that did not end with a whole answer of status 200, also when asked again after the kill. */
  failed: string[];
  /** Attempts that the killed gateways took with them. */
  cut: number;
  requests: number;
  /** Answers of each version, by whether the newer schema was there. */
  answers: Readonly<Record<"older" | "olderOnNewer" | "newer", number>>;
  /** What commands and gateways said, by step. */
  said: { step: string; text: string }[];
  /** Exit codes of gateways that were told to stop. */
  codes: (number | null)[];
};

const PAUSE_MS = 25;
const CUT_STREAMS = 4;

/**
 * Two versions on one database under load: older, newer, older again on the newer schema, newer. The first `migrate` of the newer version is
 * killed in the middle of its transaction, and on each way back a gateway of the newer version is killed with streams open.
 */
export async function goBackAndForth({ stage, versions, callers, rounds, answers }: Options): Promise<Went> {
  const key = await stage.makeKey({ credit: 100_000_000_000n });
  const traffic = startTraffic(stage, key, callers);
  const { gateways, killed, said, codes } = traffic;
  const asked = async (step: string, ...words: string[]): Promise<void> => {
    const { code, stdout, stderr } = await stage.tollgate(...words);
    said.push({ step, text: stdout + stderr });
    if (code !== 0) throw new Error(`${step}: ${stdout}${stderr}`);
  };
  const start = async (version: Version, step: string): Promise<void> => {
    const gateway = await stage.startGateway();
    said.push({ step, text: gateway.output() });
    gateways.push({ gateway, version });
  };
  /** Nobody asks it any more when it is told to stop, as behind a load balancer. */
  const stopAll = async (version: Version): Promise<void> => {
    const leaving = gateways.filter((one) => one.version === version);
    gateways.splice(0, gateways.length, ...gateways.filter((one) => one.version !== version));
    codes.push(...(await Promise.all(leaving.map(({ gateway }) => gateway.stop()))));
  };

  try {
    await start("older", "older starts");
    await answered(stage, answers);
    stage.useProgram(versions.newer.main);
    if (versions.newer.table !== null) await killMigrate(stage, versions.newer.main, versions.newer.table);
    await asked("newer migrates", "migrate");
    for (let round = 1; round <= rounds; round += 1) {
      await start("newer", "newer starts");
      await answered(stage, answers);
      await stopAll(round === 1 ? "older" : "olderOnNewer");
      await answered(stage, answers);

      stage.useProgram(versions.older);
      await asked("older migrates", "migrate");
      await start("olderOnNewer", "older starts again");
      await answered(stage, answers);
      await kill();
      await answered(stage, answers);

      stage.useProgram(versions.newer.main);
      await asked("newer migrates again", "migrate");
    }
    await start("newer", "newer starts");
    await stopAll("olderOnNewer");
    await answered(stage, answers);
  } finally {
    await traffic.stop();
  }
  return traffic.result();

  /** Its open streams are asked for again, as clients do whose connection breaks. */
  async function kill(): Promise<void> {
    const leaving = gateways.filter(({ version }) => version === "newer");
    const doomed = leaving.map(({ gateway }) => gateway);
    const streams = await openStreams({ stage, gateways: doomed, key, count: CUT_STREAMS, model: "halfway" });
    // The load balancer learns of it only by what it does to requests.
    for (const gateway of doomed) {
      killed.set(gateway.url, Date.now());
      gateway.signal("SIGKILL");
    }
    await Promise.all(doomed.map(({ ended }) => ended));
    gateways.splice(0, gateways.length, ...gateways.filter(({ version }) => version !== "newer"));
    traffic.notedStreams(await streams.ended);
  }
}

type Version = "older" | "olderOnNewer" | "newer";
type Serving = { gateway: Gateway; version: Version };

function startTraffic(stage: Stage, key: StageKey, callers: number) {
  const gateways: Serving[] = [];
  const killed = new Map<string, number>();
  const answers = { older: 0, olderOnNewer: 0, newer: 0 };
  const failed: string[] = [];
  const said: Went["said"] = [];
  const codes: Went["codes"] = [];
  let [cut, requests, turn, stopped] = [0, 0, 0, false];

  const isWhole = ({ status, terminalAtMs, code }: ClientEntry): boolean =>
    status === 200 && terminalAtMs !== null && code === null;
  const words = ({ route, status, code, terminalAtMs, events }: ClientEntry, { version }: Serving): string =>
    JSON.stringify({ version, route, status, code, whole: terminalAtMs !== null, events });

  /** Asked again only after the kill of the gateway that had it. */
  const ask = async (index: number, streamed: boolean): Promise<void> => {
    requests += 1;
    for (;;) {
      const serving = gateways[(turn += 1) % Math.max(1, gateways.length)];
      if (serving === undefined) {
        await sleep(PAUSE_MS);
        continue;
      }
      const route = routeFor(index);
      // Some are long enough to be in the middle when something is stopped.
      const model = modelFor(route, index % 7 === 0 ? "slow" : "fast");
      const entry = await stage.ask({ gateway: serving.gateway, key, route, model, streamed, maxTokens: 100 });
      if (isWhole(entry)) {
        answers[serving.version] += 1;
        return;
      }
      const killedAtMs = killed.get(serving.gateway.url);
      if (killedAtMs === undefined || entry.endedAtMs < killedAtMs || entry.status === 503) {
        failed.push(words(entry, serving));
        return;
      }
      cut += 1;
    }
  };
  const call = async (first: number): Promise<void> => {
    for (let index = first; !stopped; index += callers) {
      await ask(index, index % 3 !== 0);
      await sleep(PAUSE_MS);
    }
  };
  const running = Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
  const again: Promise<void>[] = [];
  return {
    gateways,
    killed,
    said,
    codes,
    notedStreams: (entries: readonly ClientEntry[]): void => {
      const broken = entries.filter((entry) => !isWhole(entry));
      cut += broken.length;
      again.push(...broken.map((_, index) => ask(index, true)));
    },
    stop: async (): Promise<void> => {
      stopped = true;
      await running;
      await Promise.all(again);
    },
    result: (): Went => ({ failed, cut, requests, answers, said, codes }),
  };
}

/** Kills `migrate` while its transaction waits for a lock, with some of its functions defined already. */
async function killMigrate(stage: Stage, main: string, table: string): Promise<void> {
  const url = stage.cluster().url();
  const before = await schemaOf(url);
  await withClient(url, async (client) => {
    await client.query("begin");
    await client.query(`lock table ${table} in access share mode`);
    const env = { ...childEnvironment(), DATABASE_URL: url };
    const migrating = await startProgram({ words: ["migrate"], main, cwd: "/", env, alone: true });
    const waits = `select exists (select from pg_locks where not granted and relation = '${table}'::regclass and mode = 'AccessExclusiveLock') as is`;
    await until(
      async () =>
        migrating.hasEnded() ||
        (await withClient(url, (other) => other.query<{ is: boolean }>(waits))).rows[0]?.is === true,
      "migrate waits for its lock",
    );
    if (migrating.hasEnded()) throw new Error(`migrate ended by itself: ${migrating.stdout()}${migrating.stderr()}`);
    migrating.kill("SIGKILL");
    await migrating.exited;
    await client.query("commit");
  });
  const after = await schemaOf(url);
  if (after !== before) throw new Error(`the killed migrate left ${after}, not ${before}`);
}

/** What has been applied, and what functions say. */
const schemaOf = (url: string): Promise<string> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ text: string }>(
      `select (select string_agg(name, ' ' order by number) from migration) || ' ' || (select max(edition) from function_edition)
         || ' ' || md5((select string_agg(prosrc, '' order by oid) from pg_proc where pronamespace = 'public'::regnamespace)) as text`,
    );
    return rows[0]?.text ?? "";
  });
