import type { ClientDialect } from "../../core/request/dialect.ts";

/** What the settings of a client are made from. */
export type SetupConnection = {
  /** Without `/v1`; with `/token` for a key with a token budget. */
  origin: string;
  model: string;
  /** As it may be shown: whole, shortened, or a placeholder. */
  key: string;
  /** The same for a line of the shell, where a variable can have it. */
  shellKey?: string;
  /** What the model takes and gives; null where the gateway does not say. */
  limits: { context: number; output: number } | null;
  /** Whether the gateway accepts responses over WebSocket; null where it was not asked. */
  sockets: boolean | null;
};

/** One text to paste, and where it belongs. */
export type SetupPart = { place: string; text: string };

/** How a client connects to the gateway. The console shows it, `tollgate connect` prints and writes it. */
export type ClientSetup = {
  id: string;
  name: string;
  group: "Agents" | "Libraries" | "Other";
  /** The format of its requests. */
  format: ClientDialect;
  /** As docs/reference/clients.md lists what was tested with these settings. */
  covers: readonly string[];
  parts: (connection: SetupConnection) => readonly SetupPart[];
  /** What comes after the settings. */
  next: string;
  /** What goes wrong most often. */
  notes: readonly string[];
};

export type Variables = Readonly<Record<string, string>>;

/** Variables as lines of a shell. */
export const exportLines = (variables: Variables): string =>
  Object.entries(variables)
    .map(([name, value]) => `export ${name}=${value}`)
    .join("\n");

export const keyInShell = ({ key, shellKey = key }: SetupConnection): string => shellKey;

/** For settings that take the key from the environment. */
export const keyPart = ({ key }: Pick<SetupConnection, "key">): SetupPart => ({
  place: "in your shell",
  text: exportLines({ TOLLGATE_KEY: key }),
});
