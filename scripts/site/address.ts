/** Where a file of the repository is on the site. */

/** Where the alerts expect the site. A reserved name: whoever hosts the site puts their own address in its place. */
export const SITE_URL = "https://docs.tollgate.example/";

/** The address of a document, without slashes around it: `operate/monitoring`. */
export function addressOf(path: string): string {
  if (path === "README.md") return "";
  if (path === "docs/README.md") return "contents";
  const place = path.startsWith("docs/") ? path.slice("docs/".length) : `project/${path.toLowerCase()}`;
  return place.replace(/(\/readme)?\.md$/i, "");
}

/** Of a file that is shown as code. */
export const fileAddressOf = (path: string): string => `files/${path.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;

/** Of a file that is given as it is. */
export const rawAddressOf = (path: string): string => `raw/${path}`;

/** Documents of the APIs become pages. */
export const API_FOLDERS: Record<string, string> = {
  "docs/reference/openapi.json": "api/public",
  "docs/reference/admin-openapi.json": "api/admin",
};
