import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Installed, installOnce, runInstaller } from "./install-once.ts";

const BUILD_TIMEOUT_MS = 500_000;

type GoCommand = { name: string; path: string; version: string; timeoutMs?: number };

/** Builds a command that is published as a module, at an exact version; the program has the last word of the path as its name. */
export const installGoCommand = ({
  name,
  path,
  version,
  timeoutMs = BUILD_TIMEOUT_MS,
}: GoCommand): Promise<Installed> =>
  installOnce({
    name: `go-${name}`,
    contents: version,
    inTurn: "go",
    install: (folder) =>
      runInstaller({
        words: ["go", "install", `${path}@${version}`],
        cwd: folder,
        environment: { GOBIN: folder, GOFLAGS: "-buildvcs=false" },
        timeoutMs,
      }),
  });

type GoProgram = { name: string; source: string; requires: Record<string, string> };

/** Builds one Go file against modules of exact versions; the program in the folder is called `program`. */
export function buildGoProgram({ name, source, requires }: GoProgram): Promise<Installed> {
  // A client's library is large, and to optimise it takes half of the time to compile it.
  const asTheyAre = Object.keys(requires).map((path) => `-gcflags=${path}/...=-N -l`);
  const modules = Object.entries(requires).map(([path, version]) => `require ${path} ${version}\n`);
  return installOnce({
    name: `go-${name}`,
    contents: [modules, readFileSync(source, "utf8")],
    inTurn: "go",
    install: (folder) => {
      writeFileSync(join(folder, "go.mod"), `module program\n\ngo 1.24\n\n${modules.join("")}`);
      copyFileSync(source, join(folder, "main.go"));
      return runInstaller({
        words: ["go", "build", ...asTheyAre, "-o", "program", "."],
        cwd: folder,
        environment: { GOFLAGS: "-mod=mod -buildvcs=false" },
        timeoutMs: BUILD_TIMEOUT_MS,
      });
    },
  });
}
