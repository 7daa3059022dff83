/** Channels: kinds, settings, state, tests. */
import type { Json, JsonObject } from "@margay/core";
import { channelShelf, removeChannelFolder, visible } from "@margay/core/internal";
import type { z } from "zod";
import type { ChannelConfig } from "../../config/config.ts";
import { hurryReplies } from "./actions.ts";
import { absentKinds, channelKinds, findKind } from "./kinds.ts";
import { kindView } from "./kind-view.ts";
import { isKnownChannel, kindOf, ourKinds } from "../../config/channel-ids.ts";
import { testChannel } from "./test-channel.ts";
import { channelNamed, channelViews } from "./view.ts";
import { requireMatch, requireNone, tagOf } from "../../host/api/etag.ts";
import { Problem } from "../../host/api/problem.ts";
import { requireOwner } from "../../host/api/proof.ts";
import { route, type Call, type Route } from "../../host/api/route.ts";
import {
  ChannelBody,
  ChannelKindsSchema,
  ChannelName,
  ChannelSchema,
  ChannelsSchema,
  ChannelTestBody,
  type ChannelView,
} from "./schema.ts";
import { TestResultSchema } from "../../protocol/test-result.ts";
import { changeSettings, patchEdits } from "../../host/settings/change.ts";
import { removalsBelow } from "../../host/settings/edits.ts";
import { isSecretAt } from "../../config/secrets/secret-names.ts";
import { isReadForm, writtenSecret } from "../../host/settings/mask.ts";
import { told } from "../../host/api/words.ts";
import { TEXT } from "./api-texts.ts";

type Body = z.infer<typeof ChannelBody>;
type Caller = Pick<Call<unknown, unknown>, "services" | "language" | "params">;

export const CHANNEL_ROUTES: readonly Route[] = [
  route({
    id: "listChannelKinds",
    method: "GET",
    path: "/channels/kinds",
    scope: "read",
    summary: "Which kinds of channels there are and how each is set up; and those whose plugin is to be added first.",
    response: ChannelKindsSchema,
    handle: ({ services, language }) => {
      const { places } = services.app.inside.loaded();
      return { body: [...channelKinds(places).map((kind) => kindView(kind, language)), ...absentKinds(places)] };
    },
  }),
  route({
    id: "listChannels",
    method: "GET",
    path: "/channels",
    scope: "read",
    summary: "The configured channels with their state.",
    response: ChannelsSchema,
    handle: async ({ services, language }) => ({ body: await channelViews(services, language) }),
  }),
  route({
    id: "getChannel",
    method: "GET",
    path: "/channels/{id}",
    scope: "read",
    summary: "One channel.",
    response: ChannelSchema,
    errors: ["channel.not-found"],
    handle: async (call) => {
      const view = await viewOf(call);
      // Its state changes without its settings: nobody has it already.
      return { body: view, headers: { etag: tagOf(view.hash) } };
    },
  }),
  route({
    id: "putChannel",
    method: "PUT",
    path: "/channels/{id}",
    scope: "admin",
    summary: "Configures a channel; it starts, changes or ends at once.",
    body: ChannelBody,
    response: ChannelSchema,
    errors: [
      "channel.invalid",
      "settings.invalid",
      "precondition.required",
      "precondition.failed",
      "auth.fresh-required",
    ],
    handle: async (call) => {
      const { services, params, body, language, headers } = call;
      const id = params["id"] ?? "";
      const { kind = kindOf(id, services.app.inside.loaded().config.channelsById) } = body;
      if (findKind(kind, services.app.inside.loaded().places) === undefined) throw noKind(kind, services);
      const before = await channelNamed(id, services, language);
      if (before === undefined) {
        requireNone(headers, "");
        if (!ChannelName.safeParse(id).success) throw noName(id);
      } else requireMatch(headers, before.hash);
      if (moves(services.app.inside.loaded().config.channelsById[id], body)) requireOwner(call, TEXT.usingStoredSecret);
      if (body.allow?.includes("*") === true && before?.allow.includes("*") !== true)
        requireOwner(call, TEXT.lettingEverybodyWrite);
      if (body.operators?.some((id) => before?.operators.includes(id) !== true) === true)
        requireOwner(call, TEXT.makingSomebodyOperator);
      await changeSettings(patchEdits({ channels: { [id]: patchOf(id, kind, body) } }, call), call, { dryRun: false });
      await hurryReplies(services, id);
      const after = await viewOf(call);
      return { body: after, headers: { etag: tagOf(after.hash) } };
    },
  }),
  route({
    id: "deleteChannel",
    method: "DELETE",
    path: "/channels/{id}",
    scope: "admin",
    summary: "Removes a channel and its stored secrets.",
    status: 204,
    errors: ["channel.not-found", "precondition.required", "precondition.failed"],
    handle: async (call) => {
      const { services, params, headers } = call;
      const view = await viewOf(call);
      requireMatch(headers, view.hash);
      const edits = removalsBelow(["channels", params["id"] ?? ""], services.app.inside.loaded());
      await changeSettings(edits, call, { dryRun: false });
      const { channels, docs } = services.app.inside.loaded().places;
      await removeChannelFolder(channelShelf(channels, view.id, docs));
      return { status: 204 };
    },
  }),
  route({
    id: "testChannel",
    method: "POST",
    path: "/channels/{id}/test",
    scope: "admin",
    summary: "Tests a channel or a draft of it, step by step; with `to` one message is sent.",
    body: ChannelTestBody,
    response: TestResultSchema,
    errors: ["channel.not-found"],
    timeoutMs: 60_000,
    handle: async (call) => {
      const { services, params, body, signal } = call;
      const id = params["id"] ?? "";
      const { channelsById } = services.app.inside.loaded().config;
      const saved = channelsById[id];
      const isKnown = isKnownChannel(id, channelsById) || body.draft?.kind !== undefined;
      if (!isKnown || (saved === undefined && body.draft === undefined)) throw noChannel(id);
      if (moves(saved, body.draft)) requireOwner(call, TEXT.usingStoredSecret);
      const config = draftOf(saved, body.draft ?? {});
      return { body: await testChannel(id, config, body.to, call, signal) };
    },
  }),
  ...(["pause", "resume"] as const).map((action) =>
    route({
      id: `${action}Channel`,
      method: "POST",
      path: `/channels/{id}/${action}`,
      scope: "admin",
      summary: action === "pause" ? "Receives nothing until it is resumed; replies still leave." : "Receives again.",
      response: ChannelSchema,
      errors: ["channel.not-found", "channel.disabled"],
      handle: async (call) => {
        const { id } = await viewOf(call);
        if (!call.services.app.inside.platforms[action](id))
          throw new Problem("channel.disabled", told({ detail: TEXT.switchedOff, remedy: TEXT.enableFirst }, { id }));
        return { body: await viewOf(call) };
      },
    }),
  ),
];

async function viewOf({ services, language, params }: Caller): Promise<ChannelView> {
  const id = params["id"] ?? "";
  const view = await channelNamed(id, services, language);
  if (view === undefined) throw noChannel(id);
  return view;
}

function noChannel(id: string): Problem {
  return new Problem(
    "channel.not-found",
    told({ detail: TEXT.noChannelConfigured, remedy: TEXT.listsThemSays }, { id: id.slice(0, 64) }),
  );
}

export function noName(id: string): Problem {
  const text = told({ detail: TEXT.noName }, { id: visible(id.slice(0, 64)) });
  return new Problem("channel.invalid", { ...text, errors: [{ path: "/name", code: "name", message: "is no name" }] });
}

export function noKind(id: string, { app }: Call<unknown, unknown>["services"]): Problem {
  const kinds = channelKinds(app.inside.loaded().places)
    .map(({ kind }) => kind)
    .join(", ");
  return new Problem("channel.invalid", {
    ...told({ detail: TEXT.noChannel }, { id: id.slice(0, 64), kinds }),
    errors: [{ path: "", code: "unknown", message: "is not a kind of channel" }],
  });
}

/** What is to be written. A kind of ours need not be named where the channel has its name. */
export function patchOf(
  id: string,
  kind: string,
  { enabled, allow, operators, token, secret, baseUrl, options }: Body,
): JsonObject {
  return {
    ...((kind !== id || !ourKinds().includes(kind)) && { kind }),
    ...(enabled !== undefined && { enabled }),
    ...(allow !== undefined && { allowFrom: allow }),
    ...(operators !== undefined && { operators }),
    ...(token !== undefined && { token: token as Json }),
    ...(secret !== undefined && { secret: secret as Json }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(options !== undefined && { options: options as Json }),
  };
}

/** Whether a secret that is stored would go somewhere else. */
function moves(saved: ChannelConfig | undefined, draft: Body | undefined): boolean {
  if (saved === undefined || draft === undefined) return false;
  const keeps = (value: unknown): boolean => value === undefined || (value !== null && isReadForm(value as Json));
  const own = saved.options ?? {};
  const given = draft.options ?? {};
  const isSecret = (name: string): boolean => isSecretAt(OPTIONS, name);
  // Any of them may be an address, or say which one is used.
  const addressed =
    (draft.baseUrl !== undefined && draft.baseUrl !== (saved.baseUrl ?? null)) ||
    Object.entries(given).some(
      ([name, value]) =>
        (!isSecret(name) || /url$/i.test(name)) && !isReadForm(value as Json) && value !== (own[name] ?? null),
    );
  return (
    addressed &&
    ((saved.secret !== undefined && keeps(draft.secret)) ||
      (saved.token !== undefined && keeps(draft.token)) ||
      Object.keys(own).some((name) => isSecret(name) && keeps(given[name])))
  );
}

const OPTIONS = { secret: "named" } as const;

/** Not of the form: what a new channel begins with. */
const OF_GROUPS: Pick<
  ChannelConfig,
  | "groups"
  | "chats"
  | "session"
  | "approvals"
  | "follow"
  | "bots"
  | "live"
  | "typing"
  | "uncertain"
  | "quote"
  | "reactions"
  | "burstMs"
  | "backfillHours"
  | "media"
> = {
  groups: "off",
  chats: {},
  session: "perThread",
  approvals: "private",
  follow: false,
  bots: "heard",
  live: "private",
  typing: "on",
  uncertain: "again",
  quote: "auto",
  reactions: "count",
  burstMs: 0,
  backfillHours: 24,
  media: { maxBytes: 26_214_400 },
};

/** What is saved, with the draft over it. */
export function draftOf(saved: ChannelConfig | undefined, draft: Body): ChannelConfig {
  const text = (value: Body["token"], kept: string | undefined): string | undefined =>
    value === null ? undefined : value === undefined ? kept : (writtenSecret(value as Json) ?? kept);
  const token = text(draft.token, saved?.token);
  const secret = text(draft.secret, saved?.secret);
  const baseUrl = draft.baseUrl === null ? undefined : (draft.baseUrl ?? saved?.baseUrl);
  const options: Record<string, Json> = { ...saved?.options };
  for (const [name, value] of Object.entries(draft.options ?? {})) {
    if (value === null) delete options[name];
    else if (typeof value === "object") options[name] = writtenSecret(value as Json) ?? options[name] ?? "";
    else options[name] = value;
  }
  return {
    ...OF_GROUPS,
    ...saved,
    ...(draft.kind !== undefined && { kind: draft.kind }),
    enabled: draft.enabled ?? saved?.enabled ?? false,
    allowFrom: draft.allow ?? saved?.allowFrom ?? [],
    operators: draft.operators ?? saved?.operators ?? [],
    ...(token !== undefined && { token }),
    ...(secret !== undefined && { secret }),
    ...(baseUrl !== undefined && { baseUrl }),
    options,
  };
}
