/** Packs the demo into one file in the folder that `src/cli/dev/load-demo.ts` is built into. What it imports from src/ is in dist/ there. */
import { join, relative, sep } from "node:path";
import { rolldown } from "rolldown";

export async function packDemo(root: string): Promise<void> {
  const sources = join(root, "src");
  // By the whole path: the repository may itself be below a folder of this name.
  const isSource = (id: string): boolean => id.startsWith(`${sources}${sep}`);
  const bundle = await rolldown({
    cwd: root,
    input: { demo: "demo/open-demo.ts" },
    platform: "node",
    external: (id, _importer, isResolved) => isResolved && isSource(id),
  });
  await bundle.write({
    dir: join(root, "dist/cli/dev"),
    format: "esm",
    paths: (id) => (isSource(id) ? `../../${relative(sources, id).replace(/\.ts$/, ".js")}` : id),
  });
  await bundle.close();
}
