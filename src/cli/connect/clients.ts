import { join } from "node:path";
import type { Environment } from "../../config/variable-names.ts";
import { type GatewayReply, askEqualCredentials } from "./ask-gateway.ts";
import { type ClientConnection, NO_KEY, shownKey } from "./connection.ts";
import { type JsonSetting, setJson, valueOf } from "./edit-json.ts";
import { setToml, type TomlSettings, written } from "./edit-toml.ts";
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

const exports = (variables: Readonly<Record<string, string>>, key: string): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${value === key && key !== NO_KEY ? '"$TOLLGATE_KEY"' : value}`)
    .join("\n");

const claudeVariables = ({ origin, key, model }: ClientConnection): Record<string, string> => ({
  ANTHROPIC_BASE_URL: origin,
  ANTHROPIC_AUTH_TOKEN: key,
  ANTHROPIC_MODEL: model,
  ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
});

const claudeCode: Client = {
  title: "Claude Code",
  paste: (connection) => `unset ANTHROPIC_API_KEY\n${exports(claudeVariables(connection), connection.key)}`,
  files: (connection, { home, environment }) => [
    {
      path: join(environment["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "settings.json"),
      keepsKey: true,
      // An empty one takes the place of a variable of the shell, which would be sent as a second credential.
      edit: (text) =>
        setJson(
          text,
          Object.entries({ ...claudeVariables(connection), ANTHROPIC_API_KEY: "" }).map(([name, value]) => ({
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
  next: "Start `claude`. `/status` shows the base URL.",
  needsModel: true,
};

const codexSettings = ({ origin, model, sockets }: ClientConnection): TomlSettings => ({
  root: { model, model_provider: "tollgate" },
  rootIfAbsent: { web_search: "disabled" },
  table: "model_providers.tollgate",
  values: {
    name: "Tollgate",
    base_url: `${origin}/v1`,
    env_key: "TOLLGATE_KEY",
    wire_api: "responses",
    ...(sockets && WITH_SOCKETS),
  },
  ...(sockets === false && WITHOUT_SOCKETS),
});

const WITH_SOCKETS = { supports_websockets: { toml: "true" } };
/** The default, so that it is worth a line only where another one is in its place. */
const WITHOUT_SOCKETS = { valuesIfPresent: { supports_websockets: { toml: "false" } } };

export function codexToml({ root, rootIfAbsent, table, values }: TomlSettings): string {
  const lines = (named: TomlSettings["values"]): string[] =>
    Object.entries(named).map(([name, value]) => `${name} = ${written(value)}`);
  return [...lines({ ...root, ...rootIfAbsent }), "", `[${table}]`, ...lines(values)].join("\n");
}

const codex: Client = {
  title: "Codex",
  paste: (connection) =>
    `# ~/.codex/config.toml\n${codexToml(codexSettings(connection))}\n\n# in your shell, or without "export" in ~/.codex/.env\nexport TOLLGATE_KEY=${shownKey(connection.key)}`,
  files: (connection, { home, environment }) => {
    const folder = environment["CODEX_HOME"] || join(home, ".codex");
    return [
      { path: join(folder, "config.toml"), keepsKey: false, edit: (text) => setToml(text, codexSettings(connection)) },
      {
        path: join(folder, ".env"),
        keepsKey: true,
        edit: (text) => setVariables(text, { TOLLGATE_KEY: connection.key }),
      },
    ];
  },
  next: "Start `codex`. A TOLLGATE_KEY in your shell is used before the one in .env.",
  needsModel: true,
  usesSockets: true,
};

/** Its own command asks for tokens, so no key is anywhere. A provider of its own: `auth` excludes `env_key`. */
export const codexSignInSettings = ({ origin, model, sockets }: ClientConnection): TomlSettings => ({
  root: { model, model_provider: "tollgate-sign-in" },
  rootIfAbsent: { web_search: "disabled" },
  table: "model_providers.tollgate-sign-in",
  values: {
    name: "Tollgate",
    base_url: `${origin}/v1`,
    wire_api: "responses",
    auth: { toml: `{ command = "tollgate", args = ${JSON.stringify(["token", "--url", origin])} }` },
    ...(sockets && WITH_SOCKETS),
  },
  ...(sockets === false && WITHOUT_SOCKETS),
});

const codexSignIn: Client = {
  title: "Codex",
  paste: (connection) => `# ~/.codex/config.toml\n${codexToml(codexSignInSettings(connection))}`,
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
  const { ANTHROPIC_AUTH_TOKEN: _, ...variables } = claudeVariables(connection);
  return variables;
}

/** Without limits opencode asks for 32,000 output tokens, which models that give fewer reject. */
const opencodeProvider = ({ origin, model, limits }: ClientConnection, apiKey: string) => ({
  npm: "@ai-sdk/openai-compatible",
  name: "Tollgate",
  options: { baseURL: `${origin}/v1`, apiKey },
  models: { [model]: { name: model, ...(limits !== null && { limit: limits }) } },
});

const opencode: Client = {
  title: "opencode",
  paste: (connection) => {
    const settings = {
      $schema: "https://opencode.ai/config.json",
      model: `tollgate/${connection.model}`,
      provider: { tollgate: opencodeProvider(connection, "{env:TOLLGATE_KEY}") },
    };
    return `// ~/.config/opencode/opencode.json\n${JSON.stringify(settings, null, 2)}`;
  },
  files: (connection, { home, environment }) => {
    const folder = join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "opencode");
    const { npm, name, options, models } = opencodeProvider(connection, "{file:./tollgate.key}");
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
  next: "Start `opencode`. `/models` lists the models of the file; run this again with another --model to add one.",
  needsModel: true,
};

const cursor: Client = {
  title: "Cursor",
  paste: ({ origin, key, model }) =>
    [
      "In Cursor, open Settings, then Models:",
      `  1. OpenAI API Key: ${shownKey(key)}`,
      `  2. Override OpenAI Base URL: on, ${origin}/v1`,
      `  3. Add model: ${model}`,
    ].join("\n"),
  files: () => [],
  next: "Cursor keeps these settings in its window. Its requests come from Cursor's servers, so the gateway must be reachable from the internet.",
  needsModel: false,
};

const sdk = (title: string, variables: (connection: ClientConnection) => Record<string, string>): Client => ({
  title,
  paste: (connection) => exports(variables(connection), connection.key),
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
  "openai-sdk": sdk("OpenAI SDKs", ({ origin, key }) => ({ OPENAI_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: key })),
  "anthropic-sdk": sdk("Anthropic SDKs", ({ origin, key }) => ({ ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: key })),
} as const satisfies Record<string, Client>;

export type ClientName = keyof typeof CLIENTS;

/** Clients that can run a command for a token. */
export const SIGN_IN_CLIENTS: Readonly<Partial<Record<ClientName, Client>>> = {
  "claude-code": claudeCodeSignIn,
  codex: codexSignIn,
};
