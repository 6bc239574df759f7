import { referenceTo } from "../component.ts";
import type { AdminDocument } from "../document.ts";
import type { Shell } from "./curl.ts";
import { fieldTable } from "./field-table.ts";
import { block, code, prose, table } from "./html.ts";
import { renderPage } from "./page.ts";

const SHELL: Shell = { origin: "TOLLGATE_ADMIN_URL", credential: "TOLLGATE_ADMIN_TOKEN", sdks: "none" };

/** Where the listener is unless the settings move it. */
const USUAL_URL = "http://127.0.0.1:8081";

const SETUP = `export ${SHELL.origin}=${USUAL_URL}\nexport ${SHELL.credential}="<automation token>"`;

/** The description of the admin API for people. */
export const renderAdminPage = (document: AdminDocument): string =>
  renderPage(document, {
    lead: `<p class="summary">${prose(document.info.summary)}</p>${block(SETUP)}`,
    guessedUrl: USUAL_URL,
    errors: errorPart(document),
    shell: SHELL,
  });

function errorPart(document: AdminDocument): string {
  const { schemas } = document.components;
  const rows = document["x-error-codes"].map(({ code: name, condition, status, type }) => [
    `${code(name)}<p>${prose(condition)}</p>`,
    `${status} ${code(type)}`,
  ]);
  const envelope = fieldTable(referenceTo("Error"), { schemas, side: "answer" });
  return `${table(["Code", "Status"], rows)}<h3>Error body</h3>${envelope}`;
}
