import { z } from "zod";
import { instant } from "../instant.ts";
import { renamed } from "../codec.ts";
import { type ReadAs, written, type WrittenAs } from "../validate.ts";

export const holderSession = renamed(
  z.object({
    id: z.uuid(),
    client: z.string(),
    agent: z.string(),
    address: z.string(),
    account: z.string(),
    is_current: z.boolean(),
    created_at: instant,
    refreshed_at: instant,
    last_used_at: instant.nullable(),
    expires_at: instant,
  }),
  {
    isCurrent: "is_current",
    createdAtMs: "created_at",
    refreshedAtMs: "refreshed_at",
    usedAtMs: "last_used_at",
    expiresAtMs: "expires_at",
  },
);

/** What GET /me/sessions answers. */
export const holderSessions = z.object({ data: z.array(holderSession) });

export type HolderSessions = ReadAs<typeof holderSessions>;

export const writeSessions = (sessions: HolderSessions): WrittenAs<typeof holderSessions> =>
  written(holderSessions, sessions);

/** What DELETE /me/sessions answers. */
export const holderSessionsEndedSchema = z.object({ ended: z.int() });
