import type { Client } from "./clients.ts";

const LOGIN =
  "`tollgate login` prints a link to your identity provider and waits until you approve. The session is kept in a file that only you can read.";

/** How people without a key connect clients: the client asks `tollgate token` for a token that lives for an hour. */
export const SIGN_IN_CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    group: "Agents",
    format: "messages",
    covers: [],
    place: "in your shell, once",
    text: ({ origin, model }) => `tollgate login --url ${origin}
tollgate connect claude-code --sign-in --url ${origin} --model ${model} --write
claude`,
    notes: [
      "If your company manages the settings of Claude Code, type `/login` in it instead; nothing else is needed.",
      "It sends the token in two headers, which your operator allows with `auth.accept_equal_credentials`.",
      LOGIN,
    ],
  },
  {
    id: "codex",
    name: "Codex",
    group: "Agents",
    format: "responses",
    covers: [],
    place: "in your shell, once",
    text: ({ origin, model }) => `tollgate login --url ${origin}
tollgate connect codex --sign-in --url ${origin} --model ${model} --write
codex`,
    notes: [LOGIN],
  },
  {
    id: "curl",
    name: "curl and scripts",
    group: "Other",
    format: "chat",
    covers: [],
    place: "in your shell",
    text: ({ origin, model }) => `tollgate login --url ${origin}
curl ${origin}/v1/chat/completions \\
  -H "authorization: Bearer $(tollgate token --url ${origin})" \\
  -H "content-type: application/json" \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
    notes: ["A token lives for an hour. Ask for one each time; `tollgate token` renews it when it must.", LOGIN],
  },
];
