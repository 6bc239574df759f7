import { type Installed, installOnce, runInstaller } from "./install-once.ts";
import { type LineProgram, startLineProgram } from "./line-program.ts";

const INSTALL_TIMEOUT_MS = 900_000;

/** Python packages of exact versions, in a folder that is put on the path of the programs that use them. */
export function installPythonPackages(name: string, packages: Record<string, string>): Promise<Installed> {
  const wanted = Object.entries(packages).map(([from, version]) => `${from}==${version}`);
  return installOnce({
    name: `python-${name}`,
    contents: wanted,
    install: (folder) =>
      runInstaller({
        words: [
          "python3",
          "-m",
          "pip",
          "install",
          "--quiet",
          "--disable-pip-version-check",
          "--target",
          ".",
          ...wanted,
        ],
        cwd: folder,
        timeoutMs: INSTALL_TIMEOUT_MS,
      }),
  });
}

export const startPython = (folder: string, script: string): LineProgram =>
  startLineProgram({ words: ["python3", script], environment: { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" } });
