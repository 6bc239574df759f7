import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROXIES, proxyFileName, readProxyFile } from "../support/host/proxy.ts";

const PAGE = readFileSync(join(import.meta.dirname, "../../docs/deploy/proxies.md"), "utf8");
const blocks = [...PAGE.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, text]) => text);

test.each(PROXIES)("the page about proxies shows the file for %s that is tested", (name) => {
  expect(blocks, `deploy/proxies/${proxyFileName(name)}`).toContain(readProxyFile(name));
});
