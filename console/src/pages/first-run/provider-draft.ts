import { placeholdersOf, presetAt } from "../../../../src/core/catalogue/provider-presets.ts";
import type { AnswerOf } from "../../api/call.ts";

export type Preset = AnswerOf<"GET /admin/v1/provider-presets">["data"][number];
export type CredentialKind = "stored" | "env" | "none";

/** What an address asks for before it is one. */
export function urlHint(url: string): string {
  const yours = placeholdersOf(url);
  return yours.length === 0
    ? "Without the path of an operation."
    : `Write the name of yours in place of ${yours.join(" and ")}.`;
}

/** The format of most models of a well-known provider, by its address with whatever is the operator's in it. */
export const usualFormat = (provider: { base_url: string } | undefined): Preset["format"] =>
  (provider && presetAt(provider.base_url)?.dialect) ?? "chat";

/** A provider that is being filled in. */
export type ProviderDraft = { preset: string; name: string; url: string; kind: CredentialKind; variable: string };

export const OTHER = "another";
export const EMPTY_PROVIDER: ProviderDraft = { preset: OTHER, name: "", url: "", kind: "stored", variable: "" };

/** A known provider brings its address; its credential is entered unless it needs none. */
export const draftOf = (preset: Preset | undefined): ProviderDraft =>
  preset === undefined
    ? EMPTY_PROVIDER
    : {
        preset: preset.name,
        name: preset.name,
        url: preset.base_url,
        kind: preset.credential === "none" ? "none" : "stored",
        variable: preset.credential.replace(/^env:|^none$/, ""),
      };

export const credentialOf = ({ kind, variable }: ProviderDraft): string => (kind === "env" ? `env:${variable}` : kind);

/** As `tollgate providers add` is told the same. */
export function addCommand(draft: ProviderDraft, presets: readonly Preset[]): string {
  const preset = presets.find(({ name }) => name === draft.preset);
  const name = draft.name || "NAME";
  const own = placeholdersOf(draft.url)
    .map((word) => ` --${word.toLowerCase()} ${word}`)
    .join("");
  const from = preset?.base_url === draft.url ? `--preset ${preset.name}${own}` : `--url ${draft.url || "URL"}`;
  // What a preset says beside its address is said of an address of the operator's own, too.
  const platform = from.startsWith("--url") && preset?.platform ? ` --platform ${preset.platform}` : "";
  const credential =
    draft.kind === "stored"
      ? "--credential-stdin < key.txt"
      : preset !== undefined && preset.base_url === draft.url && preset.credential === credentialOf(draft)
        ? ""
        : `--credential ${draft.kind === "env" && draft.variable === "" ? "env:NAME" : credentialOf(draft)}`;
  return `tollgate providers add ${name} ${from}${platform} ${credential}`.trim();
}
