/** A configured channel as the API shows it: settings with masks, state, and who may write. */
import { identitiesOf } from "../../host/people.ts";
import { channelShelf, type ChannelShelf, isRecord, openChannelFolder } from "@margay/core/internal";
import { findKind } from "./kinds.ts";
import type { ChannelConfig } from "../../config/config.ts";
import { hashOf } from "../../config/load.ts";
import type { Loaded } from "../../config/load.ts";
import { isKnownChannel, kindOf } from "../../config/channel-ids.ts";
import type { Language } from "../../texts/text.ts";
import type { ChannelView } from "./schema.ts";
import type { Services } from "../../host/api/services.ts";
import { differing, maskedValues } from "../../host/settings/view.ts";
import { words } from "../../host/api/words.ts";
import { createOutboxIndex, type OutboxItem } from "../../host/live/outbox-index.ts";
import { TEXT } from "./api-texts.ts";

export async function channelViews(services: Services, language: Language): Promise<readonly ChannelView[]> {
  const { config } = services.app.inside.loaded();
  const outbox = await services.once(createOutboxIndex).list();
  return Object.keys(config.channelsById).flatMap((id) => channelView(id, services, language, outbox) ?? []);
}

export async function channelNamed(
  id: string,
  services: Services,
  language: Language,
): Promise<ChannelView | undefined> {
  return channelView(id, services, language, await services.once(createOutboxIndex).list());
}

function channelView(
  id: string,
  services: Services,
  language: Language,
  outbox: readonly OutboxItem[],
): ChannelView | undefined {
  const { app } = services;
  const loaded = app.inside.loaded();
  const { channelsById } = loaded.config;
  const { places } = loaded;
  const configured = Object.hasOwn(channelsById, id) ? channelsById[id] : undefined;
  if (configured === undefined) return undefined;
  const status = app.inside.platforms.status(id);
  const paired = app.inside.pairing.list().filter(({ channel }) => channel === id).length;
  const known = identitiesOf(loaded.config, app.inside.pairing.list()).filter(({ channel }) => channel === id).length;
  const kind = findKind(kindOf(id, channelsById), places);
  const mine = outbox.filter(({ to }) => to.channel === id);
  const counted = (wanted: OutboxItem["state"]): number => mine.filter(({ state }) => state === wanted).length;
  const pending = mine.filter(({ state }) => state === "pending");
  const oldestAt = pending.at(-1)?.at;
  const shown = shownConfig(id, loaded);
  const calledAt = addressesOf(id, services);
  return {
    id,
    kind: kindOf(id, channelsById),
    enabled: configured.enabled,
    config: shown,
    hash: hashOf(JSON.stringify([id, configured.enabled, configured.allowFrom, configured.operators, shown])),
    ...(status === undefined
      ? { state: configured.enabled && !isKnownChannel(id, channelsById) ? ("failed" as const) : ("off" as const) }
      : status),
    ...(calledAt.length > 0 && { calledAt }),
    ...(kind !== undefined && { once: kind.can.once }),
    ...(kind?.can.onceMs !== undefined && { onceMs: kind.can.onceMs }),
    ...(kind?.place !== undefined && keptOf(channelShelf(places.channels, id, places.docs), app)),
    outbox: {
      pending: pending.length,
      ...(oldestAt !== undefined && { oldestAt }),
      held: counted("held"),
      uncertain: counted("uncertain"),
      failed: counted("failed"),
    },
    allow: [...configured.allowFrom],
    operators: [...configured.operators],
    paired,
    known,
    warnings: [
      ...(isKnownChannel(id, channelsById) ? [] : [words(language, TEXT.noChannelKind)]),
      ...warningsOf(configured, known, language),
    ],
    restart: needsRestart(id, app.loaded, loaded),
  };
}

/** Where its platform calls, as it must be told there. */
export function addressesOf(id: string, { app, origin }: Services): string[] {
  const { publicUrl } = app.inside.loaded().config.gateway;
  const { addresses } = app.inside.platforms.hooks;
  return addresses(id).map((path) => (publicUrl === null ? origin() : new URL(publicUrl).origin) + path);
}

function keptOf(shelf: ChannelShelf, { clock }: Services["app"]): Pick<ChannelView, "deadLetters" | "cursorAt"> {
  const kept = openChannelFolder(shelf, clock);
  const cursorAt = kept.cursorAt();
  return { deadLetters: kept.deadLetters(), ...(cursorAt !== undefined && { cursorAt }) };
}

function shownConfig(id: string, loaded: Loaded): ChannelView["config"] {
  const channels = maskedValues(loaded)["channels"];
  const mine = isRecord(channels) ? channels[id] : undefined;
  if (!isRecord(mine)) return {};
  // What stands beside it in the view is not in it again.
  const { enabled: _enabled, kind: _kind, allowFrom: _allow, operators: _operators, ...rest } = mine;
  return rest as ChannelView["config"]; // token, secret, baseUrl and options, as the table of keys has them
}

function needsRestart(id: string, before: Loaded, after: Loaded): boolean {
  return differing(before, after).some(({ path, restart }) => restart && path.startsWith(`channels.${id}.`));
}

function warningsOf(config: ChannelConfig, known: number, language: Language): string[] {
  const { enabled, allowFrom } = config;
  const warnings: string[] = [];
  if (enabled && allowFrom.includes("*")) warnings.push(words(language, TEXT.everybodyMayWrite));
  if (enabled && known === 0 && !allowFrom.includes("*")) warnings.push(words(language, TEXT.nobodyCanWrite));
  return warnings;
}
