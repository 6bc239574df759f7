import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createPlainOwner } from "./plain-owner.ts";
import { type Cluster, startCluster } from "./postgres.ts";
import { Client } from "pg";
import { runTollgate } from "./run-tollgate.ts";
import { childEnvironment } from "./child-environment.ts";

const PAGE = new URL("../../docs/operate/database-roles.md", import.meta.url);

export type DocumentedRole = "tollgate" | "tollgate_reader";

export type DocumentedRoles = {
  cluster: Cluster;
  /** The address of the database, as this role. */
  url: (role: DocumentedRole | "tollgate_owner" | "postgres") => string;
  /** What the page's table gives each role on each table: operations, or `select (columns)`. */
  granted: Record<DocumentedRole, Map<string, string>>;
};

/** A server of its own with the roles of the page, made by its statements and its command, without a superuser. */
export async function startDocumentedRoles(options: { durable?: boolean } = {}): Promise<DocumentedRoles> {
  const page = readFileSync(PAGE, "utf8");
  const cluster = await startCluster({ version: "15", durable: options.durable ?? false });
  const url = (role: string): string => cluster.urlAs(role, "tollgate");
  try {
    const administrator = new Client({ connectionString: (await createPlainOwner(cluster))() });
    await administrator.connect();
    for (const statement of blockOf(page, "sql").split(";\n").filter(Boolean)) await administrator.query(statement);
    await administrator.end();
    const [variable = "", program, ...words] = blockOf(page, "sh").trim().split(" ");
    if (!variable.startsWith("DATABASE_URL=postgres://tollgate_owner@") || program !== "tollgate")
      throw new Error(`the page's command is not to be understood: ${variable} ${program}`);
    const env = { ...childEnvironment(), DATABASE_URL: url("tollgate_owner") };
    const { code, stderr } = await runTollgate(words, { cwd: tmpdir(), env });
    if (code !== 0) throw new Error(`the page's command failed: ${stderr}`);
    return { cluster, url, granted: grantsOf(page) };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

function blockOf(page: string, language: string): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(([, text = ""]) => text);
  if (blocks.length !== 1) throw new Error(`the page has ${blocks.length} blocks of ${language}`);
  return blocks[0] ?? "";
}

function grantsOf(page: string): DocumentedRoles["granted"] {
  const granted = { tollgate: new Map<string, string>(), tollgate_reader: new Map<string, string>() };
  for (const [, table = "", serving = "", reading = ""] of page.matchAll(
    /^\| `(\w+)` \|([a-z, ]*)\|((?: select[a-z_, ()]*)?) *\|$/gm,
  )) {
    granted.tollgate.set(table, serving.trim());
    granted.tollgate_reader.set(table, reading.trim());
  }
  return granted;
}
