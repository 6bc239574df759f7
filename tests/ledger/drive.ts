import type { Unit } from "../../src/core/money/amount.ts";
import type {
  AdmitVerdict,
  Ask,
  Ledger,
  RefusalTold,
  Settlement,
  Swept,
  TurnAnswer,
  UsageSummary,
} from "../../src/ledger/ledger.ts";
import {
  askOf,
  type AskPlan,
  BUCKET,
  checkpointOf,
  type Command,
  type EndPlan,
  fundingOf,
  HOMES,
  type KeyCopy,
  keyOf,
  KEYS,
  type Names,
  ownCounter,
  PROCESSES,
  refundOf,
  settlementOf,
  TREE,
} from "./commands.ts";
import type { LedgerEvent } from "./history.ts";
import type { Model } from "./model.ts";
import type { Changed, Opening } from "./model-counters.ts";
import type { Ids } from "./read-state.ts";

/** A ledger whose time, keys and accounts the test controls. Counters have the numbers that the test gave them. */
export type Target = Pick<
  Ledger,
  "void" | "suspend" | "checkpoint" | "heartbeat" | "fund" | "setLimit" | "refund" | "usage"
> & {
  /** Verdicts with the answers that are to be replayed. */
  turn: (
    processId: string,
    turn: { settlements: readonly Settlement[]; asks: readonly Ask[] },
  ) => Promise<Pick<TurnAnswer, "settled"> & { verdicts: AdmitVerdict[] }>;
  /** What it ended: nothing of a batch with a poisoned hold. */
  sweep: (sweeperId: string, limit: number) => Promise<Swept[]>;
  /** From now on no sweep can end this hold. */
  poison: (holdId: string) => Promise<void>;
  nowMs: () => number;
  /** The latest that its clock has shown. */
  latestMs: () => number;
  advance: (ms: number) => Promise<void>;
  restart: () => Promise<void>;
  /** A standby that has been up for long takes over. */
  promote: () => Promise<void>;
  /** How many holds are open and not quarantined. */
  lostHolds: () => Promise<number>;
  createAccount: (accountId: string, parentId: string | null) => Promise<void>;
  createKey: (keyId: string, unit: Unit, of: { accountId: string } | { own: number }) => Promise<void>;
  /** A change of a key by an operator, who also lifts a suspension: copies read before are stale. */
  changeKey: (keyId: string) => Promise<void>;
  /** A key as a gateway reads it, and its chain for a model. */
  copyOf: (keyId: string, model: string) => Promise<KeyCopy>;
  /** The chain of a request that was admitted; null when none was. */
  chainOf: (requestId: string) => Promise<Omit<KeyCopy, "version"> | null>;
  open: (opening: Opening) => Promise<Changed>;
  close: (counter: number) => Promise<Changed>;
  watch: (counter: number, marks: readonly bigint[]) => Promise<void>;
  refused: (refusal: RefusalTold) => Promise<void>;
  move: (accountId: string, parentId: string) => Promise<Changed>;
  /** Adopts it where it is its own account. */
  moveKey: (keyId: string, accountId: string) => Promise<Changed>;
  /** Every counter's sums, in words. */
  books: () => Promise<Record<string, string>>;
};

/** Runs one command and answers what happened, as seen from outside. */
// oxlint-disable-next-line max-lines-per-function -- one command after the other.
export async function drive(target: Target, names: Names, command: Command): Promise<LedgerEvent[]> {
  const atMs = target.nowMs();
  switch (command.type) {
    case "admit":
    case "settle":
    case "turn":
      return turn(target, names, { process: 0, ends: [], asks: [], ...command });
    case "void": {
      const { delivered: contentDelivered = false } = command;
      const requests = command.requests.map((n) => ({
        id: names.requestId(n),
        bucket: BUCKET,
        keyId: names.keyId(keyOf(n)),
        contentDelivered,
      }));
      return [{ type: "void", atMs, requests, results: await target.void(requests) }];
    }
    case "suspend": {
      const keyIds = command.keys.map((key) => names.keyId(key));
      return [{ type: "suspend", atMs, keyIds, suspended: (await target.suspend(keyIds)).sort() }];
    }
    case "checkpoint": {
      const checkpoints = command.checkpoints.map((plan) => checkpointOf(names, plan));
      return [{ type: "checkpoint", atMs, checkpoints, closed: await target.checkpoint(checkpoints) }];
    }
    case "sweep": {
      const swept = await target.sweep(names.processId(command.process), command.limit);
      return [{ type: "sweep", atMs, swept: swept.sort((one, other) => (one.id < other.id ? -1 : 1)) }];
    }
    case "fund": {
      const funding = fundingOf(names, command);
      return [{ type: "fund", atMs, funding, result: await target.fund(funding) }];
    }
    case "limit": {
      const { counter, reference, amount, period } = command;
      const change = { counter, reference: `limit ${reference}`, amount, period, actor: "test" };
      return [{ type: "limit", atMs, change, result: await target.setLimit(change) }];
    }
    case "refund": {
      const charged = await target.chainOf(names.requestId(command.request));
      const refund = refundOf(names, command, charged?.units ?? ["credit"]);
      return [{ type: "refund", atMs, refund, result: await target.refund(refund) }];
    }
    case "open":
    case "close":
    case "move":
    case "rehome":
      return change(target, names, command);
    case "watch":
      await target.watch(command.counter, command.marks);
      return [];
    case "refuse":
      await target.refused(command);
      return [];
    case "usage":
      return [{ type: "usage", atMs, summary: ordered(await target.usage(names.keyId(command.key))) }];
    case "heartbeat":
      await target.heartbeat(names.processId(command.process));
      return [];
    case "crash":
      await crash(target, names, command.process);
      return [];
    case "change":
      await target.changeKey(names.keyId(command.key));
      return [];
    case "poison":
      await target.poison(names.requestId(command.request));
      return [];
    case "restart":
      await target.restart();
      return [];
    case "promote":
      await target.promote();
      return [];
    case "advance":
    default:
      await target.advance(command.ms);
      return [];
  }
}

type TurnPlan = { process: number; ends: readonly EndPlan[]; asks: readonly AskPlan[] };

/** Ends and starts in one call; what is seen of it are two events. */
async function turn(target: Target, names: Names, plan: TurnPlan): Promise<LedgerEvent[]> {
  const atMs = target.nowMs();
  const settlements: Settlement[] = [];
  for (const end of plan.ends) {
    const chain = await target.chainOf(names.requestId(end.request));
    settlements.push(settlementOf(names, end, chain ?? (await target.copyOf(names.keyId(keyOf(end.request)), "m"))));
  }
  const asks: Ask[] = [];
  for (const ask of plan.asks) {
    asks.push(askOf(names, ask, await target.copyOf(names.keyId(keyOf(ask.request)), ask.model ?? "m")));
  }
  const processId = names.processId(plan.process);
  const { settled, verdicts } = await target.turn(processId, { settlements, asks });
  return [
    ...(settlements.length > 0
      ? [{ type: "settle" as const, atMs, settlements: settlements.map(numberless), results: settled }]
      : []),
    ...(asks.length > 0 ? [{ type: "admit" as const, atMs, processId, asks: asks.map(numberless), verdicts }] : []),
  ];
}

/** A chain has another number in every database. */
const numberless = <Of extends { chain: Ask["chain"] }>(of: Of): Of => ({
  ...of,
  chain: { id: 0, counters: of.chain.counters.toSorted((one, other) => one - other) },
});

const ordered = (summary: UsageSummary | null): unknown =>
  summary && { ...summary, counters: summary.counters.toSorted((one, other) => one.id - other.id) };

/** A change of the tree, with the books before and after. */
async function change(
  target: Target,
  names: Names,
  command: Extract<Command, { type: "open" | "close" | "move" | "rehome" }>,
): Promise<LedgerEvent[]> {
  const atMs = target.nowMs();
  const before = await target.books();
  const result = await changed(target, names, command);
  return [{ type: "structure", atMs, what: command.type, result, before, after: await target.books() }];
}

async function changed(
  target: Target,
  names: Names,
  command: Extract<Command, { type: "open" | "close" | "move" | "rehome" }>,
): Promise<Changed> {
  if (command.type === "move") return target.move(names.accountId(command.account), names.accountId(command.parent));
  if (command.type === "close") return target.close(command.counter);
  if (command.type === "rehome") return target.moveKey(names.keyId(command.key), names.accountId(command.account));
  const { type: _, counter, account, key = null, ...rest } = command;
  const holder =
    key === null ? { accountId: names.accountId(account), keyId: null } : { accountId: null, keyId: names.keyId(key) };
  return target.open({ number: counter, ...holder, ...rest });
}

/** Every process renews but one, until the lease of that one is over. */
async function crash(target: Target, names: Names, crashed: number): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    for (let n = 0; n < PROCESSES; n += 1) if (n !== crashed) await target.heartbeat(names.processId(n));
    await target.advance(5_001);
  }
}

export async function openKeys(target: Target, names: Names): Promise<void> {
  for (const [n, unit] of (["credit", "credit", "tokens"] as const).entries())
    await target.createKey(names.keyId(n), unit, { own: ownCounter(n) });
  for (const { account, parent } of TREE)
    await target.createAccount(names.accountId(account), parent === null ? null : names.accountId(parent));
  for (const [key, account] of Object.entries(HOMES))
    await target.createKey(names.keyId(Number(key)), key === "6" ? "tokens" : "credit", {
      accountId: names.accountId(account),
    });
}

/** All keys, accounts and processes of a run, the sweeper of `rest` included. */
export const idsOf = ({ keyId, accountId, processId }: Names): Ids => ({
  keyIds: Array.from({ length: KEYS }, (_, n) => keyId(n)),
  accountIds: TREE.map(({ account }) => accountId(account)),
  processIds: Array.from({ length: PROCESSES + 1 }, (_, n) => processId(n)),
});

/** The faults end, a lease goes by, and the sweeper comes until there is nothing left for it. */
export async function rest(target: Target, names: Names): Promise<LedgerEvent[]> {
  const sweeperId = names.processId(PROCESSES);
  const events: LedgerEvent[] = [];
  // A clock that was set back catches up.
  await target.advance(Math.max(0, target.latestMs() - target.nowMs()));
  for (let round = 0; round < 5; round += 1) {
    await target.heartbeat(sweeperId);
    await target.advance(5_001);
  }
  await target.heartbeat(sweeperId);
  const sweep = async (limit: number): Promise<number> => {
    const [event] = await drive(target, { ...names, processId: () => sweeperId }, { type: "sweep", process: 0, limit });
    if (event?.type !== "sweep") return 0;
    events.push(event);
    return event.swept.length;
  };
  while ((await sweep(7)) > 0);
  // What is left is poisoned, or came behind something that is.
  for (let left = await target.lostHolds(); left > 0; left -= 1) await sweep(1);
  return events;
}

/** The model where a ledger is expected. */
export function modelTarget(model: Model): Target {
  const { state } = model;
  const unitsOf = (counters: readonly number[]): Unit[] => [
    ...new Set(model.counters(counters).map(([, { unit }]) => unit)),
  ];
  return {
    nowMs: model.nowMs,
    latestMs: model.latestMs,
    advance: async (ms) => model.advance(ms),
    restart: async () => model.restart(),
    promote: async () => model.promote(),
    poison: async (holdId) => model.poison(holdId),
    lostHolds: async () => [...state.holds.keys()].filter((id) => !state.quarantine.has(id)).length,
    createAccount: async (accountId, parentId) => model.createAccount(accountId, parentId),
    createKey: async (keyId, unit, of) => model.createKey(keyId, unit, of),
    changeKey: async (keyId) => model.changeKey(keyId),
    copyOf: async (keyId, asked) => {
      const key = state.keys.get(keyId);
      if (!key) return { version: 1, chain: { id: 0, counters: [] }, units: ["credit"] };
      const counters = key.counters.filter((number) => model.counter(number).models?.includes(asked) ?? true);
      return { version: key.version, chain: { id: 0, counters }, units: unitsOf([key.own, ...counters]) };
    },
    chainOf: async (requestId) => {
      const chain = (state.holds.get(requestId) ?? state.charges.get(requestId))?.chain ?? null;
      if (chain === null) return null;
      const above = chain.counters.filter((number) => number !== chain.own);
      return { chain: { id: 0, counters: above }, units: unitsOf(chain.counters) };
    },
    open: async (opening) => model.open(opening),
    close: async (counter) => model.close(counter),
    watch: async (counter, marks) => model.watch(counter, marks),
    refused: async (refusal) => model.refused(refusal),
    move: async (accountId, parentId) => model.move(accountId, parentId),
    moveKey: async (keyId, accountId) => model.moveKey(keyId, accountId),
    books: async () =>
      Object.fromEntries(
        [...state.counters].map(([number, { posted, held, used, funded, refunded }]) => [
          number,
          `${posted} ${held} ${used} ${funded} ${refunded}`,
        ]),
      ),
    turn: async (processId, turns) => model.turn(processId, turns),
    void: async (requests) => model.void(requests),
    suspend: async (keyIds) => model.suspend(keyIds),
    checkpoint: async (checkpoints) => model.checkpoint(checkpoints),
    heartbeat: async (processId) => model.heartbeat(processId),
    sweep: async (sweeperId, limit) => model.sweep(sweeperId, limit),
    fund: async (funding) => model.fund(funding),
    setLimit: async (limit) => model.setLimit(limit),
    refund: async (refund) => model.refund(refund),
    usage: async (keyId) => model.usage(keyId),
  };
}
