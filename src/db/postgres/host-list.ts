const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;
const DEFAULT_PORT = "5432";

/** One URL per host of `postgres://user:password@one:5432,two:5433/name`; the rest of the URL is the same for all. */
export function splitHosts(url: string): string[] {
  const match = AUTHORITY.exec(url);
  // The URL holds a password, so the message does not repeat it.
  if (!match) throw new Error("the database URL must begin with postgres:// or postgresql://");
  const [, head = "", hosts = "", tail = ""] = match;
  const list = hosts.split(",");
  if (list.length === 1) return [url];
  return list.map((host) => {
    if (host === "" || host.startsWith(":")) throw new Error("the database URL lists an empty host");
    return `${head}${withPort(host)}${tail}`;
  });
}

/** Host and port of a URL, without its credentials. */
export const hostOf = (url: string): string => AUTHORITY.exec(url)?.[2] ?? "unknown host";

/** Hosts and name of the database, without credentials and parameters. */
export function databaseAt(url: string): string {
  const [, , hosts = "", rest = ""] = AUTHORITY.exec(url) ?? [];
  const [, path = ""] = /^(\/[^?#]*)/.exec(rest) ?? [];
  // A password with an unescaped slash ends the hosts too early.
  return path.includes("@") ? "a database" : `${hosts}${path}`;
}

const withPort = (host: string): string => (/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`);
