import { spawnSync } from "node:child_process";
import { installPythonPackages } from "../../tests/support/python-environment.ts";

const VERSION = "1.37.0";

type Validate = (kubernetes: string, files: readonly string[]) => { ok: boolean; output: string; resources: number };

/** Checks manifests against the schemas of a version of Kubernetes, or says why that cannot be done here. */
export async function openValidator(): Promise<{ validate: Validate; missing: null } | { missing: string }> {
  const { folder, missing } = await installPythonPackages("kubernetes-validate", { "kubernetes-validate": VERSION });
  if (folder === null) return { missing };
  const validate: Validate = (kubernetes, files) => {
    const words = ["-m", "kubernetes_validate", "--strict", "-k", kubernetes, ...files];
    const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" };
    const { status, stdout, stderr } = spawnSync("python3", words, { env, encoding: "utf8" });
    const output = stdout + stderr;
    return { ok: status === 0, output, resources: output.match(/ passed for resource /g)?.length ?? 0 };
  };
  return { validate, missing: null };
}
