import type { MemberTerms } from "../request/member-policy.ts";

/** What a provider's row says of it. Null or absent: what is usual. */
export type ProviderTerms = MemberTerms & {
  /** `strict`: it cuts an input that is too long, so it is sent only what certainly fits the window of the model. */
  windowCheck?: "strict" | null;
  /** `send`: it is told the span of each call, so that its own spans become part of the trace. */
  traceparent?: "send" | null;
  /** Which cloud's way of being called it has, as `platform.ts` names them; null: what its address says. */
  platform?: string | null;
};
