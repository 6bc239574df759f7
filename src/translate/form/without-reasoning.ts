import type { RequestForm } from "./request-form.ts";

/** A request for a model that does not reason: not asked to, and not shown what another has thought. */
export const withoutReasoning = (form: RequestForm): RequestForm => ({
  ...form,
  thinking: null,
  turns: form.turns.map(({ role, blocks }) => ({ role, blocks: blocks.filter(({ kind }) => kind !== "thinking") })),
});
