import type { ReactNode } from "react";
import type { ClientSetup } from "../../../../src/wire/client-setup/setup.ts";
import { SelectField } from "../../parts/field.tsx";

type Props = { clients: readonly ClientSetup[]; chosen: string; onChoose: (id: string) => void };

const ITEM =
  "flex h-8 w-full items-center rounded-md px-2.5 text-left text-ink-2 hover:bg-sunken hover:text-ink aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent";

/** All clients by their kind; one list where there is no room for a column. */
export const ClientList = ({ clients: all, chosen, onChoose }: Props): ReactNode => (
  <>
    <div className="lg:hidden">
      <SelectField
        label="Client"
        value={chosen}
        onChange={({ target }) => onChoose(target.value)}
        options={all.map(({ id, name }) => ({ value: id, name }))}
      />
    </div>
    <div className="hidden flex-col gap-3 lg:flex">
      {[...Map.groupBy(all, ({ group }) => group)].map(([group, clients]) => (
        <div key={group}>
          <h2 className="px-2.5 pb-1 text-small text-ink-3">{group}</h2>
          <ul className="flex flex-col gap-px">
            {clients.map(({ id, name }) => (
              <li key={id}>
                <button type="button" aria-pressed={id === chosen} onClick={() => onChoose(id)} className={ITEM}>
                  {name}
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  </>
);
