import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Model } from "../../api/generated/admin.ts";
import { Field, SelectField } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { FORMATS } from "../first-run/provider-test.tsx";
import { providersQuery } from "../providers/providers-query.ts";

type Route = Model["routes"][number];
type ProblemOf = (field: string) => string | null;

/** Another route, or the order of one that is there. */
export function RouteDialog({
  of: model,
  route,
  onClose,
}: {
  of: Model;
  route: Route | null;
  onClose: () => void;
}): ReactNode {
  return (
    <FormDialog
      title={route === null ? `Add a route to ${model.id}` : `Order of ${route.provider}`}
      lead="Routes in the format of the client are preferred. Among these, a lower priority is tried first; equal ones share the requests by weight, and weight 0 is a last resort. The region is a word of yours, such as eu, for keys that may run only there."
      verb={route === null ? "Add the route" : "Save"}
      done={route === null ? "The route is added" : "The order is changed"}
      fields={[
        "route.provider",
        "route.upstream_model",
        "route.format",
        "route.priority",
        "route.weight",
        "route.region",
      ]}
      onClose={onClose}
      act={(change, given) =>
        change("POST /admin/v1/models", {
          body: {
            id: model.id,
            published: model.published,
            route: {
              provider: route?.provider ?? given("provider"),
              upstream_model: route?.upstream_model ?? given("upstream_model"),
              format: route?.format ?? (given("format") as Route["format"]),
              priority: Number(given("priority")),
              weight: Number(given("weight")),
              region: given("region") || null,
            },
          },
        })
      }
    >
      {(problemOf) => (
        <>
          {route === null && <RouteFields problemOf={problemOf} />}
          <OrderFields of={route} problemOf={problemOf} />
        </>
      )}
    </FormDialog>
  );
}

/** Where a route stands among the others. */
const OrderFields = ({ of: route, problemOf }: { of: Route | null; problemOf: ProblemOf }): ReactNode => (
  <div className="grid grid-cols-2 gap-3">
    <Field
      label="Priority"
      name="priority"
      type="number"
      min={0}
      max={1_000_000}
      required
      autoFocus={route !== null}
      defaultValue={route?.priority ?? 0}
      problem={problemOf("route.priority")}
    />
    <Field
      label="Weight"
      name="weight"
      type="number"
      min={0}
      max={1_000_000}
      required
      defaultValue={route?.weight ?? 1}
      problem={problemOf("route.weight")}
    />
    <Field
      label="Region"
      name="region"
      maxLength={40}
      spellCheck={false}
      placeholder="not told"
      defaultValue={route?.region ?? undefined}
      problem={problemOf("route.region")}
    />
  </div>
);

/** Which provider is called, and by which name the model goes there. */
export function RouteFields({ problemOf }: { problemOf: ProblemOf }): ReactNode {
  const providers = useQuery(providersQuery);
  const names = (providers.data ?? []).map(({ name }) => ({ value: name, name }));
  return (
    <>
      <SelectField
        label="Provider"
        name="provider"
        required
        key={names.length}
        options={names}
        problem={problemOf("route.provider")}
      />
      <Field
        label="Its name there"
        name="upstream_model"
        required
        maxLength={500}
        spellCheck={false}
        problem={problemOf("route.upstream_model")}
      />
      <SelectField label="Format" name="format" options={FORMATS} problem={problemOf("route.format")} />
    </>
  );
}

export const RemoveRouteDialog = ({
  of: model,
  route,
  onClose,
}: {
  of: Model;
  route: Route;
  onClose: () => void;
}): ReactNode => {
  const isLast = model.routes.length === 1;
  return (
    <FormDialog
      title={`Remove the route of ${model.id} to ${route.provider}?`}
      lead={
        isLast
          ? "It is the last one: clients cannot use the model until it has another. Requests in progress end as usual."
          : "Requests go to the other routes. Requests in progress end as usual."
      }
      verb="Remove the route"
      danger
      done="The route is removed"
      onClose={onClose}
      act={(change) =>
        change("DELETE /admin/v1/models/{model}/routes/{route}", {
          params: { model: model.id, route: route.id },
          query: { last: isLast ? "remove" : "keep" },
        })
      }
    >
      {() => null}
    </FormDialog>
  );
};
