import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Provider } from "../../api/generated/admin.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { presetsQuery } from "./providers-query.ts";

const KINDS = [
  { value: "secret", name: "store it here, encrypted" },
  { value: "reference", name: "the gateway has it: a variable, a file, or its identity in a cloud" },
  { value: "none", name: "none is needed" },
];
const WINDOWS = [
  { value: "try", name: "is sent; the provider refuses what is too long" },
  { value: "strict", name: "is sent only if it certainly fits; the provider cuts long input" },
];
const TRACES = [
  { value: "none", name: "is not sent" },
  { value: "send", name: "is sent with each call, as traceparent" },
];
const KEPT = { value: "kept", name: "as it is" };

const ADDING = {
  title: "New provider",
  lead: "An API that runs models. Its credential goes in here and never comes out.",
  verb: "Add the provider",
  done: "The provider is added",
};
const changing = (name: string) => ({
  title: `Change ${name}`,
  lead: "All its routes use the new address and credential from the next call on.",
  verb: "Save",
  done: "The provider is changed",
});

/** A new provider, or another address or credential of one. A credential goes in and never comes out. */
export function ProviderDialog({ of: provider, onClose }: { of: Provider | null; onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const address = useAddress(provider);
  const { name, url } = address;
  const [kind, setKind] = useState(provider === null ? "secret" : "kept");
  return (
    <FormDialog
      {...(provider === null ? ADDING : changing(provider.name))}
      fields={["name", "base_url", "credential", "secret", "platform"]}
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
            traceparent: given("traceparent") === "send" ? "send" : null,
            platform: given("platform").trim() || null,
            replace: provider !== null,
          },
        });
        if (provider === null) await navigate({ to: "/providers/$provider", params: { provider: name } });
      }}
    >
      {(problemOf) => (
        <>
          {provider === null && <NameField {...address} problem={problemOf("name")} />}
          <Field
            label="Base URL, without the path of an operation"
            name="base_url"
            type="url"
            required
            spellCheck={false}
            placeholder="https://api.example.com/v1"
            value={url}
            onChange={({ target }) => address.type(target.value)}
            problem={problemOf("base_url")}
            hint={
              isInTheClear(url, kind) ? "Not https: anyone on the network path can read the credential." : undefined
            }
          />
          <CredentialFields isKnown={provider !== null} kind={kind} onKind={setKind} problemOf={problemOf} />
          <SelectField
            label="Input near the context window"
            name="context_window"
            options={WINDOWS}
            defaultValue={provider?.context_window ?? "try"}
          />
          <Field
            label="Platform"
            name="platform"
            spellCheck={false}
            placeholder="as the base URL says"
            key={address.platform}
            defaultValue={provider?.platform ?? address.platform}
            problem={problemOf("platform")}
            hint="The cloud that it is called as: vertex, bedrock, azure, or azure:API_VERSION for the addresses of deployments."
          />
          <SelectField
            label="Trace context"
            name="traceparent"
            options={TRACES}
            defaultValue={provider?.traceparent ?? "none"}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Name and base URL: a well-known name brings its URL until one is typed. */
function useAddress(provider: Provider | null) {
  const [name, setName] = useState(provider?.name ?? "");
  /** Null: as the provider has it, or as its name brings it, whenever that is known. */
  const [typed, type] = useState<string | null>(null);
  const presets = useQuery(presetsQuery);
  const known = presets.data?.data ?? [];
  const preset = known.find((each) => each.name === name);
  return {
    name,
    known,
    platform: preset?.platform ?? "",
    url: typed ?? provider?.base_url ?? preset?.base_url ?? "",
    type,
    rename: (next: string): void => {
      setName(next);
      if (typed === "") type(null);
    },
  };
}

type NameParts = Pick<ReturnType<typeof useAddress>, "name" | "known" | "rename"> & { problem: string | null };

const NameField = ({ name, known, rename, problem }: NameParts): ReactNode => (
  <>
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
      problem={problem}
      hint="Its name in the catalogue, logs and metrics. Known ones bring their address."
    />
    <datalist id="provider-presets">
      {known.map((preset) => (
        <option key={preset.name}>{preset.name}</option>
      ))}
    </datalist>
  </>
);

type CredentialParts = {
  /** Then it may stay as it is. */
  isKnown: boolean;
  kind: string;
  onKind: (kind: string) => void;
  problemOf: (field: string) => string | null;
};

const CredentialFields = ({ isKnown, kind, onKind, problemOf }: CredentialParts): ReactNode => (
  <>
    <SelectField
      label="Credential"
      name="kind"
      options={isKnown ? [KEPT, ...KINDS] : KINDS}
      value={kind}
      onChange={({ target }) => onKind(target.value)}
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
        placeholder="env:OPENAI_API_KEY, file:/run/secrets/openai, aws, google or entra"
        problem={problemOf("credential")}
      />
    )}
  </>
);

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
