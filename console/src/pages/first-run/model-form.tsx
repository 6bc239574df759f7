import { type ReactNode, useState } from "react";
import type { Change } from "../../api/use-change.ts";
import type { Provider } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { tell } from "../../parts/toast.tsx";
import { usualFormat } from "./provider-draft.ts";
import { type Format, FORMATS } from "./provider-test.tsx";
import { Beside, Problem } from "./setup-step.tsx";
import { useStepForm } from "./use-step-form.ts";

const PLAIN = { provider: "", id: "", upstream: "", format: "chat", context: "", most: "", input: "", output: "" };
type Draft = typeof PLAIN;

const PRICE = { inputMode: "decimal", hint: "Credits per million tokens." } as const;
const TOKENS = { type: "number", min: 1 } as const;
/** `param`: how the gateway names the field that it refuses. */
const FIGURES = [
  { name: "input", param: "price.input", label: "Price of input", placeholder: "0.40", ...PRICE },
  { name: "output", param: "price.output", label: "Price of output", placeholder: "1.60", ...PRICE },
  {
    name: "most",
    param: "max_output_tokens",
    label: "Limit of output tokens",
    placeholder: "32768",
    hint: "Without it, no request could be bounded.",
    ...TOKENS,
  },
  {
    name: "context",
    param: "context_window",
    label: "Context window",
    placeholder: "128000",
    hint: "In tokens, input and output together.",
    ...TOKENS,
  },
] as const;
const FIELDS = ["id", "route.upstream_model", ...FIGURES.map(({ param }) => param)];

const orWord = (text: string, word: string): string => (text === "" ? word : text);
const count = (text: string): number | null => (text === "" ? null : Number(text));

/** Its models have neither a limit nor a price of output. */
const EMBEDDINGS: Format = "embeddings";

const isRequired = (name: string, { format }: Draft): boolean =>
  format !== EMBEDDINGS || (name !== "most" && name !== "output");

/** As `tollgate models add` is told the same. */
const commandOf = (draft: Draft): string =>
  `tollgate models add ${orWord(draft.id, "MODEL")} --provider ${orWord(draft.provider, "NAME")} --upstream-model ${orWord(draft.upstream, orWord(draft.id, "MODEL"))} --format ${draft.format} --context ${orWord(draft.context, "TOKENS")} --input ${orWord(draft.input, "PRICE")}${draft.format === EMBEDDINGS ? "" : ` --max-output ${orWord(draft.most, "TOKENS")} --output ${orWord(draft.output, "PRICE")}`}`;

const modelOf = (draft: Draft) => ({
  id: draft.id,
  context_window: count(draft.context),
  max_output_tokens: count(draft.most),
  price: { input: draft.input, ...(draft.output !== "" && { output: draft.output }) },
  route: { provider: draft.provider, upstream_model: draft.upstream || draft.id, format: draft.format as Format },
});

/** One model with its route and price, published at once. */
export function ModelForm({ providers }: { providers: readonly Provider[] }): ReactNode {
  const [given, setGiven] = useState<Partial<Draft>>({});
  const provider = providers.find(({ name }) => name === given.provider) ?? providers.at(-1);
  const usual = usualFormat(provider);
  const draft: Draft = { ...PLAIN, format: usual, ...given, provider: provider?.name ?? "" };
  const add = async (change: Change): Promise<void> => {
    await change("POST /admin/v1/models", { body: modelOf(draft) });
    tell(`${draft.id} is published`);
    setGiven({ provider: draft.provider });
  };
  const { send, isBusy, problemOf, otherwise } = useStepForm(add, FIELDS);
  const field = (name: keyof Draft) => ({
    value: draft[name],
    onChange: ({ target }: { target: { value: string } }) => setGiven({ ...given, [name]: target.value.trim() }),
    autoComplete: "off",
  });
  return (
    <Beside commands={[commandOf(draft)]}>
      <form onSubmit={send} className="grid gap-4 sm:grid-cols-2">
        <Field
          {...field("id")}
          label="Id"
          required
          placeholder="acme-large"
          problem={problemOf("id")}
          hint="What clients ask for."
        />
        <Field
          {...field("upstream")}
          label="Its name at the provider"
          placeholder={draft.id || "acme-large"}
          problem={problemOf("route.upstream_model")}
          hint="Empty: the same as the id."
        />
        <SelectField
          {...field("provider")}
          label="Provider"
          options={providers.map(({ name }) => ({ value: name, name }))}
        />
        <SelectField {...field("format")} label="Format" options={FORMATS} />
        {FIGURES.map(({ name, param, ...rest }) => (
          <Field key={name} {...field(name)} {...rest} required={isRequired(name, draft)} problem={problemOf(param)} />
        ))}
        <div className="flex flex-col gap-3 sm:col-span-2">
          <Problem text={otherwise} />
          <div className="flex justify-end border-t border-line pt-4">
            <Button look="primary" type="submit" busy={isBusy}>
              Add the model
            </Button>
          </div>
        </div>
      </form>
    </Beside>
  );
}
