import { join } from "node:path";
import type { Environment } from "../../config/read/variable-names.ts";
import * as agents from "../../wire/client-setup/agents.ts";
import { anthropicVariables, openAiVariables } from "../../wire/client-setup/libraries.ts";
import { type ClientSetup, exportLines, type Variables } from "../../wire/client-setup/setup.ts";
import { type TomlSettings, tomlText } from "../../wire/client-setup/toml.ts";
import { type GatewayReply, askEqualCredentials } from "./ask-gateway.ts";
import { type ClientConnection, NO_KEY, shownKey } from "./connection.ts";
import { type JsonSetting, setJson, valueOf } from "./edit-json.ts";
import { setToml } from "./edit-toml.ts";
import { setVariables } from "./edit-variables.ts";

/** A file of the client, and how it is changed. `keepsKey`: the key stands in it. `isForAll`: every user of the machine reads it. */
export type FilePlan = { path: string; keepsKey: boolean; isForAll?: true; edit: (text: string) => string };

export type Client = {
  title: string;
  /** Settings to paste, with the key taken from TOLLGATE_KEY where the client can. */
  paste: (connection: ClientConnection) => string;
  /** Files to change; none where the client keeps these settings in its window. */
  files: (connection: ClientConnection, where: Places) => FilePlan[];
  /** What `files` cannot set right, seen in a file as it is. */
  warnings?: (text: string) => string[];
  /** Asks the gateway, for nothing, whether it serves this client. */
  ask?: (connection: ClientConnection) => Promise<GatewayReply>;
  /** What comes after the settings. */
  next: string;
  needsModel: boolean;
  /** It can use a WebSocket for responses, where the gateway accepts one. */
  usesSockets?: true;
};

export type Places = { home: string; folder: string; environment: Environment; platform: NodeJS.Platform };

/** The key as a line of the shell has it, where TOLLGATE_KEY has one. */
const shellKey = (key: string): string => (key === NO_KEY ? key : '"$TOLLGATE_KEY"');

/** The texts of a client as the console shows them. Where there are several, a comment says where each belongs. */
function pasteOf({ parts }: ClientSetup, connection: ClientConnection): string {
  const all = parts({ ...connection, key: shownKey(connection.key), shellKey: shellKey(connection.key) });
  const commented = all.map(({ place, text }) => `${text.startsWith("{") ? "//" : "#"} ${place}\n${text}`);
  return (all.length === 1 ? all.map(({ text }) => text) : commented).join("\n\n");
}

const claudeCode: Client = {
  title: agents.claudeCode.name,
  paste: (connection) => pasteOf(agents.claudeCode, connection),
  files: (connection, { home, environment }) => [
    {
      path: join(environment["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "settings.json"),
      keepsKey: true,
      // An empty one takes the place of a variable of the shell, which would be sent as a second credential.
      edit: (text) =>
        setJson(
          text,
          Object.entries({ ...agents.claudeVariables(connection), ANTHROPIC_API_KEY: "" }).map(([name, value]) => ({
            path: ["env", name],
            value,
          })),
        ),
    },
  ],
  warnings: (text) =>
    "apiKeyHelper" in valueOf(text)
      ? [
          "apiKeyHelper is set. Claude Code sends its output as a second credential, and requests get 401. Remove it, or ask the operator to set auth.accept_equal_credentials.",
        ]
      : [],
  next: agents.claudeCode.next,
  needsModel: true,
};

const codex: Client = {
  title: agents.codex.name,
  paste: (connection) => pasteOf(agents.codex, connection),
  files: (connection, { home, environment }) => {
    const folder = environment["CODEX_HOME"] || join(home, ".codex");
    return [
      {
        path: join(folder, "config.toml"),
        keepsKey: false,
        edit: (text) => setToml(text, agents.codexSettings(connection)),
      },
      {
        path: join(folder, ".env"),
        keepsKey: true,
        edit: (text) => setVariables(text, { TOLLGATE_KEY: connection.key }),
      },
    ];
  },
  next: agents.codex.next,
  needsModel: true,
  usesSockets: true,
};

/** Its own command asks for tokens, so no key is anywhere. A provider of its own: `auth` excludes `env_key`. */
export const codexSignInSettings = (connection: ClientConnection): TomlSettings =>
  agents.codexTable(connection, "tollgate-sign-in", {
    wire_api: "responses",
    auth: { toml: `{ command = "tollgate", args = ${JSON.stringify(["token", "--url", connection.origin])} }` },
  });

const codexSignIn: Client = {
  title: "Codex",
  paste: (connection) => `# ~/.codex/config.toml\n${tomlText(codexSignInSettings(connection))}`,
  files: (connection, { home, environment }) => [
    {
      path: join(environment["CODEX_HOME"] || join(home, ".codex"), "config.toml"),
      keepsKey: false,
      edit: (text) => setToml(text, codexSignInSettings(connection)),
    },
  ],
  next: "Start `codex`. It runs `tollgate token` for each token.",
  needsModel: true,
  usesSockets: true,
};

/** Claude Code sends what the command prints in both headers. */
const claudeCodeSignIn: Client = {
  title: "Claude Code",
  paste: (connection) => {
    const settings = { apiKeyHelper: helperOf(connection), env: claudeHelperVariables(connection) };
    return `// ~/.claude/settings.json\n${JSON.stringify(settings, null, 2)}`;
  },
  files: (connection, { home, environment }) => [
    {
      path: join(environment["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "settings.json"),
      keepsKey: false,
      // An empty one takes the place of a variable of the shell, which would be used in place of the command.
      edit: (text) =>
        setJson(text, [
          { path: ["apiKeyHelper"], value: helperOf(connection) },
          ...Object.entries({
            ...claudeHelperVariables(connection),
            ANTHROPIC_AUTH_TOKEN: "",
            ANTHROPIC_API_KEY: "",
          }).map(([name, value]): JsonSetting => ({ path: ["env", name], value })),
        ]),
    },
  ],
  ask: askEqualCredentials,
  next: "Claude Code sends the token in both headers: the gateway needs auth.accept_equal_credentials. Start `claude`. `/status` shows the base URL. For a fleet, use --fleet instead: people then sign in with /login, without this command.",
  needsModel: true,
};

const helperOf = ({ origin }: ClientConnection): string => `tollgate token --url ${origin}`;

function claudeHelperVariables(connection: ClientConnection): Record<string, string> {
  const { ANTHROPIC_AUTH_TOKEN: _, ...variables } = agents.claudeVariables(connection);
  return variables;
}

const opencode: Client = {
  title: agents.opencode.name,
  paste: (connection) => pasteOf(agents.opencode, connection),
  files: (connection, { home, environment }) => {
    const folder = join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
    const { npm, name, options, models } = agents.opencodeProvider(connection, "{file:./tollgate.key}");
    const at = ["provider", "tollgate"] as const;
    return [
      {
        path: join(folder, "opencode.json"),
        keepsKey: false,
        edit: (text) =>
          setJson(text, [
            { path: ["model"], value: `tollgate/${connection.model}` },
            { path: [...at, "npm"], value: npm },
            { path: [...at, "name"], value: name },
            { path: [...at, "options", "baseURL"], value: options.baseURL },
            { path: [...at, "options", "apiKey"], value: options.apiKey },
            ...Object.entries(models[connection.model] ?? {}).map(([member, value]): JsonSetting => ({
              path: [...at, "models", connection.model, member],
              value,
            })),
          ]),
      },
      { path: join(folder, "tollgate.key"), keepsKey: true, edit: () => `${connection.key}\n` },
    ];
  },
  next: agents.opencode.next,
  needsModel: true,
};

const cursor: Client = {
  title: agents.cursor.name,
  paste: (connection) =>
    `In Cursor, open Settings, then Models:\n${pasteOf(agents.cursor, connection).replaceAll(/^/gm, "  ")}`,
  files: () => [],
  next: agents.cursor.next,
  needsModel: false,
};

const sdk = (title: string, variables: (connection: ClientConnection) => Variables): Client => ({
  title,
  paste: (connection) => exportLines(variables({ ...connection, key: shellKey(connection.key) })),
  files: (connection, { folder }) => [
    { path: join(folder, ".env"), keepsKey: true, edit: (text) => setVariables(text, variables(connection)) },
  ],
  next: "The package reads these variables. Load the file with `node --env-file=.env`, python-dotenv or your shell, and keep it out of the repository.",
  needsModel: false,
});

export const CLIENTS = {
  "claude-code": claudeCode,
  codex,
  cursor,
  opencode,
  "openai-sdk": sdk("OpenAI SDKs", openAiVariables),
  "anthropic-sdk": sdk("Anthropic SDKs", anthropicVariables),
} as const satisfies Record<string, Client>;

export type ClientName = keyof typeof CLIENTS;

/** Clients that can run a command for a token. */
export const SIGN_IN_CLIENTS: Readonly<Partial<Record<ClientName, Client>>> = {
  "claude-code": claudeCodeSignIn,
  codex: codexSignIn,
};
