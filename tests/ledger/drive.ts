import type { Ask, Ledger, Settled, Swept, LedgerTurn, AdmitVerdict } from "../../src/ledger/ledger.ts";
import {
  askOf,
  checkpointOf,
  type Command,
  fundingOf,
  keyOf,
  KEYS,
  type Names,
  PROCESSES,
  settlementOf,
} from "./commands.ts";
import type { LedgerEvent } from "./history.ts";
import type { Model } from "./model.ts";

/** A ledger whose time and keys the test controls. */
export type Target = Omit<Ledger, "admit" | "turn" | "kept" | "forgetClaims" | "sweep" | "countLost"> & {
  /** What it ended: nothing of a batch with a poisoned hold. */
  sweep: (sweeperId: string, limit: number) => Promise<Swept[]>;
  /** From now on no sweep can end this hold. */
  poison: (holdId: string) => Promise<void>;
  /** Verdicts with the answers that are to be replayed. */
  admit: (processId: string, asks: readonly Ask[]) => Promise<AdmitVerdict[]>;
  turn: (processId: string, turn: LedgerTurn) => Promise<{ settled: Settled[]; verdicts: AdmitVerdict[] }>;
  nowMs: () => number;
  advance: (ms: number) => Promise<void>;
  restart: () => Promise<void>;
  /** A standby that has been up for long takes over. */
  promote: () => Promise<void>;
  /** How many holds are open and not quarantined. */
  lostHolds: () => Promise<number>;
  createKey: (keyId: string, unit: "credit" | "tokens") => Promise<void>;
  /** A change of a key by an operator, who also lifts a suspension: copies read before are stale. */
  changeKey: (keyId: string) => Promise<void>;
  versionOf: (keyId: string) => number;
};

/** Runs one command and answers what happened, as seen from outside. */
export async function drive(target: Target, names: Names, command: Command): Promise<LedgerEvent[]> {
  const atMs = target.nowMs();
  switch (command.type) {
    case "admit": {
      const asks = command.asks.map((plan) => askOf(names, plan, target.versionOf));
      const processId = names.processId(command.process);
      return [{ type: "admit", atMs, processId, asks, verdicts: await target.admit(processId, asks) }];
    }
    case "settle": {
      const settlements = command.ends.map((plan) => settlementOf(names, plan));
      return [{ type: "settle", atMs, settlements, results: await target.settle(settlements) }];
    }
    case "turn": {
      const settlements = command.ends.map((plan) => settlementOf(names, plan));
      const asks = command.asks.map((plan) => askOf(names, plan, target.versionOf));
      const processId = names.processId(command.process);
      const { settled, verdicts } = await target.turn(processId, { settlements, asks });
      return [
        { type: "settle", atMs, settlements, results: settled },
        { type: "admit", atMs, processId, asks, verdicts },
      ];
    }
    case "void": {
      const { delivered: contentDelivered = false } = command;
      const requests = command.requests.map((n) => ({
        id: names.requestId(n),
        keyId: names.keyId(keyOf(n)),
        bucket: 7,
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
    case "budget": {
      const { key, reference, budget, period } = command;
      const change = { keyId: names.keyId(key), reference: `budget ${reference}`, budget, period, actor: "test" };
      return [{ type: "budget", atMs, change, result: await target.setBudget(change) }];
    }
    case "usage":
      return [{ type: "usage", atMs, summary: await target.usage(names.keyId(command.key)) }];
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

/** Every process renews but one, until the lease of that one is over. */
async function crash(target: Target, names: Names, crashed: number): Promise<void> {
  for (let round = 0; round < 4; round += 1) {
    for (let n = 0; n < PROCESSES; n += 1) if (n !== crashed) await target.heartbeat(names.processId(n));
    await target.advance(5_001);
  }
}

export async function openKeys(target: Target, names: Names): Promise<void> {
  for (const [n, unit] of (["credit", "credit", "tokens"] as const).entries())
    await target.createKey(names.keyId(n), unit);
}

/** All keys and processes of a run, the sweeper of `rest` included. */
export const idsOf = ({ keyId, processId }: Names): { keyIds: string[]; processIds: string[] } => ({
  keyIds: Array.from({ length: KEYS }, (_, n) => keyId(n)),
  processIds: Array.from({ length: PROCESSES + 1 }, (_, n) => processId(n)),
});

/** The faults end, a lease goes by, and the sweeper comes until there is nothing left for it. */
export async function rest(target: Target, names: Names): Promise<LedgerEvent[]> {
  const sweeperId = names.processId(PROCESSES);
  const events: LedgerEvent[] = [];
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
  return {
    nowMs: model.nowMs,
    advance: async (ms) => model.advance(ms),
    restart: async () => model.restart(),
    promote: async () => model.promote(),
    poison: async (holdId) => model.poison(holdId),
    lostHolds: async () => [...model.state.holds.keys()].filter((id) => !model.state.quarantine.has(id)).length,
    createKey: async (keyId, unit) => model.createKey(keyId, unit),
    changeKey: async (keyId) => model.changeKey(keyId),
    versionOf: (keyId) => model.state.accounts.get(keyId)?.version ?? 1,
    admit: async (processId, asks) => model.admit(processId, asks),
    settle: async (settlements) => model.settle(settlements),
    turn: async (processId, turn) => model.turn(processId, turn),
    void: async (requests) => model.void(requests),
    suspend: async (keyIds) => model.suspend(keyIds),
    checkpoint: async (checkpoints) => model.checkpoint(checkpoints),
    heartbeat: async (processId) => model.heartbeat(processId),
    sweep: async (sweeperId, limit) => model.sweep(sweeperId, limit),
    fund: async (funding) => model.fund(funding),
    setBudget: async (change) => model.setBudget(change),
    usage: async (keyId) => model.usage(keyId),
  };
}
