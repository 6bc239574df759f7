/** `npm run workflows`: checks .github/workflows with actionlint, which is built once. */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { installOnce, runInstaller } from "../tests/support/install-once.ts";

const VERSION = "v1.7.12";
const BUILD_TIMEOUT_MS = 600_000;

const { folder, missing } = await installOnce({
  name: "go-actionlint",
  contents: VERSION,
  install: (place) =>
    runInstaller({
      words: ["go", "install", `github.com/rhysd/actionlint/cmd/actionlint@${VERSION}`],
      cwd: place,
      environment: { GOBIN: place, GOFLAGS: "-buildvcs=false" },
      timeoutMs: BUILD_TIMEOUT_MS,
    }),
});
if (folder === null) throw new Error(`actionlint ${VERSION} cannot be built here: ${missing}`);
const files = globSync(".github/workflows/*.yml");
const { status } = spawnSync(join(folder, "actionlint"), files, { stdio: "inherit" });
console.log(`workflows: ${files.length} files, ${status === 0 ? "no problem" : "see above"}`);
process.exitCode = status ?? 1;
