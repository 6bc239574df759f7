import type { RequestDetail } from "../../api/generated/admin.ts";

type Format = NonNullable<RequestDetail["format"]>;

const PATHS: Record<Format, string> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

const PROMPT = "Your prompt";

const BODIES: Record<Format, (model: string, stream: boolean) => object> = {
  chat: (model, stream) => ({ model, stream, messages: [{ role: "user", content: PROMPT }] }),
  responses: (model, stream) => ({ model, stream, input: PROMPT }),
  messages: (model, stream) => ({ model, stream, max_tokens: 1024, messages: [{ role: "user", content: PROMPT }] }),
};

/** A request of the same kind. Prompts and keys are not kept, so the reader puts their own in. Keys with a budget have an origin of their own. */
export function curlOf({ format, model, model_asked: asked, streamed, reserved }: RequestDetail): string {
  const kind = format ?? "chat";
  const isBudget = reserved !== null && reserved.credits === null;
  const body = JSON.stringify(BODIES[kind](asked ?? model ?? "MODEL", streamed)).replaceAll("'", String.raw`'\''`);
  return [
    `curl ${streamed ? "-N " : ""}"$TOLLGATE_URL${isBudget ? "/token" : ""}${PATHS[kind]}"`,
    `-H "authorization: Bearer $TOLLGATE_KEY"`,
    `-H 'content-type: application/json'`,
    ...(kind === "messages" ? [`-H 'anthropic-version: 2023-06-01'`] : []),
    `-d '${body}'`,
  ].join(" \\\n  ");
}
