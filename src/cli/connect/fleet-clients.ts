import { tomlText } from "../../wire/client-setup/toml.ts";
import { askSignIn } from "./ask-gateway.ts";
import { type Client, type ClientName, codexSignInSettings } from "./clients.ts";
import type { ClientConnection } from "./connection.ts";
import { type JsonSetting, setJson } from "./edit-json.ts";
import { setToml } from "./edit-toml.ts";

type System = "linux" | "macos" | "windows";

/** Where each client looks for the settings of a whole machine. Codex: its documentation names no path for Windows. */
const CLAUDE_PATHS: Record<System, string> = {
  linux: "/etc/claude-code/managed-settings.json",
  macos: "/Library/Application Support/ClaudeCode/managed-settings.json",
  windows: String.raw`C:\Program Files\ClaudeCode\managed-settings.json`,
};
const CODEX_PATHS = { linux: "/etc/codex/config.toml", macos: "/etc/codex/config.toml" };

const systemOf = (platform: NodeJS.Platform): System =>
  platform === "darwin" ? "macos" : platform === "win32" ? "windows" : "linux";

const listed = (paths: Readonly<Record<string, string>>, mark: string): string =>
  Object.entries(paths)
    .map(([system, path]) => `${mark} ${system}: ${path}`)
    .join("\n");

/** Sends people to the gateway with `/login`. Users can't change it. */
const managedSettings = ({ origin }: ClientConnection) => ({
  forceLoginMethod: "gateway",
  forceLoginGatewayUrl: origin,
  parentSettingsBehavior: "merge",
});

const claudeCodeFleet: Client = {
  title: "Claude Code",
  paste: (connection) => `${listed(CLAUDE_PATHS, "//")}\n${JSON.stringify(managedSettings(connection), null, 2)}`,
  files: (connection, { platform }) => [
    {
      path: CLAUDE_PATHS[systemOf(platform)],
      keepsKey: false,
      isForAll: true,
      edit: (text) =>
        setJson(
          text,
          Object.entries(managedSettings(connection)).map(([name, value]): JsonSetting => ({ path: [name], value })),
        ),
    },
  ],
  ask: askSignIn,
  next: "Put the file on each machine with your device management. People start `claude` and type /login. If the gateway has a public address, add its networks to gatewayInternalNetworks in the file.",
  needsModel: false,
};

/** Defaults of the machine. People can change them, and run `tollgate login` once. */
const codexFleet: Client = {
  title: "Codex",
  paste: (connection) => `${listed(CODEX_PATHS, "#")}\n${tomlText(codexSignInSettings(connection))}`,
  files: (connection, { platform }) => {
    const system = systemOf(platform);
    if (system === "windows") return [];
    return [
      {
        path: CODEX_PATHS[system],
        keepsKey: false,
        isForAll: true,
        edit: (text) => setToml(text, codexSignInSettings(connection)),
      },
    ];
  },
  ask: askSignIn,
  next: "Put the file and the `tollgate` command on each machine with your device management. People run `tollgate login` once and start `codex`.",
  needsModel: true,
};

/** Clients that read settings for a whole machine. */
export const FLEET_CLIENTS: Readonly<Partial<Record<ClientName, Client>>> = {
  "claude-code": claudeCodeFleet,
  codex: codexFleet,
};
