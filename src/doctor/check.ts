import type { Patient } from "./patient.ts";

export const GROUPS = {
  host: "Host",
  settings: "Settings",
  database: "Database",
  ledger: "Ledger",
  catalogue: "Providers and models",
  proxy: "Proxy",
} as const;

export type CheckGroup = keyof typeof GROUPS;
export type CheckId = `${CheckGroup}-${string}`;

/** `failed`: clients or charges suffer now. `warning`: it works, and should be looked at. `skipped`: it could not be found out. */
export type Status = "ok" | "warning" | "failed" | "skipped";

/** One line of the report. Without a fix of its own, that of its check is shown where it is not well. */
export type CheckFinding = { status: Status; message: string; fix?: string };

/** One thing about an installation that can be wrong, how it is found out, and how it is mended. */
export type Check = {
  id: CheckId;
  /** What the line is about, in a few words. */
  title: string;
  /** What makes it fail or warn, in one sentence for the page about it. */
  finds: string;
  fix: string;
  /** Checks without which this one has nothing to look at: when one of them failed or was skipped, so is this. */
  after?: readonly CheckId[];
  run: (patient: Patient) => Promise<Found> | Found;
};

export type Found = CheckFinding | readonly CheckFinding[];

export const ok = (message: string): CheckFinding => ({ status: "ok", message });
export const skipped = (message: string): CheckFinding => ({ status: "skipped", message });
export const warning = (message: string, fix?: string): CheckFinding => finding("warning", message, fix);
export const failed = (message: string, fix?: string): CheckFinding => finding("failed", message, fix);

const finding = (status: Status, message: string, fix: string | undefined): CheckFinding =>
  fix === undefined ? { status, message } : { status, message, fix };
