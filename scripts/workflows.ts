/** `npm run workflows`: checks .github/workflows with actionlint, which is built once. */
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join } from "node:path";
import { installGoCommand } from "../tests/support/go-module.ts";

const VERSION = "v1.7.12";

const { folder, missing } = await installGoCommand({
  name: "actionlint",
  path: "github.com/rhysd/actionlint/cmd/actionlint",
  version: VERSION,
});
if (folder === null) throw new Error(`actionlint ${VERSION} cannot be built here: ${missing}`);
const files = globSync(".github/workflows/*.yml");
const { status } = spawnSync(join(folder, "actionlint"), files, { stdio: "inherit" });
console.log(`workflows: ${files.length} files, ${status === 0 ? "no problem" : "see above"}`);
process.exitCode = status ?? 1;
