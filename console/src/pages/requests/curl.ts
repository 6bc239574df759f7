import { ORIGIN_PREFIX } from "../../../../src/core/people/key-mode.ts";
import { curlCommand } from "../../../../src/wire/client-setup/curl.ts";
import type { RequestDetail } from "../../api/generated/admin.ts";

type Format = NonNullable<RequestDetail["format"]>;

const PROMPT = "Your prompt";

const BODIES: Record<Format, (model: string, stream: boolean) => object> = {
  chat: (model, stream) => ({ model, stream, messages: [{ role: "user", content: PROMPT }] }),
  responses: (model, stream) => ({ model, stream, input: PROMPT }),
  messages: (model, stream) => ({ model, stream, max_tokens: 1024, messages: [{ role: "user", content: PROMPT }] }),
  embeddings: (model) => ({ model, input: PROMPT }),
};

/** A request of the same kind. Prompts and keys are not kept, so the reader puts their own in. Keys with a budget have an origin of their own. */
export function curlOf({ format, model, model_asked: asked, streamed, reserved }: RequestDetail): string {
  const mode = reserved !== null && reserved.credits === null ? "token_budget" : "credit";
  const kind = format ?? "chat";
  const body = BODIES[kind](asked ?? model ?? "MODEL", streamed);
  return curlCommand({ origin: `$TOLLGATE_URL${ORIGIN_PREFIX[mode]}`, format: kind, body, streamed });
}
