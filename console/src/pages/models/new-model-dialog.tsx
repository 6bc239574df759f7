import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { Model } from "../../api/generated/admin.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { RouteFields } from "./route-dialogs.tsx";

const FIELDS = ["id", "context_window", "max_output_tokens", "price.input", "price.output", "price.cache_read"];
const ROUTE_FIELDS = ["route.provider", "route.upstream_model", "route.format"];
const PUBLISHED = [
  { value: "yes", name: "yes, at once" },
  { value: "no", name: "not yet" },
];

/** A model with its first price and its first route. */
export function NewModelDialog({ onClose }: { onClose: () => void }): ReactNode {
  const navigate = useNavigate();
  const [id, setId] = useState("");
  return (
    <FormDialog
      title="New model"
      lead="Prices are in credits per million tokens."
      verb="Add the model"
      done="The model is added"
      fields={[...FIELDS, ...ROUTE_FIELDS]}
      onClose={onClose}
      act={async (change, given) => {
        const cached = given("cache_read");
        await change("POST /admin/v1/models", {
          body: {
            id: given("id"),
            context_window: given("context") === "" ? null : Number(given("context")),
            max_output_tokens: given("output_limit") === "" ? null : Number(given("output_limit")),
            price: {
              input: given("input"),
              ...(given("output") !== "" && { output: given("output") }),
              ...(cached !== "" && { cache_read: cached }),
            },
            route: {
              provider: given("provider"),
              upstream_model: given("upstream_model"),
              format: given("format") as Model["routes"][number]["format"],
            },
            published: given("published") === "yes",
          },
        });
        await navigate({ to: "/models/$model", params: { model: given("id") } });
      }}
    >
      {(problemOf) => (
        <>
          <Field
            label="Id that clients use"
            name="id"
            required
            autoFocus
            maxLength={200}
            spellCheck={false}
            value={id}
            onChange={({ target }) => setId(target.value)}
            problem={problemOf("id")}
          />
          <RouteFields problemOf={problemOf} />
          <LimitFields problemOf={problemOf} />
          <PriceFields problemOf={problemOf} />
          <SelectField label="Published" name="published" options={PUBLISHED} />
        </>
      )}
    </FormDialog>
  );
}

type FieldParts = { problemOf: (field: string) => string | null };

const LimitFields = ({ problemOf }: FieldParts): ReactNode => (
  <div className="grid grid-cols-2 gap-3">
    <Field label="Context window, tokens" name="context" type="number" min={1} problem={problemOf("context_window")} />
    <Field
      label="Most output, tokens"
      name="output_limit"
      type="number"
      min={1}
      placeholder="none for embeddings"
      problem={problemOf("max_output_tokens")}
    />
  </div>
);

const PriceFields = ({ problemOf }: FieldParts): ReactNode => (
  <div className="grid grid-cols-3 gap-3">
    <Field label="Input" name="input" inputMode="decimal" required problem={problemOf("price.input")} />
    <Field
      label="Output"
      name="output"
      inputMode="decimal"
      placeholder="none for embeddings"
      problem={problemOf("price.output")}
    />
    <Field
      label="Cached input"
      name="cache_read"
      inputMode="decimal"
      placeholder="as input"
      problem={problemOf("price.cache_read")}
    />
  </div>
);
