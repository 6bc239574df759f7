import type { TlsCertificate } from "./tls-certificate.ts";

/** What a database server says of itself, as far as the books depend on it. */
export type ServerFacts = {
  /** The role we are connected as. */
  role: string;
  /** Whether something between us and the server hands out its sessions. */
  pooled: boolean;
  /** What a session of this role starts with, whatever we have set in ours; 0 is no limit. */
  sessionDefaults: { statementTimeoutMs: number; idleTransactionTimeoutMs: number; isolation: string };
  /** What we want of a session. */
  wanted: { statementTimeoutMs: number; idleTransactionTimeoutMs: number };
  /** `neon`: commits are kept by Neon's storage servers, and what its PostgreSQL does with its own disk says nothing of them. */
  storage: "own" | "neon";
  fsync: boolean;
  fullPageWrites: boolean;
  /** By how much the server's clock is ahead of ours, and how far off that may be. */
  clockAheadMs: number;
  clockErrorMs: number;
  replication: Replication;
  /** Of the connection, both ways; none without TLS. */
  certificates: readonly TlsCertificate[];
  /** By our clock. */
  readAtMs: number;
};

export type Replication = {
  /** What a commit waits for, by the role's default. */
  synchronousCommit: string;
  synchronousStandbyNames: string;
  /** Standbys that are connected; null when the server does not say. */
  standbys: number | null;
  /** Those of them that commits wait for; null when the role may not see it. */
  synchronousStandbys: number | null;
  /** Those and the ones that could take their place; null when the role may not see it. */
  candidates: number | null;
};

/** How many standbys a commit waits for, and how many are named for that; with `*` any standby counts and none is named. */
export type StandbyDemand = { needed: number; named: number };

/** What `synchronous_standby_names` says: `FIRST 1 (a, b)`, `ANY 2 (a, b, c)`, or a list of which the first is waited for. */
export function standbyDemandOf(synchronousStandbyNames: string): StandbyDemand {
  const names = synchronousStandbyNames.replaceAll(/"(?:[^"]|"")*"/g, "quoted").trim();
  if (names === "") return { needed: 0, named: 0 };
  const [, number = "1", list = names] = /^(?:(?:first|any)\s*)?(\d+)\s*\((.*)\)$/is.exec(names) ?? [];
  const listed = list.split(",").map((name) => name.trim());
  const needed = Number(number);
  return { needed, named: listed.includes("*") ? needed : Math.max(needed, listed.length) };
}

/** `unnamed`: no standby is to be waited for. `unawaited`: commits do not wait. `absent`: too few of those named are connected. */
export type StandbyLack = "unnamed" | "unawaited" | "absent";

/**
 * Why a commit that was acknowledged may be on one server alone; null when it is on a second one. Where the role may not see which
 * standby is synchronous, one that is connected is taken for it, and where it may see none, one is taken to be connected: a commit waits
 * for the right one all the same.
 */
export function standbyLackOf(replication: Replication): StandbyLack | null {
  const { synchronousCommit, synchronousStandbyNames, standbys, synchronousStandbys } = replication;
  if (synchronousStandbyNames.trim() === "") return "unnamed";
  if (synchronousCommit === "off" || synchronousCommit === "local") return "unawaited";
  return (synchronousStandbys ?? standbys ?? Infinity) >= standbyDemandOf(synchronousStandbyNames).needed
    ? null
    : "absent";
}

/** How many standbys more may be lost before commits wait; null when the role may not see it, or when none is named to spare. */
export function sparesOf({ synchronousStandbyNames, candidates }: Replication): { left: number; named: number } | null {
  const { needed, named } = standbyDemandOf(synchronousStandbyNames);
  return candidates === null || named === needed
    ? null
    : { left: Math.max(0, candidates - needed), named: named - needed };
}
