import type { CallConvention, CallConventions } from "../call-convention.ts";

/** What is different in a cloud, by format; of what is not here its own row holds. What a refusal is like belongs to the format. */
export type PlatformConventions = Partial<Record<keyof CallConventions, Partial<Omit<CallConvention, "refusal">>>>;
