import { Tabs } from "@base-ui/react/tabs";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { tell } from "../../parts/toast.tsx";
import { sessionQuery } from "../../shell/session.ts";
import { snippetsOf } from "./snippets.ts";

const KEPT = "tollgate-address";

type Props = { secret: string; mode: "credit" | "token_budget"; models: readonly string[] | null };

/** The settings of some clients, with the key in them. The address of the gateway is the reader's to say; it is remembered. */
export function KeySnippets({ secret, mode, models }: Props): ReactNode {
  // Read with the page already, where there is one.
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const [said, setSaid] = useState(() => localStorage.getItem(KEPT));
  const address = said ?? session?.gateway_url ?? "https://gateway.example.com";
  const snippets = snippetsOf({ address: address.replace(/\/+$/, ""), secret, mode, model: models?.[0] ?? "MODEL" });
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
      <Tabs.Root defaultValue={snippets[0]?.name} className="min-w-0">
        <Tabs.List className="flex flex-wrap gap-1" aria-label="Client">
          {snippets.map(({ name }) => (
            <Tabs.Tab
              key={name}
              value={name}
              className="h-7 rounded-md px-2.5 text-ink-2 hover:bg-sunken data-active:bg-accent-soft data-active:font-medium data-active:text-accent"
            >
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, text }) => (
          <Tabs.Panel key={name} value={name} className="relative mt-2">
            <pre
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, and the keyboard must reach that
              tabIndex={0}
              className="overflow-x-auto rounded-md bg-sunken p-3 pt-10 font-mono text-small leading-5"
            >
              {text}
            </pre>
            <Button
              icon="copy"
              className="absolute top-1.5 right-1.5 h-7!"
              onClick={() => void navigator.clipboard.writeText(text).then(() => tell("Copied"))}
            >
              Copy
            </Button>
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </div>
  );
}
