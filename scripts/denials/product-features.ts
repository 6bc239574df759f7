import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Something the product has, the words for it, and what proves that it is there. */
export type Feature = {
  words: readonly string[];
  /** An installation has many of it: "no key" is about one of them, "there are no keys" about the product. */
  isMany: boolean;
  proof: string;
};

/** What readers call a thing beside the name of its command or route. A name that nothing has any more is reported. */
const ALSO_CALLED: Readonly<Record<string, readonly string[]>> = {
  console: ["dashboard", "web interface", "admin interface"],
  "sign-in": ["sso", "single sign-on", "oidc", "openid connect", "login"],
  people: ["user"],
  grants: ["role"],
  audit: ["audit log", "audit trail"],
  limits: ["budget", "monthly budget"],
  notices: ["webhook", "alert"],
  managed: ["managed settings", "settings pushed"],
};

/** Parts of paths, and folders, that name no thing. */
const NO_THING = /^(?:v\d|admin|api|all|kitchen-sink|my-.*|\..*|\{.*\})$/;
const MANY = /s$|^people$/;

/** Every name of a command, a route or a page of the console. What is built is read, so a new command needs no line here. */
export function productFeatures(root: string): Feature[] {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const found = new Map<string, Feature>();
  const learn = (name: string, proof: string, isMany = MANY.test(name)): void => {
    if (NO_THING.test(name) || found.has(name)) return;
    found.set(name, { words: [name, ...(ALSO_CALLED[name] ?? [])], isMany, proof });
  };

  const commands = read("docs/reference/commands.md");
  for (const [, call = "", name = ""] of commands.matchAll(/^\| \[`(tollgate ([a-z-]+)[^`]*)`\]/gm)) learn(name, call);
  const kinds = /`--kind <word>` \| what it is: ([a-z, ]+)/.exec(commands)?.[1] ?? "";
  for (const kind of kinds.split(", ")) learn(kind.trim(), `tollgate accounts create --kind ${kind.trim()}`, true);
  for (const path of pathsOf(read)) for (const part of path.split("/").filter(Boolean)) learn(part, path);
  for (const page of globSync("console/src/pages/*", { cwd: root })) {
    learn("console", "console/src/pages");
    learn(page.split("/").at(-1) ?? "", page);
  }

  const gone = Object.keys(ALSO_CALLED).filter((name) => !found.has(name));
  if (gone.length > 0) throw new Error(`No command, route or page of the console is called ${gone.join(", ")}.`);
  return [...found.values()];
}

function pathsOf(read: (path: string) => string): string[] {
  const described = ["docs/reference/admin-openapi.json", "docs/reference/openapi.json"].flatMap((file) =>
    Object.keys((JSON.parse(read(file)) as { paths: object }).paths),
  );
  const signIn = read("docs/reference/sign-in-paths.md").matchAll(/^\| `[A-Z]+ (\/[^`]+)`/gm);
  return [...described, ...[...signIn].map(([, path = ""]) => path)];
}
