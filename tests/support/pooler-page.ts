import { readFileSync } from "node:fs";

const page = readFileSync(new URL("../../docs/operate/poolers.md", import.meta.url), "utf8");

/** The blocks of one language on the page about poolers, in their order. */
export const poolerPage = (language: "ini" | "sql" | "sh"): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs"))].map(([, block = ""]) => block);

/** The configuration of the page, with only what names a machine replaced: ports, paths and the database. */
export function poolerConfiguration(place: {
  listenPort: number;
  folder: string;
  serverPort: number;
  database: string;
}): string {
  const [ini = ""] = poolerPage("ini");
  const replacements: [string, string][] = [
    ["port=5432", `port=${place.serverPort}`],
    ["dbname=tollgate", `dbname=${place.database}`],
    ["listen_port = 6432", `listen_port = ${place.listenPort}`],
    ["unix_socket_dir = /var/run/postgresql", `unix_socket_dir = ${place.folder}`],
    ["/etc/pgbouncer/userlist.txt", `${place.folder}/userlist.txt`],
  ];
  return replacements.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`docs/operate/poolers.md no longer has ${from}`);
    return text.replace(from, to);
  }, ini);
}
