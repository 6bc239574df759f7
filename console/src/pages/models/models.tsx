import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Model } from "../../api/generated/admin.ts";
import { groupDigits, readCredits } from "../../format/money.ts";
import { DAY_MS } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { INPUT } from "../../parts/field.tsx";
import { FindInput } from "../../parts/find-input.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useNow, useOwnSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { modelColumns } from "./model-columns.tsx";
import { type ModelState, STATE_NAMES, stateOf } from "./model-state.tsx";
import { modelsQuery, MOST_MODELS } from "./models-query.ts";
import { PriceCheckBanner } from "./price-check-banner.tsx";
import { NewModelDialog } from "./new-model-dialog.tsx";

const DAYS = 30;
const MOST_CHARGED = 50;

/** Every model with its price, its routes and whether clients can use it. */
export function Models(): ReactNode {
  const navigate = useNavigate();
  const [isAdding, setIsAdding] = useState(false);
  const {
    own: { find, state },
    changeOwn,
  } = useOwnSearch("/shell/models");
  const models = useQuery(modelsQuery);
  const charged = useCharged();
  const all = useMemo(() => models.data ?? [], [models.data]);
  const rows = useMemo(() => all.filter((model) => isFound(model, find, state)), [all, find, state]);
  const columns = useMemo(() => modelColumns(charged), [charged]);
  const shown = shownOf(models, rows.length > 0 ? null : all.length > 0 ? NOTHING_FOUND : NO_MODELS);
  return (
    <>
      <PriceCheckBanner />
      <DataTable
        label="Models"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/models/$model", params: { model: id } })}
        height={720}
        shown={
          shown.kind === "ready" && all.length >= MOST_MODELS
            ? { kind: "too-many", note: `The first ${groupDigits(MOST_MODELS)} models are shown.` }
            : shown
        }
        tools={
          <>
            <FindInput
              label="Find a model by id, name or provider"
              value={find}
              onFind={(text) => changeOwn({ find: text })}
            />
            <select
              aria-label="Status"
              value={state ?? ""}
              onChange={({ target }) => changeOwn({ state: target.value || undefined })}
              className={`${INPUT} w-auto!`}
            >
              <option value="">any status</option>
              {Object.entries(STATE_NAMES).map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
            <Button onClick={() => void navigate({ to: "/models/import" })}>Import prices</Button>
            <Button look="primary" onClick={() => setIsAdding(true)}>
              New model
            </Button>
          </>
        }
      />
      <p className="mt-2 px-1 text-small text-ink-3">
        Prices are what clients are charged, in credits per million tokens. What providers charge you is beside them
        under Margins.
      </p>
      {isAdding && <NewModelDialog onClose={() => setIsAdding(false)} />}
    </>
  );
}

const NO_MODELS = {
  title: "There are no models yet",
  hint: "A model has a price and a route to a provider. Add one with “New model”, read a price list with “Import prices”, or apply a catalogue file:",
  command: "tollgate catalogue apply catalogue.yaml",
};
const NOTHING_FOUND = { title: "No model matches", hint: "Search for a part of the id, the name or a provider." };

function isFound(model: Model, find: string | undefined, state: string | undefined): boolean {
  const text = `${model.id} ${model.display_name ?? ""} ${model.routes.map(({ provider }) => provider).join(" ")}`;
  const isInState = state === undefined || stateOf(model) === (state as ModelState);
  return isInState && text.toLowerCase().includes((find ?? "").toLowerCase());
}

/** Of the models that charged most in the last days. */
function useCharged(): ReadonlyMap<string, bigint> {
  const to = (Math.floor(useNow(60_000) / DAY_MS) + 1) * DAY_MS;
  const series = useQuery(
    queryOf("GET /admin/v1/series", {
      query: {
        from: new Date(to - DAYS * DAY_MS).toISOString(),
        to: new Date(to).toISOString(),
        step: "1d",
        by: "model",
        top: MOST_CHARGED,
      },
    }),
  );
  return useMemo(
    () =>
      new Map(
        (series.data?.groups ?? []).flatMap(({ id, total }): [string, bigint][] =>
          id === null ? [] : [[id, readCredits(total.credits)]],
        ),
      ),
    [series.data],
  );
}
