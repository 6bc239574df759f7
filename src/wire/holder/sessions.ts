import { z } from "zod";
import { moment } from "./holder.ts";

export const holderSessionSchema = z.object({
  id: z.uuid(),
  client: z.string(),
  agent: z.string(),
  address: z.string(),
  account: z.string(),
  is_current: z.boolean(),
  created_at: moment,
  refreshed_at: moment,
  last_used_at: moment.nullable(),
  expires_at: moment,
});

/** What GET /me/sessions answers. */
export const holderSessionsSchema = z.object({ data: z.array(holderSessionSchema) });

export type HolderSessionsBody = z.output<typeof holderSessionsSchema>;

/** What DELETE /me/sessions answers. */
export const holderSessionsEndedSchema = z.object({ ended: z.int() });
