import type { Cluster, Mode } from "./cluster.ts";
import type { Node } from "./node.ts";
import type { Site } from "./site.ts";

/** What a scenario may do, and what it says while it does. */
export type Scene = {
  cluster: Cluster;
  /** The leader when the fault comes. */
  old: Node;
  others: readonly Node[];
  /** Two places with gateways of each route. */
  near: Site;
  far: Site;
  /** Names a moment in the picture and says it on the terminal. */
  mark: (what: string) => void;
  /** Waits until the gateways at these sites answer again; says so when they do not. */
  serving: (...sites: Site[]) => Promise<void>;
  /** At every gateway more is asked for one key than its purse can pay. */
  spend: () => Promise<void>;
  /** Watches for a while that something stays as it is. */
  during: (ms: number, holds: () => Promise<boolean>) => Promise<boolean>;
  /** From now until the old leader streams from the new one. */
  rejoined: () => Promise<void>;
};

export type Scenario = {
  name: string;
  /** One sentence of what is done. */
  done: string;
  mode: Mode;
  /** The gateways see different things and are told of apart; the words say what the second sees. */
  apart?: { near: string; far: string };
  /** Acknowledged charges can be lost here, by the nature of the mode. */
  mayLose?: boolean;
  /** Nothing may be acknowledged at the second site between these two marks. */
  silent?: { from: string; to: string };
  act: (scene: Scene) => Promise<void>;
};

const SYNCHRONOUS: Mode = { synchronous: true, failsafe: false };
const ASYNCHRONOUS: Mode = { synchronous: false, failsafe: false };
const OUTAGE_MS = 30_000;
/** As long as two servers take writes beside each other, once the new one leads. */
const SPLIT_MS = 10_000;

const leads = async (node: Node): Promise<boolean> => (await node.rest("/primary"))?.status === 200;

const split = async (scene: Scene, ...serving: Site[]): Promise<void> => {
  const { cluster, old, mark } = scene;
  mark("Patroni stopped");
  old.signalPatroni("SIGSTOP");
  await cluster.leaderOtherThan(old);
  mark("new leader");
  await scene.spend();
  await scene.during(SPLIT_MS, () => Promise.resolve(true));
  await scene.serving(...serving);
  mark("Patroni resumed");
  old.signalPatroni("SIGCONT");
  await scene.rejoined();
};

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "leader killed",
    done: "`kill -9` of the leader's Patroni and postmaster; restarted once another server leads",
    mode: SYNCHRONOUS,
    act: async ({ cluster, old, near, far, mark, serving, rejoined }) => {
      mark("killed");
      await old.killPatroni();
      old.killPostmaster();
      await cluster.leaderOtherThan(old);
      mark("new leader");
      await serving(near, far);
      mark("restarted");
      old.start();
      await rejoined();
    },
  },
  {
    name: "planned switchover",
    done: "`patronictl switchover`",
    mode: SYNCHRONOUS,
    act: async ({ cluster, old, near, far, mark, serving, rejoined }) => {
      mark("switchover");
      const asked = cluster.switchover(old);
      await cluster.leaderOtherThan(old);
      mark("new leader");
      await rejoined();
      await asked;
      await serving(near, far);
    },
  },
  {
    name: "postmaster killed",
    done: "`kill -9` of the leader's postmaster alone",
    mode: SYNCHRONOUS,
    act: async ({ cluster, old, near, far, mark, serving, rejoined }) => {
      mark("killed");
      const before = old.postmaster();
      old.killPostmaster();
      const back = async (): Promise<boolean> =>
        (await leads(old)) ? old.postmaster() !== before : (await cluster.leader()) !== null;
      await cluster.wait(back, "a server leads again");
      mark("leader again");
      await serving(near, far);
      await rejoined();
    },
  },
  {
    name: "etcd quorum lost",
    done: `two of three etcd servers killed, restarted ${OUTAGE_MS / 1_000} s later`,
    mode: SYNCHRONOUS,
    act: async ({ cluster, near, far, mark, serving, during, rejoined }) => {
      mark("etcd lost");
      await cluster.etcd.loseQuorum();
      await during(OUTAGE_MS, () => Promise.resolve(true));
      mark("etcd back");
      await cluster.etcd.regainQuorum();
      await serving(near, far);
      await rejoined();
    },
  },
  {
    name: "etcd quorum lost, failsafe mode",
    done: `the same with \`failsafe_mode: true\``,
    mode: { synchronous: true, failsafe: true },
    act: async ({ cluster, old, near, far, mark, serving, during, rejoined }) => {
      mark("etcd lost");
      await cluster.etcd.loseQuorum();
      if (!(await during(OUTAGE_MS, () => leads(old)))) mark("demoted all the same");
      mark("etcd back");
      await cluster.etcd.regainQuorum();
      await serving(near, far);
      await rejoined();
    },
  },
  {
    name: "leader cut off",
    done: "the leader is cut off from the other servers and from etcd",
    mode: SYNCHRONOUS,
    apart: { near: "reaches the other two servers", far: "reaches only the old leader" },
    silent: { from: "new leader", to: "healed" },
    act: async ({ cluster, old, others, near, far, mark, serving, spend, rejoined }) => {
      mark("cut off");
      await Promise.all([old.cut(), near.cutFrom([old]), far.cutFrom(others)]);
      await cluster.leaderOtherThan(old);
      mark("new leader");
      await spend();
      await serving(near);
      await cluster.wait(async () => !(await leads(old)), "the old leader has given up");
      mark("healed");
      await old.heal();
      await near.restore();
      await far.restore();
      await serving(near, far);
      await rejoined();
    },
  },
  ...[SYNCHRONOUS, ASYNCHRONOUS].flatMap((mode): Scenario[] => {
    const suffix = mode.synchronous ? "" : ", asynchronous";
    return [
      {
        name: `two primaries${suffix}`,
        done: "the leader's Patroni is paused (SIGSTOP), its PostgreSQL keeps running; all servers are reachable",
        mode,
        act: (scene) => split(scene, scene.near, scene.far),
      },
      {
        name: `gateway isolated with the old primary${suffix}`,
        done: "the same, and one gateway reaches only the old primary, bypassing haproxy",
        mode,
        apart: { near: "reaches every server", far: "reaches only the old primary" },
        ...(mode.synchronous ? { silent: { from: "new leader", to: "healed" } } : { mayLose: true }),
        act: async (scene) => {
          const { cluster, old, others, near, far, mark, serving, rejoined } = scene;
          await far.cutFrom(others);
          await far.pin(old);
          await serving(far);
          mark("Patroni stopped");
          old.signalPatroni("SIGSTOP");
          await cluster.leaderOtherThan(old);
          mark("new leader");
          await scene.spend();
          await scene.during(SPLIT_MS, () => Promise.resolve(true));
          await serving(near);
          mark("healed");
          await far.restore();
          old.signalPatroni("SIGCONT");
          await serving(near, far);
          await rejoined();
        },
      },
    ];
  }),
];
