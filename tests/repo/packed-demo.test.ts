import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { packDemo } from "../../scripts/pack-demo.ts";

test.each(["project", "src"])(
  "the demo is packed into one file beside the modules of the gateway, in a clone named %s",
  async (name) => {
    const root = cloneNamed(name, {
      "demo/open-demo.ts": `import { story } from "./story.ts";\nimport { day } from "../src/core/day.ts";\nexport const open = [story, day];`,
      "demo/story.ts": `export const story = "a story";`,
      "src/core/day.ts": "export const day = 1;",
    });

    await packDemo(root);

    const place = join(root, "dist/cli/dev");
    const packed = readFileSync(join(place, "demo.js"), "utf8");
    expect(readdirSync(place)).toEqual(["demo.js"]);
    expect(packed).toContain("a story");
    expect([...packed.matchAll(/from "([^"]+)"/g)].map(([, from]) => from)).toEqual(["../../core/day.js"]);
  },
);

function cloneNamed(name: string, files: Record<string, string>): string {
  const parent = mkdtempSync(join(tmpdir(), "tollgate-packed-"));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const root = join(parent, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
