import { type ClientSetup, exportLines, keyInShell, keyPart, type SetupConnection, type Variables } from "./setup.ts";
import { type TomlSettings, tomlText } from "./toml.ts";

/** Origin, model and what else a client needs. */
type Given<Name extends keyof SetupConnection> = Pick<SetupConnection, "origin" | "model" | Name>;

export const claudeVariables = ({ origin, key, model }: Given<"key">) => ({
  ANTHROPIC_BASE_URL: origin,
  ANTHROPIC_AUTH_TOKEN: key,
  ANTHROPIC_MODEL: model,
  ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
});

export const claudeCode: ClientSetup = {
  id: "claude-code",
  name: "Claude Code",
  group: "Agents",
  format: "messages",
  covers: ["@anthropic-ai/claude-code"],
  parts: (connection) => {
    const variables: Variables = claudeVariables({ ...connection, key: keyInShell(connection) });
    return [{ place: "in your shell", text: `unset ANTHROPIC_API_KEY\n${exportLines(variables)}` }];
  },
  next: "Start `claude`. `/status` shows the base URL.",
  notes: [
    "Do not set `ANTHROPIC_API_KEY` or `apiKeyHelper`: Claude Code then sends two credentials and gets 401.",
    "Each request asks for 32,000 output tokens, whose price is reserved while it runs. With a small balance, set `CLAUDE_CODE_MAX_OUTPUT_TOKENS`.",
  ],
};

/** `values`: where the key or the token comes from, and what else the provider's table has. */
export const codexTable = (
  { origin, model, sockets }: Given<"sockets">,
  provider: string,
  values: TomlSettings["values"],
): TomlSettings => ({
  root: { model, model_provider: provider },
  rootIfAbsent: { web_search: "disabled" },
  table: `model_providers.${provider}`,
  values: {
    name: "Tollgate",
    base_url: `${origin}/v1`,
    ...values,
    ...(sockets && { supports_websockets: { toml: "true" } }),
  },
  // The default, so that it is worth a line only where another one is in its place.
  ...(sockets === false && { valuesIfPresent: { supports_websockets: { toml: "false" } } }),
});

export const codexSettings = (connection: Given<"sockets">): TomlSettings =>
  codexTable(connection, "tollgate", { env_key: "TOLLGATE_KEY", wire_api: "responses" });

export const codex: ClientSetup = {
  id: "codex",
  name: "Codex",
  group: "Agents",
  format: "responses",
  covers: ["@openai/codex"],
  parts: (connection) => [
    { place: "~/.codex/config.toml", text: tomlText(codexSettings(connection)) },
    {
      place: 'in your shell, or without "export" in ~/.codex/.env',
      text: exportLines({ TOLLGATE_KEY: connection.key }),
    },
  ],
  next: "Start `codex`. A TOLLGATE_KEY in your shell is used before the one in .env.",
  notes: [
    "Keep `web_search` disabled for models that have no price for the provider's own search; the request gets 400 otherwise. With a price, set it to `live`.",
    "Codex reads the file when it starts.",
    "If the operator has set `websocket.enabled: on`, add `supports_websockets = true` to the provider's table.",
  ],
};

/** Without limits opencode asks for 32,000 output tokens, which models that give fewer reject. */
export const opencodeProvider = ({ origin, model, limits }: Given<"limits">, apiKey: string) => ({
  npm: "@ai-sdk/openai-compatible",
  name: "Tollgate",
  options: { baseURL: `${origin}/v1`, apiKey },
  models: { [model]: { name: model, ...(limits !== null && { limit: limits }) } },
});

export const opencode: ClientSetup = {
  id: "opencode",
  name: "opencode",
  group: "Agents",
  format: "chat",
  covers: ["opencode-ai"],
  parts: (connection) => {
    const settings = {
      $schema: "https://opencode.ai/config.json",
      model: `tollgate/${connection.model}`,
      provider: { tollgate: opencodeProvider(connection, "{env:TOLLGATE_KEY}") },
    };
    return [
      { place: "~/.config/opencode/opencode.json", text: JSON.stringify(settings, null, 2) },
      keyPart(connection),
    ];
  },
  next: "Start `opencode`. `/models` lists the models of the file; `tollgate connect opencode --write` with another --model adds one.",
  notes: [
    "Without `limit`, opencode asks for 32,000 output tokens, and a model that supports fewer rejects the request.",
  ],
};

export const cursor: ClientSetup = {
  id: "cursor",
  name: "Cursor",
  group: "Agents",
  format: "chat",
  covers: [],
  parts: ({ origin, key, model }) => [
    {
      place: "in Settings, then Models",
      text: `1. OpenAI API Key: ${key}\n2. Override OpenAI Base URL: on, ${origin}/v1\n3. Add model: ${model}`,
    },
  ],
  next: "Cursor keeps these settings in its window. Its requests come from Cursor's servers, so the gateway must be reachable from the internet.",
  notes: [
    "Cursor's servers see the key.",
    "The override applies to all of Cursor's OpenAI models. Cursor is not tested: it can't run without its window.",
  ],
};
