import type { GatewayReply } from "../connect/ask-gateway.ts";
import type { FileChange } from "../connect/change-files.ts";
import type { Client } from "../connect/clients.ts";
import { type ClientConnection, shownKey } from "../connect/connection.ts";
import type { Listed } from "../connect/list-models.ts";
import { withoutSecrets } from "../connect/text-diff.ts";
import { PLAIN, type Screen } from "./screen.ts";

export type ConnectReport = {
  name: string;
  client: Client;
  connection: ClientConnection;
  /** Null: the gateway was not called. */
  listed: Listed | null;
  /** Null: nothing was to be written. */
  changes: readonly FileChange[] | null;
  /** What the gateway answered to the client's question; null: it was not asked. */
  asked: GatewayReply | null;
};

/** As data. The key is in none of it. */
export const connectView = ({ name, client, connection, listed, changes, asked }: ConnectReport): object => ({
  client: name,
  base_url: connection.origin,
  key: shownKey(connection.key),
  model: connection.model,
  settings: client.paste(connection),
  models: listed?.models?.map(({ id }) => id) ?? null,
  gateway: asked?.line ?? null,
  files:
    changes?.map(({ path, outcome, backup, diff }) => ({
      path,
      outcome,
      backup,
      diff: diff.map((line) => ({ ...line, text: hidden(line.text, connection) })),
    })) ?? null,
});

export function connectText(
  { client, connection, listed, changes, asked }: ConnectReport,
  screen: Screen = PLAIN,
): string {
  const checked = [
    ...(listed?.models == null
      ? []
      : [screen.paint("good", `The key works at ${connection.origin}; it may use ${counted(listed.models.length)}.`)]),
    ...(asked === null ? [] : [screen.paint(asked.verdict === "good" ? "good" : "bad", asked.line)]),
  ];
  if (changes === null) {
    const places = { home: "~", folder: ".", environment: {}, platform: process.platform };
    const offer = client.files(connection, places).map(({ path }) => path);
    const advice = offer.length === 0 ? [] : [`Use --write to set this in ${offer.join(" and ")}.`];
    return [client.paste(connection), ...checked, [client.next, ...advice].join("\n")].join("\n\n");
  }
  return [...changes.map((change) => changeText(change, connection, screen)), ...checked, client.next].join("\n\n");
}

function changeText(
  { path, outcome, backup, diff, closed }: FileChange,
  connection: ClientConnection,
  screen: Screen,
): string {
  const access = closed ? [`Only you can read it now, because it holds your key.`] : [];
  if (outcome === "unchanged") return [`${path} has these settings already.`, ...access].join("\n");
  const lines = diff.map(({ sign, number, text }) =>
    screen.paint(sign === "+" ? "good" : "bad", `${sign} ${String(number).padStart(4)}  ${hidden(text, connection)}`),
  );
  const undo = backup === null ? `rm ${quoted(path)}` : `mv ${quoted(backup)} ${quoted(path)}`;
  return [screen.paint("heading", `${path} ${outcome}`), ...lines, ...access, `Undo: ${undo}`].join("\n");
}

const hidden = (text: string, { key }: ClientConnection): string => withoutSecrets(text, { key, shown: shownKey(key) });
const counted = (models: number): string => (models === 1 ? "1 model" : `${models} models`);
const quoted = (path: string): string =>
  /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
