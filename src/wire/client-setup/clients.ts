import { claudeCode, codex, cursor, opencode } from "./agents.ts";
import { curlCommand } from "./curl.ts";
import { LIBRARIES } from "./libraries.ts";
import { type ClientSetup, keyPart } from "./setup.ts";

const HELLO = [{ role: "user", content: "Hello" }];

const curl = ({
  body,
  ...rest
}: Pick<ClientSetup, "id" | "name" | "format" | "next"> & { body: object }): ClientSetup => ({
  ...rest,
  group: "Other",
  covers: [],
  parts: ({ origin, model, key }) => {
    const { place, text } = keyPart({ key });
    const request = { origin, format: rest.format, body: { model, stream: true, ...body }, streamed: true };
    return [{ place, text: `${text}\n${curlCommand(request)}` }];
  },
  notes: [],
});

const OTHERS: readonly ClientSetup[] = [
  curl({
    id: "curl",
    name: "curl, OpenAI-compatible",
    format: "chat",
    body: { messages: HELLO },
    next: "`-N` shows the stream as it arrives.",
  }),
  curl({
    id: "curl-messages",
    name: "curl, Anthropic-compatible",
    format: "messages",
    body: { max_tokens: 1024, messages: HELLO },
    next: "Send the key in one header only: `x-api-key` or `Authorization`.",
  }),
  {
    id: "other",
    name: "Any other client",
    group: "Other",
    format: "chat",
    covers: [],
    parts: ({ origin, key, model }) => [
      {
        place: "where the client asks for them",
        text: `OpenAI-compatible base URL      ${origin}/v1
Anthropic-compatible base URL   ${origin}
API key                         ${key}
Model                           ${model}`,
      },
    ],
    next: "Zed, Cline, Continue, Open WebUI, LibreChat, Aider and n8n take the OpenAI-compatible one. They are not tested.",
    notes: [],
  },
];

/** Every client whose settings are known, in the order in which they are listed. */
export const CLIENT_SETUPS: readonly ClientSetup[] = [claudeCode, codex, opencode, cursor, ...LIBRARIES, ...OTHERS];
