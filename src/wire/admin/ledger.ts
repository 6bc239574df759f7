import { z } from "zod";

export const journalPageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
  before: z.string().max(100).optional(),
});

export const usageSchema = z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(7) });

export const verifySchema = z.strictObject({ key: z.string().min(1).max(100).nullable().default(null) });

export const quarantinePageSchema = z.strictObject({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });

export const releaseSchema = z.strictObject({ end: z.enum(["charge", "void"]).default("charge") });
