import type { z } from "zod";
import type { ErrorOfAdmin } from "./admin-refusals.ts";

/** What must be known of an operation of the admin API to describe it. */
export type AdminOperation = {
  id: string;
  tag: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** `{name}` stands for a parameter. */
  path: string;
  summary: string;
  description?: string;
  credential: "operator" | "metrics" | "none";
  /** Null: for the automation token alone. */
  roles: readonly string[] | "anyone" | null;
  /** Whether a role that holds for some accounts is enough. */
  leads: boolean;
  media: string;
  params: z.ZodType | null;
  query: z.ZodType | null;
  body: z.ZodType | null;
  bodyNeeded: boolean;
  /** By status. */
  answers: Readonly<Record<number, z.ZodType>>;
  /** Beside those that every operation has. */
  refusals: readonly ErrorOfAdmin[];
};
