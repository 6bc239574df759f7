import type { CheckId, Status } from "../../../src/doctor/check.ts";
import type { Host } from "../../../src/doctor/host.ts";
import type { Patient } from "../../../src/doctor/patient.ts";
import type { Change } from "./installation.ts";

/** One thing that is broken on purpose, and the line that must say so. */
export type WayToBreak = Change & {
  breaks: string;
  /** On the database, as a superuser. */
  sql?: readonly string[];
  undo?: readonly string[];
  expected: { id: CheckId; status: Status; message: RegExp; fix: RegExp };
};

/** On a machine that differs in this. */
export const onHost = (host: Partial<Host>) => (healthy: Patient) => ({ host: { ...healthy.host, ...host } });
