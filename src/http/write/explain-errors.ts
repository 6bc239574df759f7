import { FAULT_CODES, type FaultCode } from "../../core/fault.ts";
import type { OwnErrors } from "../../gateway/holder/list-errors.ts";
import { REFUSAL_WORDS } from "../../wire/errors/refusal-words.ts";
import type { HolderErrorsBody } from "../../wire/holder/errors.ts";

/** Errors with the cause and the fix that the documentation gives for each. */
export const explainErrors = ({ fromMs, toMs, requests, groups }: OwnErrors): HolderErrorsBody => ({
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
  requests,
  data: groups.map(({ code, count, last }) => {
    const words = isFaultCode(code) ? REFUSAL_WORDS[code] : null;
    return {
      code,
      count,
      last_at: last === null ? null : new Date(last.atMs).toISOString(),
      last_request_id: last?.requestId ?? null,
      last_message: last?.refusal ?? null,
      cause: words?.cause ?? null,
      fix: words?.fix ?? null,
    };
  }),
});

const isFaultCode = (code: string): code is FaultCode => (FAULT_CODES as readonly string[]).includes(code);
