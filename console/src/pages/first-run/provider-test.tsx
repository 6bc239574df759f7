import { useMutation } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../../api/call.ts";
import type { Provider, ProviderTest as Tested } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { usualFormat } from "./provider-draft.ts";
import { Problem } from "./setup-step.tsx";

export type Format = "chat" | "responses" | "messages" | "gemini" | "converse" | "embeddings";
export const FORMATS = [
  { value: "chat", name: "chat: OpenAI’s Chat Completions" },
  { value: "responses", name: "responses: OpenAI’s Responses" },
  { value: "messages", name: "messages: Anthropic’s Messages" },
  { value: "gemini", name: "gemini: Google’s Gemini" },
  { value: "converse", name: "converse: Amazon Bedrock’s Converse" },
  { value: "embeddings", name: "embeddings: OpenAI’s Embeddings" },
];

/** One small call to a provider, before anything depends on it. */
export function ProviderTest({ providers }: { providers: readonly Provider[] }): ReactNode {
  const [name, setName] = useState(providers.at(-1)?.name ?? "");
  const provider = providers.find((one) => one.name === name);
  const usual = usualFormat(provider);
  const test = useMutation({
    mutationFn: (body: { upstream_model: string; format: Format }) =>
      call("POST /admin/v1/providers/{provider}/test", { params: { provider: name }, body }),
  });
  const send = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    test.mutate({ upstream_model: String(form.get("model")).trim(), format: form.get("format") as Format });
  };
  return (
    <form onSubmit={send} className="flex flex-col gap-3 rounded-md bg-sunken/60 p-3" aria-label="Test call">
      <p className="text-ink-2">
        A test call finds a wrong address or credential now. It asks for a few tokens, which the provider bills.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        {providers.length > 1 && (
          <SelectField
            label="Provider to test"
            value={name}
            onChange={({ target }) => setName(target.value)}
            options={providers.map((one) => ({ value: one.name, name: one.name }))}
          />
        )}
        <Field
          label="A model, by its name at the provider"
          name="model"
          required
          autoComplete="off"
          defaultValue={provider?.routes[0]?.upstream_model ?? ""}
          key={name}
        />
        <SelectField label="Format" name="format" key={usual} defaultValue={usual} options={FORMATS} />
      </div>
      <div>
        <Button type="submit" busy={test.isPending}>
          Send a test call
        </Button>
      </div>
      <div role="status">
        {test.error !== null && <Problem text={test.error.message} />}
        {test.data !== undefined && <Result tested={test.data} />}
      </div>
    </form>
  );
}

const Result = ({ tested }: { tested: Tested }): ReactNode => (
  <Facts
    facts={[
      [
        "Result",
        <Badge key="result" tone={tested.ok ? "good" : "bad"}>
          {tested.ok ? "it works" : "it failed"}
        </Badge>,
      ],
      ...(tested.problem === null ? [] : [["Problem", tested.problem] as const]),
      ["Status", tested.status === null ? "no response" : String(tested.status)],
      ["First byte", tested.first_byte_ms === null ? "none" : `${groupDigits(Math.round(tested.first_byte_ms))} ms`],
      ["Tokens", tokensOf(tested)],
      ...(tested.broken_rules === null || tested.broken_rules.length === 0
        ? []
        : [["Stream", `repaired by the gateway: ${tested.broken_rules.join("; ")}`] as const]),
    ]}
  />
);

const tokensOf = ({ usage }: Tested): string =>
  usage === null ? "not reported" : `${usage.input_tokens ?? "?"} in, ${usage.output_tokens ?? "?"} out`;
