/** What the worker is asked. Values and columns travel as text; both ends of the meaning stay on the asking side. */
export type WorkerRequest =
  | { kind: "query"; id: number; sql: string; values: readonly (string | null)[] }
  | { kind: "script"; id: number; sql: string }
  | { kind: "listen"; id: number; channel: string }
  | { kind: "close"; id: number };

export type TextResult = {
  columns: readonly { name: string; oid: number }[];
  rows: readonly (readonly (string | null)[])[];
};

/** An error without its class, which is lost between threads. */
export type WorkerError = { message: string; code?: string; detail?: string; constraint?: string; severity?: string };

export type WorkerReply =
  | { kind: "done"; id: number; result: TextResult | null }
  | { kind: "failed"; id: number; error: WorkerError }
  | { kind: "notification"; channel: string; payload: string };
