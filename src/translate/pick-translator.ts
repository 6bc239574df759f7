import { type ClientDialect, type ProviderDialect } from "../core/request/dialect.ts";
import { invariant } from "../core/invariant.ts";
import { chatNormalised } from "./chat/normalised.ts";
import { chatUntouched } from "./chat/untouched.ts";
import { searching } from "./chat/searching.ts";
import { chatClient, chatProvider } from "./chat/sides.ts";
import { converseProvider } from "./converse/sides.ts";
import { createCrossing } from "./crossing/create-crossing.ts";
import { geminiProvider } from "./gemini/sides.ts";
import { messagesClient, messagesProvider } from "./messages/sides.ts";
import { responsesClient, responsesProvider } from "./responses/sides.ts";
import type { ClientSide, ProviderSide } from "./form/sides.ts";
import { messagesNormalised } from "./messages/normalised.ts";
import { messagesUntouched } from "./messages/untouched.ts";
import { responsesNormalised } from "./responses/normalised.ts";
import { responsesUntouched } from "./responses/untouched.ts";
import { cloudBody } from "../wire/messages/cloud-body.ts";
import { withoutUnsold } from "../wire/members/cache-marks.ts";
import { withCaps } from "../wire/members/provider-tools.ts";
import { withoutUnknown } from "../wire/members/unknown-members.ts";
import { unsealed } from "./sealed-thoughts.ts";
import type { SameFormat, Translator } from "./translator.ts";

type Pair = { conformant: Translator; normalised: Translator };

/** A crossing reads with care whatever it is given; that a provider is conformant matters only for what it can be told. */
function crossing(client: ClientSide, provider: ProviderSide): Pair {
  return {
    conformant: asSold(createCrossing(client, provider, provider.ordinaryPrice)),
    normalised: asSold(createCrossing(client, provider)),
  };
}

/** Where both speak one format nothing is touched but what was sealed here for a provider of another, and what it is not told. */
function straight(format: SameFormat): Translator {
  return asSold({
    ...format,
    request: (request, told) => {
      const own = unsealed(told.members ? withoutUnknown(request, told.members) : request);
      return format.request(told.mostCalls === undefined ? own : withCaps(own, told.mostCalls), told);
    },
  });
}

/** No provider is asked to cache a part where that has no price. */
const asSold = (translator: Translator): Translator => ({
  ...translator,
  request: (request, told) =>
    translator.request(told.cache === undefined ? request : withoutUnsold(request, told.cache), told),
});

const CLIENTS: Record<ClientDialect, ClientSide> = {
  chat: chatClient,
  responses: responsesClient,
  messages: messagesClient,
};

const PROVIDERS: Record<ProviderDialect, ProviderSide> = {
  chat: chatProvider,
  responses: responsesProvider,
  messages: messagesProvider,
  gemini: geminiProvider,
  converse: converseProvider,
};

const SAME_FORMAT: Record<ClientDialect, Pair> = {
  chat: { conformant: straight(searching(chatUntouched)), normalised: straight(searching(chatNormalised)) },
  responses: { conformant: straight(responsesUntouched), normalised: straight(responsesNormalised) },
  messages: { conformant: straight(messagesUntouched), normalised: straight(messagesNormalised) },
};

/** In whose cloud a model of messages runs decides what its body may hold. */
const inCloud = (translator: Translator): Translator => ({
  ...translator,
  request: (request, told) => {
    const body = translator.request(request, told);
    const cloud = told.quirks?.messages?.cloud ?? null;
    if (cloud === null) return body;
    const betas = request.forwardedHeaders["anthropic-beta"];
    return cloudBody(body, { cloud, betas, upstreamModel: told.upstreamModel });
  },
});
const inItsCloud = (provider: ProviderDialect, { conformant, normalised }: Pair): Pair =>
  provider === "messages"
    ? { conformant: inCloud(conformant), normalised: inCloud(normalised) }
    : { conformant, normalised };

type PairName = `${ClientDialect}-to-${ProviderDialect}`;

/** Every caller's format to every provider's: the same, or a crossing. */
const PAIRS = new Map<PairName, Pair>(
  (Object.keys(CLIENTS) as ClientDialect[]).flatMap((client) =>
    (Object.entries(PROVIDERS) as [ProviderDialect, ProviderSide][]).map(([provider, side]) => [
      `${client}-to-${provider}` as const,
      inItsCloud(provider, client === provider ? SAME_FORMAT[client] : crossing(CLIENTS[client], side)),
    ]),
  ),
);

export function pickTranslator(
  client: ClientDialect,
  route: { dialect: ProviderDialect; conformant: boolean },
): Translator {
  const pair = PAIRS.get(`${client}-to-${route.dialect}`);
  invariant(pair, `no translator from ${client} to ${route.dialect}`);
  return route.conformant ? pair.conformant : pair.normalised;
}
