import { shortKeyId } from "../../../core/secret/sealed-credential.ts";
import { type MemberPolicy, memberPolicyOf } from "../../../core/request/member-policy.ts";
import { provider } from "../../../contract/providers.ts";
import type { ProviderDetails } from "../../../operator/providers.ts";
import { written } from "../../../wire/validate.ts";
import { printable } from "../cell.ts";
import { PLAIN, type Screen } from "../screen.ts";
import { table } from "../table.ts";

type Removed = { name: string; withdrawn: readonly string[]; stranded: readonly string[] };

/** Providers as data, in the words of the catalogue file. */
export function providerView(details: ProviderDetails): object {
  const { credential_key, credential_problem: _, routes, ...terms } = written(provider, details);
  return { ...terms, ...(terms.credential === "stored" && { credential_key }), routes };
}

export const providerListing = (providers: readonly ProviderDetails[], screen: Screen = PLAIN): string =>
  providers.length === 0
    ? "No providers yet. Add one with `tollgate providers add`."
    : table(
        ["PROVIDER", "URL", "CREDENTIAL", "UNKNOWN FIELDS", ">ROUTES", "HOW"],
        providers.map(
          ({
            name,
            baseUrl,
            routes,
            unknownMembers,
            openMembers,
            windowCheck,
            traceparent,
            platform,
            ...credential
          }) => [
            name,
            baseUrl,
            credentialText(credential),
            memberText(memberPolicyOf({ baseUrl, unknownMembers: unknownMembers, openMembers: openMembers })),
            String(routes.length),
            handlingText(routes, { windowCheck, traceparent, platform }),
          ],
        ),
        { screen },
      );

const memberText = ({ unknown, open }: MemberPolicy): string =>
  unknown === "forward" || open.length === 0 ? unknown : `drop, except ${open.join(" ")}`;

/** Where a credential is found; of a stored one, which key opens it. */
export const credentialText = ({
  credentialRef,
  credentialKeyId,
}: Pick<ProviderDetails, "credentialRef" | "credentialKeyId">): string => {
  if (credentialRef !== "stored") return credentialRef;
  return credentialKeyId === null ? "stored, missing" : `stored, key ${shortKeyId(credentialKeyId)}`;
};

/** Per format, how many routes are forwarded as they come and how many are repaired on the way. */
function handlingText(
  routes: ProviderDetails["routes"],
  { windowCheck, traceparent, platform }: Pick<ProviderDetails, "windowCheck" | "traceparent" | "platform">,
): string {
  const dialects = [...new Set(routes.map(({ dialect }) => dialect))].toSorted();
  const hidden = routes.filter(({ published }) => !published).length;
  const parts = dialects.map((dialect) => {
    const spoken = routes.filter((route) => route.dialect === dialect);
    const conformant = spoken.filter((route) => route.conformant).length;
    const counts = [
      conformant > 0 && `${conformant} conformant`,
      conformant < spoken.length && `${spoken.length - conformant} normalised`,
    ];
    return `${dialect}: ${counts.filter((count) => count !== false).join(", ")}`;
  });
  if (hidden > 0) parts.push(`${hidden} of unpublished models`);
  if (windowCheck === "strict") parts.push("context window: strict");
  if (traceparent === "send") parts.push("traceparent: sent");
  if (platform !== null) parts.push(`platform: ${platform}`);
  return parts.join("; ");
}

export function removalText({ name, withdrawn, stranded }: Removed): string {
  const lines = [`Removed provider ${name}.`, ...withdrawn.map((route) => `Withdrew route ${route}.`)];
  if (stranded.length > 0) lines.push(`Published models without a route: ${stranded.join(", ")}`);
  return lines.map(printable).join("\n");
}
