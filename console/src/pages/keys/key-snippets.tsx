import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ORIGIN_PREFIX } from "../../../../src/core/people/key-mode.ts";
import { CLIENT_SETUPS } from "../../../../src/wire/client-setup/clients.ts";
import { Field } from "../../parts/field.tsx";
import { sessionQuery } from "../../shell/session.ts";
import { SetupParts } from "../connect/setup-parts.tsx";

/** For a first request. All others are on the page of the key holder. */
const OFFERED = ["curl", "openai-python", "openai-js", "claude-code", "codex"].flatMap((id) =>
  CLIENT_SETUPS.filter((setup) => setup.id === id),
);
const KEPT = "tollgate-address";

type Props = { secret: string; mode: "credit" | "token_budget"; models: readonly string[] | null };

/** The settings of some clients, with the key in them. The address of the gateway is the reader's to say; it is remembered. */
export function KeySnippets({ secret, mode, models }: Props): ReactNode {
  // Read with the page already, where there is one.
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const [said, setSaid] = useState(() => localStorage.getItem(KEPT));
  const address = said ?? session?.gateway_url ?? "https://gateway.example.com";
  const connection = {
    origin: `${address.replace(/\/+$/, "")}${ORIGIN_PREFIX[mode]}`,
    key: secret,
    model: models?.[0] ?? "MODEL",
    limits: null,
    sockets: null,
  };
  const keep = (text: string): void => {
    setSaid(text);
    localStorage.setItem(KEPT, text);
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Field
        label="Address of the gateway, as clients reach it"
        type="url"
        value={address}
        onChange={({ target }) => keep(target.value)}
      />
      <Tabs.Root defaultValue={OFFERED[0]?.id} className="min-w-0">
        <Tabs.List className="flex flex-wrap gap-1" aria-label="Client">
          {OFFERED.map(({ id, name }) => (
            <Tabs.Tab
              key={id}
              value={id}
              className="h-7 rounded-md px-2.5 text-ink-2 hover:bg-sunken data-active:bg-accent-soft data-active:font-medium data-active:text-accent"
            >
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {OFFERED.map(({ id, name, parts }) => (
          <Tabs.Panel key={id} value={id} className="mt-3">
            <SetupParts client={name} parts={parts(connection)} />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </div>
  );
}
