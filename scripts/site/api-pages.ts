/** The pages of an API, one per group of operations, by the parts of the gateway's own /docs page. */
import type { AdminDocument, ApiDocument, OpenApiDocument } from "../../build/openapi/document.ts";
import type { Shell } from "../../build/openapi/page/curl.ts";
import { markdown, prose, table, code } from "../../build/openapi/page/html.ts";
import { operationSection } from "../../build/openapi/page/operation-section.ts";
import type { SitePage } from "./site-page.ts";

export type ApiSite = {
  document: OpenApiDocument | AdminDocument;
  /** The address of its first page; the others are below it. */
  folder: string;
  title: string;
  opening: string;
  shell: Shell & { origin: string };
  /** Where its listener is unless the settings move it. */
  usualUrl: string;
  /** How its document can be fetched. */
  rawUrl: string;
  errorsUrl: string | null;
};

export function apiPages(site: ApiSite): SitePage[] {
  return [introduction(site), ...site.document.tags.map((tag) => groupPage(tag, site))];
}

const addressIn = ({ folder }: ApiSite, tag: string): string =>
  `${folder}/${tag
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, "-")
    .replaceAll(/^-|-$/g, "")}`;

function introduction(site: ApiSite): SitePage {
  const { document, rawUrl, errorsUrl } = site;
  const variable = `$${site.shell.origin}`;
  const servers = document.servers.map(({ url, description }) => [
    prose(description),
    code(url === "/" ? variable : `${variable}${url}`),
  ]);
  const errors = document["x-error-codes"].map(({ code: name, condition, ...given }) => [
    code(name),
    "status" in given ? String(given.status) : "",
    prose(condition),
  ]);
  const columns = errors.some(([, status]) => status !== "") ? ["Code", "Status", "When"] : ["Code", "When"];
  return {
    address: site.folder,
    title: site.title,
    opening: site.opening,
    body: [
      site.opening,
      `Interface version ${document.info.version}. [OpenAPI document](${rawUrl}). A running gateway serves this description at \`/docs\`, with its own address in the examples.`,
      prose(document.info.summary),
      "The commands on these pages use two variables:",
      `~~~~sh\nexport ${site.shell.origin}=${site.usualUrl}\nexport ${site.shell.credential}=...\n~~~~`,
      servers.length < 2 ? "" : inHtml(table(["Key", "Base URL"], servers)),
      fromHtml(markdown(document.info.description)),
      "## Operations",
      inHtml(
        table(
          ["Operation", "What it does"],
          document.tags.flatMap(({ name }) => operationRows(name, site)),
        ),
      ),
      "## Error codes",
      errorsUrl === null ? "" : `[Errors](${errorsUrl}) has the cause, the fix and an example of each.`,
      inHtml(
        table(
          columns,
          errors.map((row) => row.filter((cell) => cell !== "")),
        ),
      ),
    ].join("\n\n"),
  };
}

const operationsOf = (tag: string, { document }: ApiSite) =>
  Object.entries({ ...document.paths, ...document["x-additions"] })
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ method, path, operation })))
    .filter(({ operation }) => operation.tags.includes(tag));

function operationRows(tag: string, site: ApiSite): string[][] {
  return operationsOf(tag, site).map(({ method, path, operation }) => [
    `<span class="method ${method}">${method.toUpperCase()}</span> ${code(path)}`,
    `<a href="${site.rawUrl.slice(0, site.rawUrl.indexOf("/raw/"))}/${addressIn(site, tag)}/#${operation.operationId}">${prose(operation.summary)}</a>`,
  ]);
}

function groupPage({ name, description }: ApiDocument["tags"][number], site: ApiSite): SitePage {
  const { document, shell } = site;
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  return {
    address: addressIn(site, name),
    title,
    opening: `${site.title}: ${title}. ${description}`,
    body: [
      description,
      ...operationsOf(name, site).map((place) => fromHtml(operationSection({ ...place, document, shell }))),
    ].join("\n\n"),
  };
}

/** Blank lines end a piece of HTML in Markdown, so it has none. */
const inHtml = (html: string): string => html.replaceAll(/\n+/g, " ");

/**
 * Headings become the page's, so that its contents list them; blocks of code become fences, which are coloured and can be
 * copied; a section's id becomes an anchor.
 */
function fromHtml(html: string): string {
  const blocks: string[] = [];
  const kept = html.replaceAll(
    /<div class="code"><pre tabindex="0"><code>([\s\S]*?)<\/code><\/pre><\/div>/g,
    (_, text: string) => {
      const plain = decode(text);
      blocks.push(`\n\n~~~~${languageOf(plain)}\n${plain}\n~~~~\n\n`);
      return `<fence ${blocks.length - 1}>`;
    },
  );
  return inHtml(kept)
    .replaceAll(/<section id="([^"]+)">/g, '<a class="place" id="$1"></a>')
    .replaceAll("</section>", "")
    .replaceAll(/<\/?div[^>]*>/g, "")
    .replaceAll(/<h[23](?: id="[^"]*")?>(.*?)<\/h[23]>/g, (_, title: string) => heading(title))
    .replaceAll(/<h4>(.*?)<\/h4>/g, '\n\n<p class="part">$1</p>\n\n')
    .replaceAll(/<summary>(.*?)<\/summary>/g, "<summary>$1</summary>\n\n")
    .replaceAll("</details>", "\n\n</details>\n\n")
    .replaceAll("<details", "\n\n<details")
    .replaceAll(/<fence (\d+)>/g, (_, at: string) => blocks[Number(at)] ?? "")
    .replaceAll(/\n{3,}/g, "\n\n");
}

/** What follows a semicolon is a sentence of its own. */
function heading(html: string): string {
  const [name = "", ...rest] = decode(html.replaceAll(/<code>(.*?)<\/code>/g, "`$1`")).split("; ");
  const more = rest.join("; ");
  return `\n\n## ${name}\n\n${more === "" ? "" : `${more.charAt(0).toUpperCase()}${more.slice(1)}.\n\n`}`;
}

const decode = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

function languageOf(text: string): string {
  if (text.startsWith("curl ")) return "sh";
  if (/^[{[]/.test(text)) return "json";
  if (/^(from|import os)\b/m.test(text) && !/^import .* from /m.test(text)) return "python";
  return /^(import|const) /m.test(text) ? "ts" : "text";
}
