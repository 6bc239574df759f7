import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Installed, installOnce, runInstaller } from "./install-once.ts";

const INSTALL_TIMEOUT_MS = 400_000;
const QUIET = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Packages of exact versions outside the project. A name may be an alias: `{ "old-sdk": "npm:@scope/sdk@0.1.0" }`. */
export function installPackages(name: string, packages: Record<string, string>): Promise<Installed> {
  return installOnce({
    name,
    contents: packages,
    install: (folder) => {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
      return runInstaller({ words: ["npm", "install", ...QUIET], cwd: folder, timeoutMs: INSTALL_TIMEOUT_MS });
    },
  });
}

/** Those that were installed before, for tests that fetch nothing. */
export function cachedPackages(name: string, packages: Record<string, string>): Promise<Installed> {
  return installOnce({
    name,
    contents: packages,
    install: async () => {
      throw new Error("it is not in the cache; the conformance suite puts it there");
    },
  });
}

/**
 * A package out of such a folder. Its types are not installed with the project, so the caller says how much of it is used.
 */
export function load<Module>({ folder }: Installed, name: string): Module {
  if (folder === null) throw new Error(`${name} is not installed`);
  return createRequire(join(folder, "package.json"))(name) as Module;
}
