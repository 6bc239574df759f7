import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReadDescription } from "../core/description.ts";
import { putUrlInDocument, putUrlOnPage } from "../description/put-url.ts";

const FOLDER = join(import.meta.dirname, "../../build/openapi/dist");

const read = (name: string): Promise<string> =>
  readFile(join(FOLDER, name), "utf8").catch((cause: unknown) => {
    throw new Error(`${name} is missing in build/openapi/dist. In a clone, run: npm run descriptions`, { cause });
  });

/**
 * What `GET /openapi.json` and `GET /docs` of either listener answer: a file of the package, in which the base URL is put. [spec 9] Where
 * the operator has not said how clients reach it, the URLs of the document are relative, which is right behind any proxy.
 */
export const readDescription: ReadDescription = async (order) => {
  const isPage = order.as === "page";
  const text = await read(`${order.listener}.${isPage ? "html" : "json"}`);
  const policy = isPage ? await read("policy.txt") : null;
  if (order.listener === "admin") return { text, policy };
  const { publicUrl, address } = order;
  if (isPage) return { text: putUrlOnPage(text, publicUrl, address), policy };
  return { text: putUrlInDocument(text, address === "set" ? publicUrl : ""), policy };
};
