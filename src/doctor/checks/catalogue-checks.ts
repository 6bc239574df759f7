import { type Check, failed, type CheckFinding, ok, skipped, warning } from "../check.ts";
import { inNumbers } from "../figures.ts";
import { type PriceCheckFacts, readPriceCheck } from "../facts-store.ts";
import { configOf, type ExaminedModel, type ReachedProvider } from "../patient.ts";

const REJECTS = new Set([401, 403]);
const SHOWN = 5;

/** Whether models can be asked for, and whether their providers answer. Nothing here costs money. */
export const CATALOGUE_CHECKS: readonly Check[] = [
  {
    id: "catalogue-models",
    title: "models",
    finds: "No model is published, or a published one has no route, no output limit or no price.",
    fix: "Add what is missing with `tollgate models add` or `tollgate models price`.",
    after: ["settings-required", "database-migrations"],
    run: async ({ listModels }) => judgeModels(await listModels()),
  },
  {
    id: "catalogue-credentials",
    title: "credentials",
    finds: "A provider's credential cannot be found here. It fails if a published model has a route to that provider.",
    fix: "Set the variable or the file that it names, or store it: `tollgate providers add NAME … --credential-stdin --replace`.",
    after: ["catalogue-models"],
    run: async ({ reachProviders }) => {
      if (reachProviders === null) return skipped("run it where the gateway's environment is");
      const providers = await reachProviders();
      const lacking = providers.filter(({ credentialProblem }) => credentialProblem !== null);
      if (lacking.length === 0) return ok(`found for ${inNumbers(providers.length, "provider")}`);
      return lacking.map(({ name, published, credentialProblem }) =>
        (published ? failed : warning)(`${name}: ${credentialProblem}`),
      );
    },
  },
  {
    id: "catalogue-providers",
    title: "providers",
    finds: "A provider does not answer, or rejects its credential, when its list of models is asked for.",
    fix: "Check its base URL and this machine's way to it, then run `tollgate providers test NAME`, which costs a few tokens.",
    after: ["catalogue-models"],
    run: async ({ reachProviders }) => {
      if (reachProviders === null) return skipped("run it where the gateway's environment is");
      const asked = (await reachProviders()).filter(({ credentialProblem }) => credentialProblem === null);
      if (asked.length === 0) return skipped("no provider has a credential");
      return asked.map(judgeProvider);
    },
  },
  {
    id: "catalogue-prices",
    title: "price list",
    finds:
      "The prices in force differ from the list that `price_check.list` names, or they could not be compared with it.",
    fix: "Open Models in the console: it shows what differs, with a box for each model. Or run `tollgate models import` with the list and --diff.",
    after: ["settings-required", "database-migrations"],
    run: async (patient) => {
      if (configOf(patient).priceCheck.list === "off") return ok("not compared; `price_check.list` is off");
      if (patient.database === null) return skipped("the database is inside the gateway's process");
      return judgePriceCheck(await readPriceCheck(patient.database), patient.nowMs());
    },
  },
];

const HOUR_MS = 3_600_000;

export function judgePriceCheck(check: PriceCheckFacts | null, nowMs: number): CheckFinding[] {
  if (check === null || (check.foundAt === null && check.problem === null))
    return [warning("not compared yet", "Start a gateway, and look again in some minutes.")];
  const { list, problem, models, foundAt } = check;
  const hours = foundAt === null ? null : Math.max(0, Math.floor((nowMs - foundAt.getTime()) / HOUR_MS));
  const last = hours === null ? "" : `, ${hours === 0 ? "less than an hour" : inNumbers(hours, "hour")} ago`;
  const failing =
    problem === null
      ? []
      : [
          warning(
            `${list} could not be compared: ${problem}`,
            "Check `price_check.list` and `price_check.providers`, and that the gateway can reach the address.",
          ),
        ];
  if (models === null) return failing;
  const found =
    models === 0
      ? ok(`as in ${list}${last}`)
      : warning(`${inNumbers(models, "model")} ${models === 1 ? "differs" : "differ"} from ${list}${last}`);
  return [...failing, found];
}

export function judgeModels(models: readonly ExaminedModel[]): CheckFinding[] {
  const published = models.filter((model) => model.published);
  if (published.length === 0)
    return [
      warning(
        models.length === 0 ? "there is none" : `none of ${inNumbers(models.length)} is published`,
        "Add one with `tollgate models add`, and publish it with `tollgate models publish`.",
      ),
    ];
  const lacking = published.filter(({ obstacles }) => obstacles.length > 0);
  const unusable = lacking.filter(({ obstacles }) => !obstacles.every((one) => one.startsWith("not on credit")));
  const [first, rest] = [lacking.slice(0, SHOWN), lacking.length - SHOWN];
  const line = ({ id, obstacles }: ExaminedModel): string => `${id}: ${obstacles.join("; ")}`;
  return [
    ok(`${inNumbers(published.length)} published, ${inNumbers(published.length - unusable.length)} usable`),
    ...first.map((model) => (unusable.includes(model) ? failed : warning)(line(model))),
    ...(rest > 0
      ? [(unusable.length > SHOWN ? failed : warning)(`${inNumbers(rest)} more; see \`tollgate models list\``)]
      : []),
  ];
}

export function judgeProvider({ name, baseUrl, published, status, problem }: ReachedProvider): CheckFinding {
  const bad = published ? failed : warning;
  if (status === null) return bad(`${name}: ${baseUrl} does not answer (${problem})`);
  if (REJECTS.has(status))
    return bad(
      `${name}: ${baseUrl} rejects the credential with ${status}`,
      "Replace the credential: `tollgate providers add NAME … --credential-stdin --replace`.",
    );
  return status < 300
    ? ok(`${name}: answers and accepts the credential`)
    : ok(`${name}: answers (${status} to its list of models, so the credential is not checked)`);
}
