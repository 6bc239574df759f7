import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { backendMessages, frontendMessages, givenIn, textsOf } from "./postgres-messages.ts";

/**
 * What is done to a call. `hold_query`: the server does not hear of it. `hold_answer`: it is done, and nobody hears. `cut_query`: the
 * connection breaks as the call leaves. `cut_answer`: it breaks when the call is done and before the answer is heard.
 */
export type Interference = "hold_query" | "hold_answer" | "cut_query" | "cut_answer";

/**
 * A call of a function of the ledger, of which it may be told that one of its parameters, counted from 1, is not null. `alone`: the function
 * that does the same for one request.
 */
export type Call = { fn: string; given?: number; alone?: string };

/** Turns that end requests, and turns that begin some. One turn may be both. */
export const SETTLING: Call = { fn: "turn_v2", given: 4, alone: "settle_turn_v2" };
export const ADMITTING: Call = { fn: "turn_v2", given: 33, alone: "admit_turn_v1" };

/** One call that was interfered with. */
export type Caught = {
  /** Resolves when it stands at the place asked for. */
  happened: Promise<void>;
  /** Lets a held call go on. */
  release: () => void;
};

export type PostgresProxy = {
  port: number;
  /** Interferes with the next such call, on whichever connection it comes. */
  next: (call: Call, interference: Interference) => Caught;
  /** How often it was made through here. */
  calls: (call: Call) => number;
  /** Breaks every connection; returns how many there were. */
  cutAll: () => number;
  close: () => Promise<void>;
};

/** A call as it is seen on its way. */
type Seen = { fn: string; given: readonly boolean[] };

const isSuch = ({ fn, given, alone }: Call, seen: Seen): boolean =>
  seen.fn === alone || (seen.fn === fn && (given === undefined || seen.given[given - 1] === true));

type Trap = {
  call: Call;
  interference: Interference;
  happened: () => void;
  released: Promise<void>;
};

type Spring = (sql: string, given: readonly boolean[]) => Trap | null;

/** Stands between a process and its PostgreSQL and reads along, so that it can interfere with exactly one call. */
export async function startPostgresProxy(target: { port: number }): Promise<PostgresProxy> {
  const traps: Trap[] = [];
  const seen: Seen[] = [];
  const open = new Set<Socket>();

  const springFor: Spring = (sql, given) => {
    const fn = /\b(\w+_v\d+)\(/.exec(sql)?.[1];
    if (fn === undefined) return null;
    seen.push({ fn, given });
    const index = traps.findIndex(({ call }) => isSuch(call, { fn, given }));
    return index < 0 ? null : (traps.splice(index, 1)[0] ?? null);
  };

  const server = createServer((client) => {
    open.add(client);
    client.once("close", () => open.delete(client));
    join({ client, upstream: connect(target.port, "127.0.0.1"), springFor });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));

  return {
    port: (server.address() as AddressInfo).port,
    next: (call, interference) => {
      const happened = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      traps.push({ call, interference, happened: happened.resolve, released: released.promise });
      return { happened: happened.promise, release: released.resolve };
    },
    calls: (call) => seen.filter((it) => isSuch(call, it)).length,
    cutAll: () => {
      const count = open.size;
      for (const socket of open) socket.resetAndDestroy();
      return count;
    },
    close: () => close(server, open),
  };
}

/** One connection: bytes pass both ways, unless a trap springs on a call among them. */
function join(sides: { client: Socket; upstream: Socket; springFor: Spring }): void {
  const { client, upstream, springFor } = sides;
  const statements = new Map<string, string>();
  let sprung: Trap | null = null;
  let answered = false;

  const cut = (trap: Trap): void => {
    client.resetAndDestroy();
    upstream.resetAndDestroy();
    trap.happened();
  };
  const called = (sql: string, given: readonly boolean[]): void => {
    sprung ??= springFor(sql, given);
    answered = false;
  };
  const readFrontend = frontendMessages((type, body) => {
    const [first = "", second = ""] = textsOf(body, 2);
    if (type === "P") statements.set(first, second);
    else if (type === "B") called(statements.get(second) ?? "", givenIn(body));
    else if (type === "Q") called(first, []);
  });
  const readBackend = backendMessages((type) => {
    if (type === "Z") answered = true;
  });

  const letGo = async (trap: Trap, flush: () => void): Promise<void> => {
    trap.happened();
    await trap.released;
    sprung = null;
    flush();
  };
  const toServer = passage(upstream);
  const toClient = passage(client);
  client.on("data", (chunk: Buffer) => {
    const before = sprung;
    readFrontend(chunk);
    if (sprung !== null && before === null && sprung.interference === "hold_query") {
      toServer.stop();
      void letGo(sprung, toServer.go);
    }
    if (sprung !== null && before === null && sprung.interference === "hold_answer") toClient.stop();
    toServer.pass(chunk);
    if (sprung !== null && before === null && sprung.interference === "cut_query") {
      const trap = sprung;
      // Once the kernel has it, so that the server may well hear of the call, though nobody hears the server.
      upstream.write("", () => cut(trap));
    }
  });
  upstream.on("data", (chunk: Buffer) => {
    readBackend(chunk);
    if (sprung !== null && answered && sprung.interference === "cut_answer") return cut(sprung);
    toClient.pass(chunk);
    if (sprung !== null && answered && sprung.interference === "hold_answer") void letGo(sprung, toClient.go);
  });
  for (const [socket, other] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    socket.setNoDelay(true);
    socket.on("error", () => other.destroy());
    socket.on("close", () => other.destroy());
    socket.on("end", () => other.end());
  }
}

/** The way to one side, which can be closed for a while; nothing is lost meanwhile. */
function passage(socket: Socket): { pass: (chunk: Buffer) => void; stop: () => void; go: () => void } {
  let kept: Buffer[] | null = null;
  return {
    pass: (chunk) => void (kept === null ? socket.write(chunk) : kept.push(chunk)),
    stop: () => {
      kept ??= [];
    },
    go: () => {
      const chunks = kept ?? [];
      kept = null;
      for (const chunk of chunks) if (!socket.destroyed) socket.write(chunk);
    },
  };
}

function close(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  for (const socket of open) socket.destroy();
  return new Promise((resolve) => void server.close(() => resolve()));
}
