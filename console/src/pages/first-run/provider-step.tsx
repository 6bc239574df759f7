import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Provider } from "../../api/generated/admin.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import {
  addCommand,
  type CredentialKind,
  credentialOf,
  draftOf,
  EMPTY_PROVIDER,
  OTHER,
  type ProviderDraft,
  urlHint,
} from "./provider-draft.ts";
import { ProviderTest } from "./provider-test.tsx";
import { Beside, Problem } from "./setup-step.tsx";
import { useStepForm } from "./use-step-form.ts";

const KINDS = [
  { value: "stored", name: "Entered here, stored encrypted" },
  { value: "env", name: "In a variable of the gateway" },
  { value: "none", name: "The provider needs none" },
];
const FIELDS = ["name", "base_url", "credential", "secret"];

type Props = { providers: readonly Provider[]; onContinue: () => void };

/** Where models come from. What is there is listed and can be tested; one more can be added. */
export function ProviderStep({ providers, onContinue }: Props): ReactNode {
  const [isAdding, setAdding] = useState(false);
  if (providers.length === 0 || isAdding)
    return <AddProvider onAdded={() => setAdding(false)} onCancel={isAdding ? () => setAdding(false) : null} />;
  return (
    <Beside commands={[`tollgate providers test ${providers[0]?.name} --model MODEL`, "tollgate providers list"]}>
      <ul className="flex flex-col gap-2">
        {providers.map(({ name, base_url: url, credential, credential_problem: problem }) => (
          <li key={name} className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium">{name}</span>
            <span className="min-w-0 text-ink-2 wrap-anywhere">{url}</span>
            <Badge tone={problem === null ? "good" : "bad"}>
              {problem === null ? `credential: ${credential}` : "no credential"}
            </Badge>
            {problem !== null && <Problem text={problem} />}
          </li>
        ))}
      </ul>
      <ProviderTest providers={providers} />
      <div className="flex flex-wrap justify-between gap-2 border-t border-line pt-4">
        <Button onClick={() => setAdding(true)}>Add another provider</Button>
        <Button look="primary" onClick={onContinue}>
          Continue
        </Button>
      </div>
    </Beside>
  );
}

type AddProps = { onAdded: () => void; onCancel: (() => void) | null };

function AddProvider({ onAdded, onCancel }: AddProps): ReactNode {
  const presets = useQuery(queryOf("GET /admin/v1/provider-presets"));
  // A cloud's own identity is set up where the gateway runs, and not here.
  const known = (presets.data?.data ?? []).filter(({ credential }) => /^(?:env:.*|none)$/.test(credential));
  const [draft, setDraft] = useState(EMPTY_PROVIDER);
  const { send, isBusy, problemOf, otherwise } = useStepForm(async (change, given) => {
    const secret = draft.kind === "stored" ? given("secret") : null;
    await change("POST /admin/v1/providers", {
      body: {
        name: draft.name,
        base_url: draft.url,
        credential: credentialOf(draft),
        secret,
        platform: known.find(({ name }) => name === draft.preset)?.platform ?? null,
      },
    });
    onAdded();
  }, FIELDS);
  return (
    <Beside commands={[addCommand(draft, known)]}>
      <form onSubmit={send} className="flex flex-col gap-4">
        <SelectField
          label="Provider"
          value={draft.preset}
          onChange={({ target }) => setDraft(draftOf(known.find(({ name }) => name === target.value)))}
          options={[
            { value: OTHER, name: "another, by its address" },
            ...known.map(({ name }) => ({ value: name, name })),
          ]}
          hint="Anything that speaks the API of OpenAI, Anthropic or Gemini works."
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="Name"
            name="name"
            required
            autoComplete="off"
            value={draft.name}
            onChange={({ target }) => setDraft({ ...draft, name: target.value.trim() })}
            problem={problemOf("name")}
            hint="Its name in the catalogue, logs and metrics."
          />
          <Field
            label="Base URL"
            name="base_url"
            type="url"
            required
            placeholder="https://api.example.com/v1"
            value={draft.url}
            onChange={({ target }) => setDraft({ ...draft, url: target.value.trim() })}
            problem={problemOf("base_url")}
            hint={urlHint(draft.url)}
          />
          <CredentialFields draft={draft} onDraft={setDraft} problemOf={problemOf} />
        </div>
        <Problem text={otherwise} />
        <div className="flex justify-end gap-2 border-t border-line pt-4">
          {onCancel !== null && <Button onClick={onCancel}>Cancel</Button>}
          <Button look="primary" type="submit" busy={isBusy}>
            Add the provider
          </Button>
        </div>
      </form>
    </Beside>
  );
}

type CredentialParts = {
  draft: ProviderDraft;
  onDraft: (draft: ProviderDraft) => void;
  problemOf: (field: string) => string | null;
};

const CredentialFields = ({ draft, onDraft, problemOf }: CredentialParts): ReactNode => (
  <>
    <SelectField
      label="Credential"
      name="kind"
      value={draft.kind}
      onChange={({ target }) => onDraft({ ...draft, kind: target.value as CredentialKind })}
      options={KINDS}
      problem={draft.kind === "none" ? problemOf("credential") : null}
    />
    {draft.kind === "stored" && (
      <Field
        label="API key of the provider"
        name="secret"
        type="password"
        autoComplete="off"
        required
        problem={problemOf("secret") ?? problemOf("credential")}
        hint="It is never shown again, here or elsewhere."
      />
    )}
    {draft.kind === "env" && (
      <Field
        label="Variable"
        name="variable"
        required
        autoComplete="off"
        placeholder="ACME_API_KEY"
        value={draft.variable}
        onChange={({ target }) => onDraft({ ...draft, variable: target.value.trim() })}
        problem={problemOf("credential")}
        hint="Set where `tollgate serve` runs."
      />
    )}
  </>
);
