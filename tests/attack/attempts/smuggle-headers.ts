import type { Probe, SmuggleAttempt } from "../attempt.ts";
import { bodyOf, FORMATS } from "../formats.ts";

const MARK = "smuggled-1234";
const every = { kind: "smuggle", providers: FORMATS } as const;

const headers = (list: Record<string, string | string[]>, never: readonly string[] = [MARK]): Probe[] =>
  FORMATS.flatMap((caller) =>
    Object.entries(list).map(([name, value]) => ({
      what: name,
      caller,
      body: (model: string) => bodyOf(caller, { model, limit: 5 }),
      headers: { [name]: value },
      never,
    })),
  );

/** Headers that would change what a provider is asked, by whom, or where. */
export const HEADERS: readonly SmuggleAttempt[] = [
  {
    ...every,
    name: "headers for the provider",
    tries: "Sends headers that choose an organisation, a project, a beta, a proxy's route or a credential.",
    probes: headers({
      "openai-organization": MARK,
      "openai-project": MARK,
      "openai-beta": MARK,
      "x-portkey-config": MARK,
      "x-litellm-api-base": `http://${MARK}`,
      "x-upstream-url": `http://${MARK}`,
      "x-forwarded-host": MARK,
      "x-goog-user-project": MARK,
      "x-amz-security-token": MARK,
      "api-key": MARK,
      cookie: `a=${MARK}`,
      "x-stainless-helper-method": MARK,
      traceparent: `00-${MARK}`,
    }),
  },
  {
    ...every,
    name: "beta flags",
    tries: "Turns on Anthropic betas for files, MCP, skills, long context and code execution.",
    probes: headers(
      {
        "anthropic-beta":
          "files-api-2025-04-14,mcp-client-2025-04-04,skills-2025-10-02,context-1m-2025-08-07,code-execution-2025-05-22",
      },
      ["files-api", "mcp-client", "skills-2025", "context-1m", "code-execution"],
    ),
  },
  {
    ...every,
    name: "hop-by-hop headers",
    tries: "Declares the gateway's own headers hop-by-hop, so that they would be dropped.",
    probes: headers({
      connection: "keep-alive, authorization, x-request-id",
      te: "trailers",
      "proxy-authorization": `Basic ${MARK}`,
      "keep-alive": `timeout=5, ${MARK}`,
      trailer: MARK,
    }),
  },
  {
    ...every,
    name: "two credentials",
    tries: "Sends a second credential beside its own, to act as another key.",
    probes: headers({ "x-api-key": `tgc_${MARK}` }),
  },
  {
    ...every,
    name: "a chosen request id",
    tries: "Chooses the id under which its request is logged and forwarded.",
    probes: headers({ "x-request-id": MARK, "request-id": MARK, "x-client-request-id": MARK }),
  },
  {
    ...every,
    name: "free token counting",
    tries: "Makes a provider count tokens with a key that has no money.",
    providers: ["messages"],
    credit: "0",
    probes: Array.from({ length: 5 }, () => ({
      what: "count_tokens",
      caller: "messages" as const,
      path: "/v1/messages/count_tokens",
      body: (model: string) => ({ model, messages: [{ role: "user", content: MARK }] }),
      never: [MARK],
    })),
  },
  {
    ...every,
    name: "generating with an empty key",
    tries: "Requests answers with a key that has no money, on every operation.",
    credit: "0",
    probes: FORMATS.map((caller) => ({
      what: caller,
      caller,
      body: (model: string) => bodyOf(caller, { model, limit: 5, prompt: MARK }),
      never: [MARK],
    })),
  },
];
