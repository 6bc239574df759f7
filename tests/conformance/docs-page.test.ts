import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Chromium, type ChromiumPage, findChromium } from "../support/chromium.ts";
import { FAINT_TEXT } from "../support/faint-text.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";

const { missing, launch } = await findChromium();

const PATIENT_MS = 180_000;
let gateway: GatewayProcess;
let browser: Chromium;
beforeAll(async () => {
  if (missing) return;
  gateway = await startGatewayProcess();
  browser = await launch();
}, PATIENT_MS);
afterAll(async () => {
  if (missing) return;
  await browser.close();
  await gateway.stop();
}, PATIENT_MS);

type Look = { width?: number; colorScheme?: "light" | "dark"; javaScriptEnabled?: boolean };

/** Opens a page, and fails when it reports an error, such as something its policy forbids. */
async function look(
  url: string,
  { width = 1440, ...look }: Look,
  work: (page: ChromiumPage) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, ...look });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (said) => {
    const { type, text } = said as { type: () => string; text: () => string };
    if (type.call(said) === "error" && !text.call(said).includes("favicon")) errors.push(text.call(said));
  });
  await page.goto(url);
  await work(page);
  await context.close();
  expect(errors).toEqual([]);
}

const docs = (listener: "public" | "admin"): string => `${gateway[`${listener}Url`]}/docs`;

describe.skipIf(missing)("in a browser", { timeout: PATIENT_MS }, () => {
  test.each(["public", "admin"] as const)(
    "the %s page fits a phone, a tablet and a desk, in colours that can be read",
    async (listener) => {
      for (const width of [390, 820, 1440])
        for (const colorScheme of ["light", "dark"] as const)
          await look(docs(listener), { width, colorScheme }, async (page) => {
            const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
            const { seen, faint } = await page.evaluate<{ seen: number; faint: string[] }>(FAINT_TEXT);

            expect(wide).toBe(width);
            expect(seen).toBeGreaterThan(300);
            expect({ width, colorScheme, faint }).toEqual({ width, colorScheme, faint: [] });
          });
    },
  );

  test("search finds operations, fields and error codes by the keyboard alone", async () => {
    const found = async (page: ChromiumPage, text: string): Promise<string> => {
      await page.keyboard.press("/");
      await page.keyboard.type(text);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      return page.evaluate<string>(
        "document.activeElement.id || document.activeElement.querySelector('code').textContent",
      );
    };
    await look(docs("public"), {}, async (page) => {
      expect(await found(page, "create a mess")).toBe("createMessage");
      expect(await found(page, "stop_sequences")).toBe("stop_sequences");
      expect(await found(page, "insufficient_cr")).toBe("insufficient_credit");
      expect(await page.evaluate("location.hash")).toBe("#error-codes");
    });
  });

  test("a tab that was chosen is chosen everywhere, and still when the reader returns", async () => {
    // What a key holder reads about their key has no client but curl.
    const ALL_CHOSEN = ["OpenAI Python", "Anthropic Python", "curl"];
    const chosen =
      "[...new Set([...document.querySelectorAll('[aria-selected=true]')].map(({ textContent }) => textContent))]";
    await look(docs("public"), {}, async (page) => {
      await page.locator("#createChatCompletion [role=tab]").first().click();
      await page.keyboard.press("ArrowRight");
      expect(await page.evaluate(chosen)).toEqual(ALL_CHOSEN);
      await page.reload();
      expect(await page.evaluate(chosen)).toEqual(ALL_CHOSEN);
    });
  });

  test("every block of code has a button that says when it has copied", async () => {
    await look(docs("public"), {}, async (page) => {
      const [blocks, buttons] = await page.evaluate<number[]>(
        "[document.querySelectorAll('pre').length, document.querySelectorAll('.code > pre + button').length]",
      );
      await page.locator("#listModels .copy").first().click();

      expect(blocks).toBeGreaterThan(60);
      expect(buttons).toBe(blocks);
      // A browser copies in its own time.
      await page.waitForFunction("document.querySelector('[role=status]').textContent === 'Copied'");
    });
  });

  test("on a phone the menu is folded, opens, and closes behind a link", async () => {
    await look(docs("admin"), { width: 390 }, async (page) => {
      expect(await page.locator("nav").isVisible()).toBe(false);
      await page.locator(".menu > summary").click();
      expect(await page.locator("nav").isVisible()).toBe(true);
      await page.locator("nav a[href='#error-codes']").click();
      expect(await page.locator("nav").isVisible()).toBe(false);
    });
  });

  test("without a public_url the page names the address that the reader used", async () => {
    const { port } = new URL(gateway.publicUrl);
    const command = ".samples code";
    await look(`http://localhost:${port}/token/docs`, {}, async (page) => {
      expect(await page.locator(command).first().innerText()).toContain(`curl http://localhost:${port}/v1/models`);
    });
    await look(docs("public"), {}, async (page) => {
      expect(await page.locator(command).first().innerText()).toContain(`curl ${gateway.publicUrl}/v1/models`);
    });
  });

  test("without the script all samples can be unfolded, and nothing is shown that needs it", async () => {
    await look(docs("public"), { javaScriptEnabled: false }, async (page) => {
      const sample = page.locator("#createMessage details[data-tab='Anthropic Python'] pre").first();

      expect(await page.locator(".tools").isVisible()).toBe(false);
      expect(await sample.isVisible()).toBe(false);
      await page.locator("#createMessage details[data-tab='Anthropic Python'] summary").first().click();
      expect(await sample.isVisible()).toBe(true);
    });
  });
});
