import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { CLIENT_SETUPS } from "../../../../src/wire/client-setup/clients.ts";
import type { ClientSetup, SetupConnection } from "../../../../src/wire/client-setup/setup.ts";
import { Card } from "../../parts/card.tsx";
import { CodeWords } from "../../parts/code-words.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { SelectField } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { Stateful } from "../../parts/state.tsx";
import { originOf, useMe } from "../../shell/holder-session.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import { modelsQuery } from "../my-models/models-query.ts";
import { ClientList } from "./client-list.tsx";
import { ConnectionTest } from "./connection-test.tsx";
import { SetupParts } from "./setup-parts.tsx";
import { SIGN_IN_CLIENTS } from "./sign-in-clients.ts";

/** The settings of every client, with this gateway, this key and a model of it in them. */
export function Connect(): ReactNode {
  const me = useMe();
  const { own, changeOwn } = useOwnSearch("/shell/connect");
  const models = useQuery(modelsQuery);
  const known = (models.data ?? []).filter(({ embeds }) => !embeds);
  const model = known.find(({ id }) => id === own.use) ?? known[0];
  const clients = me.person === null ? CLIENT_SETUPS : SIGN_IN_CLIENTS;
  const client = clients.find(({ id }) => id === own.client) ?? (clients[0] as ClientSetup);
  const origin = originOf(me);
  const connection: SetupConnection = {
    origin,
    model: model?.id ?? "MODEL",
    key: `${me.key.prefix}…`,
    limits: model?.context != null && model.output !== null ? { context: model.context, output: model.output } : null,
    sockets: null,
  };
  return (
    <div className="grid items-start gap-4 *:min-w-0 lg:grid-cols-[208px_minmax(0,1fr)]">
      <ClientList clients={clients} chosen={client.id} onChoose={(id) => changeOwn({ client: id })} />
      <div className="flex flex-col gap-4">
        <Card
          title={me.person === null ? "Where does my key work?" : "Where do my clients connect?"}
          lead={
            me.person !== null
              ? "You need no key: your clients sign in as you and spend from your account."
              : me.key.mode === "credit"
                ? "Your key pays with credit. Its base URL is the gateway itself."
                : "Your key has a token budget. Its base URL has /token; without it, requests get 401."
          }
        >
          <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_240px]">
            <Facts
              facts={[
                ["OpenAI-compatible", <CopyText key="openai" text={`${origin}/v1`} />],
                ["Anthropic-compatible", <CopyText key="anthropic" text={origin} />],
                ...(me.person === null
                  ? [
                      [
                        "Key",
                        <span key="key">
                          {me.key.prefix}… – this page doesn’t have the rest; set it as TOLLGATE_KEY
                        </span>,
                      ] as const,
                    ]
                  : []),
              ]}
            />
            <Stateful shown={shownOf(models, null)} height={56}>
              <SelectField
                label="Model"
                value={connection.model}
                onChange={({ target }) => changeOwn({ use: target.value })}
                options={known.map(({ id }) => ({ value: id, name: id }))}
              />
            </Stateful>
          </div>
        </Card>
        <Settings key={client.id} client={client} connection={connection} />
        {model !== undefined && <ConnectionTest key={`${client.id} ${model.id}`} client={client} model={model.id} />}
      </div>
    </div>
  );
}

const Settings = ({ client, connection }: { client: ClientSetup; connection: SetupConnection }): ReactNode => (
  <Card title={client.name}>
    <SetupParts client={client.name} parts={client.parts(connection)} />
    <ul className="mt-3 flex max-w-prose list-disc flex-col gap-1 pl-4 text-ink-2">
      {[client.next, ...client.notes].map((note) => (
        <li key={note}>
          <CodeWords text={note} />
        </li>
      ))}
    </ul>
  </Card>
);
