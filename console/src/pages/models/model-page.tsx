import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Model } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Moment } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { BackLink, PageHead } from "../../parts/page-head.tsx";
import { Failure, Note, Skeleton } from "../../parts/state.tsx";
import { AcceptedAlarms } from "./accepted-alarms.tsx";
import { ModelRoutes } from "./model-routes.tsx";
import { ModelBadge } from "./model-state.tsx";
import { ModelUse } from "./model-use.tsx";
import { PriceDialog } from "./price-dialog.tsx";
import { PriceHistory } from "./price-history.tsx";
import { PriceTable } from "./price-table.tsx";
import { PublishDialog } from "./publish-dialog.tsx";

/** One model: what it costs, where it is called, what it is used for. */
export function ModelPage(): ReactNode {
  const { model: id } = useParams({ from: "/shell/models/$model" });
  const model = useQuery(queryOf("GET /admin/v1/models/{model}", { params: { model: id } }));
  if (model.error) return <Failure error={model.error} height={400} retry={() => void model.refetch()} />;
  return model.data ? <Found model={model.data} /> : <Skeleton height={400} />;
}

function Found({ model }: { model: Model }): ReactNode {
  const [open, setOpen] = useState<"price" | "publish" | null>(null);
  const close = (): void => setOpen(null);
  const others = model.obstacles.filter((obstacle) => obstacle !== "not published");
  return (
    <div className="flex flex-col gap-4">
      <PageHead
        back={<BackLink to="/models">Models</BackLink>}
        title={
          <>
            <span className="min-w-0 wrap-anywhere">{model.display_name ?? model.id}</span> <ModelBadge of={model} />
          </>
        }
        lead={
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <CopyText text={model.id} />
            <Link to="/requests" search={{ model: model.id, range: "7d" }} className="text-accent underline">
              requests
            </Link>
          </span>
        }
        actions={
          <>
            <Button look="primary" onClick={() => setOpen("price")}>
              {model.price === null ? "Set a price" : "Change the price"}
            </Button>
            <Button onClick={() => setOpen("publish")}>{model.published ? "Unpublish" : "Publish"}</Button>
          </>
        }
      />
      {others.length > 0 && <Note icon="warn">Clients cannot use it: {others.join("; ")}.</Note>}
      <ModelUse id={model.id} />
      <div className="grid gap-4 *:min-w-0 xl:grid-cols-2">
        <Card title="What does it cost?" lead={<PriceLead of={model} />}>
          {model.price === null ? (
            <p className="text-ink-2">It has no price, so keys that pay with credit cannot use it.</p>
          ) : (
            <PriceTable before={model.price} />
          )}
          {model.upcoming_prices.map((next) => (
            <section key={next.version} className="mt-4" aria-label={`Price from ${next.effective_from}`}>
              <h3 className="mb-1 font-medium">
                From <Moment atMs={Date.parse(next.effective_from)} />
              </h3>
              <PriceTable before={model.price} after={next} />
            </section>
          ))}
        </Card>
        <Card title="What does it take and give?">
          <ModelFacts of={model} />
        </Card>
      </div>
      <ModelRoutes of={model} />
      <PriceHistory of={model} />
      <AcceptedAlarms of={model} />
      {open === "price" && <PriceDialog of={model} onClose={close} />}
      {open === "publish" && <PublishDialog of={model} onClose={close} />}
    </div>
  );
}

function PriceLead({ of: { price } }: { of: Model }): ReactNode {
  if (price === null) return "Credits that clients are charged";
  const from = Date.parse(price.effective_from);
  return (
    <>
      Version {price.version}
      {from > 0 && (
        <>
          , since <Moment atMs={from} />
        </>
      )}
    </>
  );
}

const tokens = (count: number | null, none: string): ReactNode =>
  count === null ? <span className="text-ink-3">{none}</span> : `${groupDigits(count)} tokens`;

const noOutput = ({ routes }: Model): string =>
  routes.some(({ format }) => format === "embeddings") ? "none: it makes embeddings" : "not known";

const ModelFacts = ({ of: model }: { of: Model }): ReactNode => (
  <Facts
    facts={[
      ["Context window", tokens(model.context_window, "not known")],
      ["Most output", tokens(model.max_output_tokens ?? model.output_ceiling, noOutput(model))],
      ["Least reserved", tokens(model.output_floor, "none")],
      ["Token factor", String(model.token_factor)],
      ["Owned by", model.owned_by],
      ...(model.tagline === null ? [] : [["Tagline", model.tagline] as const]),
      ["Capabilities", capabilitiesText(model.capabilities)],
      ["Added", <Moment key="added" atMs={Date.parse(model.created_at)} />],
    ]}
  />
);

function capabilitiesText(capabilities: Record<string, unknown>): ReactNode {
  const said = Object.entries(capabilities);
  if (said.length === 0) return <span className="text-ink-3">none stated</span>;
  return (
    <ul>
      {said.map(([name, value]) => (
        <li key={name}>
          {name}: <code className="font-mono text-small wrap-anywhere">{JSON.stringify(value)}</code>
        </li>
      ))}
    </ul>
  );
}
