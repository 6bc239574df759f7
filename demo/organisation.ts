import type { Role } from "../src/core/people/role.ts";

/** How somebody uses models; see `habits.ts`. */
export type HabitName = "claudeCode" | "codex" | "opencode" | "cline" | "script" | "notebook" | "curl";

export type DemoPerson = {
  name: string;
  habit: HabitName;
  /** How much more than others. */
  zeal: number;
  /** So many days after the first one; absent: they were there from the beginning. */
  joins?: number;
  leaves?: number;
};

export type DemoTeam = { name: string; monthly: number; each: number; lead: string; people: readonly DemoPerson[] };

/** A program that has an account and a key of its own. */
export type DemoProject = { name: string; team: string; monthly: number; key: string; habit: ServiceName; rpm: number };
export type ServiceName = "supportBot" | "reviewBot" | "nightly";

export const ORGANISATION = "Halden";
/** Of nobody: the domain is reserved for examples. */
export const MAIL = "halden.example";

const one = (
  name: string,
  habit: HabitName,
  zeal = 1,
  rest: Pick<DemoPerson, "joins" | "leaves"> = {},
): DemoPerson => ({
  name,
  habit,
  zeal,
  ...rest,
});

/** Forty people. Amounts are credits a month. */
export const TEAMS: readonly DemoTeam[] = [
  {
    name: "Platform",
    monthly: 360,
    each: 80,
    lead: "Ingrid Solheim",
    people: [
      one("Ingrid Solheim", "claudeCode", 0.7),
      one("Tomasz Wilk", "claudeCode", 1.9),
      one("Amara Okafor", "codex", 1.2),
      one("Jun Watanabe", "opencode", 1),
      one("Leila Haddad", "claudeCode", 1.1),
      one("Pedro Almeida", "codex", 0.8),
      one("Sofia Lindqvist", "cline", 0.9, { joins: 19 }),
      one("Ravi Menon", "claudeCode", 1.3),
    ],
  },
  {
    name: "Search",
    monthly: 290,
    each: 75,
    lead: "Marguerite Dubois",
    people: [
      one("Marguerite Dubois", "script", 0.6),
      one("Oluwaseun Adeyemi", "claudeCode", 1.6),
      one("Hana Kovářová", "notebook", 1),
      one("Mateo Fernández", "codex", 1.1),
      one("Priya Raghunathan", "claudeCode", 1.4),
      one("Nils Bergström", "opencode", 0.7, { joins: 33 }),
      one("Wei Zhang", "codex", 1),
    ],
  },
  {
    name: "Mobile",
    monthly: 130,
    each: 60,
    lead: "Callum Fraser",
    people: [
      one("Callum Fraser", "cline", 0.6),
      one("Yuki Tanaka", "claudeCode", 1.2),
      one("Fatima Zahra Benali", "codex", 0.9),
      one("Lukas Steiner", "cline", 1),
      one("Ana Popescu", "claudeCode", 0.8, { leaves: 61 }),
      one("Kwame Mensah", "opencode", 1),
    ],
  },
  {
    name: "Data",
    monthly: 150,
    each: 70,
    lead: "Dorothea von Hardenberg-Lindqvist",
    people: [
      one("Dorothea von Hardenberg-Lindqvist", "notebook", 0.7),
      one("Arjun Patel", "notebook", 1.5),
      one("Elif Yıldız", "script", 1.1),
      one("Benjamin Cohen", "claudeCode", 1),
      one("Chiara Rossi", "notebook", 1.2),
      one("Samuel Njoroge", "script", 0.9, { joins: 46 }),
      one("Mei-Ling Chou", "codex", 1),
    ],
  },
  {
    name: "Support",
    monthly: 160,
    each: 35,
    lead: "Rosa Delgado",
    people: [
      one("Rosa Delgado", "script", 0.5),
      one("Aoife Byrne", "curl", 0.6),
      one("Viktor Novák", "script", 0.7),
      one("Grace Achieng", "notebook", 0.6),
      one("Daniel Weiss", "curl", 0.5),
      one("Thandiwe Dlamini", "script", 0.8),
    ],
  },
  {
    name: "Design",
    monthly: 140,
    each: 40,
    lead: "Freya Nørgaard",
    people: [
      one("Freya Nørgaard", "cline", 0.6),
      one("Hugo Lefebvre", "claudeCode", 0.6),
      one("Siobhan Kelly", "notebook", 0.5),
      one("Emil Johansson", "opencode", 0.5),
      one("Noor Rahman", "cline", 0.7, { joins: 9 }),
      one("Isabela Costa", "script", 0.4),
    ],
  },
];

export const PROJECTS: readonly DemoProject[] = [
  { name: "Support bot", team: "Support", monthly: 90, key: "support-bot production", habit: "supportBot", rpm: 120 },
  { name: "Code review", team: "Platform", monthly: 160, key: "review-bot ci", habit: "reviewBot", rpm: 60 },
  { name: "Nightly evaluation", team: "Search", monthly: 110, key: "search-eval nightly", habit: "nightly", rpm: 40 },
];

/** The one who comes close to their limit, and the one who goes over it. */
export const CLOSE = "Tomasz Wilk";
export const OVER = "Priya Raghunathan";
/** Whose key is shown for the key holder's console. */
export const HOLDER = "Ravi Menon";

/** Who operates the gateway. Leads see their teams; the first is who signs in. */
export const OPERATORS: readonly { name: string; email: string; role: Role; team?: string }[] = [
  { name: "Olivia Marchetti", email: `olivia@${MAIL}`, role: "owner" },
  { name: "Jonas Eriksen", email: `jonas@${MAIL}`, role: "operator" },
  { name: "Beatrice Okonkwo", email: `beatrice@${MAIL}`, role: "billing" },
  { name: "Henrik Vasa", email: `henrik@${MAIL}`, role: "auditor" },
];

export const OWNER_EMAIL = `olivia@${MAIL}`;

/** `Hana Kovářová` → `hana.kovarova@…`. */
export const emailOf = (name: string): string =>
  `${name
    .normalize("NFD")
    .replaceAll("ı", "i")
    .replaceAll("ø", "o")
    .replaceAll(/[^A-Za-z -]/g, "")
    .toLowerCase()
    .replaceAll(" ", ".")}@${MAIL}`;

/** Keys outside the organisation: each is its own account. */
export const LONE_KEYS = [
  { label: "contractor: Nordlys Studio", mode: "credit", funds: 40, habit: "codex", zeal: 0.7 },
  { label: "workshop, shared", mode: "token_budget", funds: 250_000, habit: "curl", zeal: 1.4 },
] as const;
