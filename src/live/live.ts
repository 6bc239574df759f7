import type { Ended, InFlight } from "../core/request/in-flight.ts";

/** What a process says of itself. */
export type Published = {
  inFlight: readonly InFlight[];
  /** How many are in flight beside these. */
  more: number;
  /** What ended in the last seconds, the oldest first. */
  ended: readonly NumberedEnd[];
};

/** Ends are numbered by their process, one after the other, so that who reads them knows what was missed. */
export type NumberedEnd = Ended & { no: number };

/** What the database says to a process that publishes or asks. */
export type Wanted = {
  /** For how long somebody watches; 0: nobody does. */
  watchedMs: number;
  /** Requests that operators want ended, wherever they run. */
  cancels: readonly string[];
};

/** A process that has a lease, and what it said within the last seconds; null: nothing. */
export type SeenProcess = { id: string; published: Published | null; agoMs: number | null };

/** `ending`: its response was complete, or it was being ended for another reason. */
export type CancelEnd = "cancelled" | "ending";

/** Where processes publish what they have in flight, and read what they are asked for. */
export type LiveStore = {
  /** Publishes; null asks only. */
  publish: (process: string, published: Published | null) => Promise<Wanted>;
  withdraw: (process: string) => Promise<void>;
  /** What became of wishes to cancel, request by request. */
  answer: (ends: ReadonlyMap<string, CancelEnd>) => Promise<void>;
};

/** The same from the side of who watches. */
export type WatchStore = {
  /** Has all processes publish for so long. */
  watch: (forMs: number) => Promise<void>;
  read: () => Promise<SeenProcess[]>;
  /** What the key of a request in flight stands under, from the root down; null: it is not in flight. */
  accountsOf: (request: string) => Promise<readonly string[] | null>;
  /** Asks for its end: what became of an earlier wish, else `asked`; null: it is not in flight. */
  cancel: (request: string) => Promise<"asked" | CancelEnd | null>;
  /** What has become of the wish so far, and whether the request still has its hold. */
  cancelled: (request: string) => Promise<{ state: "asked" | CancelEnd; inFlight: boolean }>;
  /** The newest prefix of each key. */
  prefixes: (keys: readonly string[]) => Promise<Map<string, string>>;
  /** Those of accounts that have one. */
  names: (accounts: readonly string[]) => Promise<Map<string, string>>;
};

/** The channel on which processes are told to ask. Its payload says nothing. */
export const LIVE_CHANNEL = "tollgate_live";
