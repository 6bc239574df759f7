/** Changes to a document on its way to the site. What stands in a fence of code is never touched. */

export type Parts = {
  title: string;
  /** The sentence that says who it is for. */
  opening: string;
  body: string;
};

/** Title, first paragraph, and everything after the title. */
export function partsOf(markdown: string): Parts {
  const [, title = "", body = ""] = /^# (.+)\n+([\s\S]*)$/.exec(markdown.trimStart()) ?? [];
  const [opening = ""] = body.split(/\n\n/);
  return { title: title.replaceAll("`", ""), opening: opening.replaceAll(/\s+/g, " "), body };
}

/** Applies a change to everything outside fences. */
export function outsideFences(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(^ *```[\s\S]*?^ *```[ \t]*$)/m)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join("");
}

/** Notes to the tests and to writers. */
export const withoutComments = (markdown: string): string =>
  outsideFences(markdown, (text) => text.replaceAll(/^<!--[\s\S]*?-->\n?/gm, ""));

export type Link = { isPicture: boolean; text: string; target: string; anchor: string };

/** Replaces every link and picture that points into the repository. Anchors of the page itself stay. */
export function replaceLinks(markdown: string, replace: (link: Link) => string): string {
  return outsideFences(markdown, (text) =>
    text.replaceAll(
      /(!?)\[((?:`[^`]*`|[^\]`])*)\]\((?![a-z]+:|#)([^)#\s]+)(#[^)\s]*)?\)/g,
      (_, mark: string, words: string, target: string, anchor: string | undefined) =>
        replace({ isPicture: mark === "!", text: words, target, anchor: anchor ?? "" }),
    ),
  );
}

/** Long names in tables may break after a dot, a slash or an underscore, and nowhere else. */
export const withBreaksInTables = (markdown: string): string =>
  outsideFences(markdown, (text) =>
    text.replaceAll(/^\|.*\|$/gm, (row) =>
      row.replaceAll(
        /(?<!`)`([\w./:-]{15,})`(?!`)/g,
        (_, name: string) => `<code>${name.replaceAll(/([._/]+)(?=\w)/g, "$1<wbr>")}</code>`,
      ),
    ),
  );
