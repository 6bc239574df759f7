import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { IconName } from "../parts/icon.tsx";
import { useSettled } from "../parts/use-settled.ts";
import type { Command, CommandParts, Found } from "./commands.ts";
import { findHolders } from "./find-holders.ts";

const SHORTEST = 2;
const KINDS: Record<Found["kind"], { group: string; icon: IconName }> = {
  account: { group: "Account", icon: "accounts" },
  key: { group: "Key", icon: "keys" },
};

/** What the gateway finds for the text, as commands that open it. */
export function useFound(open: CommandParts["openFound"], text: string) {
  const settled = useSettled(text);
  const search = settled !== undefined && settled.length >= SHORTEST ? settled : undefined;
  const isAsked = open !== null && text.trim().length >= SHORTEST;
  const asked = useQuery({
    queryKey: ["found", search],
    queryFn: ({ signal }) => findHolders(search ?? "", signal),
    enabled: isAsked && search !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  const isWaiting = isAsked && (text.trim() !== (search ?? "") || asked.isFetching);
  // Of what was found for the text before, only what fits this one: Enter must not open another.
  const fits = ({ title, note }: Found): boolean =>
    `${title} ${note}`.toLowerCase().includes(text.trim().toLowerCase());
  const found = isAsked ? (asked.data ?? []).filter((one) => !isWaiting || fits(one)) : [];
  const commands = found.map((one): Command => ({
    id: `${one.kind} ${one.id}`,
    title: one.title,
    note: one.note,
    words: "",
    ...KINDS[one.kind],
    run: () => open?.(one),
  }));
  return { commands, isWaiting, error: isAsked ? asked.error : null };
}
