/** Many pictures on one: an HTML page of images, which the browser draws. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, untilTrue } from "./chromium.ts";

type Sheet = { title: string; width: number; files: readonly { name: string; file: string }[]; into: string };

const SHEET_WIDTH = 2_000;
const NARROW = 600;

export async function writeSheet(browser: Browser, { title, width, files, into }: Sheet): Promise<void> {
  const columns = width < NARROW ? 8 : 4;
  const figures = files.map(
    ({ name, file }) => `<figure><img src="${file}" alt=""><figcaption>${name}</figcaption></figure>`,
  );
  const html = join(into, `${title}.html`);
  writeFileSync(
    html,
    `<!doctype html><meta charset="utf-8"><title>${title}</title><style>
      body { margin: 24px; font: 15px sans-serif; background: #6b6f76; color: #fff }
      main { columns: ${columns}; column-gap: 16px }
      figure { margin: 0 0 16px; break-inside: avoid } img { width: 100%; display: block; max-height: 1100px; object-fit: cover; object-position: top }
      figcaption { padding: 4px 0 }</style><h1>${title}</h1><main>${figures.join("")}</main>`,
  );
  const context = await browser.newContext({ viewport: { width: SHEET_WIDTH, height: 1_000 } });
  const page = await context.newPage();
  await page.goto(pathToFileURL(html).href);
  await untilTrue(page, "[...document.images].every((image) => image.complete)");
  await page.screenshot({ path: join(into, `${title}.png`), fullPage: true });
  await context.close();
}
