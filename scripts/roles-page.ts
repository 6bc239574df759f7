import { ACCESS, type Access } from "../src/admin/access-table.ts";
import { TAGS } from "../src/admin/route.ts";
import { ADMIN_ROUTES } from "../src/admin/routes.ts";
import { ROLES } from "../src/core/people/role.ts";

/** Who may do what, from the table that the admin listener reads. */
export function rolesPage(generated: string): string {
  const closed = ADMIN_ROUTES.filter(({ credential }) => credential !== "none");
  return [
    "# Roles",
    "",
    "For operators who hand out access: which role may do which operation of the admin API.",
    "",
    generated,
    "",
    "A role holds everywhere, or for one account and all below it. Who has a role for some accounts only is a *lead* of these",
    "accounts. [People and access](../operate/people.md) explains how to hand out roles. The automation token may do everything.",
    "",
    "*Lead* says what a role for some accounts is enough for:",
    "",
    "- *theirs*: what the request names must be in the lead's accounts; anything else returns 404, as if it did not exist.",
    "- *below*: the same, but not for the lead's own account: its limits are set by those above.",
    "- *filtered*: the list has what is theirs and nothing else.",
    "- *yes*: the operation shows nothing of accounts.",
    "- *no*: a lead gets 403.",
    "",
    ...Object.entries(TAGS).flatMap(([tag, about]) => {
      const rows = closed.filter((route) => route.tag === tag);
      if (rows.length === 0) return [];
      return [
        `## ${tag}`,
        "",
        about,
        "",
        `| Operation | ${ROLES.join(" | ")} | Lead |`,
        `|---|${ROLES.map(() => "---|").join("")}---|`,
        ...rows.map(({ id, summary }) => `| ${summary} (\`${id}\`) | ${cellsOf(ACCESS[id]).join(" | ")} |`),
        "",
      ];
    }),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

const cellsOf = (access: Access | undefined): string[] => [
  ...ROLES.map((role) => (access?.roles === "anyone" || access?.roles.includes(role) ? "✓" : "")),
  leadOf(access),
];

function leadOf(access: Access | undefined): string {
  if (access === undefined || access.subtree === null) return access?.roles === "anyone" ? "yes" : "no";
  if (access.subtree === "filtered") return "filtered";
  if (access.subtree.length === 0) return "yes";
  return access.subtree.some((subject) => "below" in subject) ? "below" : "theirs";
}
