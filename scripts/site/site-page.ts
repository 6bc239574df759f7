export type SitePage = {
  /** Without slashes around it. */
  address: string;
  title: string;
  /** One sentence about it, for search engines and lists. */
  opening: string;
  /** Markdown, without the title. */
  body: string;
};

/** A page as the site's generator reads it. JSON is YAML, and quotes what must be quoted. */
export const writePage = ({ title, opening, body }: SitePage): string =>
  `---\ntitle: ${JSON.stringify(title)}\ndescription: ${JSON.stringify(opening)}\n---\n\n${body}\n`;
