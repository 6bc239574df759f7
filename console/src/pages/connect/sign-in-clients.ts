import { curlCommand } from "../../../../src/wire/client-setup/curl.ts";
import type { ClientSetup } from "../../../../src/wire/client-setup/setup.ts";

const LOGIN =
  "`tollgate login` prints a link to your identity provider and waits until you approve. The session is kept in a file that only you can read.";

/** How people without a key connect clients: the client asks `tollgate token` for a token that lives for an hour. */
export const SIGN_IN_CLIENTS: readonly ClientSetup[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    group: "Agents",
    format: "messages",
    covers: [],
    parts: ({ origin, model }) => [
      {
        place: "in your shell, once",
        text: `tollgate login --url ${origin}
tollgate connect claude-code --sign-in --url ${origin} --model ${model} --write
claude`,
      },
    ],
    next: LOGIN,
    notes: [
      "If your company manages the settings of Claude Code, type `/login` in it instead; nothing else is needed.",
      "It sends the token in two headers, which your operator allows with `auth.accept_equal_credentials`.",
    ],
  },
  {
    id: "codex",
    name: "Codex",
    group: "Agents",
    format: "responses",
    covers: [],
    parts: ({ origin, model }) => [
      {
        place: "in your shell, once",
        text: `tollgate login --url ${origin}
tollgate connect codex --sign-in --url ${origin} --model ${model} --write
codex`,
      },
    ],
    next: LOGIN,
    notes: [],
  },
  {
    id: "curl",
    name: "curl and scripts",
    group: "Other",
    format: "chat",
    covers: [],
    parts: ({ origin, model }) => [
      {
        place: "in your shell",
        text: `tollgate login --url ${origin}\n${curlCommand({
          origin,
          format: "chat",
          body: { model, messages: [{ role: "user", content: "Hello" }] },
          streamed: false,
          key: `$(tollgate token --url ${origin})`,
        })}`,
      },
    ],
    next: LOGIN,
    notes: ["A token lives for an hour. Ask for one each time; `tollgate token` renews it when it must."],
  },
];
