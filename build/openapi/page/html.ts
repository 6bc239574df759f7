import { escapeHtml } from "../../../src/core/text/escape-html.ts";

/** A line of prose in which backticks mark code. */
export const prose = (text: string): string => escapeHtml(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");

/** The little Markdown our descriptions are written in: headings, lists, paragraphs, code. */
export function markdown(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((block) => {
      if (block.startsWith("## ")) return `<h2 id="${anchor(block.slice(3))}">${prose(block.slice(3))}</h2>`;
      if (!block.startsWith("- ")) return `<p>${prose(block)}</p>`;
      const items = block.slice(2).split(/\n- /);
      return `<ul>${items.map((item) => `<li>${prose(item)}</li>`).join("")}</ul>`;
    })
    .join("\n");
}

/** The headings of such a text. */
export const headingsOf = (text: string): string[] => [...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title ?? "");

export const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim()
    .replaceAll(" ", "-");

/**
 * Cells are HTML already. Fields stand below each other, name and type on one line; of other tables the columns stand beside their
 * cells where the page is too narrow for a table.
 */
export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = columns.map((name) => `<th scope="col">${escapeHtml(name)}</th>`).join("");
  const body = rows.map(
    (cells) =>
      `<tr>${cells.map((cell, at) => `<td data-column="${escapeHtml(columns[at] ?? "")}">${cell}</td>`).join("")}</tr>`,
  );
  const kind = ["Field", "Name"].includes(columns[0] ?? "") ? ' class="fields"' : "";
  return `<table${kind}><thead><tr>${head}</tr></thead><tbody>${body.join("\n")}</tbody></table>`;
}

export const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;

/** Code on lines of its own. A script adds the button that copies it. */
export const block = (text: string): string =>
  `<div class="code"><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></div>`;

export const fold = (summary: string, content: string): string =>
  `<details><summary>${prose(summary)}</summary>${content}</details>`;
