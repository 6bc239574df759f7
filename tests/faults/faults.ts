import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { until } from "../support/until.ts";
import { promote } from "../support/postgres-standby.ts";
import type { FaultStage, Wishes } from "./stage.ts";
import type { Says } from "./surfaces.ts";

export type Fault = {
  name: string;
  about: string;
  wishes?: Wishes;
  says: Says;
  /** Resolves with the moment from which on it is a fault; absent, the moment in which it was begun. */
  begin: (stage: FaultStage) => Promise<number | void>;
  end: (stage: FaultStage) => Promise<void>;
};

const LEDGER = { name: "tollgate_ledger_up", isBad: (value: number) => value === 0 };
const ledgerSays = (reason: RegExp, doctor: RegExp = reason): Says => ({
  reason,
  doctor,
  metric: LEDGER,
  alert: "TollgateLedgerDown",
  log: /"msg":"ledger down/,
});
/** Calls that hang are said before any of them has failed. */
const hangs = (reason: RegExp): Says => ({
  reason,
  metric: { name: "tollgate_route_slow", isBad: (value) => value === 1 },
  alert: "TollgateProviderSlow",
  log: /"msg":"route slow/,
});
const BREAKER = { name: "tollgate_route_breaker", isBad: (value: number) => value === 2 };
const providerSays = (reason: RegExp, doctor: RegExp = reason): Says => ({
  reason,
  doctor,
  metric: BREAKER,
  alert: "TollgateBreakerOpen",
  log: /"msg":"circuit breaker opened/,
});

/** A second a minute. */
const DRIFT = 1_000 / 60;
const TOLERANCE_MS = 1_000;
/** How far it is off before: the first minute of drifting is nothing to be said. */
const AHEAD_MS = 900;

/** A small limit is reached soon, and works like a large one. */
const FILES = 256;
const SEGMENTS = 10;
const sockets: Socket[] = [];
let blocker: Client | null = null;

const signalServer = (stage: FaultStage, statement: string): Promise<unknown> =>
  stage.sql(statement).then(() => stage.sql("select pg_reload_conf()"));

export const FAULTS: readonly Fault[] = [
  {
    name: "standby-promoted",
    about: "the primary crashes, and its standby is promoted by hand",
    wishes: { standby: true },
    says: ledgerSays(
      /nothing listens at the address|no server of database\.url accepts writes|shutting down|connections to the database are cut/,
      /accepts writes|nothing listens|ECONNREFUSED|is a standby|recovery/,
    ),
    begin: (stage) => stage.cluster.stop({ mode: "immediate" }),
    end: async ({ standby }) => {
      if (standby !== null) await promote(standby);
    },
  },
  {
    name: "certificate-database",
    about: "the certificate of PostgreSQL has expired, and connections are made anew",
    wishes: { tls: true },
    says: ledgerSays(/certificate of the database has expired/, /certificate/),
    begin: async (stage) => {
      const { certificates } = stage;
      await certificates?.setDatabase(certificates.authority.sign("expired", -1));
      await stage.cutDatabase();
    },
    end: async ({ certificates }) => certificates?.setDatabase(certificates.authority.sign("renewed", 30)),
  },
  {
    name: "certificate-provider",
    about: "the certificate of the provider has expired, and connections are made anew",
    wishes: { tls: true },
    says: providerSays(/acme/),
    begin: async ({ certificates, provider }) => {
      if (certificates !== null) provider.show(certificates.authority.sign("expired", -1));
      provider.cut();
    },
    end: async ({ certificates, provider }) => {
      if (certificates !== null) provider.show(certificates.authority.sign("renewed", 30));
    },
  },
  {
    name: "dns-database",
    about: "DNS no longer answers for the database, and connections are made anew",
    wishes: { names: true },
    says: ledgerSays(/DNS does not answer|cannot be resolved|does not answer connections/),
    begin: async (stage) => {
      stage.names?.setSilent(true);
      await stage.cutDatabase();
    },
    end: async ({ names }) => names?.setSilent(false),
  },
  {
    name: "dns-provider",
    about: "DNS no longer answers for the provider, and connections are made anew",
    wishes: { names: true },
    says: hangs(/acme/),
    begin: async ({ names, provider }) => {
      names?.setSilent(true);
      provider.cut();
    },
    end: async ({ names }) => names?.setSilent(false),
  },
  {
    name: "provider-half",
    about: "every second call to the only provider fails",
    says: {
      ...providerSays(/acme/),
      metric: { name: "tollgate_route_success_ratio", isBad: (value) => value < 0.8 },
      alert: "TollgateRouteFails",
      log: /"msg":"upstream failed/,
    },
    begin: async ({ provider }) => void (provider.mood.failing = 0.5),
    end: async ({ provider }) => void (provider.mood.failing = 0),
  },
  {
    name: "provider-slow",
    about: "the only provider takes ten times as long",
    says: hangs(/acme/),
    begin: async ({ provider }) => void (provider.mood.slowness = 10),
    end: async ({ provider }) => void (provider.mood.slowness = 1),
  },
  {
    name: "clock-drifts",
    about: "the gateway's clock gains a second a minute; from a difference of 1 s on",
    wishes: { clock: true },
    says: {
      reason: /clock is \d+\.\d s behind/,
      metric: { name: "tollgate_database_clock_ahead_seconds", isBad: (value) => value < -1 },
      alert: "TollgateClockDrift",
      log: /"finding":"clock"/,
    },
    begin: async ({ setClock }) => {
      setClock({ byMs: AHEAD_MS, perSecondMs: DRIFT });
      await sleep(((TOLERANCE_MS - AHEAD_MS) / DRIFT) * 1_000);
      return performance.now();
    },
    end: async ({ setClock }) => setClock({ byMs: 0, perSecondMs: 0 }),
  },
  {
    name: "wal-disk-full",
    about: "no room is left on the disk of the WAL; the server ends, and is started again once there is",
    wishes: { smallDisk: true },
    says: ledgerSays(
      /disk of PostgreSQL is full|nothing listens at the address|starting or recovering|shutting down|connections to the database are cut|has crashed/,
      /disk of PostgreSQL is full|nothing listens|ECONNREFUSED|recover|starting|does not answer|shutting down|503/,
    ),
    begin: async (stage) => {
      stage.disk?.fill();
      // The segment that is being written has room left.
      for (let segment = 0; segment < SEGMENTS; segment += 1) {
        const isDone = await stage.sql("select pg_switch_wal(), pg_logical_emit_message(false, 'drill', 'x')").then(
          () => false,
          () => true,
        );
        if (isDone) return performance.now();
      }
      return undefined;
    },
    end: async ({ disk, cluster }) => {
      disk?.empty();
      await until(() => cluster.pid() === null, "the server has ended", 2_000).catch(() => undefined);
      await cluster.start();
    },
  },
  {
    name: "read-only",
    about: "the server takes no writes",
    says: ledgerSays(/read-only|no server of database\.url accepts writes/),
    begin: (stage) => signalServer(stage, "alter system set default_transaction_read_only = on").then(() => undefined),
    end: async (stage) => {
      const client = new Client({ connectionString: stage.cluster.superuserUrl });
      await client.connect();
      await client.query("set default_transaction_read_only = off");
      await client.query("alter system reset default_transaction_read_only");
      await client.query("select pg_reload_conf()");
      await client.end();
    },
  },
  {
    name: "lock",
    about: "an operator's psql holds a lock on the charges",
    says: ledgerSays(/a lock is held by session \d+ \(psql\)/),
    begin: async ({ cluster }) => {
      blocker = new Client({ connectionString: cluster.url("tollgate"), application_name: "psql" });
      await blocker.connect();
      await blocker.query("begin");
      await blocker.query("lock table charge in share mode");
    },
    end: async () => blocker?.end(),
  },
  {
    name: "open-files",
    about: "clients hold as many connections as the gateway may open files, and every request needs a new one",
    wishes: { openFiles: FILES },
    says: {
      reason: /too few files|no more files/,
      metric: { name: "tollgate_refused_connections_total", isBad: (value) => value > 0 },
      alert: "TollgateOpenFilesExhausted",
      log: /"msg":"open files exhausted/,
    },
    begin: async ({ gateway }) => {
      for (let one = 0; one < FILES; one += 1) {
        const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
        socket.on("error", () => undefined);
        sockets.push(socket);
        await once(socket, "connect");
      }
    },
    end: async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
    },
  },
];
