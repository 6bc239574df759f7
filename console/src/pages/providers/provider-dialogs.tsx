import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Provider } from "../../api/generated/admin.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { presetsQuery } from "./providers-query.ts";

const KINDS = [
  { value: "secret", name: "store it here, encrypted" },
  { value: "reference", name: "the gateway finds it in its environment or a file" },
  { value: "none", name: "none is needed" },
];
const WINDOWS = [
  { value: "try", name: "is sent; the provider refuses what is too long" },
  { value: "strict", name: "is sent only if it certainly fits; the provider cuts long input" },
];
const KEPT = { value: "kept", name: "as it is" };

/** A new provider, or another address or credential of one. A credential goes in and never comes out. */
export function ProviderDialog({ of: provider, onClose }: { of: Provider | null; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [name, setName] = useState(provider?.name ?? "");
  /** The address as it was typed; null: as the provider has it, or as its name brings it, whenever that is known. */
  const [typed, setTyped] = useState<string | null>(null);
  const presets = useQuery(presetsQuery);
  const known = presets.data?.data ?? [];
  const url = typed ?? provider?.base_url ?? known.find((preset) => preset.name === name)?.base_url ?? "";
  const rename = (next: string): void => {
    setName(next);
    if (typed === "") setTyped(null);
  };
  const [kind, setKind] = useState(provider === null ? "secret" : "kept");
  return (
    <FormDialog
      title={provider === null ? "New provider" : `Change ${provider.name}`}
      lead={
        provider === null
          ? "An API that runs models. Its credential goes in here and never comes out."
          : "All its routes use the new address and credential from the next call on."
      }
      verb={provider === null ? "Add the provider" : "Save"}
      done={provider === null ? "The provider is added" : "The provider is changed"}
      fields={["name", "base_url", "credential", "secret"]}
      onClose={onClose}
      act={async (change, given) => {
        await change("POST /admin/v1/providers", {
          body: {
            name,
            base_url: url,
            credential: credentialOf(kind, given("reference"), provider),
            secret: kind === "secret" ? given("secret") : null,
            unknown_members: provider?.unknown_members ?? null,
            open_members: provider?.open_members ?? null,
            context_window: given("context_window") === "strict" ? "strict" : null,
            replace: provider !== null,
          },
        });
        if (provider === null) await navigate({ to: "/providers/$provider", params: { provider: name } });
      }}
    >
      {(problemOf) => (
        <>
          {provider === null && (
            <Field
              label="Name"
              name="name"
              required
              autoFocus
              spellCheck={false}
              autoComplete="off"
              value={name}
              list="provider-presets"
              onChange={({ target }) => rename(target.value)}
              problem={problemOf("name")}
              hint="Its name in the catalogue, logs and metrics. Known ones bring their address."
            />
          )}
          <datalist id="provider-presets">
            {known.map((preset) => (
              <option key={preset.name}>{preset.name}</option>
            ))}
          </datalist>
          <Field
            label="Base URL, without the path of an operation"
            name="base_url"
            type="url"
            required
            spellCheck={false}
            placeholder="https://api.example.com/v1"
            value={url}
            onChange={({ target }) => setTyped(target.value)}
            problem={problemOf("base_url")}
            hint={
              isInTheClear(url, kind) ? "Not https: anyone on the network path can read the credential." : undefined
            }
          />
          <SelectField
            label="Credential"
            name="kind"
            options={provider === null ? KINDS : [KEPT, ...KINDS]}
            value={kind}
            onChange={({ target }) => setKind(target.value)}
          />
          {kind === "secret" && (
            <Field
              label="API key"
              name="secret"
              type="password"
              required
              autoComplete="new-password"
              spellCheck={false}
              problem={problemOf("secret") ?? problemOf("credential")}
              hint="It is encrypted with credential.key and is never shown again."
            />
          )}
          {kind === "reference" && (
            <Field
              label="Where it is"
              name="reference"
              required
              spellCheck={false}
              placeholder="env:OPENAI_API_KEY or file:/run/secrets/openai"
              problem={problemOf("credential")}
            />
          )}
          <SelectField
            label="Input near the context window"
            name="context_window"
            options={WINDOWS}
            defaultValue={provider?.context_window ?? "try"}
          />
        </>
      )}
    </FormDialog>
  );
}

const isInTheClear = (url: string, kind: string): boolean => url.startsWith("http://") && kind !== "none";

function credentialOf(kind: string, reference: string, provider: Provider | null): string {
  if (kind === "kept") return provider?.credential ?? "none";
  return kind === "secret" ? "stored" : kind === "none" ? "none" : reference;
}

/** It takes its routes with it, so its name is typed first. */
export function RemoveProviderDialog({ of: provider, onClose }: { of: Provider; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const models = [...new Set(provider.routes.filter(({ published }) => published).map(({ model }) => model))];
  return (
    <FormDialog
      title={`Remove ${provider.name}?`}
      lead={
        models.length === 0
          ? "Its stored credential is deleted with it."
          : `${models.length} published ${models.length === 1 ? "model loses its route" : "models lose their routes"} to it. Its stored credential is deleted.`
      }
      verb="Remove this provider"
      danger
      disabled={typed !== provider.name}
      done="The provider is removed"
      onClose={onClose}
      act={async (change) => {
        await change("DELETE /admin/v1/providers/{provider}", {
          params: { provider: provider.name },
          query: { routes: models.length === 0 ? "keep" : "withdraw" },
        });
        await navigate({ to: "/providers" });
      }}
    >
      {() => (
        <>
          {models.length > 0 && (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
            <ul tabIndex={0} className="max-h-32 overflow-y-auto rounded-md bg-sunken px-3 py-2 text-small">
              {models.map((model) => (
                <li key={model} className="wrap-anywhere">
                  {model}
                </li>
              ))}
            </ul>
          )}
          <Field
            label={`Type “${provider.name}” to confirm`}
            name="name"
            autoComplete="off"
            spellCheck={false}
            autoFocus
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
