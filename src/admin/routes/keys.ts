import { STATUS_CHANGES, type StatusChange } from "../../core/status-change.ts";
import {
  keyAnswerSchema,
  keyChangeSchema,
  keyListSchema,
  keyMadeSchema,
  keyPlaceSchema,
  keyPageSchema,
  keyRequestSchema,
  keyRotatedSchema,
  keyShownSchema,
  keyShownView,
  keyStatusSchema,
  keyView,
  listedKeyView,
  ofKey,
  rotationSchema,
} from "../../wire/admin/keys.ts";
import { limitRemovedSchema, limitSchema, limitSetSchema, whichLimitSchema } from "../../wire/admin/limit.ts";
import { counterView } from "../../wire/admin/counter.ts";
import { pageView } from "../../wire/admin/page.ts";
import { type AdminRoute, route } from "../route.ts";

const STATUS_SUMMARIES: Record<StatusChange, string> = {
  suspend: "Suspend a key; its clients get 401",
  resume: "Resume a suspended key",
  disable: "Disable a key; its clients get 403 `key_disabled`",
  enable: "Enable a disabled key",
  revoke: "Revoke a key permanently",
};

const PLACE_SUMMARIES = {
  move: "Move a key to another account of its tree",
  adopt: "Take a key that belongs to no account into one; it keeps its secrets",
} as const;

export const keyRoutes: readonly AdminRoute[] = [
  route({
    id: "createKey",
    tag: "keys",
    method: "POST",
    path: "/admin/v1/keys",
    summary: "Create a key",
    description: "Only this response contains the secret. Save it; it cannot be shown again.",
    body: keyRequestSchema,
    answers: { 201: keyMadeSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { keys } }, { body, by }) => {
      const { key, secret } = await keys.create(body, by);
      return { status: 201, body: { key: keyView(key), secret } };
    },
  }),
  route({
    id: "listKeys",
    tag: "keys",
    method: "GET",
    path: "/admin/v1/keys",
    summary: "List keys, newest first",
    query: keyPageSchema,
    answers: { 200: keyListSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { keys } }, { query, by }) => ({
      status: 200,
      body: pageView(await keys.list(query, by), listedKeyView),
    }),
  }),
  route({
    id: "showKey",
    tag: "keys",
    method: "GET",
    path: "/admin/v1/keys/{key}",
    summary: "Show a key and the prefixes of its secrets",
    params: ofKey,
    answers: { 200: keyShownSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { keys } }, { params }) => ({
      status: 200,
      body: keyShownView(await keys.show(params.key)),
    }),
  }),
  route({
    id: "updateKey",
    tag: "keys",
    method: "PATCH",
    path: "/admin/v1/keys/{key}",
    summary: "Change the label, rate limit, expiry, provider or models of a key",
    params: ofKey,
    body: keyChangeSchema,
    answers: { 200: keyAnswerSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { keys } }, { params, body, by }) => ({
      status: 200,
      body: { key: keyView(await keys.update(params.key, body, by)) },
    }),
  }),
  route({
    id: "rotateKey",
    tag: "keys",
    method: "POST",
    path: "/admin/v1/keys/{key}/rotate",
    summary: "Create a new secret for a key; the old ones keep working for `overlap_ms`",
    params: ofKey,
    body: rotationSchema,
    answers: { 201: keyRotatedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { keys } }, { params, body, by }) => {
      const { secret, ...shown } = await keys.rotate(params.key, body, by);
      return { status: 201, body: { ...keyShownView(shown), secret } };
    },
  }),
  ...(["move", "adopt"] as const).map((verb) =>
    route({
      id: `${verb}Key`,
      tag: "keys",
      method: "POST",
      path: `/admin/v1/keys/{key}/${verb}`,
      summary: PLACE_SUMMARIES[verb],
      params: ofKey,
      body: keyPlaceSchema,
      answers: { 200: keyStatusSchema },
      refusals: ["invalid_request", "not_found", "conflict"],
      handle: async ({ operator: { keys } }, { params, body, by }) => {
        const { key, changed } = await keys[verb](params.key, body.account, by);
        return { status: 200, body: { key: keyView(key), changed } };
      },
    }),
  ),
  route({
    id: "setKeyLimit",
    tag: "keys",
    method: "POST",
    path: "/admin/v1/keys/{key}/limits",
    summary: "Limit what a key may spend per period",
    description:
      "A key has one limit per unit, period and list of models. Setting it again changes its amount at once.",
    params: ofKey,
    body: limitSchema,
    answers: { 200: limitSetSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { keys } }, { params, body, by }) => {
      const { result, counter } = await keys.setLimit(params.key, body, by);
      return { status: 200, body: { result, counter: counterView(counter) } };
    },
  }),
  route({
    id: "removeKeyLimit",
    tag: "keys",
    method: "POST",
    path: "/admin/v1/keys/{key}/limits/remove",
    summary: "Remove a limit of a key",
    params: ofKey,
    body: whichLimitSchema,
    answers: { 200: limitRemovedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { keys } }, { params, body, by }) => ({
      status: 200,
      body: await keys.removeLimit(params.key, body, by),
    }),
  }),
  ...STATUS_CHANGES.map((change) =>
    route({
      id: `${change}Key`,
      tag: "keys",
      method: "POST",
      path: `/admin/v1/keys/{key}/${change}`,
      summary: STATUS_SUMMARIES[change],
      params: ofKey,
      answers: { 200: keyStatusSchema },
      refusals: ["invalid_request", "not_found", "conflict"],
      handle: async ({ operator: { keys } }, { params, by }) => {
        const { key, changed } = await keys.changeStatus(params.key, change, by);
        return { status: 200, body: { key: keyView(key), changed } };
      },
    }),
  ),
];
