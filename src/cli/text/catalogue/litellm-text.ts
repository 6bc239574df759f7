import type { LitellmConfig } from "../../../config/litellm/read-config.ts";
import type { CatalogueChange } from "../../../core/catalogue/catalogue-change.ts";
import { formatCredits } from "../../../core/money/money.ts";
import { catalogueChanges } from "../../../contract/catalogue-changes.ts";
import { description } from "../../../wire/catalogue/description.ts";
import { written } from "../../../wire/validate.ts";
import { changeListing } from "./price-text.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

export type LitellmReport = LitellmConfig & {
  /** The file that was written. */
  written: string | null;
  /** Null: nothing was to be applied. */
  changes: readonly CatalogueChange[] | null;
};

export const litellmView = ({ catalogue, notCarried, written: file, changes }: LitellmReport): object => ({
  applied: changes !== null,
  written: file,
  catalogue: written(description, catalogue),
  not_carried: notCarried,
  ...(changes !== null && { changes: written(catalogueChanges, changes) }),
});

export function litellmText(
  { catalogue, notCarried, written, changes }: LitellmReport,
  screen: Screen = PLAIN,
): string {
  const providers = catalogue.providers.map(({ name, baseUrl, credentialRef }) => [name, baseUrl, credentialRef]);
  const models = catalogue.models.map(({ id, price, routes }) => [
    id,
    price === null ? "-" : `${formatCredits(price.inputNano)} / ${formatCredits(price.outputNano)}`,
    routes.map(({ provider, upstreamModel }) => `${provider}/${upstreamModel}`).join(", "),
  ]);
  const losses = notCarried.map(({ source, what, instead }) => [source, what, instead]);
  const end =
    changes === null ? "Nothing was changed. Use --apply to write the changes." : changeListing(changes, screen);
  return [
    table(["PROVIDER", "URL", "CREDENTIAL"], providers, { screen }),
    table(["MODEL", "CREDITS PER MILLION", "ROUTES, IN ORDER"], models, { screen }),
    ...(losses.length === 0 ? [] : [table(["LINE", "NOT CARRIED", "INSTEAD"], losses, { screen })]),
    `${catalogue.providers.length} providers, ${catalogue.models.length} models, ${notCarried.length} settings not carried`,
    ...(written === null ? [] : [`Wrote ${written}. Apply it with \`tollgate catalogue apply ${written}\`.`]),
    end,
  ].join("\n\n");
}
